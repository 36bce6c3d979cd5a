"""The packed schemas, as installed, and the validators made from them."""

import base64
import gzip
import json
import os
import socket
import string
import sys
import types
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from jsonschema import Draft202012Validator, FormatChecker
from referencing.exceptions import Unresolvable

import streamt.docs.schemas
from streamt.diagnostics import Code, StreamtError
from streamt.docs.schemas import pins
from streamt.openlineage import schemas

PRODUCER = "https://github.com/conduktor/streamt"
REINSTALL = "reinstall streamt: the package is damaged"
RUN_ID = "4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10"
CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
CACHED = (
    schemas.tables,
    schemas.documents,
    schemas.facets,
    schemas.core_validator,
    schemas.facet_validator,
    schemas.format_checker,
    schemas._registry,
)

# The specification's own table.
SPECIFIED = {
    "OpenLineage.json": (9155, "69f68bee00b9beac88a87059c0102410e7bb05f3f43c46d02a0409831eceb0d2"),
    "JobTypeJobFacet.json": (3072, "11c12cab95a411ca31066c80d2bb4aefd37bbcadbda5e4d343d2069853b907d5"),
    "SchemaDatasetFacet.json": (1687, "50236a779aa64baa0bad0055391838bd22fcb36ce667c41d60ada80915e899b6"),
    "DocumentationDatasetFacet.json": (1031, "bad5c041d679e73b2faea43506860428f48d80710ad1354a2d2393475143285f"),
    "DocumentationJobFacet.json": (944, "b5823685c20c712d9ee1e3b310ad6ca426be7b46db60acd9f23248811af3c8d4"),
    "DatasetTypeDatasetFacet.json": (1008, "1a7d5106877151d52c4d3967f77b92788ea42ebf9843c6573d776a63c9a7d157"),
    "OwnershipDatasetFacet.json": (1368, "9a18a508746627eff18fa84ca1694e1a9f2d556ac0052dbdb6970d8a35f75231"),
    "OwnershipJobFacet.json": (1344, "c54ae771b1183efbe007a778eb5bf05e9e3f39f3d48f22a4beceea00950abdad"),
    "ErrorMessageRunFacet.json": (1501, "b11b4ee8b0f99f6846264f87cad48390255c7ef142ce623216660c7097be0ea6"),
}


def clear() -> None:
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def fresh() -> Iterator[None]:
    """Let a test load the schemas anew, and leave nothing of what it loaded."""
    clear()
    yield
    clear()


def job_event(**changes: Any) -> dict[str, Any]:
    return {
        "eventTime": "2026-01-02T12:00:00Z",
        "job": {"name": "j", "namespace": "n"},
        "producer": PRODUCER,
        "schemaURL": f"{CORE}#/$defs/JobEvent",
    } | changes


def test_the_release_is_the_specified_one() -> None:
    assert (schemas.tables().release, schemas.tables().core_version) == ("1.53.0", "2-0-2")


def test_the_pins_are_the_specified_ones() -> None:
    assert {pin.name: (pin.size, pin.sha256) for pin in pins.PINS} == SPECIFIED
    assert sum(pin.size for pin in pins.PINS) == 21110


def test_every_document_is_loaded_and_is_valid_draft_2020_12() -> None:
    assert list(schemas.documents()) == [pin.id for pin in (*pins.PINS, *pins.OWN)]
    for document in schemas.documents().values():
        Draft202012Validator.check_schema(document)


def test_facets_are_found_in_their_own_schemas() -> None:
    base = "https://openlineage.io/spec/facets"
    assert {place: facet.url for place, facet in schemas.facets().items()} == {
        ("DatasetFacet", "columnLineage"): (
            f"{base}/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"
        ),
        ("DatasetFacet", "datasetType"): f"{base}/1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet",
        (
            "DatasetFacet",
            "documentation",
        ): f"{base}/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet",
        ("DatasetFacet", "ownership"): f"{base}/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet",
        ("DatasetFacet", "schema"): f"{base}/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
        ("JobFacet", "documentation"): f"{base}/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet",
        ("JobFacet", "jobType"): f"{base}/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
        ("JobFacet", "ownership"): f"{base}/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
        ("JobFacet", "sql"): f"{base}/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet",
        ("RunFacet", "errorMessage"): f"{base}/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
        ("RunFacet", "nominalTime"): f"{base}/1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet",
        ("RunFacet", "parent"): f"{base}/1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet",
        (
            "RunFacet",
            "processing_engine",
        ): f"{base}/1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
    }


