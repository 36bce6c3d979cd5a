"""Desired, applied and live, field by field: what all backends compare by."""

from collections.abc import Iterable, Iterator, Mapping

from streamt.deploy.artifact import Content, SecretRef, digest
from streamt.deploy.backend import ABSENT, Absent, FieldDiff, Fields, Live, Presence, SecretState, Situation
from streamt.diagnostics import pointer


def flatten(content: Mapping[str, Content]) -> Fields:
    """Return the fields of `content` by JSON pointer; a list is one field, and so is an empty mapping."""
    return dict(_flat(content, ()))


def _flat(content: Mapping[str, Content], path: tuple[str, ...]) -> Iterator[tuple[str, Content]]:
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, (*path, key))
        else:
            yield pointer(*path, key), value


def compare_fields(situation: Situation, desired: Fields, applied: Fields) -> tuple[FieldDiff, ...]:
    """Return what is not the same in `desired`, `applied` and live, and what others set, sorted by path.

    Args:
        situation: gives what is live.
        desired: what should be; empty if the resource is no longer declared.
        applied: what we last put there; empty if it is not ours.
    """
    live = situation.live
    ours = desired.keys() | applied.keys()
    others = {path for path, owner in live.owners.items() if owner == "other"} & live.fields.keys() - ours
    found = (
        *(_of_ours(path, situation, desired, applied) for path in ours),
        *(FieldDiff(path=path, live=live.fields[path], owner="other") for path in others),
    )
    return tuple(sorted(filter(None, found), key=lambda each: each.path))


def _of_ours(path: str, situation: Situation, desired: Fields, applied: Fields) -> FieldDiff | None:
    wanted, before = desired.get(path, ABSENT), applied.get(path, ABSENT)
    if isinstance(wanted, SecretRef) or isinstance(before, SecretRef):
        return _of_secret(path, situation, wanted, before)
    now = situation.live.fields.get(path, ABSENT)
    if wanted == before == now:
        return None
    return FieldDiff(path=path, desired=wanted, applied=before, live=now)


def _of_secret(path: str, situation: Situation, wanted: Content | Absent, before: Content | Absent) -> FieldDiff | None:
    """Compare by what is known of the secret; a live value that cannot be read is no difference."""
    if isinstance(wanted, SecretRef) and isinstance(before, SecretRef):
        remembered = situation.secrets.get(path, SecretState.UNKNOWN)
    else:
        remembered = SecretState.CHANGED
    seen = situation.live.secrets.get(path, SecretState.UNKNOWN)
    if SecretState.CHANGED not in (remembered, seen):
        return None
    return FieldDiff(path=path, desired=remembered, applied=SecretState.SAME, live=seen, sensitive=True)


def fingerprint(live: Live, owned: frozenset[str]) -> str:
    """Return the digest of what an action is decided on.

    Args:
        live: what the provider says.
        owned: the paths of our fields, desired or applied; what others set does not count.
    """
    if live == _NOT_THERE:
        return _NOTHING_SEEN
    return _digest(live, owned)


def _digest(live: Live, owned: frozenset[str]) -> str:
    return digest(
        {
            "presence": live.presence.value,
            "provider_id": live.provider_id,
            "facts": live.facts,
            "fields": {path: live.fields[path] for path in owned & live.fields.keys()},
            "secrets": {path: live.secrets[path].value for path in owned & live.secrets.keys()},
        }
    )


_NOT_THERE = Live(presence=Presence.ABSENT)
_NOTHING_SEEN = _digest(_NOT_THERE, frozenset())
"""What every new resource has: its digest is made once."""


def accept(content: Mapping[str, Content], live: Fields, diffs: Iterable[FieldDiff]) -> dict[str, Content]:
    """Return `content` with the live value of each field that differs, so that it says what is there.

    A secret, which cannot be read, and a field that is not live are left out.

    Args:
        content: an artifact's content.
        live: the fields as the provider shows them.
        diffs: what differs; fields of others do not count.
    """
    result = _copied(content)
    for diff in diffs:
        if diff.owner == "ours":
            value: Content | Absent = ABSENT if diff.sensitive else live.get(diff.path, ABSENT)
            _put(result, [part.replace("~1", "/").replace("~0", "~") for part in diff.path[1:].split("/")], value)
    return result


def _copied(content: Mapping[str, Content]) -> dict[str, Content]:
    return {key: _copied(value) if isinstance(value, Mapping) else value for key, value in content.items()}


def _put(content: dict[str, Content], path: list[str], value: Content | Absent) -> None:
    """Set what stands at `path`, or take it away."""
    key, *rest = path
    if rest:
        inner = content.get(key)
        inner = inner if isinstance(inner, dict) else {}
        _put(inner, rest, value)
        content[key] = inner
    elif isinstance(value, Absent):
        content.pop(key, None)
    else:
        content[key] = value
