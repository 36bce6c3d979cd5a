"""A schema registry as schemas' provider: what is there, what it would refuse, and one call at a time."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from streamt.clusters import ClusterError, Failure, FailureKind
from streamt.clusters.registry_admin import (
    RegistryAdmin,
    RegistryReader,
    SchemaReference,
    SchemaText,
    Version,
)
from streamt.deploy.artifact import Address, Content
from streamt.deploy.backend import (
    Answer,
    Blocker,
    Checked,
    Happened,
    Live,
    Outcome,
    Presence,
    Proposal,
    ProviderId,
    Step,
    StepResult,
    Target,
)
from streamt.deploy.backends.patience import ask_again
from streamt.deploy.backends.registry import (
    COMPATIBILITY,
    REFERENCES,
    SCHEMA,
    TYPE,
    SchemaBackend,
    form,
    kind_of,
    text_of,
)
from streamt.deploy.backends.registry_subjects import (
    checked_late,
    fields_of,
    holds,
    incompatible,
    invalid,
    items,
    unresolved,
)
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError

T = TypeVar("T")
R = TypeVar("R")

WAIT_SECONDS = 30.0
DOUBT_SECONDS = 2.0
"""How long a registry may show the state before a call whose answer was lost."""
_AGAIN_SECONDS = 0.1
_AT_ONCE = 8
"""Requests at the same time, when many subjects are looked at."""
_RUNTIME = ProjectPath(("runtime", "schema_registry"))
_BACKEND = SchemaBackend()
_WHOLE = frozenset({FailureKind.UNREACHABLE, FailureKind.LOGIN})
"""What goes wrong for every subject alike."""


class RegistryObserver:
    """Asks a schema registry, and changes nothing."""

    def __init__(self, reader: RegistryReader, fallback_identity: str, *, doubt_seconds: float = DOUBT_SECONDS) -> None:
        """Keep the reader.

        Args:
            reader: asks the registry.
            fallback_identity: stands for a registry that tells no identity: a digest of its address.
            doubt_seconds: how long it is not believed that a call whose answer was lost did not happen.
        """
        self._reader = reader
        self._doubt_seconds = doubt_seconds
        self._fallback = fallback_identity

    def identity(self) -> str:
        """Return the registry's own identity, or the digest of its address.

        Raises:
            StreamtError: E560 or E561.
        """
        return _reported(self._reader.identity) or self._fallback

    def list_names(self) -> tuple[str, ...]:
        """Return the names of all subjects, sorted.

        Raises:
            StreamtError: E560 or E561.
        """
        return _reported(self._reader.subjects)

    def observe(self, targets: Sequence[Target]) -> Mapping[Address, Live]:
        """Return what the registry says of each subject, several at a time.

        Raises:
            StreamtError: E560 or E561, nothing can be seen.
        """
        has_modes = _reported(lambda: bool(targets) and self._reader.mode(targets[0].name) is not None)
        return dict(_at_once(lambda each: (each.address, self._observe(each, has_modes=has_modes)), targets))

    def _observe(self, target: Target, *, has_modes: bool) -> Live:
        try:
            return self._seen(target, has_modes=has_modes)
        except ClusterError as error:
            if error.failure.kind in _WHOLE:
                raise StreamtError(diagnostic(error.failure)) from None
            return Live(presence=Presence.UNKNOWN, reason=diagnostic(error.failure))

    def _seen(self, target: Target, *, has_modes: bool) -> Live:
        latest = self._reader.latest(target.name)
        facts = self._level_facts(target)
        mode = self._reader.mode(target.name) if has_modes else None
        if mode is not None and mode.startswith("READONLY"):
            facts["mode"] = mode
        fields: dict[str, Content] = {}
        if own := facts.pop("own", None):
            fields[COMPATIBILITY] = own
        if latest is None:
            return Live(presence=Presence.ABSENT, fields=fields, facts=facts)
        fields |= fields_of(latest, target)
        fields |= self._as_registered(target, latest, fields, facts)
        provider_id: ProviderId = {"version": latest.number, "id": latest.id}
        return Live(presence=Presence.PRESENT, fields=fields, provider_id=provider_id, facts=facts)

    def _level_facts(self, target: Target) -> dict[str, Content]:
        """Return the subject's level where it is ours: its own, the one that counts, and the global one."""
        if not any(each and each.content.get("compatibility") for each in (target.artifact, target.applied)):
            return {}
        level = self._reader.level(target.name)
        known: dict[str, Content] = {"effective": level.effective, "global": self._reader.global_level()}
        return known | ({"own": level.own} if level.own else {})

    def _as_registered(
        self, target: Target, latest: Version, live: Mapping[str, Content], facts: dict[str, Content]
    ) -> Mapping[str, Content]:
        """Ask under which version a differing text is registered; the latest one makes it the same.

        Normal forms of some registries leave docs out, so what they find is read and compared.
        """
        if target.artifact is None:
            return {}
        desired = _BACKEND.desired(target.artifact.content)
        if all(live.get(path) == desired.get(path) for path in (TYPE, SCHEMA, REFERENCES)):
            return {}
        wanted = self._resolved(target.artifact.content)
        found = self._reader.look_up(target.name, wanted, normalize=True) if wanted else None
        if found is None or not (holds(found, target) or found.schema.kind == desired[TYPE] == "PROTOBUF"):
            return {}
        if found.number == latest.number:
            return {path: desired[path] for path in (TYPE, SCHEMA, REFERENCES) if path in desired}
        facts["registered"] = found.number
        return {}

    def _resolved(self, content: Mapping[str, Content]) -> SchemaText | None:
        """Return the schema as it is sent; None while a schema that it refers to is not there."""
        references = []
        for each in items(content.get("references")):
            subject, version = str(each["subject"]), each.get("version")
            if not isinstance(version, int):
                latest = self._reader.latest(subject)
                if latest is None:
                    return None
                version = latest.number
            references.append(SchemaReference(str(each["name"]), subject, version))
        return SchemaText(text=text_of(content), kind=kind_of(content), references=tuple(references))

    def check(self, proposals: Sequence[Proposal]) -> Mapping[Address, Checked]:
        """Ask for each new version whether it is compatible, and for each deletion whether something refers to it.

        Raises:
            StreamtError: E560 or E561, nothing can be asked.
        """
        registered = {
            str(step.identity["subject"]): proposal
            for proposal in proposals
            for step in proposal.steps
            if step.action == "register"
        }
        answers = _at_once(lambda each: _reported(lambda: self._check(each, registered)), proposals)
        found = zip((each.situation.target.address for each in proposals), answers, strict=True)
        return {address: checked for address, checked in found if checked is not None}

    def _check(self, proposal: Proposal, registered: Mapping[str, Proposal]) -> Checked | None:
        target, actions = proposal.situation.target, {step.action for step in proposal.steps}
        if "delete" in actions:
            return self._check_deletion(target)
        if "register" not in actions or proposal.situation.live.presence is not Presence.PRESENT:
            return None
        assert target.artifact
        if late := checked_late(proposal, registered):
            return late
        asked = (f"POST /compatibility/subjects/{target.name}/versions/latest",)
        try:
            wanted = self._resolved(target.artifact.content)
            answer = self._reader.compatibility(target.name, wanted) if wanted else None
        except ClusterError as error:
            if error.failure.kind is not FailureKind.REFUSED:
                raise
            return Checked(asked=asked, blockers=(invalid(target, error.failure),))
        if answer is None:
            return Checked(asked=asked, blockers=(unresolved(target),))
        return Checked(asked=asked, blockers=() if answer.compatible else (incompatible(target, answer.reasons),))

    def _check_deletion(self, target: Target) -> Checked:
        numbers = self._reader.versions(target.name)
        users = {each for number in numbers for each in self._reader.referenced_by(target.name, number)}
        message = f"{len(users)} schemas of other subjects refer to subject `{target.name}`"
        blocker = Blocker(code="schema_referenced", message=message, hint="delete these first, or register them anew")
        return Checked(
            asked=(f"GET /subjects/{target.name}/versions/N/referencedby",), blockers=(blocker,) if users else ()
        )

    def ask(self, step: Step, target: Target) -> Answer:
        """Return whether a recorded call happened: the subject's versions and its level tell."""
        return ask_again(lambda: self._ask(step, target), self._doubt_seconds)

    def _ask(self, step: Step, target: Target) -> Answer:
        try:
            match step.action:
                case "register":
                    return self._ask_registered(step, target)
                case "delete":
                    gone = not self._reader.versions(target.name)
                    reason = "the subject is gone" if gone else "the subject is still there"
                    return Answer(happened=Happened.DONE if gone else Happened.UNDONE, reason=reason)
                case _:
                    return self._ask_level(step, target)
        except ClusterError as error:
            return Answer(happened=Happened.CANNOT_TELL, reason=f"the registry cannot be asked: {error.failure}")

    def _ask_registered(self, step: Step, target: Target) -> Answer:
        before = step.identity["before"]
        assert target.artifact
        wanted = self._resolved(target.artifact.content)
        known = self._reader.look_up(target.name, wanted, normalize=True) if wanted else None
        for number in reversed(self._reader.versions(target.name)):
            if not isinstance(before, int) or number <= before:
                break
            found = self._reader.version(target.name, number)
            same = known is not None and known.number == number and known.schema.kind == "PROTOBUF"
            if found and (same or holds(found, target)):
                provider_id: ProviderId = {"version": found.number, "id": found.id}
                return Answer(happened=Happened.DONE, provider_id=provider_id, reason=f"it is version {number}")
        return Answer(happened=Happened.UNDONE, reason="no version since then holds this schema")

    def _ask_level(self, step: Step, target: Target) -> Answer:
        own = self._reader.level(target.name).own
        if own == step.identity["level"]:
            return Answer(happened=Happened.DONE, reason="the level is as the call makes it")
        undone = own == step.identity["before"]
        reason = "the level is as it was before the call" if undone else "the level is another one"
        return Answer(happened=Happened.UNDONE if undone else Happened.CANNOT_TELL, reason=reason)


