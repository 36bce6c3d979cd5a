"""Statements for Flink's SQL Gateway, one at a time, with settings of their own.

https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql-gateway/rest/. A session holds temporary tables
and views; settings never go on it, but with each statement, so that none is left behind for the next one.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from streamt.clusters.failure import ClusterError, Failure, FailureKind
from streamt.clusters.flink_errors import FlinkError, flink_error
from streamt.net import Answered, Body, Deadline, HttpClient, NotSent, Outcome, segments

STATEMENT_SECONDS = 60.0
_VERSIONS = ("v4", "v3", "v2")
"""Versions of the API that know `executionConfig` and JSON rows, the newest first."""
_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.5)
_RUNNING = frozenset({"INITIALIZED", "PENDING", "RUNNING"})
_MARKED = re.compile(r" \*(?:ROWTIME|PROCTIME)\*")
_MODE = re.compile(r"changelogMode=\[([A-Z,]+)\]")


class StatementError(Exception):
    """Flink did not take a statement.

    Attributes:
        error: why, and where in the statement.
    """

    def __init__(self, error: FlinkError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement gave.

    Attributes:
        columns: their names.
        rows: the values of each row, as JSON has them.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column as Flink describes it.

    Attributes:
        name: its name.
        type: as Flink writes it, without the marks of time attributes.
        nullable: whether it may hold NULL.
    """

    name: str
    type: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """What Flink would do for a statement.

    Attributes:
        text: the whole explanation.
        changelogs: what the query of each sink emits, such as `I` or `I,UA`, in the order of the sinks.
        nodes: the operators of the execution plan.
    """

    text: str
    changelogs: tuple[str, ...]
    nodes: tuple[Mapping[str, Any], ...]


class SqlGateway:
    """One SQL Gateway."""

    def __init__(self, client: HttpClient, secrets: Sequence[str] = ()) -> None:
        """Keep where it is; nothing is asked yet.

        Args:
            client: asks the gateway.
            secrets: values that must not appear in Flink's words.
        """
        self._client = client
        self._secrets = tuple(secrets)

    def flink_version(self) -> str:
        """Return the version of Flink, such as `2.2.1`.

        Raises:
            ClusterError: the gateway cannot be asked.
        """
        return str(self.ask("GET", "v1", "info").get("version", ""))

    @contextmanager
    def session(self) -> Iterator["SqlSession"]:
        """Open a session for a block; its end drops the session's tables and leaves its jobs running.

        Raises:
            ClusterError: the gateway cannot be asked, or is older than its API v2.
        """
        known = {str(version).lower() for version in self.ask("GET", "api_versions").get("versions", ())}
        version = next((each for each in _VERSIONS if each in known), None)
        if version is None:
            message = "the SQL Gateway is older than version 2 of its API (Flink 1.17)"
            raise ClusterError(Failure(FailureKind.UNSUPPORTED, "", message))
        handle = str(self.ask("POST", version, "sessions", body={})["sessionHandle"])
        try:
            yield SqlSession(self, (version, "sessions", handle))
        finally:
            self._client.send("DELETE", segments(version, "sessions", handle))

    def ask(
        self,
        method: Literal["GET", "POST"],
        *path: str,
        body: object = None,
        query: Mapping[str, str] | None = None,
        deadline: Deadline | None = None,
    ) -> Any:
        """Send one request and return its answer.

        Raises:
            ClusterError: there is none.
            StatementError: the gateway answers with an error of Flink.
        """
        sent = None if body is None else Body.json(body)
        return self._content(
            self._client.send(method, segments(*path), body=sent, query=query or {}, deadline=deadline)
        )

    def _content(self, outcome: Outcome) -> Any:
        if not isinstance(outcome, Answered):
            kind = FailureKind.UNREACHABLE if isinstance(outcome, NotSent) else FailureKind.UNDECIDED
            raise ClusterError(Failure(kind, "", outcome.reason.value))
        try:
            content = outcome.json()
        except ValueError:
            raise ClusterError(_plain(outcome)) from None
        errors = content.get("errors") if isinstance(content, dict) else None
        if isinstance(errors, list):
            raise StatementError(flink_error([str(each) for each in errors], self._secrets))
        if not outcome.is_success or not isinstance(content, dict):
            raise ClusterError(_plain(outcome))
        return content


