"""A Kafka cluster as topics' provider: what is there, what it would refuse, and one call at a time.

What a broker answers right after a change can be the state before it. So a difference from what was last applied is
read again before it is believed, and a change is done when the cluster shows it.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from streamt.clusters import ClusterError, Failure, FailureKind
from streamt.clusters.kafka_admin import ConfigChange, KafkaAdmin, KafkaReader, NewTopicSpec, Topic
from streamt.clusters.kafka_groups import KafkaGroups
from streamt.deploy.artifact import Address, Content, SecretRef
from streamt.deploy.backend import (
    Answer,
    Blocker,
    Checked,
    Group,
    Happened,
    Live,
    Outcome,
    Presence,
    Proposal,
    ProviderId,
    Readers,
    SecretState,
    Step,
    StepResult,
    Target,
)
from streamt.deploy.backends.kafka import (
    TopicBackend,
    setting,
    setting_path,
)
from streamt.deploy.backends.kafka_topics import (
    Ours,
    answer,
    colliding,
    differs,
    facts_of,
    fields_of,
    gives_back,
    is_absent,
    items,
    partitions_of,
    shows,
    topic_of,
)
from streamt.deploy.backends.patience import ask_again
from streamt.deploy.project import Secrets
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError, redact

WAIT_SECONDS = 30.0
DOUBT_SECONDS = 5.0
"""How long a cluster may show the state before a call whose answer was lost."""
_AGAIN_SECONDS = 0.2
_READS = 5
"""How often a difference is read before it is believed although two reads never agreed."""
_RIGHTS = ("ALTER", "ALTER_CONFIGS", "DELETE", "DESCRIBE_CONFIGS")
_RUNTIME = ProjectPath(("runtime", "kafka"))
_BACKEND = TopicBackend()
_ASKED = {
    "create": "CreateTopics (validate only)",
    "grow": "CreatePartitions (validate only)",
    "alter": "IncrementalAlterConfigs (validate only)",
}


class KafkaObserver:
    """Asks a Kafka cluster about topics, and changes nothing."""

    def __init__(self, reader: KafkaReader, secrets: Secrets) -> None:
        self._reader = reader
        self._secrets = secrets

    def identity(self) -> str:
        """Return the cluster's id.

        Raises:
            StreamtError: E560 or E561.
        """
        with _reported():
            return self._reader.cluster_id()

    def list_names(self) -> tuple[str, ...]:
        """Return the names of all topics but Kafka's own, sorted.

        Raises:
            StreamtError: E560 or E561.
        """
        with _reported():
            return tuple(sorted(name for name in self._reader.topic_names() if not name.startswith("__")))

    def observe(self, targets: Sequence[Target]) -> Mapping[Address, Live]:
        """Return what the cluster says of each topic, read again where it differs from what was last applied.

        Raises:
            StreamtError: E560 or E561, nothing can be seen.
        """
        with _reported():
            ours = [Ours.of(each) for each in targets]
            found = self._settled(ours)
            absent = [each for each in targets if is_absent(found[each.name])]
            names = _by_lower_case(self._reader.topic_names() if absent else ())
            inherited = self._reader.inherited() if any(map(gives_back, ours)) else {}
        return {each.target.address: self._live(each, found[each.target.name], names, inherited) for each in ours}

    def _settled(self, targets: Sequence[Ours]) -> dict[str, Topic | Failure]:
        """Describe topics until what differs from what was applied was seen twice alike."""
        found = dict(self._reader.describe({each.target.name for each in targets}))
        doubtful = {each.target.name for each in targets if differs(each, found[each.target.name])}
        for _ in range(_READS):
            if not doubtful:
                break
            time.sleep(_AGAIN_SECONDS)
            again = self._reader.describe(doubtful)
            doubtful = {name for name in doubtful if again[name] != found[name]}
            found |= again
        return found

    def _live(
        self, ours: Ours, found: Topic | Failure, names: Mapping[str, Sequence[str]], inherited: Mapping[str, str]
    ) -> Live:
        target = ours.target
        if isinstance(found, Failure):
            if found.kind is not FailureKind.ABSENT:
                return Live(presence=Presence.UNKNOWN, reason=diagnostic(found))
            similar: list[Content] = [each for each in names.get(target.name.lower(), ()) if each != target.name]
            return Live(presence=Presence.ABSENT, facts={"similar": similar} if similar else {})
        own = {setting_path(name) for name, each in found.settings.items() if each.source == "topic"}
        owners: dict[str, Literal["provider", "other"]] = dict.fromkeys(own - ours.paths, "other")
        return Live(
            presence=Presence.PRESENT,
            fields=fields_of(found),
            owners=owners,
            secrets=dict(self._compared(target, found)),
            provider_id={"topic_id": found.id},
            facts=facts_of(ours, found, inherited),
        )

    def _compared(self, target: Target, found: Topic) -> Iterator[tuple[str, SecretState]]:
        for path, ref in (target.artifact.secrets if target.artifact else {}).items():
            live = found.settings.get(setting(path) or "")
            if live is None or live.value is None or live.source != "topic":
                yield path, SecretState.UNKNOWN if live and live.source == "topic" else SecretState.CHANGED
            else:
                yield path, SecretState.SAME if live.value == self._secrets.reveal(ref) else SecretState.CHANGED

    def check(self, proposals: Sequence[Proposal]) -> Mapping[Address, Checked]:
        """Return what the cluster would say to each proposal, each kind of call in as few requests as it takes.

        Raises:
            StreamtError: E560 or E561, nothing can be asked.
        """
        asked = {each.situation.target.address: list[str]() for each in proposals}
        blockers = {each.situation.target.address: list[Blocker]() for each in proposals}
        for action, ask in (("create", self._check_create), ("grow", self._check_grow), ("alter", self._check_alter)):
            steps = {
                step.identity["topic"]: (proposal, step)
                for proposal in proposals
                for step in proposal.steps
                if step.action == action
            }
            if not steps:
                continue
            with _reported():
                failures = ask([step for _, step in steps.values()])
            for name, (proposal, _) in steps.items():
                address = proposal.situation.target.address
                asked[address].append(_ASKED[action])
                blockers[address] += [_blocker(self._masked(failures[str(name)]))] if name in failures else []
        return {
            address: Checked(asked=tuple(asked[address]), blockers=tuple(blockers[address]))
            for address in asked
            if asked[address]
        }

    def _check_create(self, steps: Sequence[Step]) -> Mapping[str, Failure]:
        return {**colliding(map(topic_of, steps)), **self._reader.check_create([self._new(step) for step in steps])}

    def _check_grow(self, steps: Sequence[Step]) -> Mapping[str, Failure]:
        return self._reader.check_grow({topic_of(step): partitions_of(step) for step in steps})

    def _check_alter(self, steps: Sequence[Step]) -> Mapping[str, Failure]:
        return self._reader.check_alter([self._change(step) for step in steps])

    def ask(self, step: Step, target: Target) -> Answer:
        """Return whether a recorded call happened: the topic, its id, its partitions and its settings tell."""
        return ask_again(lambda: self._ask(step, target), DOUBT_SECONDS)

    def _ask(self, step: Step, target: Target) -> Answer:
        try:
            found = self._settled([Ours.of(target)])[topic_of(step)]
        except ClusterError as error:
            return Answer(happened=Happened.CANNOT_TELL, reason=f"Kafka cannot be asked: {error.failure}")
        if isinstance(found, Failure) and found.kind is not FailureKind.ABSENT:
            return Answer(happened=Happened.CANNOT_TELL, reason=f"the topic cannot be seen: {found}")
        return answer(step, target, found if isinstance(found, Topic) else None)

    def _new(self, step: Step) -> NewTopicSpec:
        partitions, replication = step.payload.get("partitions"), step.payload.get("replication_factor")
        return NewTopicSpec(
            name=topic_of(step),
            partitions=partitions if isinstance(partitions, int) else None,
            replication_factor=replication if isinstance(replication, int) else None,
            config=self._resolved(step.payload.get("config")),
        )

    def _change(self, step: Step) -> ConfigChange:
        removed = frozenset(map(str, items(step.payload["delete"])))
        return ConfigChange(topic=topic_of(step), set=self._resolved(step.payload["set"]), delete=removed)

    def _resolved(self, config: Content) -> Mapping[str, str]:
        values = config if isinstance(config, Mapping) else {}
        return {
            name: self._secrets.reveal(value) if isinstance(value, SecretRef) else str(value)
            for name, value in values.items()
        }

    def _masked(self, failure: Failure) -> Failure:
        return Failure(failure.kind, failure.code, redact(failure.message, self._secrets))


class KafkaAdapter(KafkaObserver):
    """Asks and changes a Kafka cluster."""

    def __init__(self, admin: KafkaAdmin, secrets: Secrets, *, wait_seconds: float = WAIT_SECONDS) -> None:
        super().__init__(admin, secrets)
        self._admin = admin
        self._wait_seconds = wait_seconds

    def execute(self, step: Step) -> StepResult:
        """Do one call, and wait until the cluster shows it."""
        try:
            if step.action == "delete" and (stranger := self._stranger(step)):
                return StepResult(outcome=Outcome.REFUSED, error=stranger)
            failures = self._send(step)
        except ClusterError as error:
            # Whether no broker was reached before or after the request was sent is not known for certain.
            sent = error.failure.kind in {FailureKind.UNDECIDED, FailureKind.UNREACHABLE}
            return StepResult(outcome=Outcome.UNKNOWN if sent else Outcome.REFUSED, error=diagnostic(error.failure))
        if failure := failures.get(topic_of(step)):
            outcome = Outcome.REFUSED if failure.is_final else Outcome.UNKNOWN
            return StepResult(outcome=outcome, error=diagnostic(self._masked(failure)))
        return self._shown(step)

    def _send(self, step: Step) -> Mapping[str, Failure]:
        name = topic_of(step)
        match step.action:
            case "create":
                return self._admin.create([self._new(step)])
            case "alter":
                return self._admin.alter([self._change(step)])
            case "grow":
                return self._admin.grow({name: partitions_of(step)})
            case _:
                return self._admin.delete([name])

    def _stranger(self, step: Step) -> Diagnostic | None:
        """Return why a topic is not the one that was to be deleted, asked immediately before."""
        found = self._admin.describe([topic_of(step)])[topic_of(step)]
        if isinstance(found, Topic) and found.id != step.identity["topic_id"]:
            message = f"topic `{found.name}` was made again since the plan: it is not the one to delete"
            return Diagnostic(code=Code.PROVIDER_REFUSED, message=message, hint="plan again")
        return None

    def _shown(self, step: Step) -> StepResult:
        """Wait until the cluster shows what it accepted."""
        until = time.monotonic() + self._wait_seconds
        name = topic_of(step)
        while True:
            try:
                found = self._admin.describe([name])[name]
            except ClusterError as error:
                found = error.failure
            if shows(step, found):
                provider_id: ProviderId = {"topic_id": found.id} if isinstance(found, Topic) else {}
                return StepResult(outcome=Outcome.DONE, provider_id=provider_id)
            if time.monotonic() > until:
                message = f"topic `{name}` does not show the change after {self._wait_seconds:.0f} s: {step.call}"
                late = Diagnostic(code=Code.WAIT_EXPIRED, message=message, location=_RUNTIME)
                return StepResult(outcome=Outcome.UNKNOWN, error=late)
            time.sleep(_AGAIN_SECONDS / 4)


class KafkaReadersObserver:
    """Sees who reads topics."""

    def __init__(self, groups: KafkaGroups) -> None:
        self._groups = groups

    def readers(self, topics: Sequence[str]) -> Readers:
        """Return the groups of the given topics; whatever cannot be seen makes the evidence partial or absent."""
        seen = self._groups.groups(topics)
        found = {
            topic: tuple(Group(id=each.id, state=each.state, members=each.members, lag=each.lag) for each in groups)
            for topic, groups in seen.groups.items()
        }
        evidence: Literal["complete", "partial", "absent"] = "partial" if seen.why else "complete"
        return Readers(groups=found, evidence=evidence if seen.seen else "absent", why=seen.why)


def diagnostic(failure: Failure) -> Diagnostic:
    """Return what to tell of a failure: E560 if nothing was reached or known, else E561."""
    hints = {
        FailureKind.LOGIN: "check security_protocol, sasl_mechanism, sasl_username and sasl_password",
        FailureKind.DENIED: "grant the user the right that is missing",
        FailureKind.UNREACHABLE: "check bootstrap_servers, and that the brokers run",
        FailureKind.UNDECIDED: "check that the brokers run and are not overloaded",
        FailureKind.EXISTS: "adopt it, or choose another name",
    }
    unreached = failure.kind in {FailureKind.UNREACHABLE, FailureKind.UNDECIDED}
    return Diagnostic(
        code=Code.PROVIDER_UNREACHABLE if unreached else Code.PROVIDER_REFUSED,
        message=f"Kafka {'cannot be reached' if unreached else 'refuses the request'}: {failure}",
        location=_RUNTIME,
        hint=hints.get(failure.kind),
    )


def _blocker(failure: Failure) -> Blocker:
    code = "kafka_not_authorized" if failure.kind is FailureKind.DENIED else "kafka_refused"
    return Blocker(code=code, message=f"Kafka would refuse this: {failure}", hint=diagnostic(failure).hint)


class _reported:  # noqa: N801 - used as a statement, like contextlib's own
    """Turn a failure of the cluster into what is told of it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, ClusterError):
            raise StreamtError(diagnostic(error.failure)) from None


def _by_lower_case(names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(name.lower(), []).append(name)
    return found
