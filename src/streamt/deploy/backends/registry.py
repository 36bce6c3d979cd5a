"""Schemas of a registry: what differs, how dangerous a change is, and by which calls it is made. Nothing here asks one.

A subject only grows: a changed schema is its next version, a looser level is set before it and a tighter one after it,
and a text that an older version has already is a blocker, since registering it again would change nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from streamt.clusters.registry_admin import Level, SchemaType
from streamt.deploy.artifact import Content, ResourceKind, digest
from streamt.deploy.avro import AvroError, canonical, java_text
from streamt.deploy.backend import (
    ABSENT,
    AllowClass,
    Blocker,
    Change,
    FieldDiff,
    Fields,
    Presence,
    Risk,
    Situation,
    Step,
    Undo,
    Verb,
)
from streamt.deploy.compare import compare_fields

SCHEMA, TYPE, REFERENCES, COMPATIBILITY = "/schema", "/type", "/references", "/compatibility"
_TEXT = frozenset({SCHEMA, TYPE, REFERENCES})

# What a level promises: reading with the new schema, or with the old one, what the one before, or any before, wrote.
_PROMISES: Mapping[str, frozenset[str]] = {
    Level.NONE: frozenset(),
    Level.BACKWARD: frozenset({"new"}),
    Level.BACKWARD_TRANSITIVE: frozenset({"new", "new all"}),
    Level.FORWARD: frozenset({"old"}),
    Level.FORWARD_TRANSITIVE: frozenset({"old", "old all"}),
    Level.FULL: frozenset({"new", "old"}),
    Level.FULL_TRANSITIVE: frozenset({"new", "new all", "old", "old all"}),
}
_STAYS = Undo(kind="impossible", message="A registered version stays; the next one can say something else.")
_LEVEL_BACK = Undo(kind="by_plan", message="Apply the previous commit: the level goes back to what it was.")
_TOMBSTONE = Undo(kind="by_plan", message="Remove it from the project with a tombstone that deletes the subject.")
_SOFT = Undo(kind="by_plan", message="The deletion is soft: registering a schema again goes on with the next version.")


class SchemaBackend:
    """Subjects of a schema registry."""

    kind = ResourceKind.SCHEMA

    def desired(self, content: Mapping[str, Content]) -> Fields:
        """Return type, schema in a form that can be compared, references and level; what is left out is not ours."""
        kind = kind_of(content)
        fields: dict[str, Content] = {TYPE: kind, SCHEMA: form(kind, content.get("schema"))}
        if references := content.get("references"):
            fields[REFERENCES] = references_form(references)
        if level := content.get("compatibility"):
            fields[COMPATIBILITY] = str(level).upper()
        return fields

    def diff(self, situation: Situation) -> Change:
        """Return what brings a declared subject to what it should be."""
        artifact, applied = situation.target.artifact, situation.target.applied
        desired = self.desired(artifact.content) if artifact else {}
        fields = compare_fields(situation, desired, self.desired(applied.content) if applied else {})
        changes = tuple(each for each in fields if each.is_change)
        if not changes:
            return Change(verb=Verb.NONE, fields=fields)
        blockers = tuple(_readonly(situation))
        if situation.live.presence is Presence.ABSENT:
            return Change(verb=Verb.CREATE, fields=fields, risk=Risk.SAFE, blockers=blockers, undo=_TOMBSTONE)
        text = any(each.path in _TEXT for each in changes)
        looser = loosens(situation, changes)
        blockers += (*(_older(situation) if text else ()), *(_looser(situation, changes) if looser else ()))
        return Change(
            verb=Verb.UPDATE,
            fields=fields,
            risk=Risk.DISRUPTIVE if looser else Risk.CAREFUL,
            blockers=blockers,
            undo=_STAYS if text else _LEVEL_BACK,
        )

    def removal(self, situation: Situation) -> Change:
        """Return what deletes a subject, softly."""
        return Change(verb=Verb.DELETE, risk=Risk.DESTRUCTIVE, blockers=tuple(_readonly(situation)), undo=_SOFT)

    def steps(self, situation: Situation, change: Change) -> tuple[Step, ...]:
        """Return the calls of `change`: a looser level before the registration, a tighter one after it."""
        changes = tuple(each for each in change.fields if each.is_change)
        match change.verb:
            case Verb.CREATE | Verb.UPDATE:
                registration = (_register(situation),) if any(each.path in _TEXT for each in changes) else ()
                level = tuple(_set_level(situation, changes))
                first = change.verb is Verb.UPDATE and loosens(situation, changes)
                return (*level, *registration) if first else (*registration, *level)
            case Verb.DELETE:
                name = situation.target.name
                identity = {"subject": name, "version": situation.live.provider_id.get("version")}
                return (Step(action="delete", call=f"DELETE /subjects/{name}", identity=identity),)
            case _:
                return ()


def kind_of(content: Mapping[str, Content]) -> SchemaType:
    """Return what kind of schema a content holds, in the registry's word; Avro if it does not say."""
    return cast("SchemaType", str(content.get("type") or "AVRO").upper())


