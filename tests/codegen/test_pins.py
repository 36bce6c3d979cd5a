"""A file that is not what its pin says, or that the project cannot take, stops everything with one clear line."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codegen import pins
from codegen.__main__ import main
from codegen.pins import Bundle, CodegenError, load, measure, subschemas, write_pins
from tests.codegen.made_up import CORE_ID, closed, core, facet, write

FACET = "schemas/openlineage-1.53.0/OwnershipJobFacet.json"
PINS = "schemas/pins.toml"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def repin(root: Path, old: str, new: str) -> None:
    """Change a schema and make its size and digest right again."""
    path = root / FACET
    before = path.read_bytes()
    edit(path, old, new)
    after = path.read_bytes()
    edit(root / PINS, f"bytes = {len(before)}", f"bytes = {len(after)}")
    edit(root / PINS, hashlib.sha256(before).hexdigest(), hashlib.sha256(after).hexdigest())


def tamper(root: Path) -> None:
    edit(root / FACET, "owners of the job", "OWNERS of the job")


def lengthen(root: Path) -> None:
    edit(root / FACET, "{", "{ ")


def break_json_without_a_pin(root: Path) -> None:
    (root / FACET).write_bytes(b"{" * 1344)


def pin_another_size(root: Path) -> None:
    edit(root / PINS, "bytes = 1344", "bytes = 1345")


def pin_another_digest(root: Path) -> None:
    edit(root / PINS, "c54ae771", "c54ae772")


def pin_another_id(root: Path) -> None:
    edit(root / PINS, "1-0-1/OwnershipJobFacet.json", "1-0-2/OwnershipJobFacet.json")


def pin_twice(root: Path) -> None:
    edit(root / PINS, 'name = "OwnershipJobFacet.json"', 'name = "OwnershipDatasetFacet.json"')


def remove(root: Path) -> None:
    (root / FACET).unlink()


def add(root: Path) -> None:
    (root / FACET).with_name("LineageFacet.json").write_text("{}")


def remove_folder(root: Path) -> None:
    (root / "schemas/openlineage-1.53.0").rename(root / "elsewhere")


def remove_pins(root: Path) -> None:
    (root / PINS).unlink()


def garble_pins(root: Path) -> None:
    (root / PINS).write_bytes(b"\xff")


def forget_a_field(root: Path) -> None:
    edit(root / PINS, "bytes = 1344\n", "")


def forget_the_core(root: Path) -> None:
    edit(root / PINS, 'name = "OpenLineage.json"', 'name = "Other.json"')


def lead_out(root: Path) -> None:
    repin(root, "2-0-2/OpenLineage.json#/$defs/JobFacet", "2-0-3/OpenLineage.json#/$defs/JobFacet")


def lead_nowhere(root: Path) -> None:
    repin(root, "2-0-2/OpenLineage.json#/$defs/JobFacet", "2-0-2/OpenLineage.json#/$defs/JobsFacet")


def another_dialect(root: Path) -> None:
    repin(root, "draft/2020-12", "draft/2019-09")


def invalid_draft(root: Path) -> None:
    repin(root, '"type": "array"', '"type": "arrays"')


def unknown_format(root: Path) -> None:
    repin(root, '"type": "string"', '"type": "string", "format": "email"')


def inner_id(root: Path) -> None:
    repin(root, '"type": "array"', '"$id": "https://example.org/x", "type": "array"')


def unknown_keyword(root: Path) -> None:
    repin(root, '"type": "array"', '"uniqueItems": true, "type": "array"')


def duplicate_key(root: Path) -> None:
    repin(root, '"ownership": {', '"documentation": {')


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (tamper, "OwnershipJobFacet.json: its SHA-256 is"),
        (lengthen, "OwnershipJobFacet.json: it has 1345 bytes, its pin says 1344"),
        (break_json_without_a_pin, "OwnershipJobFacet.json: its SHA-256 is"),
        (pin_another_size, "OwnershipJobFacet.json: it has 1344 bytes, its pin says 1345"),
        (pin_another_digest, "its pin says c54ae772"),
        (pin_another_id, "OwnershipJobFacet.json: its $id is"),
        (pin_twice, "pins.toml: OwnershipDatasetFacet.json is pinned twice"),
        (remove, "OwnershipJobFacet.json: the pinned file is missing"),
        (add, "LineageFacet.json: the file is not pinned"),
        (remove_folder, "openlineage-1.53.0: No such file or directory"),
        (remove_pins, "pins.toml: it cannot be read as pins"),
        (garble_pins, "pins.toml: it cannot be read as pins"),
        (forget_a_field, "pins.toml: it cannot be read as pins"),
        (forget_the_core, "pins.toml: the first file must be OpenLineage.json"),
        (lead_out, "2-0-3/OpenLineage.json#/$defs/JobFacet' leads out of the pinned set"),
        (lead_nowhere, "2-0-2/OpenLineage.json#/$defs/JobsFacet' leads to nothing"),
        (another_dialect, "not Draft 2020-12"),
        (invalid_draft, "OwnershipJobFacet.json: it is not valid Draft 2020-12 at /$defs/OwnershipJobFacet"),
        (unknown_format, "OwnershipJobFacet.json: nothing checks the format 'email'"),
        (inner_id, "OwnershipJobFacet.json: a $id inside the document"),
        (unknown_keyword, "the keyword `uniqueItems` is not supported here"),
        (duplicate_key, "the facet key 'documentation' of JobFacet is already taken"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("command", ["generate", "check"])
def test_one_line_says_what_is_wrong(
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    damage: Callable[[Path], None],
    line: str,
) -> None:
    damage(repository)
    before = snapshot(repository)
    assert main(["--root", str(repository), command]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("codegen: ")
    assert output.err.count("\n") == 1
    assert line in output.err
    assert snapshot(repository) == before


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_nothing_is_parsed_before_size_and_digest_are_right(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("it was parsed")

    tamper(repository)
    monkeypatch.setattr(json, "loads", refuse)
    with pytest.raises(CodegenError, match="SHA-256"):
        load(repository / "schemas")


def test_the_pins_are_written_as_they_are_read(bundle: Bundle, repository: Path) -> None:
    assert write_pins(bundle) == (repository / PINS).read_text(encoding="utf-8")


def test_a_property_named_like_a_keyword_is_no_keyword() -> None:
    schema: dict[str, Any] = {"properties": {"format": {"type": "string"}, "const": {"const": {"format": "x"}}}}
    assert [item.get("format") for item in subschemas(schema)] == [None, None, None]
    assert list(subschemas(True)) == []


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "prefixItems"])
def test_the_walk_enters_lists(keyword: str) -> None:
    assert {"format": "x"} in subschemas({keyword: [{"format": "x"}]})


@pytest.mark.parametrize("keyword", ["items", "not", "if", "then", "else", "contains", "unevaluatedProperties"])
def test_the_walk_enters_schemas(keyword: str) -> None:
    assert {"format": "x"} in subschemas({keyword: {"format": "x"}})


def test_upstream_files_are_measured(tmp_path: Path) -> None:
    folder = write(tmp_path / "upstream", facet("AJobFacet", "a", closed()), core())
    bundle = measure(folder, "9.0.0")
    assert [pin.name for pin in bundle.pins] == ["OpenLineage.json", "AJobFacet.json"]
    assert bundle.core_id == CORE_ID
    assert {pin.name: pin.bytes for pin in bundle.pins} == {path.name: path.stat().st_size for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("README.md", b"# Read me", "README.md: it is not JSON"),
        ("X.json", b"\xff", "X.json: it is not JSON"),
        ("X.json", b"[" * 100_000, "X.json: it is not JSON"),
        ("X.json", b"[]", "X.json: it is not a JSON object"),
        ("X.json", b"{}", "X.json: its $schema is None"),
        ("X.json", json.dumps({"$schema": pins.DIALECT}).encode(), "X.json: its $id is None"),
        (
            "X.json",
            json.dumps({"$schema": pins.DIALECT, "$id": "https://example.org/Y.json"}).encode(),
            "is not an https URL that ends with the file's name",
        ),
    ],
)
def test_upstream_files_that_are_no_schemas_are_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    folder = write(tmp_path / "upstream")
    (folder / name).write_bytes(content)
    with pytest.raises(CodegenError) as caught:
        measure(folder, "9.0.0")
    assert message in str(caught.value)


@pytest.mark.parametrize("release", ["", "1.54", "v1.54.0", "../1.54.0", "1.54.0\n"])
def test_a_release_has_three_numbers(tmp_path: Path, release: str) -> None:
    with pytest.raises(CodegenError, match="is no release"):
        measure(write(tmp_path / "upstream"), release)


def test_upstream_files_without_a_core_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CodegenError, match=r"OpenLineage\.json is missing"):
        measure(tmp_path, "9.0.0")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CodegenError, match="No such file or directory"):
        measure(tmp_path / "nowhere", "9.0.0")
