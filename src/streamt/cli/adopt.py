"""`streamt adopt`: take over what is there already."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Mode, Result, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from streamt.deploy.adopt import Claim
    from streamt.workspace.deployment import Deployment


@click.command()
@click.argument("kind")
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Show what would be taken over, and change nothing.")
@click.option("--confirm", metavar="ADDRESS", help="The address, where nobody can be asked.")
@click.option("--confirm-env", metavar="NAME", help="The environment's name, where it must be confirmed.")
@click.option("--lock-wait", type=click.FloatRange(min=0), help="Seconds to wait for another deployment.")
@project_options
@reporting
def adopt(
    *,
    kind: str,
    name: str,
    dry_run: bool,
    confirm: str | None,
    confirm_env: str | None,
    lock_wait: float | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Take a live resource into state as it is; the next plan shows what differs. The provider is not touched."""
    from streamt.cli.deployments import as_bytes, open_deployment
    from streamt.deploy.adopt import adopt as take_over
    from streamt.deploy.adopt import look_at
    from streamt.deploy.recover import refuse_unrecovered

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        scope = deployment.scope()
        refuse_unrecovered(scope.snapshot)
        claim = look_at(scope, deployment.address(kind, name))
        version = scope.snapshot.version
        if not claim.is_ours and not dry_run:
            _confirm(claim, deployment, confirm, confirm_env)
            version = take_over(
                scope,
                deployment.store,
                claim,
                deployment.lock_wait(lock_wait),
                remember_secrets=deployment.remembers_secrets,
            )
    data = {
        "address": str(claim.target.address),
        "name": claim.target.name,
        "adopted": not claim.is_ours and not dry_run,
        "serial": version.serial if version else None,
        "differs": [each.path for each in claim.diff if each.owner == "ours"],
    }
    return Result(text=as_bytes(_lines(claim, dry_run=dry_run)), data=encode(data), warnings=opened.placed())


def _confirm(claim: "Claim", deployment: "Deployment", confirm: str | None, confirm_env: str | None) -> None:
    """Ask for the address, and in an environment that asks for its name, for that.

    Raises:
        StreamtError: E544.
    """
    address, environment = str(claim.target.address), deployment.desired.environment
    if confirm is None and _is_interactive():
        for line in _lines(claim, dry_run=True):
            click.echo(line)
        confirm = click.prompt("Type the address to take it over", default="", show_default=False, err=True)
    if confirm != address:
        message = f"taking over {address} must be confirmed with its address"
        raise _unconfirmed("confirm", message, f"give `--confirm {address}`")
    if confirm_env is None and deployment.policy.confirm and _is_interactive():
        confirm_env = click.prompt("Type the environment's name", default="", show_default=False, err=True)
    is_wrong = confirm_env is not None and confirm_env != environment
    if is_wrong or (deployment.policy.confirm and confirm_env is None):
        message = f"a change of the environment `{environment}` must be confirmed with its name"
        raise _unconfirmed("confirm_env", message, f"give `--confirm-env {environment}`")


def _is_interactive() -> bool:
    from streamt.cli.deployments import session_of

    terminals = (sys.stdin, sys.stdout)
    return session_of().mode is Mode.TEXT and all(each is not None and each.isatty() for each in terminals)


def _unconfirmed(option: str, message: str, hint: str) -> StreamtError:
    return StreamtError(
        Diagnostic(code=Code.CONFIRMATION_REQUIRED, message=message, location=Option(option), hint=hint)
    )


def _lines(claim: "Claim", *, dry_run: bool) -> Iterator[str]:
    from streamt.cli.plan_text import field_name, value_text

    if claim.is_ours:
        yield f"{claim.target.address} is in state already."
        return
    yield f"{claim.target.name} {'can be taken' if dry_run else 'was taken'} over as {claim.target.address}"
    ours = [each for each in claim.diff if each.owner == "ours"]
    if ours:
        yield "What differs from the project, and what the next plan shows:"
    for each in ours:
        yield f"  {field_name(each.path)}  {value_text(each.live)} (declared: {value_text(each.desired)})"
