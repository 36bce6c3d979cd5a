"""A small, real provider: resources are files of a folder, and faults are made on purpose.

It stands in for the engine's tests only: real files, real ids, real calls that a test can count, and calls that are
refused, lost on the way there, or lost on the way back.
"""

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from streamt.deploy.artifact import Address, Content, ResourceKind, SecretRef, encode
from streamt.deploy.backend import (
    AllowClass,
    Answer,
    Blocker,
    Change,
    Checked,
    Fields,
    Group,
    Happened,
    Live,
    Outcome,
    Presence,
    Proposal,
    Provider,
    Readers,
    Risk,
    SecretState,
    Situation,
    Step,
    StepResult,
    Target,
    Undo,
    Verb,
)
from streamt.deploy.compare import compare_fields, flatten
from streamt.deploy.project import Secrets
from streamt.diagnostics import Code, Diagnostic, StreamtError

FAULTS = (
    "refuse",
    "lose_request",
    "lose_answer",
    "lose_for_good",
    "unreachable",
    "crash_before",
    "crash_after",
    "stop",
    "stop_twice",
)


class FilesBackend:
    """Resources with fields: any may change, `size` only grows, and a smaller `retention` destroys."""

    kind = ResourceKind.TOPIC

    def desired(self, content: Mapping[str, Content]) -> Fields:
        return flatten(content)

    def diff(self, situation: Situation) -> Change:
        target = situation.target
        desired = self.desired(target.artifact.content) if target.artifact else {}
        fields = compare_fields(situation, desired, self.desired(target.applied.content) if target.applied else {})
        if situation.live.presence is Presence.ABSENT:
            blockers: tuple[Blocker, ...] = (_vanished(target),) if target.applied else ()
            risk = Risk.DISRUPTIVE if target.applied else Risk.SAFE
            undo = Undo(kind="by_plan", message="Remove it again.")
            return Change(verb=Verb.CREATE, fields=fields, risk=risk, blockers=blockers, undo=undo)
        if target.applied and target.applied.provider_id != situation.live.provider_id:
            recreated = Blocker(code="recreated", message="it was made again", hint="adopt it")
            return Change(verb=Verb.UPDATE, fields=fields, risk=Risk.UNKNOWN, blockers=(recreated,))
        changes = [each for each in fields if each.is_change]
        if not changes:
            return Change(verb=Verb.NONE, fields=fields)
        blockers = tuple(_blockers(situation))
        risk = Risk.DESTRUCTIVE if blockers else Risk.CAREFUL
        undo = Undo(kind="by_plan", message="Apply the previous commit.")
        return Change(verb=Verb.UPDATE, fields=fields, risk=risk, blockers=blockers, undo=undo)

    def removal(self, situation: Situation) -> Change:
        undo = Undo(kind="impossible", message="What it held is gone.")
        return Change(verb=Verb.DELETE, risk=Risk.DESTRUCTIVE, undo=undo)

    def steps(self, situation: Situation, change: Change) -> tuple[Step, ...]:
        target = situation.target
        identity: dict[str, Content] = {"name": target.name, "id": situation.live.provider_id.get("id")}
        if change.verb is Verb.DELETE:
            return (Step(action="delete", call=f"Delete {target.name}", identity=identity),)
        if target.artifact is None:
            return ()
        wanted = target.artifact.content
        if change.verb is Verb.CREATE:
            call = f"Create {target.name}"
            return (Step(action="create", call=call, identity=identity, payload={"content": wanted}),)
        parts = sorted({each.path.split("/")[1] for each in change.fields if each.is_change})
        return tuple(
            Step(
                action="set",
                call=f"Set {part} of {target.name}",
                identity={**identity, "part": part},
                payload={"part": part, "value": wanted.get(part)},
            )
            for part in parts
        )


def _vanished(target: Target) -> Blocker:
    return Blocker(code="vanished_outside", message=f"`{target.name}` is gone", lifted_by=AllowClass.DISRUPTIVE)


def _blockers(situation: Situation) -> Iterator[Blocker]:
    desired = flatten(situation.target.artifact.content) if situation.target.artifact else {}
    fields = situation.live.fields
    for path in ("/size", "/partitions"):
        if _number(desired.get(path)) < _number(fields.get(path)):
            yield Blocker(code="size_decrease", message=f"`{path[1:]}` cannot shrink", hint="declare the live number")
    for path in ("/retention", "/config/retention.ms"):
        if _number(desired.get(path)) < _number(fields.get(path)):
            allow = AllowClass.DESTRUCTIVE
            yield Blocker(code="retention_shrinks", message=f"`{path[1:]}` shrinks", lifted_by=allow)


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0


