"""`streamt state ...`: look at the state, and repair it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.deployments import as_bytes, open_deployment
from streamt.cli.options import help_when_bare, project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.cli.state_recover import recover
from streamt.cli.state_shared import (
    address_in_state,
    confirm_env_option,
    confirm_environment,
    lock_wait_option,
    parse_address,
    usage,
)
from streamt.diagnostics import Code, Diagnostic, StreamtError

if TYPE_CHECKING:
    from streamt.deploy.state import Operation, Snapshot, Store
    from streamt.workspace.deployment import Deployment


@click.group(invoke_without_command=True)
@click.pass_context
def state(context: click.Context) -> None:
    """Look at the state of an environment, and repair it."""
    help_when_bare(context)


@state.command("init")
@lock_wait_option
@project_options
@reporting
def init(*, lock_wait: float | None, project_dir: Path, environment: str | None) -> Result:
    """Make an empty state, and in PostgreSQL the tables for it; what is there stays."""
    from streamt.deploy.edit import initialize
    from streamt.deploy.state import PostgresStore

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        if isinstance(deployment.store, PostgresStore):
            deployment.store.create_tables()
        version = initialize(
            deployment.store, deployment.lock_wait(lock_wait), remember_secrets=deployment.remembers_secrets
        )
    summary = f"The state is {deployment.store.place}: serial {version.serial}."
    return Result(data=encode(version.as_data()), summary=summary, warnings=opened.placed())


@state.command("status")
@project_options
@reporting
def show_status(*, project_dir: Path, environment: str | None) -> Result:
    """Show where the state is, who holds its lock, and whether an operation is open."""
    opened = open_deployment(project_dir, environment)
    with opened.placing():
        store = opened.deployment.store
        snapshot, holder = store.read(), store.holder()
    operation = snapshot.open_operation
    data = {
        "place": store.place,
        "address": store.address,
        "state": snapshot.version.as_data() if snapshot.version else None,
        "resources": len(snapshot.resources),
        "lock": holder and {"id": holder.lock_id, "command": holder.command, "host": holder.host, "pid": holder.pid},
        "operation": operation and _operation_data(operation),
        "recovery_required": snapshot.unrecovered is not None,
    }
    lines = _status_lines(store, snapshot, holder.description if holder else None)
    return Result(text=as_bytes(lines), data=encode(data), warnings=opened.placed())


def _operation_data(operation: "Operation") -> dict[str, object]:
    from streamt.deploy.times import write_time

    return {
        "id": operation.id,
        "kind": operation.kind,
        "actor": operation.actor,
        "started_at": write_time(operation.started_at),
        "actions": len(operation.actions),
        "applied": len(operation.applied),
        "calls": [
            {"call": each.step.call, "result": each.result.value if each.result else None} for each in operation.steps
        ],
    }


def _status_lines(store: "Store", snapshot: "Snapshot", holder: str | None) -> Iterator[str]:
    yield f"State:      {store.place}"
    yield f"Address:    {store.address}"
    version = snapshot.version
    yield f"Serial:     {version.serial} of store {version.store_id}" if version else "Serial:     none yet"
    yield f"Resources:  {len(snapshot.resources)}"
    yield f"Lock:       {holder or 'free'}"
    operation = snapshot.open_operation
    if operation is None:
        yield "Operation:  none is open"
        return
    yield f"Operation:  {operation.id}, `{operation.kind}` by {operation.actor}, {operation.started_at:%F %T} UTC"
    yield f"            {len(operation.applied)} of {counted(len(operation.actions), 'action')} finished"
    for step in operation.steps:
        yield f"            {step.step.call}: {step.result.value if step.result else 'no result is recorded'}"
    if holder is None and snapshot.unrecovered is not None:
        yield "Next:       `streamt state recover` asks the providers what happened, and closes the operation."
    elif holder is None:
        yield "Next:       nothing: it had called nobody, and the next operation closes it."


@state.command("list")
@project_options
@reporting
def list_resources(*, project_dir: Path, environment: str | None) -> Result:
    """List what the environment owns."""
    opened = open_deployment(project_dir, environment)
    with opened.placing():
        resources = opened.deployment.store.read().resources
    rows = [{"address": str(each), "name": resources[each].name} for each in sorted(resources)]
    return Result(
        text=as_bytes(f"{row['address']}  {row['name']}" for row in rows),
        data=encode({"resources": rows}),
        summary=f"{counted(len(rows), 'resource')} in state",
        warnings=opened.placed(),
    )


@state.command("show")
@click.argument("address")
@project_options
@reporting
def show(*, address: str, project_dir: Path, environment: str | None) -> Result:
    """Show what the state says of one resource."""
    import json

    from streamt.deploy.state.document import write_resource

    opened = open_deployment(project_dir, environment)
    with opened.placing():
        found = address_in_state(opened.deployment, address)
        data = write_resource(opened.deployment.store.read().resources[found])
    data["secrets"] = dict.fromkeys(data["secrets"], "remembered")
    text = json.dumps(data, indent=2, ensure_ascii=False).splitlines()
    return Result(text=as_bytes(text), data=encode({"address": address, **data}), warnings=opened.placed())


@state.command("forget")
@click.argument("address")
@confirm_env_option
@lock_wait_option
@project_options
@reporting
def forget(
    *, address: str, confirm_env: str | None, lock_wait: float | None, project_dir: Path, environment: str | None
) -> Result:
    """Take a resource out of state; it stays where it is, and is no longer ours."""
    from streamt.deploy.edit import forget as forget_resource

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        found = address_in_state(deployment, address)
        confirm_environment(deployment, confirm_env)
        version = forget_resource(deployment.store, found, deployment.lock_wait(lock_wait))
    summary = f"{address} was forgotten; it is untouched. Serial {version.serial}."
    return Result(data=encode(version.as_data()), summary=summary, warnings=opened.placed())


@state.command("move")
@click.argument("source")
@click.argument("target")
@confirm_env_option
@lock_wait_option
@project_options
@reporting
def move(
    *,
    source: str,
    target: str,
    confirm_env: str | None,
    lock_wait: float | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Give a resource another address; it stays what and where it is."""
    from streamt.deploy.edit import move as move_resource

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        found, wanted = address_in_state(deployment, source), parse_address(target)
        confirm_environment(deployment, confirm_env)
        version = move_resource(deployment.store, found, wanted, deployment.lock_wait(lock_wait))
    summary = f"{source} is now {target}. Serial {version.serial}."
    return Result(data=encode(version.as_data()), summary=summary, warnings=opened.placed())


