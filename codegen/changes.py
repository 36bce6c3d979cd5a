"""What differs between two pinned releases, and whether a mapper can break on it: in words and in JSON."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from codegen.compose import compose
from codegen.facets import find_facets
from codegen.names import attribute_names
from codegen.pins import Bundle, Schema

_HEADINGS = {
    "schema added": "Schemas added",
    "schema removed": "Schemas removed",
    "id changed": "Schemas with another $id",
    "facet added": "Facets added",
    "facet removed": "Facets removed",
    "definition added": "Definitions added",
    "definition removed": "Definitions removed",
    "property added": "Properties added",
    "property removed": "Properties removed",
    "property retyped": "Properties with another type",
    "limit changed": "Properties with another limit",
    "now required": "Now required",
    "now optional": "Now optional",
    "constant changed": "Constants with another value",
    "attribute renamed": "Attributes with another name",
    "description changed": "Descriptions reworded",
}
_LIMITS = ("exclusiveMaximum", "exclusiveMinimum", "maxLength", "maximum", "minLength", "minimum")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        kind: which sort it is.
        subject: what changed: a file's name, a facet's `Entity.key`, a definition, or its `Definition.property`.
        before: what it was; None where it was not there.
        after: what it is; None where it is gone.
        breaks: why a mapper that was right can be wrong now; None if it cannot.
    """

    kind: str
    subject: str
    before: str | None = None
    after: str | None = None
    breaks: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Every difference between two releases, in the order in which it is told."""

    old: str
    new: str
    changes: tuple[Change, ...]

    @property
    def breaking(self) -> tuple[Change, ...]:
        """The differences on which a mapper can break."""
        return tuple(change for change in self.changes if change.breaks)


def compare(old: Bundle, new: Bundle) -> Report:
    """Compare two verified releases, as the generated models show them.

    Raises:
        CodegenError: one of them cannot be composed.
    """
    found = [*_schemas(old, new), *_facets(old, new), *_definitions(old, new)]
    kinds = list(_HEADINGS)
    found.sort(key=lambda change: (kinds.index(change.kind), change.subject))
    return Report(old.release, new.release, tuple(found))


def as_json(report: Report) -> dict[str, object]:
    """Return the report as a JSON object."""
    return {
        "from": report.old,
        "to": report.new,
        "changes": [asdict(change) for change in report.changes],
        "mapper_can_break": bool(report.breaking),
    }


def as_text(report: Report) -> str:
    """Return the report for a reader, the verdict last."""
    removed = f"; the files of {report.old} were taken away" if report.old != report.new else ""
    lines = [f"OpenLineage {report.old} -> {report.new}{removed}."]
    for kind, heading in _HEADINGS.items():
        changes = [change for change in report.changes if change.kind == kind]
        if changes:
            lines += ["", f"{heading}:", *map(_line, changes)]
    if not report.changes:
        lines += ["", "Nothing that the models show has changed."]
    lines += ["", *_verdict(report.breaking)]
    return "\n".join(lines)


def _line(change: Change) -> str:
    match change.before, change.after:
        case None, None:
            return f"  {change.subject}"
        case None, after:
            return f"  {change.subject}: {after}"
        case before, None:
            return f"  {change.subject}: {before}"
        case before, after:
            return f"  {change.subject}: {before} -> {after}"


def _verdict(breaking: Iterable[Change]) -> list[str]:
    reasons = [f"  {change.subject}: {change.breaks}" for change in breaking]
    if reasons:
        return ["A mapper can break:", *reasons, "Run mypy and the tests before anything else."]
    return ["No mapper can break; golden files change where a constant did."]


def _schemas(old: Bundle, new: Bundle) -> Iterator[Change]:
    before = {pin.name: pin for pin in old.pins}
    after = {pin.name: pin for pin in new.pins}
    for name in before.keys() - after.keys():
        yield Change("schema removed", name)
    for name in after.keys() - before.keys():
        yield Change("schema added", name)
    for name in before.keys() & after.keys():
        if before[name].id != after[name].id:
            yield Change("id changed", name, before[name].id, after[name].id)


def _facets(old: Bundle, new: Bundle) -> Iterator[Change]:
    before, after = (
        {f"{facet.entity}.{facet.key}" for facet in find_facets(bundle.documents, bundle.core_id)}
        for bundle in (old, new)
    )
    for place in before - after:
        yield Change("facet removed", place, breaks="the facet is gone")
    for place in after - before:
        yield Change("facet added", place)


def _definitions(old: Bundle, new: Bundle) -> Iterator[Change]:
    before, after = (
        {
            name: schema
            for name, schema in compose(bundle.documents, bundle.core_id)["$defs"].items()
            if name not in _containers(bundle)
        }
        for bundle in (old, new)
    )
    for name in before.keys() - after.keys():
        yield Change("definition removed", name, breaks="the class is gone")
    for name in after.keys() - before.keys():
        yield Change("definition added", name)
    for name in before.keys() & after.keys():
        if before[name]["description"] != after[name]["description"]:
            yield Change("description changed", name)
        yield from _properties(name, before[name], after[name])


def _containers(bundle: Bundle) -> set[str]:
    """Name the classes that hold facets: what changes there is told as facets."""
    return {f"{facet.entity}s" for facet in find_facets(bundle.documents, bundle.core_id)}


def _properties(name: str, old: Schema, new: Schema) -> Iterator[Change]:
    before, after = old["properties"], new["properties"]
    for key in before.keys() - after.keys():
        yield Change("property removed", f"{name}.{key}", _type(before[key]), breaks="the attribute is gone")
    for key in after.keys() - before.keys():
        needed = key in new["required"] and "const" not in after[key]
        reason = "a new attribute must be given" if needed else None
        yield Change("property added", f"{name}.{key}", None, _type(after[key]), breaks=reason)
    for key in before.keys() & after.keys():
        yield from _property(f"{name}.{key}", before[key], after[key])
        yield from _presence(f"{name}.{key}", key in old["required"], key in new["required"], "const" in after[key])
        names = attribute_names(before)[key], attribute_names(after)[key]
        if names[0] != names[1]:
            yield Change("attribute renamed", f"{name}.{key}", *names, breaks="the attribute has another name")


def _property(subject: str, old: Schema, new: Schema) -> Iterator[Change]:
    if old.get("description") != new.get("description"):
        yield Change("description changed", subject)
    if "const" in old and "const" in new:
        if old["const"] != new["const"]:
            yield Change("constant changed", subject, old["const"], new["const"])
    elif _type(old) != _type(new):
        widened = "enum" in old and "enum" in new and set(old["enum"]) <= set(new["enum"])
        reason = None if widened else "the attribute has another type"
        yield Change("property retyped", subject, _type(old), _type(new), breaks=reason)
    elif _limits(old) != _limits(new):
        yield Change("limit changed", subject, _limits(old), _limits(new), breaks="a value can be out of the new limit")


def _presence(subject: str, before: bool, after: bool, constant: bool) -> Iterator[Change]:  # noqa: FBT001 - private, with one caller
    if after and not before:
        yield Change("now required", subject, breaks=None if constant else "the attribute must be given now")
    if before and not after:
        yield Change("now optional", subject)


def _type(schema: Schema) -> str:
    """Name a composed property's type in a word or two."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if schema["type"] == "array":
        return f"array of {_type(schema['items'])}"
    if "const" in schema:
        return f"the constant {schema['const']!r}"
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    return f"{schema['type']} ({schema['format']})" if "format" in schema else str(schema["type"])


def _limits(schema: Schema) -> str:
    return ", ".join(f"{keyword} {schema[keyword]}" for keyword in _LIMITS if keyword in schema) or "none"
