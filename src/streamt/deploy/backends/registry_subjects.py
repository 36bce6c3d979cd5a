"""What a subject's versions tell: its fields, and what a registry's answers mean for a plan."""

from collections.abc import Mapping, Sequence

from streamt.clusters import Failure
from streamt.clusters.registry_admin import Version
from streamt.deploy.artifact import Content
from streamt.deploy.backend import Blocker, Checked, Presence, Proposal, Risk, Target
from streamt.deploy.backends.registry import (
    COMPATIBILITY,
    REFERENCES,
    SCHEMA,
    TYPE,
    SchemaBackend,
    form,
    loosens,
    references_form,
)

_BACKEND = SchemaBackend()


def items(references: Content) -> list[Mapping[str, Content]]:
    """Return the references of a content."""
    listed = references if isinstance(references, Sequence) and not isinstance(references, str) else ()
    return [each for each in listed if isinstance(each, Mapping)]


def fields_of(latest: Version, target: Target) -> dict[str, Content]:
    """Return the fields of a version in the terms of the artifact."""
    kind = latest.schema.kind
    fields: dict[str, Content] = {TYPE: kind, SCHEMA: form(kind, latest.schema.text)}
    if latest.schema.references:
        known: Content = [
            {"name": r.name, "subject": r.subject, "version": r.version} for r in latest.schema.references
        ]
        declared = target.artifact or target.applied
        fields[REFERENCES] = references_form(known, declared.content.get("references") if declared else None)
    return fields


def holds(found: Version, target: Target) -> bool:
    """Report whether a version says what is desired, as far as two texts can be compared here."""
    if target.artifact is None:
        return False
    desired, live = _BACKEND.desired(target.artifact.content), fields_of(found, target)
    return all(live.get(path) == desired.get(path) for path in (TYPE, SCHEMA, REFERENCES))


def checked_late(proposal: Proposal, registered: Mapping[str, Proposal]) -> Checked | None:
    """Return what is known of a version that can be checked only when its turn comes; None if it can be now."""
    target = proposal.situation.target
    changes = [each for each in proposal.change.fields if each.is_change]
    level = next((each.desired for each in changes if each.path == COMPATIBILITY), None)
    if loosens(proposal.situation, changes):
        return Checked() if level == "NONE" else Checked(flags=("checked_late",), risk=Risk.UNKNOWN)
    content = target.artifact.content if target.artifact else {}
    pending = [
        registered[subject]
        for each in items(content.get("references"))
        if (subject := str(each["subject"])) in registered and _is_pending(each, registered[subject])
    ]
    if not pending:
        return None
    new = all(each.situation.live.presence is Presence.ABSENT for each in pending)
    return Checked(flags=("checked_late",), risk=Risk.NONE if new else Risk.UNKNOWN)


def _is_pending(reference: Mapping[str, Content], proposal: Proposal) -> bool:
    """Report whether a reference means a version that the same plan registers."""
    version, latest = reference.get("version"), proposal.situation.live.provider_id.get("version", 0)
    return not isinstance(version, int) or not isinstance(latest, int) or version > latest


def incompatible(target: Target, reasons: Sequence[str]) -> Blocker:
    """Return the blocker of a schema that would be refused, with the registry's own reasons."""
    why = "; ".join(reasons) or "the registry gives no reasons"
    message = f"the schema is not compatible with the latest version of subject `{target.name}`: {why}"
    hint = "give new fields a default and keep the types of old ones, or declare another `compatibility`"
    return Blocker(code="schema_incompatible", message=message, hint=hint)


def invalid(target: Target, failure: Failure) -> Blocker:
    """Return the blocker of a text that is no schema."""
    message = f"the registry does not take the schema of subject `{target.name}`: {failure}"
    return Blocker(code="schema_invalid", message=message, hint="fix the schema's `definition`")


def unresolved(target: Target) -> Blocker:
    """Return the blocker of a schema whose references are not there."""
    message = f"the schema of subject `{target.name}` refers to a subject that is not there"
    return Blocker(code="schema_reference_missing", message=message, hint="declare that subject, or correct its name")
