"""The guide to catalogs says what the settings really take."""

import re
from pathlib import Path

import pytest

from streamt.openlineage.transport import FileSettings, HttpSettings, TransportSettings, transport_from_environ
from streamt.openlineage.transport.refused import REFUSED_TYPES, REFUSED_VARIABLES
from streamt.openlineage.transport.settings import KEYS

GUIDE = Path(__file__).parents[3] / "docs" / "openlineage-backends.md"
TEXT = GUIDE.read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```yaml title=(\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
CATALOGS = {
    "marquez.yml": "/api/v1/lineage",
    "datahub.yml": "/openapi/openlineage/api/v1/lineage",
    "openmetadata.yml": "/api/v1/openlineage/lineage",
    "gravitino.yml": "/api/lineage",
}


def load(name: str, folder: Path, **variables: str) -> TransportSettings:
    path = folder / name
    path.write_text(FILES[name], encoding="utf-8")
    return transport_from_environ({"OPENLINEAGE_CONFIG": str(path), **variables})


@pytest.mark.parametrize("name", FILES)
def test_each_file_of_the_guide_loads(name: str, tmp_path: Path) -> None:
    assert isinstance(load(name, tmp_path), FileSettings if "file" in name else HttpSettings)


@pytest.mark.parametrize(("name", "target"), CATALOGS.items())
def test_each_catalog_gets_its_own_path(name: str, target: str, tmp_path: Path) -> None:
    config = load(name, tmp_path)
    assert isinstance(config, HttpSettings)
    assert config.url.target(config.endpoint) == target


@pytest.mark.parametrize("target", CATALOGS.values())
def test_the_table_of_catalogs_has_the_same_path(target: str) -> None:
    assert f"| `{target[1:]}` |" in TEXT


def test_the_variables_of_the_guide_load_with_its_file(tmp_path: Path) -> None:
    exports = dict(re.findall(r"^export (OPENLINEAGE__\w+)=(.*)$", TEXT, re.MULTILINE))
    config = load("openlineage.yml", tmp_path, **exports)
    assert isinstance(config, HttpSettings)
    assert config.auth is not None
    assert config.auth.api_key == '"$LINEAGE_TOKEN"'


@pytest.mark.parametrize("name", [*KEYS["transport"], *REFUSED_TYPES])
def test_each_key_and_each_refused_type_is_in_the_guide(name: str) -> None:
    assert re.search(rf"\b{re.escape(name)}\b", TEXT)


@pytest.mark.parametrize("name", REFUSED_VARIABLES)
def test_each_refused_variable_is_in_the_guide(name: str) -> None:
    assert f"| `{name}` |" in TEXT
