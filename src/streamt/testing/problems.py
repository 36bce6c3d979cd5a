"""What a test says when it cannot run, and what a sample says when it was not judged: words, made here and once."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from streamt.clusters import Failure, FailureKind
from streamt.clusters.kafka_reading import SETTINGS_REFUSED
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError
from streamt.testing.decoding.faults import Kind
from streamt.testing.results import Cause, Counts

_KAFKA_HINTS: Mapping[str, str] = {
    "_AUTHENTICATION": "check security_protocol, sasl_mechanism, sasl_username and sasl_password",
    "_SSL": "check security_protocol and ssl_ca_location",
    "_RESOLVE": "check the host names of the brokers",
    "TOPIC_AUTHORIZATION_FAILED": "the user needs the right to read and describe the topic",
    "UNKNOWN_TOPIC_OR_PART": "deploy it, or check the topic's name",
}
_REGISTRY_HINTS: Mapping[FailureKind, str] = {
    FailureKind.UNREACHABLE: "check url and ssl_ca_location of runtime.schema_registry, and that the registry is up",
    FailureKind.LOGIN: "check username and password of runtime.schema_registry",
    FailureKind.DENIED: "the user needs the right to read schemas",
    FailureKind.UNDECIDED: "raise the test's timeout, or check url of runtime.schema_registry",
    FailureKind.REFUSED: "check url of runtime.schema_registry",
}
_MOST_REASONS = 5
_SETUP_HINTS: Mapping[Kind, str] = {
    Kind.NO_REGISTRY: "add runtime.schema_registry with the registry's url",
    Kind.UNKNOWN_SCHEMA: "check that runtime.schema_registry is the registry that the producers use",
    Kind.BAD_SCHEMA: "register a valid schema",
    Kind.UNKNOWN_REFERENCE: "register what the schema refers to, as a reference of it",
    Kind.UNSUPPORTED_SCHEMA: "test a model that writes JSON or Avro",
}


def cannot_run(message: str, location: ProjectPath, hint: str | None = None) -> StreamtError:
    """Make the error of a test that cannot run: E531.

    Args:
        message: what is wrong.
        location: the test, or a place within it.
        hint: what to do next.
    """
    return StreamtError(Diagnostic(code=Code.TEST_ERROR, message=message, location=location, hint=hint))


def broker_problem(failure: Failure, target: str, broker: str, location: ProjectPath) -> StreamtError:
    """Say that a topic cannot be read.

    Args:
        failure: what the client or the broker said.
        target: whose topic it is, such as "source `orders`".
        broker: the part of the project that says where the broker is.
        location: the place of the test.
    """
    if failure.code == SETTINGS_REFUSED:
        message = f"the Kafka client does not take the settings of {broker}"
        return cannot_run(message, location, _KAFKA_HINTS["_AUTHENTICATION"])
    message = f"the topic of {target} cannot be read from {broker}: {failure.message}"
    return cannot_run(message, location, _KAFKA_HINTS.get(failure.code))


def registry_problem(failure: Failure, location: ProjectPath) -> StreamtError:
    """Say that the schema registry gives no schema."""
    message = f"the schema registry gives no schema: {failure.message}"
    return cannot_run(message, location, _REGISTRY_HINTS.get(failure.kind))


def undecodable(counts: Counts) -> str:
    """Say how many records cannot be decoded, and why, by kind and count; empty if all can."""
    data = [cause for cause in counts.causes if not cause.fault.kind.is_setup]
    return _said(counts, data) if data else ""


def setup_problems(counts: Counts, location: ProjectPath) -> Iterator[Diagnostic]:
    """Yield an error for each reason that is no fault of the data: of these records nothing was learnt."""
    causes = sorted((each for each in counts.causes if each.fault.kind.is_setup), key=lambda each: each.fault.kind.name)
    for kind, group in groupby(causes, lambda cause: cause.fault.kind):
        message = _said(counts, list(group))
        yield Diagnostic(code=Code.TEST_ERROR, message=message, location=location, hint=_SETUP_HINTS.get(kind))


def causes_in_words(causes: Sequence[Cause]) -> str:
    """Say why records cannot be decoded, each reason with its count and the first record that it holds for."""
    if len(causes) == 1:
        return f"{causes[0].fault}; see {causes[0].place}"
    said = [f"{cause.fault} ({cause.count}; see {cause.place})" for cause in causes[:_MOST_REASONS]]
    more = [f"{len(causes) - _MOST_REASONS} more reasons"] if len(causes) > _MOST_REASONS else []
    return ", ".join([*said, *more])


def _said(counts: Counts, causes: Sequence[Cause]) -> str:
    count, total = sum(cause.count for cause in causes), counts.records + counts.undecodable
    return f"{count} of {total} records cannot be decoded: {causes_in_words(causes)}"
