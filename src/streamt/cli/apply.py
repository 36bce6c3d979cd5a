"""`streamt apply`: execute a plan, saved or made now."""

import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from streamt.cli.consumers import consumer_options, form_of, parent_option, warnings_for
from streamt.cli.options import project_options, reporting
from streamt.cli.output import Mode, Result, StoppedError, encode
from streamt.cli.stop import StopRequests
from streamt.diagnostics import Code, Diagnostic, StreamtError

if TYPE_CHECKING:
    from streamt.cli.deployments import OpenedDeployment
    from streamt.deploy.apply import Report, Request
    from streamt.deploy.execute import ActionReport
    from streamt.deploy.plan import Action, Plan
    from streamt.openlineage.emission import RunEmitter

UNKNOWN = 4
"""The exit status when only `state recover` can tell what happened."""


@click.command()
@click.argument("plan_file", required=False, type=click.Path(path_type=Path))
@click.option("--plan", "plan_option", type=click.Path(path_type=Path), help="The saved plan, as the argument is.")
@click.option("--select", "selectors", multiple=True, metavar="EXPR", help="NAME, +NAME, NAME+, tag:T or kind:K.")
@click.option("--dry-run", is_flag=True, help="Check everything and change nothing.")
@click.option("--confirm-env", metavar="NAME", help="The environment's name, where it must be confirmed.")
@click.option("--allow", multiple=True, metavar="CLASS:ADDRESS", help="Allow what the plan asks for.")
@click.option("--wait", type=click.FloatRange(min=0), default=30.0, help="Seconds to ask about an unknown outcome.")
@click.option("--lock-wait", type=click.FloatRange(min=0), help="Seconds to wait for another deployment.")
@click.option("--keep-going", is_flag=True, help="After a failure, go on with what does not depend on it.")
@click.option("--emit-openlineage", is_flag=True, help="Tell an OpenLineage backend of this run.")
@click.option(
    "--openlineage-job-namespace",
    metavar="NAMESPACE",
    help="The namespace of the run's job; else OPENLINEAGE_NAMESPACE.",
)
@click.option(
    "--openlineage-kafka-namespace", metavar="KAFKA-URI", help="Checked, and not used: an apply has no dataset."
)
@click.option(
    "--openlineage-gateway-namespace", metavar="KAFKA-URI", help="Checked, and not used: an apply has no dataset."
)
@parent_option
@consumer_options
@project_options
@reporting
def apply(
    *,
    plan_file: Path | None,
    plan_option: Path | None,
    selectors: tuple[str, ...],
    dry_run: bool,
    project_dir: Path,
    environment: str | None,
    **options: Any,
) -> Result:
    """Bring the environment to what the project declares, or execute a saved plan."""
    from streamt.cli.deployments import open_deployment

    path = _plan_path(plan_file, plan_option, selectors)
    opened = open_deployment(project_dir, environment)
    try:
        with opened.placing():
            command = _Apply(opened, options)
            return command.run(path, selectors, dry_run=dry_run)
    except StreamtError as error:
        found = error.placed()
        errors = tuple(each for each in found if each.is_error)
        is_open = any(each.code is Code.RECOVERY_REQUIRED for each in errors)
        return Result(
            data=encode({**_nothing(), "recovery_required": is_open}),
            warnings=tuple(each for each in found if not each.is_error),
            errors=errors,
        )


def _plan_path(argument: Path | None, option: Path | None, selectors: tuple[str, ...]) -> Path | None:
    if argument is not None and option is not None:
        raise click.UsageError("give the plan once: as the argument, or with --plan")
    path = argument or option
    if path is not None and selectors:
        raise click.UsageError("a saved plan is executed as it is: --select belongs to `streamt plan`")
    return path


def _nothing() -> dict[str, object]:
    """Return the data of an apply that has not begun."""
    return {
        "operation_id": None,
        "status": "failed",
        "committed": False,
        "serial": None,
        "recovery_required": False,
        "actions": [],
        "next": [],
    }


