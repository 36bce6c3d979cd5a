"""What becomes of a request decides whether an event was delivered, and whether it may be tried again."""

import pytest

from streamt.net import Answered, NotSent, Outcome, Reason, Unknown
from streamt.openlineage.transport.failures import MAX_REASON, DeliveryError, failure_of


@pytest.mark.parametrize("outcome", [Answered(200), Answered(299), Answered(201, cut=Reason.BROKEN)])
def test_any_2xx_is_a_delivery_whatever_became_of_the_body(outcome: Outcome) -> None:
    assert failure_of(outcome, 5) is None


@pytest.mark.parametrize(
    ("outcome", "reason", "may_pass"),
    [
        (Answered(101), "HTTP 101", False),
        (Answered(304), "HTTP 304; redirects are not followed", False),
        (Answered(400), "HTTP 400", False),
        (Answered(408), "HTTP 408", False),
        (Answered(429), "HTTP 429", True),
        (Answered(500), "HTTP 500", True),
        (Answered(599, cut=Reason.TIMED_OUT), "HTTP 599", True),
        (NotSent(Reason.TIMED_OUT), "timed out after 2.5 s", False),
        (Unknown(Reason.TIMED_OUT), "timed out after 2.5 s", False),
        (NotSent(Reason.REFUSED), "connection refused", True),
        (NotSent(Reason.UNRESOLVED), "the host name could not be resolved", True),
        (Unknown(Reason.BROKEN), "the connection was cut", True),
        (Unknown(Reason.NOT_HTTP), "the answer is not HTTP", False),
        (NotSent(Reason.CERTIFICATE_UNTRUSTED), "the server's certificate is not trusted", False),
    ],
)
def test_429_5xx_and_a_broken_connection_alone_may_pass(outcome: Outcome, reason: str, may_pass: bool) -> None:
    assert failure_of(outcome, 2.5) == (reason, may_pass)


def test_a_reason_is_short() -> None:
    assert len(str(DeliveryError("x" * 1000))) == MAX_REASON
