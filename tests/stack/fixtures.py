"""The real servers as fixtures: one stack for a whole test run, started as far as its tests need it.

A test that uses one of these fixtures gets the marker `stack`: `make test` leaves it out, `make test-stack` runs it.
Servers are shared between tests, so each test gives its topics, subjects and databases names of its own: `unique`.
`STREAMT_TEST_STACK=NAME` uses the stack of that name and leaves it running: quick while writing a test.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from tests.stack import runtime
from tests.stack.process import Process
from tests.stack.services import GUEST, GUEST_PASSWORD, PASSWORD, USER, Addresses

_VARIABLE = "STREAMT_TEST_STACK"
_OWNED = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Name the run's stack once, for this process and the workers that it starts."""
    if _VARIABLE not in os.environ:
        config.stash[_OWNED] = os.environ[_VARIABLE] = runtime.owned_name(Process.this())


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the run's stack, if this process named it."""
    if name := config.stash.get(_OWNED, ""):
        del os.environ[_VARIABLE]
        if name in runtime.names():
            runtime.down(name)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses a real server."""
    for item in items:
        if "stack" in getattr(item, "fixturenames", ()):
            item.add_marker("stack")


@dataclass(frozen=True)
class Stack:
    """The servers of this test run."""

    name: str
    _known: dict[str, Addresses] = field(default_factory=dict)

    def up(self, service: str) -> Addresses:
        """Start a service unless it runs, and return its addresses."""
        if service not in self._known:
            self._known[service] = runtime.up(self.name, service)[service]
        return self._known[service]


@dataclass(frozen=True)
class KafkaServers:
    """Brokers that run.

    Attributes:
        bootstrap: of the plain listener, where everybody may do everything.
        sasl: of the SASL/PLAIN listener; empty for three brokers.
        user: who may do everything there, with password.
        guest: who may do nothing there, with password.
    """

    bootstrap: str
    sasl: str = ""
    user: tuple[str, str] = (USER, PASSWORD)
    guest: tuple[str, str] = (GUEST, GUEST_PASSWORD)

    def login(self, user: tuple[str, str]) -> dict[str, str | int | float | bool]:
        """Return librdkafka's settings for a user of the SASL listener."""
        return {
            "bootstrap.servers": self.sasl,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": user[0],
            "sasl.password": user[1],
        }


@dataclass(frozen=True)
class FlinkServers:
    """A session cluster and its SQL Gateway, by their addresses."""

    rest: str
    gateway: str
    savepoints: str


@dataclass(frozen=True)
class PostgresServer:
    """PostgreSQL: the address of its one database, with the user's password, and the psql that fits it."""

    dsn: str
    psql: str

    def query(self, sql: str, database: str = USER) -> str:
        """Run statements and return psql's unaligned output."""
        argv = [self.psql, "-XAtq", "-v", "ON_ERROR_STOP=1", self.at(database), "-c", sql]
        return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60).stdout.strip()

    def at(self, database: str) -> str:
        """Return the address of another database of the server."""
        return f"{self.dsn.rpartition('/')[0]}/{database}"


@pytest.fixture(scope="session")
def stack() -> Stack:
    """Return the servers of this test run; what an earlier, killed run left is ended first."""
    runtime.reap()
    return Stack(os.environ[_VARIABLE])


@pytest.fixture(scope="session")
def kafka(stack: Stack) -> KafkaServers:
    """Return a broker of Apache Kafka, with a plain and a SASL listener."""
    found = stack.up("kafka")
    return KafkaServers(found["bootstrap.servers"], found["sasl"])


@pytest.fixture(scope="session")
def kafka_three(stack: Stack) -> KafkaServers:
    """Return a cluster of three brokers."""
    return KafkaServers(stack.up("kafka-three")["bootstrap.servers"])


@pytest.fixture(scope="session")
def schema_registry(stack: Stack) -> str:
    """Return the address of Apicurio's Confluent-compatible API."""
    return stack.up("registry")["url"]


@pytest.fixture(scope="session")
def flink(stack: Stack) -> FlinkServers:
    """Return a Flink session cluster with its SQL Gateway."""
    found = stack.up("flink")
    return FlinkServers(found["rest.url"], found["sql.gateway.url"], found["savepoint.dir"])


@pytest.fixture(scope="session")
def connect(stack: Stack) -> str:
    """Return the address of a Kafka Connect worker; its Kafka is that of `kafka`."""
    return stack.up("connect")["url"]


@pytest.fixture(scope="session")
def postgres(stack: Stack) -> PostgresServer:
    """Return a PostgreSQL server."""
    found = stack.up("postgres")
    return PostgresServer(found["dsn"], found["psql"])


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """Return the address of an empty database of this test's own."""
    name = f"t_{uuid4().hex[:12]}"
    postgres.query(f"create database {name}")
    yield postgres.at(name)
    postgres.query(f"drop database {name} with (force)")


@pytest.fixture
def unique() -> Callable[[str], str]:
    """Return a function that makes a name which no other test uses."""
    return lambda prefix: f"{prefix}-{uuid4().hex[:10]}"