class _Apply:
    """One run of the command."""

    def __init__(self, opened: "OpenedDeployment", options: dict[str, Any]) -> None:
        from streamt.cli.deployments import session_of

        self._opened = opened
        self._deployment = opened.deployment
        self._options = options
        self._session = session_of()

    def run(self, path: Path | None, selectors: tuple[str, ...], *, dry_run: bool) -> Result:
        """Do what the options ask for."""
        from streamt.deploy.apply import check_store, precheck
        from streamt.deploy.plan import load_plan

        saved = load_plan(path) if path is not None else None
        request = self._request(saved, selectors)
        emitter = self._emitter(request.operation_id)
        try:
            precheck(request)
            warnings = check_store(request.scope, request.store)
            if emitter is not None:
                warnings = (*warnings, *warnings_for(self._options["check"], emitter.rehearsed))
            if dry_run:
                return self._rehearse(request, warnings)
            request = self._confirmed(request)
            return self._execute(request, emitter, warnings)
        finally:
            if emitter is not None:
                emitter.close()

    def _request(self, saved: "Plan | None", selectors: tuple[str, ...]) -> "Request":
        from streamt.deploy.apply import Request
        from streamt.deploy.gate import Allowance, Permissions

        deployment = self._deployment
        scope = deployment.scope(
            selectors=(saved.selection if saved else selectors) or None,
            refresh_only=saved is not None and saved.refresh_only,
        )
        permissions = Permissions(
            allowances=tuple(map(Allowance.parse, self._options["allow"])),
            confirmed=self._options["confirm_env"],
            is_reviewed=saved is not None,
        )
        return Request(
            scope=scope,
            store=deployment.store,
            saved=saved,
            permissions=permissions,
            wait=self._options["wait"],
            lock_wait=deployment.lock_wait(self._options["lock_wait"]),
            keep_going=self._options["keep_going"],
            remember_secrets=deployment.remembers_secrets,
        )

    def _emitter(self, operation_id: str) -> "RunEmitter | None":
        if not self._options["emit_openlineage"]:
            return None
        from streamt.openlineage.identity import NamespaceOptions
        from streamt.workspace.apply_events import apply_emitter

        job, kafka, gateway = (self._options[f"openlineage_{each}_namespace"] for each in ("job", "kafka", "gateway"))
        options = NamespaceOptions(job, kafka, gateway, prefix="openlineage_")
        form = form_of(self._options["consumer_form"], with_parent=self._options["openlineage_parent"])
        return apply_emitter(self._deployment.desired.project, operation_id, options, form)

    def _rehearse(self, request: "Request", warnings: tuple[Diagnostic, ...]) -> Result:
        """Check everything that can be checked without the lock, and show the plan."""
        from streamt.cli.deployments import as_bytes, paint
        from streamt.cli.plan_text import plan_lines
        from streamt.deploy.gate import check_confirmation, check_permissions
        from streamt.deploy.plan import check_same, make_plan
        from streamt.deploy.recover import refuse_unrecovered

        refuse_unrecovered(request.scope.snapshot)
        plan = make_plan(request.scope).plan
        if request.saved is not None:
            check_same(request.saved, plan)
        check_permissions(plan, request.scope.policy, request.permissions)
        check_confirmation(plan, request.permissions)
        data = {**_nothing(), "status": "dry_run", "actions": [_planned(each) for each in plan.actions]}
        return Result(
            text=as_bytes(plan_lines(plan, paint())),
            data=encode(data),
            summary="Dry run: nothing was changed.",
            warnings=self._opened.placed(*warnings),
        )

    def _confirmed(self, request: "Request") -> "Request":
        """Ask a person at a terminal for the environment's name, having shown what they confirm."""
        from dataclasses import replace

        from streamt.deploy.gate import check_permissions
        from streamt.deploy.plan import make_plan
        from streamt.deploy.recover import refuse_unrecovered

        policy = request.scope.policy
        is_asked = policy.confirm and request.permissions.confirmed is None
        if not is_asked or not self._is_interactive():
            return request
        refuse_unrecovered(request.scope.snapshot)
        plan = request.saved or make_plan(request.scope).plan
        check_permissions(plan, policy, request.permissions)
        if not plan.actions:
            return request
        self._show(plan)
        typed = click.prompt(f"Type `{plan.environment}` to apply this plan", default="", show_default=False, err=True)
        permissions = replace(request.permissions, confirmed=typed)
        return replace(request, permissions=permissions, shown=None if request.saved else plan)

    def _is_interactive(self) -> bool:
        terminals = (sys.stdin, sys.stdout)
        return self._session.mode is Mode.TEXT and all(each is not None and each.isatty() for each in terminals)

    def _show(self, plan: "Plan") -> None:
        from streamt.cli.deployments import paint
        from streamt.cli.plan_text import plan_lines

        for line in plan_lines(plan, paint()):
            click.echo(line)

    def _execute(self, request: "Request", emitter: "RunEmitter | None", warnings: tuple[Diagnostic, ...]) -> Result:
        from streamt.deploy.apply import apply as execute

        is_quiet = self._session.quiet or self._session.mode is Mode.JSON
        with StopRequests(is_quiet=is_quiet) as stop:
            watcher = _Watcher(self, stop, emitter, is_quiet=is_quiet)
            report: Report | None = None
            try:
                report = execute(request, watcher, stop)
            finally:
                if emitter is not None and watcher.has_begun:
                    from streamt.workspace.apply_events import tell_end

                    tell_end(emitter, report)
        undelivered = emitter.warnings if emitter is not None else ()
        return self._result(report, (*warnings, *undelivered), stop, watcher.plan or request.saved or request.shown)

    def _result(
        self, report: "Report", warnings: tuple[Diagnostic, ...], stop: StopRequests, plan: "Plan | None"
    ) -> Result:
        status = None
        errors = self._opened.placed(*report.errors)[len(self._opened.opened.warnings) :]
        if report.status == "interrupted":
            status = stop.status
            errors = (*errors, *StoppedError.by(SystemExit() if status == 143 else KeyboardInterrupt()).diagnostics)
        elif report.recovery_required:
            status = UNKNOWN
        return Result(
            data=encode(report_data(report)),
            summary="\n".join(report_lines(report, plan)),
            warnings=self._opened.placed(*warnings),
            errors=errors,
            exit_status=status,
        )


