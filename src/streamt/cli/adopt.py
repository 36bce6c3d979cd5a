"""`streamt adopt`: take over what is there already."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Mode, Result, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, quote

if TYPE_CHECKING:
    from streamt.deploy.adopt import Claim
    from streamt.deploy.artifact import Address
    from streamt.workspace.deployment import Deployment

_LONGEST_LIST = 16 * 1024 * 1024
"""Bytes of a file of addresses."""


@click.command()
@click.argument("kind", required=False)
@click.argument("name", required=False)
@click.option("--from-file", type=click.Path(path_type=Path), help="Take over the addresses that a file lists.")
@click.option(
    "--out", "--output-file", "output_file", type=click.Path(path_type=Path), help="With --dry-run: list the addresses."
)
@click.option("--dry-run", is_flag=True, help="Show what would be taken over, and change nothing.")
@click.option("--confirm", metavar="ADDRESS", help="The address, where nobody can be asked.")
@click.option("--confirm-env", metavar="NAME", help="The environment's name, where it must be confirmed.")
@click.option("--lock-wait", type=click.FloatRange(min=0), help="Seconds to wait for another deployment.")
@project_options
@reporting
def adopt(
    *,
    kind: str | None,
    name: str | None,
    from_file: Path | None,
    output_file: Path | None,
    dry_run: bool,
    confirm: str | None,
    confirm_env: str | None,
    lock_wait: float | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Take a live resource into state as it is; the next plan shows what differs. The provider is not touched."""
    from streamt.cli.deployments import as_bytes, open_deployment
    from streamt.cli.output_file import replace_file
    from streamt.deploy.adopt import adopt as take_over
    from streamt.deploy.adopt import claimable, look_at
    from streamt.deploy.recover import refuse_unrecovered

    _check_usage(kind, name, from_file, output_file, dry_run=dry_run)
    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        scope = deployment.scope()
        refuse_unrecovered(scope.snapshot)
        if from_file is not None:
            claims = look_at(scope, _read_addresses(from_file))
        elif kind is not None and name is not None:
            claims = look_at(scope, [deployment.address(kind, name)])
        else:
            claims = claimable(scope)
        version = scope.snapshot.version
        new = [each for each in claims if not each.is_ours]
        if output_file is not None:
            lines = (f"{each.target.address}\n".encode() for each in new)
            replace_file(output_file, lines, deployment.project, Code.OUTPUT_FAILED)
        if new and not dry_run:
            if from_file is None:
                _confirm_address(claims[0], confirm)
            _confirm_environment(deployment, confirm_env)
            wait, remembers = deployment.lock_wait(lock_wait), deployment.remembers_secrets
            version = take_over(scope, deployment.store, claims, wait, remember_secrets=remembers)
    resources = [_data(each, dry_run=dry_run) for each in claims]
    serial = version.serial if version else None
    data = {**(resources[0] if name is not None else {"resources": resources}), "serial": serial}
    text = (line for each in claims for line in _lines(each, dry_run=dry_run))
    return Result(text=as_bytes(text), data=encode(data), warnings=opened.placed())


def _data(claim: "Claim", *, dry_run: bool) -> dict[str, object]:
    return {
        "address": str(claim.target.address),
        "name": claim.target.name,
        "adopted": not claim.is_ours and not dry_run,
        "differs": [each.path for each in claim.diff if each.owner == "ours"],
    }


def _check_usage(
    kind: str | None, name: str | None, from_file: Path | None, out: Path | None, *, dry_run: bool
) -> None:
    """Refuse a call that does not say what is meant.

    Raises:
        click.UsageError: it names one resource and a file, half a resource, or nothing without `--dry-run`.
    """
    if kind is not None and (name is None or from_file is not None):
        raise click.UsageError("Give KIND and NAME, or --from-file FILE.")
    if kind is None and from_file is None and not dry_run:
        raise click.UsageError(
            "Give KIND and NAME, or --from-file FILE; --dry-run alone shows all that can be adopted."
        )
    if out is not None and not dry_run:
        raise click.UsageError("--out needs --dry-run: it writes what would be taken over.")


def _read_addresses(path: Path) -> "list[Address]":
    """Return the addresses that a file lists, one in a line; empty lines and those that begin with # do not count.

    Raises:
        StreamtError: E500, the file cannot be read, or a line is no address.
    """
    from streamt.deploy.artifact import Address
    from streamt.files import read_file

    place = Option("from_file")
    try:
        lines = [line.strip() for line in read_file(path, limit=_LONGEST_LIST).decode("utf-8-sig").splitlines()]
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not UTF-8"
        message = f"the list of addresses cannot be read: {reason}"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=place)) from None
    listed = {line: Address.parse(line) for line in lines if line and not line.startswith("#")}
    wrong = [line for line, address in listed.items() if address is None]
    if wrong:
        problems = (f"{quote(each)} is not an address" for each in wrong)
        raise StreamtError(*(Diagnostic(code=Code.USAGE_ERROR, message=each, location=place) for each in problems))
    return [address for address in listed.values() if address is not None]


def _confirm_address(claim: "Claim", confirm: str | None) -> None:
    """Ask for the address.

    Raises:
        StreamtError: E544.
    """
    address = str(claim.target.address)
    if confirm is None and _is_interactive():
        for line in _lines(claim, dry_run=True):
            click.echo(line)
        confirm = click.prompt("Type the address to take it over", default="", show_default=False, err=True)
    if confirm != address:
        message = f"taking over {address} must be confirmed with its address"
        raise _unconfirmed("confirm", message, f"give `--confirm {address}`")


def _confirm_environment(deployment: "Deployment", confirm_env: str | None) -> None:
    """Ask for the environment's name, in one that wants it.

    Raises:
        StreamtError: E544.
    """
    environment = deployment.desired.environment
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
