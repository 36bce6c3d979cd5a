"""`streamt plan` and `streamt show-plan`: what apply would do, and why."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, encode
from streamt.diagnostics import Code, Diagnostic

if TYPE_CHECKING:
    from streamt.cli.deployments import OpenedDeployment
    from streamt.deploy.plan import Plan

CHANGES = 3
"""The exit status with `--exit-code` when there is something to do."""


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="Save the plan, to be reviewed and applied.")
@click.option("--offline", is_flag=True, help="Ask no provider; such a plan cannot be applied.")
@click.option("--select", "selectors", multiple=True, metavar="EXPR", help="NAME, +NAME, NAME+, tag:T or kind:K.")
@click.option("--exit-code", is_flag=True, help="Exit with status 3 if there is something to do.")
@click.option("--no-consumers", is_flag=True, help="Do not look at consumer groups.")
@click.option("--refresh-only", is_flag=True, help="Only take into state what was changed outside.")
@project_options
@reporting
def plan(
    *,
    out: Path | None,
    offline: bool,
    selectors: tuple[str, ...],
    exit_code: bool,
    no_consumers: bool,
    refresh_only: bool,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Show what apply would do: each change, its risk, who it reaches, and what apply will ask for."""
    from streamt.cli.deployments import open_deployment
    from streamt.cli.output_file import refuse_part
    from streamt.deploy.plan import make_plan, save_plan
    from streamt.deploy.recover import refuse_unrecovered

    if offline and refresh_only:
        raise click.UsageError("--offline and --refresh-only exclude each other")
    opened = open_deployment(project_dir, environment)
    with opened.placing():
        scope = opened.deployment.scope(
            selectors=selectors or None, offline=offline, refresh_only=refresh_only, with_readers=not no_consumers
        )
        refuse_unrecovered(scope.snapshot)
        made = make_plan(scope).plan
        if out is not None:
            refuse_part(out, opened.deployment.project, Code.PLAN_INVALID, "out")
            save_plan(out, made, opened.deployment.secrets)
    return plan_result(made, opened, exit_code=exit_code, saved=out)


@click.command("show-plan")
@click.argument("file", type=click.Path(path_type=Path))
@reporting
def show_plan(*, file: Path) -> Result:
    """Show a saved plan."""
    from streamt.cli.deployments import as_bytes, paint
    from streamt.cli.plan_text import plan_lines
    from streamt.deploy.plan import load_plan

    loaded = load_plan(file)
    return Result(text=as_bytes(plan_lines(loaded, paint())), data=encode(with_digest(loaded)))


def with_digest(plan: "Plan") -> dict[str, object]:
    """Return a plan as plain data, with its digest."""
    from streamt.deploy.plan import plan_data, plan_digest

    return {**plan_data(plan), "digest": plan_digest(plan)}


def plan_result(plan: "Plan", opened: "OpenedDeployment", *, exit_code: bool, saved: Path | None) -> Result:
    """Return a plan as the result of a command."""
    from streamt.cli.deployments import as_bytes, paint
    from streamt.cli.plan_text import plan_lines

    return Result(
        text=as_bytes(plan_lines(plan, paint())),
        data=encode(with_digest(plan)),
        summary=f"saved to {saved}; apply it with `streamt apply {saved}`" if saved else "",
        warnings=opened.placed(*plan_warnings(plan)),
        exit_status=CHANGES if exit_code and plan.actions else None,
    )


def plan_warnings(plan: "Plan") -> Iterator[Diagnostic]:
    """Yield what a reader of a plan should be warned of."""
    for orphan in plan.orphans:
        message = f"{orphan.address} is in state and no longer declared"
        hint = "declare its end under `lifecycle.removed`, or run `streamt state forget`"
        yield Diagnostic(code=Code.ORPHANED, message=message, hint=hint)
    for action in plan.actions:
        if "drift" in action.cause:
            message = f"{action.address} was changed outside of streamt"
            hint = "apply puts it back; `streamt plan --refresh-only` takes it into state"
            yield Diagnostic(code=Code.DRIFT, message=message, hint=hint)
        for blocker in action.blockers:
            if blocker.code == "evidence_missing":
                message = f"{action.address}: {blocker.message}"
                yield Diagnostic(code=Code.EVIDENCE_MISSING, message=message, hint=blocker.hint)