class SqlSession:
    """One session of a SQL Gateway."""

    def __init__(self, gateway: SqlGateway, path: tuple[str, ...]) -> None:
        self._gateway = gateway
        self._path = path

    def run(
        self,
        statement: str,
        settings: Mapping[str, str] | None = None,
        *,
        seconds: float = STATEMENT_SECONDS,
        pause: Callable[[float], None] = time.sleep,
    ) -> Rows:
        """Run one statement to its end.

        Args:
            statement: without a list of others behind it.
            settings: for this statement alone.
            seconds: for everything.
            pause: waits so many seconds between two questions.

        Raises:
            StatementError: Flink does not take it.
            ClusterError: there is no answer, or none in time; UNDECIDED if the statement may have been done.
        """
        deadline = Deadline.after(seconds)
        body = {"statement": statement, **({"executionConfig": dict(settings)} if settings else {})}
        opened = self._gateway.ask("POST", *self._path, "statements", body=body, deadline=deadline)
        operation = (*self._path, "operations", str(opened["operationHandle"]))
        self._wait(operation, deadline, pause)
        return self._fetch(operation, deadline, pause)

    def _wait(self, operation: tuple[str, ...], deadline: Deadline, pause: Callable[[float], None]) -> None:
        for wait in _pauses():
            if self._gateway.ask("GET", *operation, "status", deadline=deadline)["status"] not in _RUNNING:
                return
            _rest(wait, deadline, pause)

    def _fetch(self, operation: tuple[str, ...], deadline: Deadline, pause: Callable[[float], None]) -> Rows:
        columns: tuple[str, ...] = ()
        rows: list[tuple[Any, ...]] = []
        page_number: str | None = "0"
        waits = _pauses()
        while page_number is not None:
            page = self._gateway.ask(
                "GET", *operation, "result", page_number, query={"rowFormat": "JSON"}, deadline=deadline
            )
            if page.get("resultType") == "NOT_READY":
                _rest(next(waits), deadline, pause)
            results = page.get("results") or {}
            columns = columns or tuple(str(each["name"]) for each in results.get("columns") or ())
            rows += [tuple(row["fields"]) for row in results.get("data") or ()]
            page_number = _next(page.get("nextResultUri"))
        return Rows(columns, tuple(rows))

    def explain(self, statement: str, settings: Mapping[str, str] | None = None) -> Explained:
        """Return what Flink would do for an INSERT or a statement set; nothing runs, and no topic need exist.

        Raises:
            StatementError: Flink would not take it.
            ClusterError: there is no answer.
        """
        rows = self.run(f"EXPLAIN CHANGELOG_MODE, JSON_EXECUTION_PLAN {statement}", settings).rows
        text = str(rows[0][0]) if rows else ""
        return Explained(text, tuple(_changelogs(text)), tuple(_nodes(text)))

    def describe(self, name: str) -> tuple[DescribedColumn, ...]:
        """Return the columns of a table or view of the session.

        Raises:
            StatementError: there is none of that name.
            ClusterError: there is no answer.
        """
        quoted = name.replace("`", "``")
        rows = self.run(f"DESCRIBE `{quoted}`").rows
        return tuple(DescribedColumn(str(row[0]), _MARKED.sub("", str(row[1])), bool(row[2])) for row in rows)


def _pauses() -> Iterator[float]:
    yield from _PAUSES
    while True:
        yield _PAUSES[-1]


def _rest(seconds: float, deadline: Deadline, pause: Callable[[float], None]) -> None:
    if deadline.has_passed:
        raise ClusterError(Failure(FailureKind.UNDECIDED, "", "no result in time"))
    pause(min(seconds, deadline.left))


def _next(following: object) -> str | None:
    """Return the last part of the path to the next page."""
    return urlsplit(following).path.rpartition("/")[2] if isinstance(following, str) and following else None


def _plain(answer: Answered) -> Failure:
    kinds = {401: FailureKind.LOGIN, 403: FailureKind.DENIED, 404: FailureKind.ABSENT}
    undecided = FailureKind.UNDECIDED if answer.status >= 500 or answer.is_success else FailureKind.REFUSED
    return Failure(kinds.get(answer.status, undecided), str(answer.status), f"HTTP status {answer.status}")


def _changelogs(text: str) -> Iterator[str]:
    """Yield the mode of what stands directly below each sink of the physical plan; a sink's own is NONE."""
    section = text.partition("== Optimized Physical Plan ==")[2].partition("== Optimized Execution Plan ==")[0]
    below_sink = False
    for line in section.splitlines():
        found = _MODE.search(line)
        if line.startswith("Sink("):
            below_sink = True
        elif below_sink and found:
            yield found[1]
            below_sink = False


def _nodes(text: str) -> Iterator[Mapping[str, Any]]:
    section = text.partition("== Physical Execution Plan ==")[2]
    try:
        nodes = json.loads(section)["nodes"] if section.strip() else []
    except (ValueError, KeyError, TypeError):
        nodes = []
    yield from nodes