class _Watcher:
    """Shows how an apply goes, and tells of its beginning."""

    def __init__(self, command: _Apply, stop: StopRequests, emitter: "RunEmitter | None", *, is_quiet: bool) -> None:
        self._command = command
        self._stop = stop
        self._emitter = emitter
        self._is_quiet = is_quiet
        self.has_begun = False
        self.plan: Plan | None = None

    def planned(self, plan: "Plan") -> None:
        """Show the plan to whoever reads along."""
        self.plan = plan
        if not self._is_quiet:
            self._command._show(plan)  # noqa: SLF001 - the same module

    def begun(self, operation: str, started_at: datetime) -> None:  # noqa: ARG002 - the emitter has the id already
        """Tell of the beginning; from now on, a signal waits for the call at hand."""
        self._stop.arm()
        self.has_begun = True
        if self._emitter is not None:
            self._emitter.start(started_at)

    def acting(self, index: int, action: "Action") -> None:
        """Say what is being done."""
        self._say(f"{index + 1}. {action.verb.value} {action.kind.value} {action.name} ...")

    def acted(self, index: int, report: "ActionReport") -> None:
        """Say what became of it."""
        self._say(f"{index + 1}. {report.result}")

    def _say(self, text: str) -> None:
        if not self._is_quiet:
            with suppress(OSError):
                click.echo(text, err=True)


def _planned(action: "Action") -> dict[str, object]:
    return {
        "address": str(action.address),
        "verb": action.verb.value,
        "result": "skipped",
        "provider_id": {},
        "error": None,
    }


def report_data(report: "Report") -> dict[str, object]:
    """Return what became of an apply as plain data."""
    return {
        "operation_id": report.operation_id,
        "status": report.status,
        "committed": report.committed,
        "serial": report.serial,
        "recovery_required": report.recovery_required,
        "actions": [_acted(each) for each in report.actions],
        "next": list(report.next),
    }


def _acted(report: "ActionReport") -> dict[str, object]:
    error = {"code": report.error.code.value, "message": report.error.message} if report.error else None
    return {
        "address": str(report.address),
        "verb": report.verb.value,
        "result": report.result,
        "provider_id": dict(report.provider_id),
        "error": error,
    }


def report_lines(report: "Report", plan: "Plan | None") -> list[str]:
    """Return what became of an apply, for people."""
    counts = {word: sum(each.result == word for each in report.actions) for word in ("applied", "failed", "unknown")}
    skipped = sum(each.result in ("skipped", "undone") for each in report.actions)
    parts = [f"{number} {word}" for word, number in (*counts.items(), ("skipped", skipped)) if number]
    what = ", ".join(parts) or "nothing to do"
    serial = f"; the state has serial {report.serial}" if report.serial is not None else ""
    environment = f" in {plan.environment}" if plan is not None else ""
    head = f"{report.status.capitalize()}{environment}: {what}{serial}."
    return [head, *(f"Next: {each}." for each in report.next)]