def test_a_facet_is_validated_by_its_own_url_unless_the_schema_is_ours() -> None:
    ours = {facet.model for facet in schemas.facets().values() if facet.definition != facet.url}
    assert ours == {
        "ColumnLineageDatasetFacet",
        "NominalTimeRunFacet",
        "ParentRunFacet",
        "ProcessingEngineRunFacet",
        "SQLJobFacet",
    }


def test_a_good_event_passes() -> None:
    schemas.core_validator().validate(job_event())


@pytest.mark.parametrize(
    "change",
    [
        {"eventTime": "2026-01-02 12:00:00Z"},
        {"eventTime": "1700000000"},
        {"eventTime": 1700000000},
        {"eventTime": "2026-01-02T12:00:00Z\n"},
        {"producer": "not a uri"},
        {"producer": f"{PRODUCER}\n"},
        {"schemaURL": "no"},
        {"job": {"name": "j"}},
        {"job": {"name": None, "namespace": "n"}},
        {"job": {"name": "j", "namespace": "n", "facets": {"x": {"_producer": PRODUCER}}}},
        {"inputs": None},
        {"inputs": [{"name": "d"}]},
        {"outputs": {}},
        {"run": {"runId": "no"}},
    ],
)
def test_a_bad_event_is_refused(change: dict[str, Any]) -> None:
    assert not schemas.core_validator().is_valid(job_event(**change))


@pytest.mark.parametrize(
    ("run_id", "good"),
    [
        ("4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10", True),
        ("4F4CF6C8-2A76-4A11-8F2B-6F6E3B8F2F10", True),
        ("4f4cf6c82a764a118f2b6f6e3b8f2f10", False),
        ("urn:uuid:4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10", False),
        ("4f4c_6c8-2a76-4a11-8f2b-6f6e3b8f2f10", False),
        ("４f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10", False),
        ("4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10\n", False),
    ],
)
def test_a_run_id_is_a_uuid_in_its_one_spelling(run_id: str, good: bool) -> None:
    event = job_event(schemaURL=f"{CORE}#/$defs/RunEvent", run={"runId": run_id})
    assert schemas.core_validator().is_valid(event) is good


@pytest.mark.parametrize(
    ("entity", "key", "body", "good"),
    [
        ("JobFacet", "jobType", {"processingType": "BATCH", "integration": "STREAMT"}, True),
        ("JobFacet", "jobType", {"processingType": "BATCH"}, False),
        ("JobFacet", "ownership", {"owners": [{"name": "me"}]}, True),
        ("JobFacet", "ownership", {"owners": [{}]}, False),
        ("DatasetFacet", "schema", {"fields": [{"name": "a", "fields": [{"name": "b"}]}]}, True),
        ("DatasetFacet", "schema", {"fields": [{"name": "a", "fields": [{"type": "b"}]}]}, False),
        ("DatasetFacet", "schema", {"fields": [{"name": "a", "ordinal_position": True}]}, False),
        ("DatasetFacet", "schema", {"fields": [{"name": "a", "ordinal_position": 1.0}]}, True),
        ("DatasetFacet", "documentation", {"description": None}, False),
        ("RunFacet", "errorMessage", {"message": "m", "programmingLanguage": "PYTHON"}, True),
        ("RunFacet", "errorMessage", {"message": "m"}, False),
        ("JobFacet", "sql", {"query": "SELECT 1"}, True),
        ("JobFacet", "sql", {"dialect": "flink"}, False),
        ("DatasetFacet", "columnLineage", {"fields": {"a": {"inputFields": []}}}, True),
        ("DatasetFacet", "columnLineage", {"fields": {"a": {}}}, False),
        ("RunFacet", "parent", {"run": {"runId": RUN_ID}, "job": {"namespace": "n", "name": "j"}}, True),
        ("RunFacet", "parent", {"run": {"runId": "1"}, "job": {"namespace": "n", "name": "j"}}, False),
    ],
)
def test_a_facet_is_held_against_its_own_schema(entity: str, key: str, body: dict[str, Any], good: bool) -> None:
    facet = {"_producer": PRODUCER, "_schemaURL": schemas.facets()[entity, key].url} | body
    assert schemas.facet_validator(entity, key).is_valid(facet) is good


