"""Changing state alone: forgetting a resource, and giving one another address."""

from dataclasses import replace

from streamt.deploy.apply import actor, usable
from streamt.deploy.artifact import Address
from streamt.deploy.backend import Applied, Verb
from streamt.deploy.state import (
    DurableOperation,
    Finished,
    Holder,
    IntendedAction,
    Intention,
    Session,
    Snapshot,
    StateDocument,
    StateVersion,
    Store,
    Word,
)
from streamt.diagnostics import Code, Diagnostic, StreamtError, did_you_mean


def forget(store: Store, address: Address, lock_wait: float = 30.0) -> StateVersion:
    """Take a resource out of state; it stays where it is, and is no longer ours.

    Raises:
        StreamtError: E500, it is not in state; E550 to E555.
    """
    with store.lock(Holder.here("state-forget"), lock_wait) as session:
        snapshot = usable(session)
        resource = _resource(snapshot, address)
        action = IntendedAction(address=address, verb=Verb.FORGET, name=resource.name)
        return _done(session, snapshot, "forget", action)


def move(store: Store, source: Address, target: Address, lock_wait: float = 30.0) -> StateVersion:
    """Give a resource another address; it stays what and where it is.

    Raises:
        StreamtError: E500, the old address is not in state, the new one is, or they are of two kinds; E550 to E555.
    """
    with store.lock(Holder.here("state-move"), lock_wait) as session:
        snapshot = usable(session)
        resource = _resource(snapshot, source)
        if target in snapshot.resources:
            raise _usage(f"{target} is in the state already")
        if (source.project, source.environment, source.kind) != (target.project, target.environment, target.kind):
            raise _usage(f"{source} and {target} are of two kinds, environments or projects")
        action = IntendedAction(address=target, verb=Verb.MOVE, name=resource.name, source=source, resource=resource)
        return _done(session, snapshot, "move", action)


def initialize(store: Store, lock_wait: float = 30.0, *, remember_secrets: bool = True) -> StateVersion:
    """Make the first, empty state, unless there is one; return the state as it is then.

    Raises:
        StreamtError: E550 to E554.
    """
    with store.lock(Holder.here("state-init"), lock_wait) as session:
        if session.read().document is None:
            session.initialize(remember_secrets=remember_secrets)
        version = session.read().version
        assert version is not None, "it was just made"
        return version


def migrate(source: Store, target: Store, lock_wait: float = 30.0) -> StateVersion:
    """Copy a state to another store, check the copy, and mark the source as moved; its next use is refused.

    Raises:
        StreamtError: E554, the target holds a state already; E550 to E555.
    """
    with (
        source.lock(Holder.here("state-migrate"), lock_wait) as old,
        target.lock(Holder.here("state-migrate"), lock_wait) as new,
    ):
        snapshot = usable(old)
        if snapshot.document is None:
            raise _usage("there is no state to migrate")
        if new.read().document is not None:
            message = "the target holds a state already"
            raise StreamtError(Diagnostic(code=Code.STATE_CONFLICT, message=message, hint="nothing was changed"))
        new.initialize(remember_secrets=False)
        empty = new.read().document
        assert empty is not None, "it was just made"
        copy = replace(snapshot.document, store_id=empty.store_id, address=target.address)
        new.replace(copy)
        _check_copy(new.read(), copy)
        old.replace(replace(snapshot.document, moved_to=target.place))
        version = new.read().version
        assert version is not None, "it was just written"
        return version


def _check_copy(snapshot: Snapshot, expected: StateDocument) -> None:
    if snapshot.document != expected:
        message = "the copy is not what was copied; the source was left as it is"
        raise StreamtError(Diagnostic(code=Code.STATE_CONFLICT, message=message))


def _done(session: Session, snapshot: Snapshot, kind: str, action: IntendedAction) -> StateVersion:
    intention = Intention(kind=kind, actor=actor(), actions=(action,))
    operation = DurableOperation.begin(session, snapshot, intention)
    operation.finish(0, Finished(provider_id={}))
    return operation.close(Word.COMMIT, ["applied"])


def check_in_state(snapshot: Snapshot, address: Address) -> None:
    """Check that a resource is in state.

    Raises:
        StreamtError: E500, it is not.
    """
    _resource(snapshot, address)


def _resource(snapshot: Snapshot, address: Address) -> Applied:
    resource = snapshot.resources.get(address)
    if resource is None:
        hint = did_you_mean(str(address), [str(each) for each in snapshot.resources])
        raise _usage(f"{address} is not in the state", hint or "`streamt state list` shows what is")
    return resource


def _usage(message: str, hint: str | None = None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, hint=hint))