class RegistryAdapter(RegistryObserver):
    """Asks and changes a schema registry."""

    def __init__(
        self,
        admin: RegistryAdmin,
        fallback_identity: str,
        *,
        wait_seconds: float = WAIT_SECONDS,
        doubt_seconds: float = DOUBT_SECONDS,
    ) -> None:
        super().__init__(admin, fallback_identity, doubt_seconds=doubt_seconds)
        self._admin = admin
        self._wait_seconds = wait_seconds

    def execute(self, step: Step) -> StepResult:
        """Do one call, and wait until the registry shows it."""
        try:
            failure = self._send(step)
        except ClusterError as error:  # what was asked before anything was sent
            return StepResult(outcome=Outcome.REFUSED, error=diagnostic(error.failure))
        if failure is not None:
            outcome = Outcome.REFUSED if failure.is_final else Outcome.UNKNOWN
            return StepResult(outcome=outcome, error=diagnostic(failure))
        until = time.monotonic() + self._wait_seconds
        while True:
            shown = self._shown(step)
            if shown.outcome is not Outcome.UNKNOWN or time.monotonic() > until:
                return shown
            time.sleep(_AGAIN_SECONDS)

    def _send(self, step: Step) -> Failure | None:
        subject = str(step.identity["subject"])
        match step.action:
            case "register":
                schema = self._resolved(step.payload)
                if schema is None:
                    return Failure(FailureKind.REFUSED, "", "a schema that it refers to is not registered")
                return self._admin.register(subject, schema)
            case "set_level":
                return self._admin.set_level(subject, str(step.identity["level"]))
            case "unset_level":
                return self._admin.unset_level(subject)
            case _:
                return self._admin.delete(subject)

    def _shown(self, step: Step) -> StepResult:
        """Return whether the registry shows what it accepted."""
        subject = str(step.identity["subject"])
        try:
            match step.action:
                case "register":
                    return self._shown_version(step, subject)
                case "delete":
                    done = not self._reader.versions(subject)
                case _:
                    level = self._reader.level(subject)
                    done = level.own == step.identity["level"]
                    if not done and step.identity["level"] == "NONE":
                        return _not_kept(subject, level.effective)
        except ClusterError as error:
            return StepResult(outcome=Outcome.UNKNOWN, error=diagnostic(error.failure))
        return StepResult(outcome=Outcome.DONE) if done else _late(step)

    def _shown_version(self, step: Step, subject: str) -> StepResult:
        latest = self._reader.latest(subject)
        if latest is None:
            return _late(step)
        kind = kind_of(step.payload)
        same = form(kind, latest.schema.text) == form(kind, step.payload["schema"])
        before = step.identity["before"]
        if not same and latest.number == before:
            wanted = self._resolved(step.payload)
            if wanted and self._reader.look_up(subject, wanted, normalize=True):
                return _stayed(step, latest)
            return _late(step)
        if not same and kind != "PROTOBUF":
            return _late(step)
        return StepResult(outcome=Outcome.DONE, provider_id={"version": latest.number, "id": latest.id})


