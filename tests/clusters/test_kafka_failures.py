"""Every error that Kafka's client can give has one meaning."""

import pytest
from confluent_kafka import KafkaError

from streamt.clusters import FailureKind
from streamt.clusters import kafka_failures as failures

NAMES = sorted(
    name for name in dir(KafkaError) if name.lstrip("_").isupper() and isinstance(getattr(KafkaError, name), int)
)


def test_every_code_of_the_client_has_a_meaning() -> None:
    assert len(NAMES) > 150
    assert [name for name in NAMES if name not in failures.KINDS] == []


def test_no_code_has_two_meanings() -> None:
    decided = (failures._ABSENT, failures._EXISTS, failures._DENIED, failures._LOGIN, failures._UNREACHABLE)
    texts = (*decided, failures._UNSUPPORTED, failures._REFUSED, failures._UNDECIDED)
    words = " ".join(texts).split()
    assert sorted(words) == sorted(failures.KINDS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("TOPIC_ALREADY_EXISTS", FailureKind.EXISTS),
        ("UNKNOWN_TOPIC_OR_PART", FailureKind.ABSENT),
        ("TOPIC_AUTHORIZATION_FAILED", FailureKind.DENIED),
        ("POLICY_VIOLATION", FailureKind.REFUSED),
        ("_TIMED_OUT", FailureKind.UNDECIDED),
        ("_TRANSPORT", FailureKind.UNDECIDED),
        ("REQUEST_TIMED_OUT", FailureKind.UNDECIDED),
        ("_AUTHENTICATION", FailureKind.LOGIN),
    ],
)
def test_an_error_of_the_client_becomes_a_failure(name: str, kind: FailureKind) -> None:
    found = failures.failure_of(KafkaError(getattr(KafkaError, name)))
    assert (found.kind, found.code) == (kind, name)
    assert found.is_final == (kind is not FailureKind.UNDECIDED)


def test_a_code_that_is_not_known_decides_nothing() -> None:
    assert failures.failure_of(KafkaError(31_000)).kind is FailureKind.UNDECIDED


def test_a_secret_in_the_words_is_masked() -> None:
    error = KafkaError(KafkaError.INVALID_CONFIG, "Invalid value hunter2 for x")
    assert failures.failure_of(error, ["hunter2"]).message == "Invalid value *** for x"


def test_the_clients_own_words_are_not_repeated_since_they_hold_addresses() -> None:
    error = KafkaError(KafkaError._TRANSPORT, "broker.internal:9092/1: Connect to ipv4#10.0.0.7 failed")
    assert str(failures.failure_of(error)) == "the connection failed (_TRANSPORT)"
    assert failures.failure_of(KafkaError(KafkaError._STATE)).message == "the Kafka client failed"