@dataclass(frozen=True)
class Files:
    """The folder that is the provider, and what a test does to it."""

    folder: Path

    def put(self, name: str, content: Mapping[str, Any]) -> str:
        """Make a resource by hand, and return its id."""
        identity = str(uuid4())
        self._path(name).write_text(json.dumps({"id": identity, "content": content}))
        return identity

    def change(self, name: str, **fields: object) -> None:
        """Change fields by hand."""
        data = self.get(name)
        self._path(name).write_text(json.dumps({**data, "content": {**data["content"], **fields}}))

    def get(self, name: str) -> dict[str, Any]:
        """Return what is there."""
        data: dict[str, Any] = json.loads(self._path(name).read_text())
        return data

    def remove(self, name: str) -> None:
        """Take a resource away by hand."""
        self._path(name).unlink()

    @property
    def names(self) -> list[str]:
        """Return the names of all resources."""
        return sorted(each.name.removesuffix(".json") for each in self.folder.glob("*.json"))

    @property
    def contents(self) -> dict[str, Any]:
        """Return the content of each resource."""
        return {name: self.get(name)["content"] for name in self.names}

    @property
    def calls(self) -> list[str]:
        """Return every call that arrived and could change something."""
        path = self.folder / "calls.log"
        return path.read_text().splitlines() if path.exists() else []

    def fail(self, call: str, fault: str) -> None:
        """Let a call go wrong, every time."""
        assert fault in FAULTS
        faults = self._faults()
        (self.folder / "faults.txt").write_text(json.dumps({**faults, call: fault}))

    def heal(self) -> None:
        """Let everything go well again."""
        (self.folder / "faults.txt").unlink(missing_ok=True)

    def _faults(self) -> dict[str, str]:
        path = self.folder / "faults.txt"
        faults: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        return faults

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def provider(self, secrets: Secrets | None = None) -> Provider:
        """Return the provider as the engine sees it."""

        @contextmanager
        def opened(_alias: str | None) -> Iterator[FilesAdapter]:
            yield FilesAdapter(self, secrets or Secrets({}))

        @contextmanager
        def readers() -> Iterator[FilesAdapter]:
            yield FilesAdapter(self, secrets or Secrets({}))

        return Provider(
            backend=FilesBackend(),
            observer=opened,
            adapter=opened,
            readers=readers,
            reader_blockers=reader_blockers,
        )


def reader_blockers(readers: Readers, name: str) -> tuple[Blocker, ...]:
    if readers.evidence != "complete" or any(group.members for group in readers.groups.get(name, ())):
        return (Blocker(code="in_use", message=f"`{name}` is read"),)
    return ()


