"""`streamt diff`: desired, applied and live, field by field."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic

if TYPE_CHECKING:
    from streamt.cli.plan_text import Paint
    from streamt.deploy.plan import Action, Plan

DIFFERENCES = 3
"""The exit status with `--exit-code` when something differs."""


@click.command()
@click.option("--exit-code", is_flag=True, help="Exit with status 3 if something differs.")
@click.option("--all-fields", is_flag=True, help="Show fields, too, that somebody else set.")
@project_options
@reporting
def diff(*, exit_code: bool, all_fields: bool, project_dir: Path, environment: str | None) -> Result:
    """Show where the project, what was applied and what is there differ."""
    from streamt.cli.deployments import as_bytes, open_deployment, paint
    from streamt.deploy.plan import action_data, make_plan

    opened = open_deployment(project_dir, environment)
    with opened.placing():
        plan = make_plan(opened.deployment.scope(with_readers=False)).plan
    actions = [action_data(each, index) for index, each in enumerate(plan.actions)]
    keys = ("address", "kind", "name", "verb", "cause", "diff", "blockers")
    data = [{key: each[key] for key in keys} for each in actions]
    return Result(
        text=as_bytes(diff_lines(plan, paint(), all_fields=all_fields)),
        data=encode({"resources": data, "unchanged": plan.unchanged}),
        warnings=opened.placed(*(_unmanaged(plan) if all_fields else ())),
        exit_status=DIFFERENCES if exit_code and plan.actions else None,
    )


def _unmanaged(plan: "Plan") -> Iterator[Diagnostic]:
    for action in plan.actions:
        theirs = [each.path for each in action.diff if each.owner == "other"]
        if theirs:
            message = f"{action.address}: {counted(len(theirs), 'field')} set by somebody else, and kept"
            yield Diagnostic(code=Code.UNMANAGED_FIELDS, message=message)


def diff_lines(plan: "Plan", paint: "Paint", *, all_fields: bool) -> Iterator[str]:
    """Yield where each resource differs, line by line."""
    for action in plan.actions:
        yield from _resource(action, paint, all_fields=all_fields)
    differ = counted(len(plan.actions), "resource")
    yield f"{differ} differ{'s' if len(plan.actions) == 1 else ''}, {plan.unchanged} unchanged."


def _resource(action: "Action", paint: "Paint", *, all_fields: bool) -> Iterator[str]:
    from streamt.cli.plan_text import KINDS, field_name, value_text
    from streamt.deploy.backend import ABSENT

    why = f"  ({', '.join(action.cause)})" if action.cause else ""
    yield f"{KINDS[action.kind]} {paint(action.name, bold=True)}{why}"
    for blocker in action.blockers:
        yield f"  {blocker.message} [{blocker.code}]"
    shown = [each for each in action.diff if all_fields or each.owner == "ours"]
    for each in shown:
        if each.sensitive:
            yield f"  {field_name(each.path)}: secret changed"
            continue
        name = field_name(each.path)
        if each.applied is ABSENT and each.live is ABSENT:
            yield f"  {name}: {paint(value_text(each.desired), 'green')} is not there yet"
            continue
        yield f"  {name}{' (set by somebody else)' if each.owner == 'other' else ''}"
        yield f"    desired  {paint(value_text(each.desired), 'green')}"
        yield f"    applied  {value_text(each.applied)}"
        yield f"    live     {paint(value_text(each.live), 'red')}"
    yield ""
