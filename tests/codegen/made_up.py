"""A made-up standard, small enough to see, that tests bend one way each."""

import importlib.util
import itertools
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from codegen.bundle import core_version
from codegen.generate import models
from codegen.pins import CORE, DIALECT, measure
from codegen.sources import Sources

CORE_ID = "https://openlineage.io/spec/9-0-0/OpenLineage.json"
TEXT = {"type": "string"}
URI = {"type": "string", "format": "uri"}

_counter = itertools.count()


def core(**definitions: Any) -> dict[str, Any]:
    """Give a core schema with one event, `JobEvent`, one entity, `JobFacet`, and more definitions."""
    facets = {"type": "object", "additionalProperties": {"$ref": "#/$defs/JobFacet"}}
    own = {
        "BaseEvent": closed(("producer", "schemaURL"), producer=URI, schemaURL=URI),
        "BaseFacet": closed(("_producer", "_schemaURL"), _producer=URI, _schemaURL=URI),
        "JobFacet": {"type": "object", "allOf": [{"$ref": "#/$defs/BaseFacet"}]},
        "JobEvent": {"allOf": [{"$ref": "#/$defs/BaseEvent"}, closed(("job",), job={"$ref": "#/$defs/Job"})]},
        "Job": closed((), facets={"type": "object", "anyOf": [facets]}),
    }
    return {"$schema": DIALECT, "$id": CORE_ID, "$defs": own | definitions, "oneOf": [{"$ref": "#/$defs/JobEvent"}]}


def closed(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """Give an object schema."""
    return {"type": "object", "properties": properties, "required": list(required)}


def facet(name: str, key: str, body: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    """Give a facet schema whose definition `name` builds on `JobFacet` and says `body`."""
    definition = {"allOf": [{"$ref": f"{CORE_ID}#/$defs/JobFacet"}, body], "type": "object"}
    return {
        "$schema": DIALECT,
        "$id": f"https://openlineage.io/spec/facets/1-0-0/{name}.json",
        "$defs": {name: definition, **definitions},
        "type": "object",
        "properties": {key: {"$ref": f"#/$defs/{name}"}},
    }


def documents(*schemas: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the closed set: `schemas`, with the plain core before them if they do not bring one."""
    if not any(schema["$id"] == CORE_ID for schema in schemas):
        schemas = (core(), *schemas)
    return {schema["$id"]: schema for schema in schemas}


def write(folder: Path, *schemas: dict[str, Any]) -> Path:
    """Write the closed set as upstream files."""
    folder.mkdir(parents=True)
    for uri, schema in documents(*schemas).items():
        (folder / uri.rsplit("/", 1)[-1]).write_text(json.dumps(schema), encoding="utf-8")
    return folder


def import_models(folder: Path, *schemas: dict[str, Any]) -> ModuleType:
    """Generate the models of the closed set and import them."""
    bundle = measure(write(folder / "upstream", *schemas), "9.0.0")
    assert bundle.pins[0].name == CORE
    assert core_version(bundle.core_id) == "9-0-0"
    path = folder / "models.py"
    path.write_text(models(Sources(bundle, {}, {})), encoding="utf-8")
    name = f"made_up_models_{next(_counter)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pydantic looks annotations up there
    spec.loader.exec_module(module)
    return module
