"""`streamt status`: how everything is that the environment owns."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, counted, encode

if TYPE_CHECKING:
    from streamt.cli.plan_text import Paint
    from streamt.deploy.state import Snapshot
    from streamt.deploy.status import ResourceStatus


@click.command()
@click.option("--health", is_flag=True, help="Exit with status 1 unless everything is ok.")
@click.option("--external", is_flag=True, help="Look at the topics of external sources, too.")
@project_options
@reporting
def status(*, health: bool, external: bool, project_dir: Path, environment: str | None) -> Result:
    """Show how each resource of the environment is: state against what is there."""
    from streamt.cli.deployments import as_bytes, open_deployment, paint
    from streamt.deploy.recover import refuse_moved
    from streamt.deploy.status import Condition, status_of

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        snapshot = deployment.store.read()
        refuse_moved(snapshot)
        found = status_of(snapshot, deployment.providers, deployment.externals if external else ())
    is_healthy = all(each.condition is Condition.OK for each in found) and snapshot.open_operation is None
    return Result(
        text=as_bytes(_lines(found, snapshot, paint())),
        data=encode(_data(found, snapshot)),
        warnings=opened.placed(),
        failed=health and not is_healthy,
    )


def _lines(found: "Sequence[ResourceStatus]", snapshot: "Snapshot", paint: "Paint") -> Iterator[str]:
    from streamt.cli.plan_text import KINDS

    operation = snapshot.open_operation
    if operation is not None:
        yield f"Operation {operation.id} ({operation.kind} by {operation.actor}) is open: see `streamt state status`."
    rows = [(KINDS[each.address.kind], each.name, each.condition.value, each.reason or "") for each in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    for each, row in zip(found, rows, strict=True):
        color = "green" if each.condition.value == "ok" else "red"
        kind, name, condition, reason = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"{kind}  {name}  {paint(condition, color)}  {reason}".rstrip()
    counts = {word: sum(each.condition == word for each in found) for word in dict.fromkeys(e.condition for e in found)}
    parts = ", ".join(f"{number} {word.value}" for word, number in counts.items())
    yield f"{counted(len(found), 'resource')}: {parts}" if found else "The state holds no resource."


def _data(found: "Sequence[ResourceStatus]", snapshot: "Snapshot") -> dict[str, object]:
    from streamt.deploy.times import write_time

    operation = snapshot.open_operation
    return {
        "state": snapshot.version.as_data() if snapshot.version else None,
        "operation": operation and {"id": operation.id, "kind": operation.kind},
        "resources": [
            {
                "address": str(each.address),
                "kind": each.address.kind.value,
                "name": each.name,
                "condition": each.condition.value,
                "reason": each.reason,
                "drift": [field.path for field in each.drift],
                "evidence": each.evidence
                and {
                    "observed_at": write_time(each.evidence.observed_at),
                    "provider_id": dict(each.evidence.provider_id),
                    "fingerprint": each.evidence.fingerprint,
                },
            }
            for each in found
        ],
    }
