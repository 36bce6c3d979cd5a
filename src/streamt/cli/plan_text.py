"""A plan as people read it: grouped by kind, old and new of each field, why, and what apply will ask for."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import click

from streamt.cli.output import counted
from streamt.deploy.artifact import Address, Content, ResourceKind, encode
from streamt.deploy.backend import ABSENT, Absent, Blocker, FieldDiff, Risk, Verb
from streamt.deploy.plan import Action, Deferred, Impact, Plan

KINDS = {
    ResourceKind.SCHEMA: "schema",
    ResourceKind.TOPIC: "topic",
    ResourceKind.GATEWAY_RULE: "Gateway rule",
    ResourceKind.FLINK_JOB: "Flink job",
    ResourceKind.CONNECTOR: "connector",
}
_MARKS = {
    Verb.CREATE: ("+", "green"),
    Verb.UPDATE: ("~", "yellow"),
    Verb.UPGRADE: ("~", "yellow"),
    Verb.START: (">", "yellow"),
    Verb.DELETE: ("-", "red"),
    Verb.FORGET: (".", "cyan"),
    Verb.ADOPT: ("=", "cyan"),
    Verb.MOVE: (">", "cyan"),
    Verb.NONE: ("!", "red"),
}
_RISKS = {
    Risk.NONE: None,
    Risk.SAFE: "green",
    Risk.CAREFUL: "yellow",
    Risk.DISRUPTIVE: "yellow",
    Risk.DESTRUCTIVE: "red",
    Risk.UNKNOWN: "red",
}
_DONE = {
    Verb.CREATE: "to create",
    Verb.UPDATE: "to update",
    Verb.UPGRADE: "to upgrade",
    Verb.START: "to start",
    Verb.DELETE: "to delete",
    Verb.FORGET: "to forget",
    Verb.ADOPT: "to adopt",
    Verb.MOVE: "to move",
}
_LONGEST_VALUE = 60
_LONGEST_LIST = 8


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours text, or leaves it alone.

    Attributes:
        is_on: whether there is a terminal that shows colours.
    """

    is_on: bool

    def __call__(self, text: str, color: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """Return `text` in a colour."""
        if not self.is_on or (color is None and not bold and not dim):
            return text
        return click.style(text, fg=color, bold=bold or None, dim=dim or None)


def plan_lines(plan: Plan, paint: Paint, *, all_fields: bool = False) -> Iterator[str]:
    """Yield a plan line by line.

    Args:
        plan: the plan.
        paint: colours.
        all_fields: whether fields are shown that others set.
    """
    yield from _head(plan, paint)
    actions = sorted(plan.actions, key=lambda each: (list(KINDS).index(each.kind), str(each.address)))
    for kind, group in groupby(actions, key=lambda each: each.kind):
        yield ""
        yield paint(f"{KINDS[kind][0].upper()}{KINDS[kind][1:]}s", bold=True)
        for action in group:
            yield ""
            yield from action_lines(action, paint, all_fields=all_fields)
    yield from _tail(plan, paint)


def _head(plan: Plan, paint: Paint) -> Iterator[str]:
    what = f"Plan for {paint(plan.project, bold=True)} in {paint(plan.environment, bold=True)}"
    limits = [f"selected: {', '.join(plan.selection)}"] if plan.selection is not None else []
    limits += ["protected"] if plan.protected else []
    limits += ["offline: no provider was asked"] if plan.offline else []
    limits += ["only takes into state what is live"] if plan.refresh_only else []
    yield f"{what} ({'; '.join(limits)})" if limits else what
    yield f"State: serial {plan.state.serial}" if plan.state else "State: none yet; the first apply makes it"


def _tail(plan: Plan, paint: Paint) -> Iterator[str]:
    if plan.deferred:
        yield ""
        yield f"Not deployed yet, and left alone: {'; '.join(_deferred(plan.deferred))}"
    if plan.orphans:
        yield ""
        yield "In state and no longer declared, left untouched (see `lifecycle.removed`):"
        for orphan in plan.orphans:
            yield f"  {KINDS[orphan.address.kind]} {orphan.name}"
    yield from plan.notes
    yield ""
    yield summary_line(plan, paint)
    yield from _demands(plan, paint)


def _deferred(deferred: Sequence[Deferred]) -> Iterator[str]:
    for kind, group in groupby(sorted(deferred, key=lambda each: each.address.kind), lambda each: each.address.kind):
        names = [each.name for each in group]
        yield f"{counted(len(names), KINDS[kind])} ({listed(names)})"


def summary_line(plan: Plan, paint: Paint) -> str:
    """Return a plan in one line: what is to be done, and how dangerous it is."""
    counts = plan.counts
    parts = [f"{counts[verb.value]} {words}" for verb, words in _DONE.items() if counts[verb.value]]
    parts += [f"{counts['blocked']} blocked"] if counts["blocked"] else []
    if not parts:
        return f"Nothing to do: {counted(plan.unchanged, 'resource')} as declared."
    risk = paint(plan.risk.value, _RISKS[plan.risk], bold=True)
    return f"Plan: {', '.join(parts)}; {plan.unchanged} unchanged. Risk: {risk}."


def _demands(plan: Plan, paint: Paint) -> Iterator[str]:
    """Yield what apply will ask for."""
    if plan.is_blocked:
        yield paint("Blocked: apply will refuse this plan.", "red", bold=True)
        return
    by_kind = {"reviewed_plan": "a saved plan", "confirm_env": f"--confirm-env {plan.environment}"}
    wanted = [by_kind[need.kind] for need in plan.needs]
    wanted += [f"--{_spelled(str(need))}" for action in plan.actions for need in action.needs]
    if wanted:
        yield "Apply will ask for:"
        yield from (f"  {each}" for each in dict.fromkeys(wanted))


def _spelled(need: str) -> str:
    return need.replace("allow:", "allow ", 1)


# One action


def action_lines(action: Action, paint: Paint, *, all_fields: bool = False) -> Iterator[str]:
    """Yield one action line by line."""
    mark, color = _MARKS[action.verb]
    verb = "blocked" if action.verb is Verb.NONE else action.verb.value
    why = f" ({', '.join(action.cause)})" if action.cause and action.cause != ("declared",) else ""
    risk = f"  {paint(action.risk.value, _RISKS[action.risk])}" if action.risk is not Risk.NONE else ""
    yield f"  {paint(mark, color, bold=True)} {paint(action.name, bold=True)}  {verb}{why}{risk}"
    if action.name != action.address.name:
        yield f"      {paint(_whose(action.address), dim=True)}"
    yield from _fields(action, paint, all_fields=all_fields)
    for note in action.notes:
        yield f"      {note}"
    for step in action.steps:
        yield f"      {paint('call', dim=True)}  {step.call}"
    if action.verb is not Verb.CREATE or action.blockers:
        yield from _impact(action.impact, paint)
    if action.undo is not None and action.risk > Risk.SAFE:
        yield f"      {paint('undo', dim=True)}  {action.undo.message}"
    if action.flags:
        yield f"      {paint('flags', dim=True)} {', '.join(action.flags)}"
    for blocker in action.blockers:
        yield from _blocker(blocker, action.address, paint)


def _whose(address: Address) -> str:
    return f"of `{address.name}`" if address.part is None else f"of `{address.name}`, {address.part}"


def _fields(action: Action, paint: Paint, *, all_fields: bool) -> Iterator[str]:
    shown = [each for each in action.diff if all_fields or each.owner == "ours"]
    width = max((len(field_name(each.path)) for each in shown), default=0)
    for diff in shown:
        is_new = action.verb is Verb.CREATE and diff.live is ABSENT and diff.applied is ABSENT
        value = value_text(diff.desired) if is_new else change_text(diff, paint)
        yield f"      {field_name(diff.path).ljust(width)}  {value}"


def change_text(diff: FieldDiff, paint: Paint) -> str:
    """Return what becomes of a field: `604800000 -> 86400000`, and whose doing the difference is."""
    if diff.sensitive:
        return "secret changed"
    if diff.owner == "other":
        return paint(f"{value_text(diff.live)} (set by somebody else, and kept)", dim=True)
    old = diff.applied if diff.live is ABSENT and diff.applied is not ABSENT and diff.desired is ABSENT else diff.live
    text = f"{paint(value_text(old), 'red')} -> {paint(value_text(diff.desired), 'green')}"
    if old == diff.desired:
        return f"{value_text(old)} (already so)"
    if diff.applied is not ABSENT and diff.applied != diff.live:
        was = "" if diff.applied == diff.desired else f"; applied was {value_text(diff.applied)}"
        text += paint(f"  (changed outside{was})", "yellow")
    return text


def field_name(path: str) -> str:
    """Return a field's place as people write it: `config.retention.ms`."""
    parts = (part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))
    return ".".join(parts)