def test_a_facet_that_is_not_pinned_has_no_validator() -> None:
    with pytest.raises(KeyError):
        schemas.facet_validator("JobFacet", "schema")


def test_validators_are_made_once() -> None:
    assert schemas.core_validator() is schemas.core_validator()
    assert schemas.facet_validator("JobFacet", "jobType") is schemas.facet_validator("JobFacet", "jobType")


@pytest.mark.usefixtures("fresh")
def test_nothing_reaches_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was made")

    monkeypatch.setattr(socket, "socket", refuse)
    schemas.core_validator().validate(job_event())
    open_ended = Draft202012Validator({"$ref": "https://json-schema.org/other"}, registry=schemas._registry())
    with pytest.raises(Unresolvable):
        open_ended.validate({})


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("name", ["date-time", "uri", "uuid"])
def test_a_missing_format_checker_stops_everything(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delitem(FormatChecker.checkers, name)
    with pytest.raises(StreamtError) as caught:
        schemas.core_validator()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code is Code.OPENLINEAGE_INVALID
    assert f"`{name}`" in diagnostic.message
    assert diagnostic.hint is not None
    assert "pip install" in diagnostic.hint


@pytest.mark.usefixtures("fresh")
def test_a_format_that_nothing_enforces_stops_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    document = {"properties": {"format": {"type": "string", "format": "email"}}}
    monkeypatch.setattr(schemas, "documents", lambda: {"x": document})
    with pytest.raises(StreamtError, match="nothing enforces the format `email`"):
        schemas.format_checker()


def core_of_another_version(pins: Any) -> None:
    pins.CORE_VERSION = "2-0-3"


def without_the_core(pins: Any) -> None:
    pins.PINS = pins.PINS[1:]


def without_a_facet(pins: Any) -> None:
    pins.PINS = tuple(pin for pin in pins.PINS if pin.name != "ErrorMessageRunFacet.json")


def without_one_of_ours(pins: Any) -> None:
    pins.OWN = pins.OWN[1:]


def with_one_more(pins: Any) -> None:
    pins.PINS += (pins.PINS[1]._replace(id="https://openlineage.io/spec/facets/1-0-0/LineageFacet.json"),)


def of_another_release(pins: Any) -> None:
    pins.RELEASE = "1.54.0"


def without_pins(pins: Any) -> None:
    pins.PINS = ()


def cut_short(pins: Any) -> None:
    del pins.PINS


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "change",
    [
        core_of_another_version,
        without_the_core,
        without_a_facet,
        without_one_of_ours,
        with_one_more,
        of_another_release,
        without_pins,
        cut_short,
    ],
)
def test_tables_that_do_not_belong_together_are_refused(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    damaged = types.ModuleType(pins.__name__)
    vars(damaged).update(vars(pins))
    change(damaged)
    monkeypatch.setattr(streamt.docs.schemas, "pins", damaged)
    with pytest.raises(StreamtError, match="the tables of the packed OpenLineage schemas") as caught:
        schemas.core_validator()
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.hint) == (Code.OPENLINEAGE_INVALID, REINSTALL)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("name", ["pins", "facets", "shapes"])
def test_a_missing_table_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delattr(streamt.docs.schemas, name)
    monkeypatch.setitem(sys.modules, f"streamt.docs.schemas.{name}", None)
    with pytest.raises(StreamtError, match="cannot be read") as caught:
        schemas.tables()
    assert caught.value.diagnostics[0].hint == REINSTALL


@pytest.mark.usefixtures("fresh")
def test_a_pipe_in_the_place_of_a_schema_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    os.mkfifo(tmp_path / FOLDER / "OpenLineage.json.gz.b64")
    monkeypatch.setattr(schemas, "files", lambda _: tmp_path)
    with pytest.raises(StreamtError, match=r"`OpenLineage\.json` cannot be read"):
        schemas.documents()


