"""A durable operation: on disk before anything is called, closed after the state is written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from streamt.deploy.artifact import encode
from streamt.deploy.backend import Outcome, ProviderId, Step, StepResult
from streamt.deploy.sealed import SealError
from streamt.deploy.state import problems
from streamt.deploy.state.document import StateDocument, StateVersion, checksum_of
from streamt.deploy.state.journal import Record, Word, next_record
from streamt.deploy.state.operation import IntendedAction, Operation
from streamt.deploy.state.store import Session, Snapshot
from streamt.deploy.times import utc_now
from streamt.diagnostics import ProjectPath

ActionResult = Literal["applied", "failed", "undone", "skipped", "unknown"]

_RESULT_WORDS = {Outcome.DONE: Word.DONE, Outcome.REFUSED: Word.REFUSED, Outcome.UNKNOWN: Word.UNKNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What an action left.

    Attributes:
        provider_id: what the provider knows the resource by; empty if it is as intended.
        condition: what is known of its life.
    """

    provider_id: ProviderId
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intention:
    """What an operation is about to do.

    Attributes:
        kind: `apply`, `adopt`, `forget` or `move`.
        actor: who does it, for people.
        actions: what is to be done, in order.
        plan_digest: the plan's; None for what needs none.
        operation_id: a UUIDv4.
    """

    kind: str
    actor: str
    actions: tuple[IntendedAction, ...]
    plan_digest: str | None = None
    operation_id: str = field(default_factory=lambda: str(uuid4()))


class DurableOperation:
    """Writes the journal of one operation, and at its end the state."""

    def __init__(self, session: Session, snapshot: Snapshot, operation: Operation, now: Callable[[], datetime]) -> None:
        assert snapshot.document is not None, "initialize the store first"
        assert snapshot.version is not None, "a document has a version"
        self._session = session
        self._document = snapshot.document
        self._version = snapshot.version
        self._operation = operation
        self._last = operation.records[-1]
        self._added: list[Record] = []
        self._now = now

    @classmethod
    def begin(
        cls, session: Session, snapshot: Snapshot, intention: Intention, now: Callable[[], datetime] = utc_now
    ) -> "DurableOperation":
        """Make an operation durable.

        Args:
            session: holds the lock.
            snapshot: the state that the actions were decided on; it has a document and no open operation.
            intention: what is to be done.
            now: gives the time.

        Raises:
            StreamtError: E550 (too large), E551, E553 or E554; nothing has begun.
        """
        assert snapshot.version is not None, "initialize the store first"
        body = {
            "kind": intention.kind,
            "actor": intention.actor,
            "plan_digest": intention.plan_digest,
            "state": snapshot.version.as_data(),
            "actions": [each.as_data() for each in intention.actions],
        }
        try:
            record = next_record(Word.BEGIN, body, at=now(), operation=intention.operation_id)
        except SealError as error:
            hint = "apply fewer changes at once with `--select`"
            raise problems.invalid("the operation", error, ProjectPath(), hint) from None
        session.begin(intention.operation_id, record)
        operation = Operation(
            id=intention.operation_id,
            kind=intention.kind,
            actor=intention.actor,
            plan_digest=intention.plan_digest,
            state=snapshot.version,
            actions=intention.actions,
            records=(record,),
        )
        return cls(session, snapshot, operation, now)

    @classmethod
    def resume(cls, session: Session, snapshot: Snapshot, now: Callable[[], datetime] = utc_now) -> "DurableOperation":
        """Go on with the operation that a crash left, to close it."""
        assert snapshot.journal is not None, "there is an operation to go on with"
        return cls(session, snapshot, snapshot.journal, now)

    @property
    def id(self) -> str:
        """The operation's id."""
        return self._operation.id

    @property
    def started_at(self) -> datetime:
        """When it began: the time of its `begin`."""
        return self._operation.started_at

    @property
    def has_applied(self) -> bool:
        """Report whether any action has finished."""
        return any(record.word is Word.APPLIED for record in (*self._operation.records, *self._added))

    def intend(self, action: int, number: int, step: Step) -> None:
        """Write that a call is about to be made.

        Raises:
            StreamtError: E551 or E553; the call must not be made.
        """
        body = {
            "action": action,
            "step": number,
            "do": step.action,
            "call": step.call,
            "identity": encode(step.identity),
        }
        self._write((Word.INTENT, body))

    def record(self, action: int, number: int, result: StepResult, finished: Finished | None = None) -> None:
        """Write what came of a call, and, in the same breath, that its action is finished.

        Raises:
            StreamtError: E551 or E553.
        """
        code = result.error.code.value if result.error else None
        body = {"action": action, "step": number, "provider_id": dict(result.provider_id), "error": code}
        entries: list[tuple[Word, dict[str, Any]]] = [(_RESULT_WORDS[result.outcome], body)]
        if finished is not None:
            entries.append((Word.APPLIED, _finished(action, finished)))
        self._write(*entries)

    def finish(self, action: int, finished: Finished) -> None:
        """Write that an action is finished.

        Raises:
            StreamtError: E551 or E553.
        """
        self._write((Word.APPLIED, _finished(action, finished)))

    def close(
        self,
        word: Word,
        results: Sequence[ActionResult],
        *,
        reason: str | None = None,
        assumed: Mapping[str, str] | None = None,
        actor: str | None = None,
    ) -> StateVersion:
        """Write the new state, if an action finished, and close the operation.

        Args:
            word: how it ends.
            results: what became of each action.
            reason: why it did not do everything, as a code.
            assumed: at a recovery, what somebody said of the actions that nobody could tell about.
            actor: who closes it, if that is somebody else.

        Returns:
            The version of the state as it is now.

        Raises:
            StreamtError: E551, E553, E554 or E556.
        """
        document = self._next_document()
        version = _version_of(document) if document else self._version
        body = {
            "serial": version.serial,
            "checksum": version.checksum,
            "results": list(results),
            "reason": reason,
            "assumed": dict(assumed or {}),
            "actor": actor or self._operation.actor,
        }
        end = next_record(word, body, at=self._now(), operation=self.id, last=self._last)
        self._session.close(self.id, end, document)
        return version

    def _next_document(self) -> StateDocument | None:
        if not self.has_applied or self._document.operation == self.id:
            return None
        operation = replace(self._operation, records=(*self._operation.records, *self._added))
        return replace(
            self._document,
            serial=self._document.serial + 1,
            resources=operation.overlay(self._document.resources),
            operation=self.id,
        )

    def _write(self, *entries: tuple[Word, Mapping[str, Any]]) -> None:
        records: list[Record] = []
        for word, body in entries:
            last = records[-1] if records else self._last
            records.append(next_record(word, body, at=self._now(), operation=self.id, last=last))
        self._session.append(self.id, *records)
        self._last = records[-1]
        self._added += records


def _finished(action: int, finished: Finished) -> dict[str, Any]:
    return {"action": action, "provider_id": dict(finished.provider_id), "condition": finished.condition}


def _version_of(document: StateDocument) -> StateVersion:
    return StateVersion(document.store_id, document.address, document.serial, checksum_of(document.to_bytes()))
