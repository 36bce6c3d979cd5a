"""Taking another release, end to end: files, pins, resources, models, and what is said of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codegen.__main__ import main
from codegen.changes import Change, as_json, as_text, compare
from codegen.pins import Bundle, load, measure
from tests.codegen.made_up import TEXT, closed, core, facet, write
from tests.codegen.test_pins import snapshot

OLD = "schemas/openlineage-1.53.0"
NEW = "schemas/openlineage-1.54.0"


def next_release(repository: Path, folder: Path) -> Path:
    """Make up OpenLineage 1.54.0: one change of every kind against 1.53.0."""
    folder.mkdir()
    schemas = {path.name: json.loads(path.read_text()) for path in (repository / OLD).iterdir()}
    text = json.dumps(schemas).replace("spec/2-0-2/OpenLineage", "spec/2-1-0/OpenLineage")
    schemas = json.loads(text)

    job_type = schemas["JobTypeJobFacet.json"]
    job_type["$id"] = job_type["$id"].replace("2-0-4", "3-0-0")
    body = job_type["$defs"]["JobTypeJobFacet"]["allOf"][1]
    body["properties"]["processingType"]["enum"] = ["BATCH", "STREAMING"]  # retyped
    body["properties"]["emissionPattern"]["properties"]["windowDuration"]["minimum"] = 5  # another limit
    body["required"].append("jobType")  # now required
    body["properties"]["priority"] = {"type": "integer"}  # added, optional

    schema = schemas["SchemaDatasetFacet.json"]
    fields = schema["$defs"]["SchemaDatasetFacetFields"]
    del fields["properties"]["ordinal_position"]  # removed
    fields["required"] = []  # now optional
    fields["properties"]["ordinal"] = {"type": "integer"}
    fields["required"].append("ordinal")  # added, required

    owners = schemas["OwnershipJobFacet.json"]["$defs"]["OwnershipJobFacet"]["allOf"][1]["properties"]["owners"]
    owners["items"]["properties"]["_type"] = {"type": "string"}
    owners["items"]["properties"]["type"]["description"] = "Another word."  # reworded

    del schemas["DocumentationJobFacet.json"]  # a facet, its schema and its definition are gone
    schemas["LineageJobFacet.json"] = {  # and new ones have come
        "$schema": schema["$schema"],
        "$id": "https://openlineage.io/spec/facets/1-0-0/LineageJobFacet.json",
        "$defs": {
            "LineageJobFacet": {
                "allOf": [
                    {"$ref": "https://openlineage.io/spec/2-1-0/OpenLineage.json#/$defs/JobFacet"},
                    {"type": "object", "properties": {"entries": {"type": "array", "items": {"type": "string"}}}},
                ],
                "type": "object",
            }
        },
        "type": "object",
        "properties": {"lineage": {"$ref": "#/$defs/LineageJobFacet"}},
    }
    event_types = schemas["OpenLineage.json"]["$defs"]["RunEvent"]["allOf"][1]["properties"]["eventType"]["enum"]
    event_types.append("PAUSED")  # retyped, but only wider
    for name, document in schemas.items():
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    return folder


def test_a_new_release_takes_the_place_of_the_old_one(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = next_release(repository, tmp_path / "next")
    assert main(["--root", str(repository), "bump", "--release", "1.54.0", "--from", str(folder)]) == 0
    capsys.readouterr()
    assert sorted(path.name for path in (repository / "schemas").iterdir()) == [
        "openlineage-1.54.0",
        "own",
        "pins.toml",
        "reading",
    ]
    assert {path.name: path.read_bytes() for path in (repository / NEW).iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }
    packed = repository / "src/streamt/docs/schemas"
    assert sorted(path.name for path in packed.glob("openlineage-*")) == ["openlineage-1.54.0"]
    assert 'CORE_VERSION = "2-1-0"' in (packed / "pins.py").read_text()
    models = (repository / "src/streamt/openlineage/models.py").read_text()
    assert "class LineageJobFacet(" in models
    assert "class DocumentationJobFacet(" not in models
    assert load(repository / "schemas").release == "1.54.0"
    assert main(["--root", str(repository), "check"]) == 0


def test_bump_says_in_words_what_changed(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = next_release(repository, tmp_path / "next")
    main(["--root", str(repository), "bump", "--release", "1.54.0", "--from", str(folder)])
    core_url = "https://openlineage.io/spec/{}/OpenLineage.json"
    job_url = "https://openlineage.io/spec/facets/{}/JobTypeJobFacet.json"
    events = "\n".join(
        f"  {event}.schemaURL: {core_url.format('2-0-2')}#/$defs/{event} -> {core_url.format('2-1-0')}#/$defs/{event}"
        for event in ("DatasetEvent", "JobEvent", "RunEvent")
    )
    types = "one of START, RUNNING, COMPLETE, ABORT, FAIL, OTHER"
    before, after = events.rsplit("\n", 1)
    definition = "#/$defs/JobTypeJobFacet"
    constant = f"{job_url.format('2-0-4')}{definition} -> {job_url.format('3-0-0')}{definition}"
    assert (
        capsys.readouterr().out
        == f"""\