def diagnostic(failure: Failure) -> Diagnostic:
    """Return what to tell of a failure: E560 if nothing was reached or known, else E561."""
    hints = {
        FailureKind.LOGIN: "check username and password of runtime.schema_registry",
        FailureKind.DENIED: "grant the user the right that is missing",
        FailureKind.UNREACHABLE: "check url and ssl_ca_location of runtime.schema_registry, and that the registry runs",
        FailureKind.UNDECIDED: "check that the registry runs and is not overloaded",
    }
    unreached = failure.kind in {FailureKind.UNREACHABLE, FailureKind.UNDECIDED}
    words = "cannot be reached" if unreached else "refuses the request"
    return Diagnostic(
        code=Code.PROVIDER_UNREACHABLE if unreached else Code.PROVIDER_REFUSED,
        message=f"the schema registry {words}: {failure}",
        location=_RUNTIME,
        hint=hints.get(failure.kind),
    )


def _reported(ask: Callable[[], T]) -> T:
    """Return an answer.

    Raises:
        StreamtError: E560 or E561; the registry gives none.
    """
    try:
        return ask()
    except ClusterError as error:
        raise StreamtError(diagnostic(error.failure)) from None


def _at_once(ask: Callable[[T], R], items: Sequence[T]) -> Iterable[R]:
    """Ask for several items at the same time, and return the answers in their order."""
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="streamt-registry") as pool:
        return tuple(pool.map(ask, items))


def _late(step: Step) -> StepResult:
    message = f"the schema registry does not show the change: {step.call}"
    return StepResult(
        outcome=Outcome.UNKNOWN, error=Diagnostic(code=Code.WAIT_EXPIRED, message=message, location=_RUNTIME)
    )


def _stayed(step: Step, latest: Version) -> StepResult:
    subject = step.identity["subject"]
    message = f"an older version of subject `{subject}` holds this schema: version {latest.number} stays the latest"
    hint = "change `definition` or `doc`, so that it becomes a new version"
    error = Diagnostic(code=Code.PROVIDER_REFUSED, message=message, location=_RUNTIME, hint=hint)
    return StepResult(outcome=Outcome.REFUSED, error=error)


def _not_kept(subject: str, effective: str) -> StepResult:
    """Return what to tell of a registry that takes NONE and goes on with the global level."""
    message = f"the schema registry takes level NONE for subject `{subject}`, but {effective} goes on to hold"
    hint = "declare another `compatibility`, or set the global level"
    error = Diagnostic(code=Code.PROVIDER_REFUSED, message=message, location=_RUNTIME, hint=hint)
    return StepResult(outcome=Outcome.REFUSED, error=error)
