"""One client of Kafka's admin API: its settings, its patience, and what its errors mean.

The client reports a refused login to a callback only, and goes on trying until the time is up; here it ends the request
at once, with its name. What it heard also tells a cluster that was not reached from one that did not answer.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import cached_property
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, TypeVar

from streamt.clusters.failure import ClusterError, Failure, FailureKind
from streamt.clusters.kafka_failures import failure_of

if TYPE_CHECKING:
    from confluent_kafka import KafkaError
    from confluent_kafka.admin import AdminClient

T = TypeVar("T")
K = TypeVar("K")

BATCH = 500
"""Topics of one request."""
CALL_SECONDS = 30.0
CONNECT_SECONDS = 5.0

_SETTINGS: Mapping[str, str | int | bool] = {
    "client.id": "streamt",
    "allow.auto.create.topics": False,
    "socket.connection.setup.timeout.ms": int(CONNECT_SECONDS * 1000),
    # The client's own log goes to stderr, with addresses and what brokers say.
    "log_level": 0,
    "log.connection.close": False,
}
_SLICE_SECONDS = 0.05
_SECRET_SETTINGS = ("sasl.password", "ssl.key.password", "sasl.oauthbearer.client.secret")


class KafkaClient:
    """Sends requests to a Kafka cluster and waits for their answers."""

    def __init__(self, settings: Mapping[str, str], *, seconds: float = CALL_SECONDS) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            settings: librdkafka's, with the brokers and the login; secret.
            seconds: how long one request may take.
        """
        self._settings = dict(settings)
        self._seconds = seconds
        self._heard: dict[str, Failure] = {}
        self._secrets = tuple(filter(None, (settings.get(key) for key in _SECRET_SETTINGS)))

    @cached_property
    def client(self) -> "AdminClient":
        """Return the client, for requests whose answers `each` waits for.

        Raises:
            ClusterError: the client does not take the settings.
        """
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        # A callback that held this object would leave the client to the garbage collector. That may run in the client's
        # own thread, when an answer comes that nobody waits for any more; the client then aborts the process.
        heard, secrets = self._heard, self._secrets

        def hear(error: "KafkaError") -> None:
            failure = failure_of(error, secrets)
            heard[failure.code] = failure

        settings: dict[str, Any] = {**self._settings, **_SETTINGS, "error_cb": hear}
        try:
            return AdminClient(settings)
        except (KafkaException, ValueError, TypeError):  # their text can hold a value
            raise ClusterError(Failure(FailureKind.REFUSED, "", "invalid client settings")) from None

    @property
    def limits(self) -> dict[str, Any]:
        """The time that one request may take, in the client's words."""
        return {"request_timeout": self._seconds}

    def one(self, future: "Future[Any]") -> Any:
        """Wait for one answer.

        Raises:
            ClusterError: there is none.
        """
        (answer,) = self.each({"": future}, lambda result: result).values()
        if isinstance(answer, Failure):
            raise ClusterError(answer)
        return answer

    def each(
        self, futures: Mapping[K, "Future[Any]"], convert: Callable[[Any], T], *, within: float | None = None
    ) -> Mapping[K, T | Failure]:
        """Wait for all answers, and return each of them, or why there is none.

        Args:
            futures: what the client gave for each request.
            convert: makes a value of an answer.
            within: seconds; those of the client's requests, and one, if None.

        Raises:
            ClusterError: the login is refused, or no broker was reached.
        """
        self._wait(futures.values(), time.monotonic() + (self._seconds + 1 if within is None else within))
        found = {key: self._answer(future, convert) for key, future in futures.items()}
        if found and all(isinstance(answer, Failure) and answer.code == "_TIMED_OUT" for answer in found.values()):
            self._check_reached()
        else:
            self._heard.clear()
        return found

    def _wait(self, futures: Iterable["Future[Any]"], until: float) -> None:
        """Serve the client's callbacks until all answers are there; a refused login is one at once."""
        answered = _all_done(futures)
        while not answered.wait(min(_SLICE_SECONDS, max(0.0, until - time.monotonic()))) and time.monotonic() < until:
            self.client.poll(0)
            if refused := next((each for each in self._heard.values() if each.kind is FailureKind.LOGIN), None):
                raise ClusterError(refused)

    def _answer(self, future: "Future[Any]", convert: Callable[[Any], T]) -> T | Failure:
        from confluent_kafka import KafkaException

        if not future.done():
            return Failure(FailureKind.UNDECIDED, "_TIMED_OUT", "no answer in time")
        try:
            return convert(future.result())
        except KafkaException as error:
            return failure_of(error.args[0], self._secrets)

    def _check_reached(self) -> None:
        """Tell a cluster that was not reached since its last answer from one that is slow.

        Raises:
            ClusterError: no broker was reached.
        """
        if "_ALL_BROKERS_DOWN" in self._heard:
            cause = self._heard.get("_RESOLVE") or self._heard.get("_TRANSPORT") or self._heard["_ALL_BROKERS_DOWN"]
            raise ClusterError(Failure(FailureKind.UNREACHABLE, cause.code, cause.message))


def _all_done(futures: Iterable["Future[Any]"]) -> Event:
    """Return an event that is set once all futures are done: one that many of them wake once, and not each."""
    waiting = list(futures)
    done, left, lock = Event(), len(waiting), Lock()

    def count(_: "Future[Any]") -> None:
        nonlocal left
        with lock:
            left -= 1
            if not left:
                done.set()

    for future in waiting:
        future.add_done_callback(count)
    if not waiting:
        done.set()
    return done


def batches(items: Collection[T]) -> Iterator[list[T]]:
    """Return `items` in lists of at most `BATCH`."""
    every = list(items)
    return (every[start : start + BATCH] for start in range(0, len(every), BATCH))
