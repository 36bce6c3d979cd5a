"""Made-up resources and operations for the tests of stores."""

from datetime import UTC, datetime
from uuid import uuid4

from streamt.deploy.artifact import Address, Content, ResourceKind, digest
from streamt.deploy.backend import Applied, Outcome, Step, StepResult, Verb
from streamt.deploy.state import DurableOperation, Finished, Holder, IntendedAction, Intention, Session, Store, Word

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


def address(name: str) -> Address:
    return Address(project="shop", environment="prod", kind=ResourceKind.TOPIC, name=name)


def resource(name: str, partitions: int = 1, operation: str | None = None) -> Applied:
    content: dict[str, Content] = {"name": name, "partitions": partitions}
    return Applied(
        name=name,
        cluster_id="cluster-1",
        provider_id={},
        digest=digest(content),
        content=content,
        operation=operation or str(uuid4()),
        at=NOW,
    )


def creation(name: str, partitions: int = 1) -> IntendedAction:
    return IntendedAction(
        address=address(name), verb=Verb.CREATE, name=name, resource=resource(name, partitions), fingerprint="sha256:0"
    )


def step(name: str) -> Step:
    return Step(action="create", call=f"CreateTopics {name}", identity={"topic": name})


def intention(*actions: IntendedAction) -> Intention:
    return Intention(kind="apply", actor="tester", actions=actions)


def here() -> Holder:
    return Holder.here("apply")


def begun(session: Session, *actions: IntendedAction) -> DurableOperation:
    """Begin an operation, in a store that is made if need be."""
    snapshot = session.read()
    if snapshot.document is None:
        session.initialize(remember_secrets=True)
        snapshot = session.read()
    return DurableOperation.begin(session, snapshot, intention(*actions))


def done(number: int = 0, **provider_id: str | int) -> tuple[StepResult, Finished]:
    return StepResult(outcome=Outcome.DONE, provider_id=provider_id), Finished(provider_id=provider_id)


def apply_topics(store: Store, *names: str) -> str:
    """Create resources in a whole operation, and return its id."""
    with store.lock(here(), 5) as session:
        operation = begun(session, *map(creation, names))
        for index, name in enumerate(names):
            operation.intend(index, 0, step(name))
            operation.record(index, 0, *done(id=f"id-{name}"))
        operation.close(Word.COMMIT, ["applied"] * len(names))
        return operation.id