def form(kind: SchemaType, schema: Content) -> Content:
    """Return a schema in the form in which two that say the same are equal; a text as it is where it has no form."""
    try:
        parsed = json.loads(schema) if isinstance(schema, str) and kind != "PROTOBUF" else schema
        if kind == "AVRO":
            return canonical(parsed)
    except (AvroError, ValueError, RecursionError):
        return schema
    if kind == "PROTOBUF" and isinstance(parsed, str):
        return "\n".join(line.rstrip() for line in parsed.strip().splitlines())
    return cast("Content", parsed)


def text_of(content: Mapping[str, Content]) -> str:
    """Return the text that is registered: Avro as Java prints it, JSON in one line, Protobuf as it was written."""
    kind, schema = kind_of(content), content.get("schema")
    if kind == "AVRO":
        return java_text(form(kind, schema))
    return schema if isinstance(schema, str) else json.dumps(schema, separators=(",", ":"), ensure_ascii=False)


def references_form(references: Content, like: Content = None) -> Content:
    """Return references sorted by name; without a version where none is pinned.

    Args:
        references: as declared, or as the registry gives them.
        like: references that say which versions count; all of them if None.
    """
    floating = {each["name"] for each in _mappings(like) if not each.get("version")}
    found = []
    for each in _mappings(references):
        pinned = bool(each.get("version")) and each["name"] not in floating
        keys = ("name", "subject", "version") if pinned else ("name", "subject")
        found.append({key: each.get(key) for key in keys})
    return sorted(found, key=lambda each: str(each["name"]))


def loosens(situation: Situation, changes: Sequence[FieldDiff]) -> bool:
    """Report whether a change of the level gives up something that the one that counts now promises."""
    return any(
        not _promises(_level_after(situation, each)) >= _promises(situation.live.facts.get("effective"))
        for each in changes
        if each.path == COMPATIBILITY
    )


def _promises(level: object) -> frozenset[str]:
    return _PROMISES.get(str(level), frozenset())


def _level_after(situation: Situation, change: FieldDiff) -> Content:
    """Return the level that counts afterwards: the global one where the subject's own is given back."""
    return situation.live.facts.get("global") if change.desired is ABSENT else change.desired


def _mappings(value: Content) -> list[Mapping[str, Content]]:
    items = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return [each for each in items if isinstance(each, Mapping)]


def _readonly(situation: Situation) -> Iterator[Blocker]:
    if mode := situation.live.facts.get("mode"):
        message = f"the registry takes no changes of subject `{situation.target.name}`: its mode is {mode}"
        yield Blocker(code="schema_registry_readonly", message=message, hint="set the mode READWRITE")


def _older(situation: Situation) -> Iterator[Blocker]:
    number, latest = situation.live.facts.get("registered"), situation.live.provider_id.get("version")
    if number is not None:
        yield Blocker(
            code="schema_older_version",
            message=f"version {number} of subject `{situation.target.name}` holds this, and {latest} is the latest",
            hint="change `definition` or `doc`, so that it becomes a new version",
        )


def _looser(situation: Situation, changes: Sequence[FieldDiff]) -> Iterator[Blocker]:
    for each in changes:
        if each.path == COMPATIBILITY:
            before, after = situation.live.facts.get("effective"), _level_after(situation, each)
            yield Blocker(
                code="schema_compatibility_looser",
                message=f"compatibility of subject `{situation.target.name}` becomes looser: {before} to {after}",
                hint="allow it if no consumer relies on it",
                lifted_by=AllowClass.DISRUPTIVE,
            )


def _register(situation: Situation) -> Step:
    artifact, name = situation.target.artifact, situation.target.name
    assert artifact
    content = artifact.content
    kind = kind_of(content)
    identity: dict[str, Content] = {
        "subject": name,
        "before": situation.live.provider_id.get("version", 0),
        "schema": digest({"type": kind, "schema": form(kind, content.get("schema"))}),
    }
    payload = {"type": kind, "schema": content.get("schema"), "references": content.get("references")}
    return Step(action="register", call=f"POST /subjects/{name}/versions", identity=identity, payload=payload)


def _set_level(situation: Situation, changes: Sequence[FieldDiff]) -> Iterator[Step]:
    name = situation.target.name
    for each in changes:
        if each.path != COMPATIBILITY:
            continue
        before = None if each.live is ABSENT else each.live
        if each.desired is ABSENT:
            identity: dict[str, Content] = {"subject": name, "level": None, "before": before}
            yield Step(action="unset_level", call=f"DELETE /config/{name}", identity=identity)
        else:
            identity = {"subject": name, "level": each.desired, "before": before}
            yield Step(action="set_level", call=f"PUT /config/{name} ({each.desired})", identity=identity)
