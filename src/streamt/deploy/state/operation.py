"""One operation as its journal tells it: what was to be done, what was, and what is not known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from streamt.deploy.artifact import Address
from streamt.deploy.backend import Applied, ProviderId, Step, Verb
from streamt.deploy.sealed import SealError
from streamt.deploy.state.document import StateVersion, read_resource, write_resource
from streamt.deploy.state.journal import ENDS, Record, Word, read_records

_RESULTS = frozenset({Word.DONE, Word.REFUSED, Word.UNKNOWN})
_TAKES_AWAY = frozenset({Verb.DELETE, Verb.FORGET})


@dataclass(frozen=True, slots=True, kw_only=True)
class IntendedAction:
    """One action of an operation, as its `begin` holds it.

    Attributes:
        address: the resource.
        verb: what was to be done.
        name: the physical name.
        source: for a move, the address that it had.
        resource: what state will say of it once it is done; None for what takes it away.
        fingerprint: of the evidence that it was decided on.
        steps: how many calls it takes.
    """

    address: Address
    verb: Verb
    name: str
    source: Address | None = None
    resource: Applied | None = None
    fingerprint: str | None = None
    steps: int = 0

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "address": str(self.address),
            "verb": self.verb.value,
            "name": self.name,
            "source": str(self.source) if self.source else None,
            "resource": write_resource(self.resource) if self.resource else None,
            "fingerprint": self.fingerprint,
            "steps": self.steps,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the action that `as_data` wrote.

        Raises:
            SealError: it is none.
        """
        address = Address.parse(data["address"])
        source = Address.parse(data["source"]) if data["source"] else None
        if address is None or data["verb"] not in set(Verb):
            raise SealError("record 0 holds an invalid action")
        resource = read_resource(data["resource"]) if data["resource"] else None
        return cls(
            address=address,
            verb=Verb(data["verb"]),
            name=data["name"],
            source=source,
            resource=resource,
            fingerprint=data["fingerprint"],
            steps=data["steps"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStep:
    """One call, as its `intent` holds it.

    Attributes:
        action: the index of its action.
        number: the index of the step in the action.
        step: the call, without its payload.
        result: what came of it; None if nothing is recorded.
        provider_id: what the provider knew the resource by, afterwards.
    """

    action: int
    number: int
    step: Step
    result: Word | None = None
    provider_id: ProviderId


@dataclass(frozen=True)
class Operation:
    """An operation, from its records.

    Attributes:
        id: a UUIDv4.
        kind: `apply`, `adopt`, `forget`, `move`.
        actor: who started it, for people.
        plan_digest: the digest of the plan; None for what needs none.
        state: the state that it began with.
        actions: what was to be done, in order.
        records: all records so far.
    """

    id: str
    kind: str
    actor: str
    plan_digest: str | None
    state: StateVersion
    actions: tuple[IntendedAction, ...]
    records: tuple[Record, ...]

    @classmethod
    def from_lines(cls, lines: Sequence[bytes], operation: str, address: str) -> Self:
        """Return the operation that the lines tell of.

        Args:
            lines: its records.
            operation: its id.
            address: the address of the state that it must belong to.

        Raises:
            SealError: a record is damaged, or it belongs to another environment.
        """
        records = read_records(lines, operation)
        if not records:
            raise SealError("holds no record")
        body = records[0].body
        if body["state"]["address"] != address:
            raise SealError("belongs to another project, environment or namespace")
        return cls(
            id=operation,
            kind=body["kind"],
            actor=body["actor"],
            plan_digest=body["plan_digest"],
            state=StateVersion(**body["state"]),
            actions=tuple(map(IntendedAction.from_data, body["actions"])),
            records=records,
        )

    @property
    def started_at(self) -> datetime:
        """When it began."""
        return self.records[0].at

    @property
    def end(self) -> Record | None:
        """Its last record, if that closed it."""
        return self.records[-1] if self.records[-1].word in ENDS else None

    @property
    def has_called(self) -> bool:
        """Report whether any call was intended or any action finished."""
        return len(self.records) > 1

    @cached_property
    def steps(self) -> tuple[RecordedStep, ...]:
        """Every call that was intended, with what came of it, in order."""
        steps: dict[tuple[int, int], RecordedStep] = {}
        for record in self.records:
            if record.word is Word.INTENT:
                steps[_key(record)] = _intended(record)
            elif record.word in _RESULTS:
                if _key(record) not in steps:
                    raise SealError(f"record {record.n} is the result of no call")
                found = steps[_key(record)]
                steps[_key(record)] = replace(found, result=record.word, provider_id=record.body["provider_id"])
        return tuple(steps.values())

    @cached_property
    def applied(self) -> Mapping[int, Record]:
        """The records of finished actions, by the action's index."""
        return {record.body["action"]: record for record in self.records if record.word is Word.APPLIED}

    def last_step(self, action: int) -> RecordedStep | None:
        """Return the last call that was intended for an action; None if none was."""
        return self._last_steps.get(action)

    @cached_property
    def _last_steps(self) -> Mapping[int, RecordedStep]:
        return {each.action: each for each in self.steps}

    def overlay(self, resources: Mapping[Address, Applied]) -> dict[Address, Applied]:
        """Return `resources` with what the finished actions left."""
        result = dict(resources)
        for index, record in self.applied.items():
            if index >= len(self.actions):
                raise SealError(f"record {record.n} is of no action")
            self._take_over(result, self.actions[index], record)
        return result

    def _take_over(self, resources: dict[Address, Applied], action: IntendedAction, record: Record) -> None:
        if action.source is not None:
            resources.pop(action.source, None)
        if action.verb in _TAKES_AWAY:
            resources.pop(action.address, None)
        elif action.resource is not None:
            resources[action.address] = self._finished(action, action.resource, record)

    def _finished(self, action: IntendedAction, resource: Applied, record: Record) -> Applied:
        """Return what state says of a resource once its action is finished; a move leaves all but the address."""
        if action.verb is Verb.MOVE:
            return resource
        provider_id = record.body["provider_id"] or resource.provider_id
        condition = record.body["condition"]
        return replace(resource, provider_id=provider_id, condition=condition, operation=self.id, at=record.at)


def _key(record: Record) -> tuple[int, int]:
    return record.body["action"], record.body["step"]


def _intended(record: Record) -> RecordedStep:
    body = record.body
    step = Step(action=body["do"], call=body["call"], identity=body["identity"])
    return RecordedStep(action=body["action"], number=body["step"], step=step, provider_id={})
