"""What a test says of what a system said, and of records that cannot be decoded: words made here alone."""

import pytest

from streamt.clusters import Failure, FailureKind
from streamt.clusters.kafka_reading import SETTINGS_REFUSED
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError
from streamt.testing import problems
from streamt.testing.decoding.faults import Fault, Kind
from streamt.testing.results import Cause, Counts, RecordPosition

HERE = ProjectPath(("tests", 0))


def said(error: StreamtError) -> tuple[str, str | None]:
    (problem,) = error.diagnostics
    assert (problem.code, problem.location) == (Code.TEST_ERROR, HERE)
    return problem.message, problem.hint


@pytest.mark.parametrize(
    ("failure", "message", "hint"),
    [
        (
            Failure(FailureKind.ABSENT, "UNKNOWN_TOPIC_OR_PART", "Broker: Unknown topic or partition"),
            "the topic of model `m` cannot be read from runtime.kafka: Broker: Unknown topic or partition",
            "deploy it, or check the topic's name",
        ),
        (
            Failure(FailureKind.UNDECIDED, "_TRANSPORT", "Local: Broker transport failure"),
            "the topic of model `m` cannot be read from runtime.kafka: Local: Broker transport failure",
            None,
        ),
        (
            Failure(FailureKind.REFUSED, SETTINGS_REFUSED, "invalid client settings"),
            "the Kafka client does not take the settings of runtime.kafka",
            "check security_protocol, sasl_mechanism, sasl_username and sasl_password",
        ),
    ],
)
def test_a_broker_that_refuses_is_told_with_whose_topic_it_is(failure: Failure, message: str, hint: str | None) -> None:
    assert said(problems.broker_problem(failure, "model `m`", "runtime.kafka", HERE)) == (message, hint)


@pytest.mark.parametrize("kind", FailureKind)
def test_a_registry_that_refuses_is_told_in_its_failures_words(kind: FailureKind) -> None:
    message, _hint = said(problems.registry_problem(Failure(kind, "x", "the reason"), HERE))
    assert message == "the schema registry gives no schema: the reason"


def counts(*causes: tuple[Kind, int | None, int]) -> Counts:
    found = (
        Cause(Fault(kind, schema), count, RecordPosition(0, offset))
        for offset, (kind, schema, count) in enumerate(causes)
    )
    return Counts(records=4, causes=tuple(found))


@pytest.mark.parametrize(
    ("counted", "message"),
    [
        (counts(), ""),
        (counts((Kind.NOT_JSON, None, 2)), "2 of 6 records cannot be decoded: invalid JSON; see partition 0, offset 0"),
        (
            counts((Kind.NOT_JSON, None, 1), (Kind.REFUSED, None, 3), (Kind.UNKNOWN_SCHEMA, 9, 2)),
            (
                "4 of 10 records cannot be decoded: invalid JSON (1; see partition 0, offset 0), "
                "refused by the JSON Schema (3; see partition 0, offset 1)"
            ),
        ),
    ],
)
def test_records_that_cannot_be_decoded_are_told_by_kind_and_count(counted: Counts, message: str) -> None:
    assert problems.undecodable(counted) == message


def test_of_many_reasons_the_first_are_told_and_the_others_counted() -> None:
    many = counts(*((Kind.UNKNOWN_SCHEMA, number, 1) for number in range(9)))
    (problem,) = problems.setup_problems(many, HERE)
    assert problem.message.startswith("9 of 13 records cannot be decoded: the registry has no schema 0 (1; see ")
    assert problem.message.endswith("(1; see partition 0, offset 4), 4 more reasons")


def test_a_fault_of_the_set_up_is_an_error_for_each_kind_with_what_to_do() -> None:
    found = counts((Kind.NO_REGISTRY, None, 2), (Kind.NOT_JSON, None, 1), (Kind.UNKNOWN_SCHEMA, 999, 1))
    assert list(problems.setup_problems(found, HERE)) == [
        Diagnostic(
            code=Code.TEST_ERROR,
            message="2 of 8 records cannot be decoded: in the wire format of a schema registry, but the project names "
            "none; see partition 0, offset 0",
            location=HERE,
            hint="add runtime.schema_registry with the registry's url",
        ),
        Diagnostic(
            code=Code.TEST_ERROR,
            message="1 of 8 records cannot be decoded: the registry has no schema 999; see partition 0, offset 2",
            location=HERE,
            hint="check that runtime.schema_registry is the registry that the producers use",
        ),
    ]


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_of_fault_has_words_that_begin_no_sentence(kind: Kind) -> None:
    assert str(Fault(kind))[0].islower() or str(Fault(kind)).startswith("JSON")