OpenLineage 1.53.0 -> 1.54.0; the files of 1.53.0 were taken away.

Schemas added:
  LineageJobFacet.json

Schemas removed:
  DocumentationJobFacet.json

Schemas with another $id:
  JobTypeJobFacet.json: {job_url.format("2-0-4")} -> {job_url.format("3-0-0")}
  OpenLineage.json: {core_url.format("2-0-2")} -> {core_url.format("2-1-0")}

Facets added:
  JobFacet.lineage

Facets removed:
  JobFacet.documentation

Definitions added:
  LineageJobFacet

Definitions removed:
  DocumentationJobFacet

Properties added:
  JobTypeJobFacet.priority: integer
  OwnershipJobFacetOwners._type: string
  SchemaDatasetFacetFields.ordinal: integer

Properties removed:
  SchemaDatasetFacetFields.ordinal_position: integer

Properties with another type:
  JobTypeJobFacet.processingType: string -> one of BATCH, STREAMING
  RunEvent.eventType: {types} -> {types}, PAUSED

Properties with another limit:
  JobTypeJobFacetEmissionPattern.windowDuration: minimum 1 -> minimum 5

Now required:
  JobTypeJobFacet.jobType

Now optional:
  SchemaDatasetFacetFields.name

Constants with another value:
{before}
  JobTypeJobFacet._schemaURL: {constant}
{after}

Descriptions reworded:
  OwnershipJobFacetOwners.type

A mapper can break:
  JobFacet.documentation: the facet is gone
  DocumentationJobFacet: the class is gone
  SchemaDatasetFacetFields.ordinal: a new attribute must be given
  SchemaDatasetFacetFields.ordinal_position: the attribute is gone
  JobTypeJobFacet.processingType: the attribute has another type
  JobTypeJobFacetEmissionPattern.windowDuration: a value can be out of the new limit
  JobTypeJobFacet.jobType: the attribute must be given now