@state.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@project_options
@reporting
def export(*, file: Path, project_dir: Path, environment: str | None) -> Result:
    """Copy the committed state to a new file, as it is in a local store: a backup, as private as the state."""
    from streamt.files import atomic_replace

    opened = open_deployment(project_dir, environment)
    with opened.placing():
        snapshot = opened.deployment.store.read()
        if snapshot.document is None or snapshot.version is None:
            raise usage("there is no state to export", "file")
        try:
            if file.exists():
                raise usage(f"`{file}` exists already; it was left unchanged", "file")
            atomic_replace(file, [snapshot.document.to_bytes()], mode=0o600)
        except OSError as error:
            raise usage(f"`{file}` cannot be written: {error.strerror}", "file") from None
    summary = f"Exported serial {snapshot.version.serial} to {file}."
    return Result(data=encode(snapshot.version.as_data()), summary=summary, warnings=opened.placed())


@state.command("migrate")
@click.option("--from", "source", type=click.Choice(["local", "postgres"]), default="local", help="Where it is now.")
@click.option("--from-url-variable", metavar="NAME", help="The variable that holds the address of a database.")
@confirm_env_option
@lock_wait_option
@project_options
@reporting
def migrate(
    *,
    source: str,
    from_url_variable: str | None,
    confirm_env: str | None,
    lock_wait: float | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Copy a state to where `deployment_state` says, check it, and mark the old one as moved."""
    from streamt.deploy.edit import migrate as migrate_state
    from streamt.deploy.state import PostgresStore

    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        confirm_environment(deployment, confirm_env)
        old = _old_store(deployment, source, from_url_variable)
        if isinstance(deployment.store, PostgresStore):
            deployment.store.create_tables()
        version = migrate_state(old, deployment.store, deployment.lock_wait(lock_wait))
    summary = f"The state is now {deployment.store.place}: serial {version.serial}; the old one may no longer be used."
    return Result(data=encode(version.as_data()), summary=summary, warnings=opened.placed())


def _old_store(deployment: "Deployment", source: str, variable: str | None) -> "Store":
    from streamt.deploy.state import LocalStore, PostgresStore, StateFiles

    address = deployment.store.address
    if source == "local":
        if deployment.store.is_local:
            raise usage("`deployment_state` names the local state itself", "from")
        return LocalStore(StateFiles(deployment.project.root, deployment.project.environment), address)
    url = os.environ.get(variable or "")
    if not url:
        raise usage("the address of the old database is missing", "from_url_variable")
    return PostgresStore(url, address)


@state.command("unlock")
@click.argument("lock_id")
@project_options
@reporting
def unlock(*, lock_id: str, project_dir: Path, environment: str | None) -> Result:
    """Make sure that a lock is gone; it is refused while its holder lives."""
    opened = open_deployment(project_dir, environment)
    with opened.placing():
        holder = opened.deployment.store.holder()
        if holder is not None:
            message = f"the lock is held by {holder.description}, which is alive"
            hint = "end that process, or its session of the database: the lock ends with it"
            if holder.lock_id != lock_id:
                message = f"`{lock_id}` is not the lock's id: {message}"
            raise StreamtError(Diagnostic(code=Code.STATE_LOCKED, message=message, hint=hint))
    return Result(data=encode({"held": False}), summary="The lock is free.", warnings=opened.placed())


state.add_command(recover)
