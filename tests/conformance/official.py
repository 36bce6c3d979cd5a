"""The published schemas that `OFFICIAL` names, beside the pinned ones: their generated models, their validators."""

import importlib.util
import json
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from codegen.compose import compose
from codegen.facets import Facet, find_facets
from codegen.generate import models
from codegen.pins import Bundle, load, measure
from codegen.sources import Sources
from streamt.openlineage.schemas import format_checker

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
FOLDERS = [Path(folder) for folder in os.environ.get("OFFICIAL", "").split(os.pathsep) if folder]


@dataclass(frozen=True)
class Official:
    """The pinned release together with every other schema of the folders.

    Attributes:
        bundle: all of them.
        facets: the facets of all of them.
        composed: the closed document of all of them.
    """

    bundle: Bundle
    facets: tuple[Facet, ...]
    composed: dict[str, Any]

    def validator(self, url: str) -> Draft202012Validator:
        """Make the validator of the raw schema at `url`."""
        registry: Registry[Any] = Registry().with_resources(
            [(uri, DRAFT202012.create_resource(document)) for uri, document in self.bundle.documents.items()]
        )
        return Draft202012Validator({"$ref": url}, registry=registry, format_checker=format_checker())


@cache
def official() -> Official:
    """Read the schemas of all folders; one that is pinned counts as it is pinned."""
    pinned = load(SCHEMAS)
    others = {path.name: path.read_bytes() for folder in FOLDERS for path in sorted(folder.glob("*.json"))}
    bundle = measure_all({**others, **pinned.raw}, pinned.release)
    documents = bundle.documents
    return Official(bundle, find_facets(documents, bundle.core_id), compose(documents, bundle.core_id))


def measure_all(raw: dict[str, bytes], release: str) -> Bundle:
    """Pin files that lie in several folders as if they lay in one."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name, content in raw.items():
            (Path(folder) / name).write_bytes(content)
        return measure(Path(folder), release)


@cache
def official_models() -> ModuleType:
    """Generate the models of all of them, and import them."""
    import tempfile

    name = "official_models"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(models(Sources(official().bundle, {}, {})), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # pydantic looks annotations up there
        spec.loader.exec_module(module)
    return module


def plain(value: object) -> str:
    """Write canonical JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
