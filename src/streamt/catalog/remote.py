"""A catalog over HTTP, for the command line."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from streamt.catalog.sources import Found
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError
from streamt.net import AddressError, Answered, Bearer, Body, HttpClient, NotSent, Unknown, parse_address

PREFIX = "api/v1"
_RETRIED = (429, 502, 503, 504)
_MOST = 20_000

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(frozen=True, slots=True)
class Remote:
    """A catalog that is served somewhere.

    Attributes:
        http: the client, with the token.
        patience_s: how long to wait, in seconds, while it is busy or away.
        sleep: waits so many seconds.
    """

    http: HttpClient
    patience_s: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    @classmethod
    def at(cls, url: str, token: str) -> "Remote":
        """Return the catalog at an address.

        Raises:
            StreamtError: E571, when it is no address, or would carry the token in the clear over a network.
        """
        try:
            address = parse_address(url.rstrip("/") + "/")
        except AddressError as error:
            raise _refused(f"the catalog's address {error.message}", error.hint, Option("url")) from None
        if not address.secure and not address.is_loopback:
            raise _refused("the token would be sent in the clear", "use an https address", Option("url"))
        return cls(HttpClient(address=address, credentials=Bearer(token), timeout_s=120.0, max_bytes=256 * 1024 * 1024))

    def ask(self, method: Method, path: str, value: object = None, raw: Body | None = None) -> Any:
        """Ask, and wait while the server is busy.

        Returns:
            What it answered; None for an answer without a body.

        Raises:
            StreamtError: E571 for a clear no, E572 when no answer came.
        """
        body = raw or (None if value is None else Body.json(value))
        end = time.monotonic() + self.patience_s
        while True:
            outcome = self.http.send(method, f"{PREFIX}/{path}", body=body)
            if isinstance(outcome, Answered) and outcome.is_success:
                return json.loads(outcome.body) if outcome.body else None
            wait = _wait_for(outcome)
            if wait is None or time.monotonic() + wait > end:
                raise _failure(outcome)
            self.sleep(wait)

    def register(self, found: Sequence[Found], *, whole: bool) -> dict[str, int]:
        """Register what was found; return the counts of what was added, removed and is replayed."""
        totals = {"datastores": 0, "containers": 0, "added": 0, "removed": 0, "replaying": 0}
        for one in found:
            spec = one.connection
            made = {"name": spec.name, "type": spec.type, "host": spec.host, "port": spec.port}
            connection = self.ask("POST", "connections", made)["id"]
            number = self.ask("POST", "datastores", {"connection": connection, **one.datastore})["id"]
            totals["datastores"] += 1
            for at in range(0, max(len(one.containers), 1), _MOST):
                some = one.containers[at : at + _MOST]
                whole_now = whole and len(one.containers) <= _MOST
                body = {"containers": [container_body(spec) for spec in some], "whole": whole_now}
                answer = self.ask("POST", f"datastores/{number}/containers", body)
                totals["containers"] += len(some)
                for key in ("added", "removed", "replaying"):
                    totals[key] += answer[key]
        return totals

    def end_job(self, namespace: str, name: str) -> int:
        """Say that a job is gone; return how many records it lost."""
        path = f"jobs/{quote(namespace, safe='')}/{quote(name, safe='')}"
        return int(self.ask("DELETE", path)["withdrawn"])


def container_body(spec: Any) -> dict[str, Any]:
    """Return a container as the API takes it."""
    body: dict[str, Any] = {"name": spec.name, "type": spec.kind}
    if spec.description is not None:
        body["description"] = spec.description
    if spec.fields is not None:
        body["fields"] = [
            {"name": one.name, "type": one.type, "description": one.description} for one in spec.fields if one.name
        ]
    return body


def _wait_for(outcome: Answered | NotSent | Unknown) -> float | None:
    """Return how long to wait before asking again, which is always safe here; None where it helps nothing."""
    if not isinstance(outcome, Answered):
        return 1.0
    if outcome.status not in _RETRIED:
        return None
    stated = outcome.headers.get("retry-after", "1")
    return float(stated) if stated.isdigit() else 1.0


def _failure(outcome: Answered | NotSent | Unknown) -> StreamtError:
    if not isinstance(outcome, Answered):
        message = f"the catalog cannot be reached: {outcome.reason}"
        return StreamtError(Diagnostic(code=Code.CATALOG_UNREACHABLE, message=message, hint="see that it is served"))
    detail = _detail(outcome.body)
    if outcome.status == 401:
        hint = "give --token-file, or set STREAMT_CATALOG_TOKEN"
    elif outcome.status == 403:
        hint = "ask an admin for the permission"
    else:
        hint = None
    return _refused(f"the catalog answered {outcome.status}: {detail}", hint)


def _detail(body: bytes) -> str:
    try:
        problem = json.loads(body)
    except ValueError:
        return "no reason given"
    if not isinstance(problem, Mapping):
        return "no reason given"
    places = "; ".join(f"{one.get('pointer')}: {one.get('detail')}" for one in problem.get("errors", ()))
    return f"{problem.get('detail')}{f' ({places})' if places else ''}"


def _refused(message: str, hint: str | None, location: Option | None = None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=message, hint=hint, location=location))