def value_text(value: Content | Absent) -> str:
    """Return a value in one line, cut where it is long."""
    if isinstance(value, Absent):
        return "(not set)"
    plain = encode(value)
    text = plain if isinstance(plain, str) and plain else json.dumps(plain, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _impact(impact: Impact, paint: Paint) -> Iterator[str]:
    parts = []
    if impact.models:
        parts.append(f"{counted(len(impact.models), 'model')} ({listed(impact.models)})")
    if impact.exposures:
        names = [f"{each.name}{f' of {each.owner}' if each.owner else ''}" for each in impact.exposures]
        parts.append(f"{counted(len(names), 'exposure')} ({listed(names)})")
    if parts:
        yield f"      {paint('reaches', dim=True)}  {', '.join(parts)}"
    for group in impact.groups[:_LONGEST_LIST]:
        members = "unknown members" if group.members is None else counted(group.members, "member")
        lag = "unknown lag" if group.lag is None else f"lag {group.lag}"
        known = "" if group.declared else ", not declared"
        yield f"      {paint('read by', dim=True)}  group {group.id} ({members}, {lag}{known})"
    if len(impact.groups) > _LONGEST_LIST:
        yield f"      and {len(impact.groups) - _LONGEST_LIST} more groups"
    if impact.evidence != "complete":
        why = "; ".join(impact.why) or "consumer groups were not looked at"
        yield f"      {paint('read by', dim=True)}  {impact.evidence} evidence: {why}"


def _blocker(blocker: Blocker, address: Address, paint: Paint) -> Iterator[str]:
    is_final = blocker.lifted_by is None
    mark = paint("blocked" if is_final else "asks", "red" if is_final else "yellow", bold=True)
    yield f"      {mark}  {blocker.message} [{blocker.code}]"
    if blocker.hint:
        yield f"          {blocker.hint}"
    if blocker.lifted_by is not None:
        yield f"          --allow {blocker.lifted_by.value}:{address}"


def listed(names: Sequence[str]) -> str:
    """Return names with commas, the first few of them."""
    more = len(names) - _LONGEST_LIST
    return ", ".join(names[:_LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")