class Damaged:
    """Stands where the package's resources do, and gives damaged bytes."""

    def __init__(self, content: bytes | None) -> None:
        self.content = content

    def joinpath(self, *_: str) -> "Damaged":
        return self

    def read_bytes(self) -> bytes:
        if self.content is None:
            raise FileNotFoundError("gone")
        return self.content


def packed(raw: bytes, level: int = 9) -> bytes:
    return base64.encodebytes(gzip.compress(raw, level))


def with_unused_bits(raw: bytes) -> bytes:
    """Set a bit that base64 does not use, in the digit before the padding."""
    text = next(text for text in (packed(raw, level) for level in range(1, 10)) if text.endswith(b"=\n"))
    digits = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    place = len(text.rstrip(b"=\n")) - 1
    return text[:place] + digits[digits.index(chr(text[place])) + 1].encode() + text[place + 1 :]


def raw(pin: pins.Pin) -> bytes:
    resource = files("streamt.docs.schemas").joinpath(f"openlineage-{pins.RELEASE}", f"{pin.name}.gz.b64")
    return gzip.decompress(base64.b64decode(resource.read_bytes()))


FOLDER = f"openlineage-{pins.RELEASE}"
PIN = pins.PINS[0]
RAW = raw(PIN)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        (b"", "cannot be read"),
        (b"!!!!", "cannot be read"),
        (base64.encodebytes(RAW), "cannot be read"),
        (base64.encodebytes(gzip.compress(RAW)[:-9]), "cannot be read"),
        (base64.encodebytes(gzip.compress(RAW) + b"more"), "cannot be read"),
        (with_unused_bits(RAW), "is not packed as it was"),
        (packed(RAW[:-1]), "has not the 9155 bytes of its pin"),
        (packed(RAW + b" "), "has not the 9155 bytes of its pin"),
        (packed(bytes(10_000_000)), "has not the 9155 bytes of its pin"),
        (packed(RAW.replace(b"2-0-2", b"2-0-3", 1)), "has not the SHA-256 of its pin"),
        (packed(b"{" * PIN.size), "has not the SHA-256 of its pin"),
    ],
    ids=range(12),
)
def test_a_damaged_resource_is_refused(monkeypatch: pytest.MonkeyPatch, content: bytes | None, message: str) -> None:
    monkeypatch.setattr(schemas, "files", lambda _: Damaged(content))
    with pytest.raises(StreamtError) as caught:
        schemas._document(PIN, FOLDER)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        Code.OPENLINEAGE_INVALID,
        f"the packed schema `OpenLineage.json` {message}",
    )
    assert diagnostic.hint == REINSTALL


def test_nothing_is_parsed_before_the_digest_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(schemas, "files", lambda _: Damaged(packed(RAW.replace(b"2-0-2", b"2-0-3", 1))))
    monkeypatch.setattr(json, "loads", refuse)
    with pytest.raises(StreamtError, match="SHA-256"):
        schemas._document(PIN, FOLDER)


def test_another_id_is_refused() -> None:
    with pytest.raises(StreamtError, match=r"has not the `\$id` of its pin"):
        schemas._document(PIN._replace(id="https://example.org/OpenLineage.json"), FOLDER)


def test_a_bomb_is_not_inflated() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(schemas._inflate(bomb, 100)) == 101


@pytest.mark.parametrize("place", range(0, len(RAW), 61))
def test_every_changed_byte_is_noticed(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    changed = bytearray(RAW)
    changed[place] ^= 1
    monkeypatch.setattr(schemas, "files", lambda _: Damaged(packed(bytes(changed))))
    with pytest.raises(StreamtError, match="SHA-256"):
        schemas._document(PIN, FOLDER)


def test_the_upstream_files_are_what_is_packed() -> None:
    upstream = Path(__file__).resolve().parents[2] / "schemas" / f"openlineage-{pins.RELEASE}"
    assert {path.name: path.read_bytes() for path in upstream.iterdir()} == {pin.name: raw(pin) for pin in pins.PINS}


def test_jsonschema_is_the_validator_that_the_specification_names() -> None:
    assert type(schemas.core_validator()) is jsonschema.Draft202012Validator