class FilesAdapter:
    """Reads and writes the files."""

    def __init__(self, files: Files, secrets: Secrets) -> None:
        self._files = files
        self._secrets = secrets

    def identity(self) -> str:
        if self._files._faults().get("identity") == "unreachable":
            raise _unreachable()
        return (self._files.folder / "cluster-id").read_text()

    def list_names(self) -> tuple[str, ...]:
        return tuple(self._files.names)

    def observe(self, targets: Sequence[Target]) -> Mapping[Address, Live]:
        if self._files._faults().get("observe") == "unreachable":
            raise _unreachable()
        return {each.address: self._live(each) for each in targets}

    def _live(self, target: Target) -> Live:
        if target.name not in self._files.names:
            return Live(presence=Presence.ABSENT)
        data = self._files.get(target.name)
        fields = flatten(data["content"])
        secrets = {
            place: SecretState.SAME if fields.get(place) == self._secrets.reveal(ref) else SecretState.CHANGED
            for place, ref in (target.artifact.secrets if target.artifact else {}).items()
        }
        shown = {path: value for path, value in fields.items() if path not in secrets}
        owned = {*flatten(target.artifact.content if target.artifact else {})}
        owned |= set(flatten(target.applied.content if target.applied else {}))
        others = {path: "other" for path in shown if path not in owned}
        return Live(
            presence=Presence.PRESENT,
            fields=shown,
            owners=others,  # type: ignore[arg-type]  # a dictionary of one of the words
            secrets=secrets,
            provider_id={"id": data["id"]},
        )

    def check(self, proposals: Sequence[Proposal]) -> Mapping[Address, Checked]:
        return {each.situation.target.address: self._checked(each) for each in proposals}

    def _checked(self, proposal: Proposal) -> Checked:
        refused = [each.call for each in proposal.steps if self._files._faults().get(f"check {each.call}") == "refuse"]
        blockers = tuple(Blocker(code="policy", message=f"a policy refuses: {call}") for call in refused)
        return Checked(asked=tuple(f"{each.call} (check only)" for each in proposal.steps), blockers=blockers)

    def readers(self, topics: Sequence[str]) -> Readers:
        path = self._files.folder / "readers.txt"
        if not path.exists():
            return Readers(evidence="complete")
        found = json.loads(path.read_text())
        groups = {topic: tuple(Group(**each) for each in found["groups"].get(topic, ())) for topic in topics}
        return Readers(groups=groups, evidence=found["evidence"], why=tuple(found.get("why", ())))

    def execute(self, step: Step) -> StepResult:
        fault = self._files._faults().get(step.call)
        if fault == "unreachable":
            return StepResult(outcome=Outcome.REFUSED, error=_unreachable().diagnostics[0])
        if fault == "crash_before":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault in ("lose_request", "lose_for_good"):
            return StepResult(outcome=Outcome.UNKNOWN, error=_lost())
        with (self._files.folder / "calls.log").open("a") as log:
            log.write(f"{step.call}\n")
        if fault == "refuse":
            error = Diagnostic(code=Code.PROVIDER_REFUSED, message="a policy refuses")
            return StepResult(outcome=Outcome.REFUSED, error=error)
        provider_id = self._do(step)
        for _ in range({"stop": 1, "stop_twice": 2}.get(str(fault), 0)):
            path = self._files.folder / "signal.txt"
            os.kill(os.getpid(), int(path.read_text()) if path.exists() else signal.SIGINT)
        if fault == "crash_after":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "lose_answer":
            return StepResult(outcome=Outcome.UNKNOWN, error=_lost())
        return StepResult(outcome=Outcome.DONE, provider_id=provider_id)

    def _do(self, step: Step) -> dict[str, str | int]:
        name = str(step.identity["name"])
        if step.action == "delete":
            self._files.remove(name)
            return {}
        if step.action == "create":
            return {"id": self._files.put(name, self._revealed(step.payload["content"]))}
        part = str(step.payload["part"])
        data = self._files.get(name)
        value = self._revealed(step.payload["value"])
        content = {key: each for key, each in data["content"].items() if key != part}
        self._files._path(name).write_text(
            json.dumps({**data, "content": content if value is None else {**content, part: value}})
        )
        return {"id": data["id"]}

    def _revealed(self, value: Content) -> Any:
        if isinstance(value, SecretRef):
            return self._secrets.reveal(value)
        if isinstance(value, Mapping):
            return {key: self._revealed(each) for key, each in value.items()}
        return encode(value)

    def ask(self, step: Step, target: Target) -> Answer:
        assert not step.payload, "after a crash there is none"
        if "lose_for_good" in (self._files._faults().get(step.call), self._files._faults().get("ask")):
            return Answer(happened=Happened.CANNOT_TELL, reason="The folder does not answer.")
        is_there = target.name in self._files.names
        if step.action == "delete":
            return _answer(not is_there, {}, f"`{target.name}` is {'there' if is_there else 'gone'}.")
        if not is_there:
            return _answer(False, {}, f"`{target.name}` is not there.")
        data = self._files.get(target.name)
        identity = {"id": data["id"]}
        if step.action == "create":
            return _answer(True, identity, f"`{target.name}` is there.")
        assert target.artifact is not None
        part = str(step.identity["part"])
        wanted = self._revealed(target.artifact.content.get(part))
        is_same = data["content"].get(part) == wanted
        return _answer(is_same, identity, f"`{part}` is {'as' if is_same else 'not as'} it should be.")


def _answer(done: bool, provider_id: Mapping[str, str | int], reason: str) -> Answer:
    return Answer(happened=Happened.DONE if done else Happened.UNDONE, provider_id=provider_id, reason=reason)


def _unreachable() -> StreamtError:
    return StreamtError(Diagnostic(code=Code.PROVIDER_UNREACHABLE, message="the folder cannot be reached"))


def _lost() -> Diagnostic:
    return Diagnostic(code=Code.PROVIDER_UNREACHABLE, message="the connection was lost")


def make_files(folder: Path, cluster_id: str = "folder-1") -> Files:
    """Make an empty provider."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cluster-id").write_text(cluster_id)
    return Files(folder)
