"""`streamt state recover`: after an operation that was cut short."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Mode, Result, encode
from streamt.cli.state_shared import (
    confirm_env_option,
    confirm_environment,
    is_terminal,
    lock_wait_option,
    parse_address,
    usage,
)

if TYPE_CHECKING:
    from streamt.deploy.artifact import Address
    from streamt.deploy.recover import Assumption, Classified
    from streamt.deploy.state import Snapshot


@click.command()
@click.option("--yes", is_flag=True, help="Write what was found, and close the operation, without asking.")
@click.option("--assume", multiple=True, metavar="ADDRESS=done|undone", help="Say it where nobody can tell.")
@confirm_env_option
@lock_wait_option
@project_options
@reporting
def recover(
    *,
    yes: bool,
    assume: tuple[str, ...],
    confirm_env: str | None,
    lock_wait: float | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Find out what an operation did that was cut short, write it into state, and close it; no provider is changed."""
    from streamt.cli.deployments import as_bytes, open_deployment, session_of
    from streamt.deploy.apply import actor
    from streamt.deploy.recover import assumed, classify
    from streamt.deploy.recover import recover as recover_operation

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        snapshot = deployment.store.read()
        assumptions = dict(map(_assumption, assume))
        found = classify(snapshot, deployment.providers)
        lines = list(_recovery_lines(snapshot, found))
        is_closed = snapshot.journal is None
        if snapshot.journal is not None and not yes and session_of().mode is Mode.TEXT and is_terminal():
            for line in lines:
                click.echo(line)
            lines = []
            yes = click.confirm("Write this into state, and close the operation?", err=True)
        if yes and not is_closed:
            confirm_environment(deployment, confirm_env)
            assumed(found, assumptions)
            wait = deployment.lock_wait(lock_wait)
            done = recover_operation(deployment.store, deployment.providers, assumptions, actor(), wait)
            found, is_closed, snapshot = done.actions or found, True, deployment.store.read()
            lines.append(f"The operation is closed; the state has serial {done.version.serial if done.version else 0}.")
        elif not is_closed:
            lines.append("Nothing was written: give `--yes` to write this, and to close the operation.")
    data = {
        "operation_id": snapshot.journal.id if snapshot.journal else None,
        "recovered": is_closed,
        "serial": snapshot.version.serial if snapshot.version else None,
        "actions": [_classified_data(each) for each in found],
    }
    return Result(text=as_bytes(lines), data=encode(data), warnings=opened.placed())


def _recovery_lines(snapshot: "Snapshot", found: "Sequence[Classified]") -> Iterator[str]:
    operation = snapshot.journal
    if operation is None:
        yield "No operation is open: there is nothing to recover."
        return
    yield f"Operation {operation.id}, `{operation.kind}` by {operation.actor}, {operation.started_at:%F %T} UTC:"
    if not found:
        yield "  It called nobody, or had done everything but closing."
    for each in found:
        yield f"  {each.verdict.value:<11}  {each.action.verb.value} {each.action.address}"
        yield f"               {each.reason}"


def _classified_data(each: "Classified") -> dict[str, object]:
    return {
        "address": str(each.action.address),
        "verb": each.action.verb.value,
        "verdict": each.verdict.value,
        "reason": each.reason,
    }


def _assumption(text: str) -> "tuple[Address, Assumption]":
    address, _, word = text.rpartition("=")
    if word == "done":
        return parse_address(address), "done"
    if word == "undone":
        return parse_address(address), "undone"
    raise usage(f"`{text}` is not ADDRESS=done or ADDRESS=undone", "assume")