Run mypy and the tests before anything else.
"""
    )


def test_bump_says_in_json_what_changed(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = next_release(repository, tmp_path / "next")
    main(["--root", str(repository), "bump", "--release", "1.54.0", "--from", str(folder), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (report["from"], report["to"], report["mapper_can_break"]) == ("1.53.0", "1.54.0", True)
    assert {
        "kind": "now required",
        "subject": "JobTypeJobFacet.jobType",
        "before": None,
        "after": None,
        "breaks": "the attribute must be given now",
    } in report["changes"]


def test_a_release_that_changes_nothing_breaks_nothing(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = (repository / OLD).rename(tmp_path / "same")
    (repository / OLD).mkdir()
    for path in folder.iterdir():
        (repository / OLD / path.name).write_bytes(path.read_bytes())
    assert main(["--root", str(repository), "bump", "--release", "1.53.1", "--from", str(folder)]) == 0
    assert capsys.readouterr().out == (
        "OpenLineage 1.53.0 -> 1.53.1; the files of 1.53.0 were taken away.\n\n"
        "Nothing that the models show has changed.\n\n"
        "No mapper can break; golden files change where a constant did.\n"
    )


def test_the_same_release_can_be_taken_again_with_fewer_files(repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fewer"
    folder.mkdir()
    for path in (repository / OLD).iterdir():
        if path.name != "OwnershipJobFacet.json":
            (folder / path.name).write_bytes(path.read_bytes())
    assert main(["--root", str(repository), "bump", "--release", "1.53.0", "--from", str(folder)]) == 0
    assert not (repository / OLD / "OwnershipJobFacet.json").exists()
    assert main(["--root", str(repository), "check"]) == 0


def garbage(folder: Path) -> None:
    (folder / "JobTypeJobFacet.json").write_bytes(b"{")


def unknown_keyword(folder: Path) -> None:
    path = folder / "JobTypeJobFacet.json"
    path.write_text(path.read_text().replace('"minimum"', '"multipleOf"'))


def open_reference(folder: Path) -> None:
    (folder / "OpenLineage.json").write_text((folder / "OpenLineage.json").read_text().replace("2-1-0", "2-2-0"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (garbage, "JobTypeJobFacet.json: it is not JSON"),
        (unknown_keyword, "the keyword `multipleOf` is not supported here"),
        (open_reference, "leads out of the pinned set"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_nothing_is_written_if_anything_is_wrong(
    repository: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    message: str,
) -> None:
    folder = next_release(repository, tmp_path / "next")
    damage(folder)
    before = snapshot(repository)
    assert main(["--root", str(repository), "bump", "--release", "1.54.0", "--from", str(folder)]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert snapshot(repository) == before


def test_a_folder_in_the_way_is_left_alone(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = next_release(repository, tmp_path / "next")
    (repository / NEW).mkdir()
    before = snapshot(repository)
    assert main(["--root", str(repository), "bump", "--release", "1.54.0", "--from", str(folder)]) == 1
    assert capsys.readouterr().err == f"codegen: {NEW} is there already; take it away first\n"
    assert snapshot(repository) == before


def test_a_file_that_cannot_be_written_leaves_all_others_as_they_were(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = next_release(repository, tmp_path / "next")
    before = snapshot(repository)
    (repository / "schemas/.pins.toml.new").mkdir()  # where the staging file of the pins would be
    assert main(["--root", str(repository), "bump", "--release", "1.54.0", "--from", str(folder)]) == 1
    assert capsys.readouterr().err.endswith(".pins.toml.new: Is a directory\n")
    assert not (repository / NEW).exists()
    assert snapshot(repository) == before


def bundle_of(folder: Path, release: str, *schemas: dict[str, Any]) -> Bundle:
    return measure(write(folder / release, *schemas), release)


def thing(**properties: Any) -> dict[str, Any]:
    return facet("ThingJobFacet", "thing", closed((), **properties))


def test_an_attribute_that_gets_another_name_can_break(tmp_path: Path) -> None:
    report = compare(bundle_of(tmp_path, "1.0.0", thing(_x=TEXT)), bundle_of(tmp_path, "2.0.0", thing(_x=TEXT, x=TEXT)))
    assert report.changes == (
        Change("property added", "ThingJobFacet.x", None, "string"),
        Change("attribute renamed", "ThingJobFacet._x", "x", "x_2", "the attribute has another name"),
    )
    assert "  ThingJobFacet._x: x -> x_2" in as_text(report)


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ({"enum": ["A"]}, {"enum": ["A", "B"]}, False),
        ({"enum": ["A", "B"]}, {"enum": ["A"]}, True),
        ({"enum": ["A"]}, TEXT, True),
        (TEXT, {"type": "string", "format": "uri"}, True),
        (TEXT, {"type": "array", "items": TEXT}, True),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": {"type": "integer"}}, True),
        ({"const": "A"}, {"const": "B"}, False),
        ({"const": "A"}, TEXT, True),
        (TEXT, {"type": "string", "minLength": 1}, True),
        (TEXT, {"type": "string", "description": "A."}, False),
    ],
)
def test_a_property_that_changes_can_break(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], breaks: bool
) -> None:
    report = compare(bundle_of(tmp_path, "1.0.0", thing(x=before)), bundle_of(tmp_path, "2.0.0", thing(x=after)))
    assert len(report.changes) == 1
    assert as_json(report)["mapper_can_break"] is breaks


def test_a_definition_that_is_reworded_breaks_nothing(tmp_path: Path) -> None:
    reworded = facet("ThingJobFacet", "thing", closed() | {"description": "A thing."})
    report = compare(bundle_of(tmp_path, "1.0.0", thing()), bundle_of(tmp_path, "1.0.1", reworded))
    assert report.changes == (Change("description changed", "ThingJobFacet"),)
    assert "\nDescriptions reworded:\n  ThingJobFacet\n\nNo mapper can break" in as_text(report)


def test_a_core_alone_can_be_compared(tmp_path: Path) -> None:
    report = compare(bundle_of(tmp_path, "1.0.0", core()), bundle_of(tmp_path, "1.0.1", core()))
    assert report.changes == ()
