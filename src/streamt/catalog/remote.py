"""A catalog over HTTP, for the command line."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from streamt.catalog.sources import Found
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, Variable, redact
from streamt.net import (
    AddressError,
    Answered,
    Bearer,
    Body,
    CertificateFileError,
    HttpClient,
    NotSent,
    Unknown,
    parse_address,
)

PREFIX = "api/v1"
_RETRIED = (429, 502, 503, 504)
_MOST = 20_000

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(frozen=True, slots=True)
class Remote:
    """A catalog that is served somewhere.

    Attributes:
        http: the client, with the token.
        patience_s: how long to wait, in seconds, while it is busy, or went away with a question.
        reach_s: the same where nothing takes the connection.
        sleep: waits so many seconds.
    """

    http: HttpClient
    patience_s: float = 60.0
    reach_s: float = 5.0
    sleep: Callable[[float], None] = time.sleep

    @classmethod
    def at(cls, url: str, token: str) -> "Remote":
        """Return the catalog at an address.

        Raises:
            StreamtError: E571, when it is no address, would carry the token in the clear over a network, or the file of
                SSL_CERT_FILE holds no certificates.
        """
        try:
            address = parse_address(url.rstrip("/") + "/")
        except AddressError as error:
            raise _refused(f"the catalog's address {error.message}", error.hint, Option("url")) from None
        if not address.secure and not address.is_loopback:
            raise _refused("the token would be sent in the clear", "use an https address", Option("url"))
        try:
            http = HttpClient(address=address, credentials=Bearer(token), timeout_s=120.0, max_bytes=256 * 1024 * 1024)
        except CertificateFileError:
            message = "SSL_CERT_FILE does not name a PEM file with certificates"
            raise _refused(message, "fix it, or unset it", Variable("SSL_CERT_FILE")) from None
        return cls(http)

    def ask(self, method: Method, path: str, value: object = None, raw: Body | None = None) -> Any:
        """Ask, and wait while the server is busy.

        Returns:
            What it answered; None for an answer without a body.

        Raises:
            StreamtError: E571 for a clear no, E572 when no answer came.
        """
        body = raw or (None if value is None else Body.json(value))
        start = time.monotonic()
        while True:
            outcome = self.http.send(method, f"{PREFIX}/{path}", body=body)
            if isinstance(outcome, Answered) and outcome.is_success:
                with understood():
                    return json.loads(outcome.body) if outcome.body else None
            wait = _wait_for(outcome)
            patience = self.reach_s if isinstance(outcome, NotSent) else self.patience_s
            if wait is None or time.monotonic() + wait > start + patience:
                raise self._failure(outcome)
            self.sleep(wait)

    def _failure(self, outcome: Answered | NotSent | Unknown) -> StreamtError:
        if not isinstance(outcome, Answered):
            message = f"the catalog cannot be reached: {outcome.reason}"
            hint = "see that it is served"
            return StreamtError(Diagnostic(code=Code.CATALOG_UNREACHABLE, message=message, hint=hint))
        hints = {401: "give --token-file, or set STREAMT_CATALOG_TOKEN", 403: "ask an admin for the permission"}
        # What is not the catalog, or is behind something else, may repeat what it was told.
        token = self.http.credentials.token if isinstance(self.http.credentials, Bearer) else ""
        reason = _visible(redact(_detail(outcome.body), [token]))
        return _refused(f"the catalog answered {outcome.status}: {reason}", hints.get(outcome.status))

    def register(self, found: Sequence[Found], *, whole: bool) -> dict[str, int]:
        """Register what was found; return the counts of what was added, removed and is replayed."""
        totals = {"datastores": 0, "containers": 0, "added": 0, "removed": 0, "replaying": 0}
        for one in found:
            with understood():
                self._register(one, totals, whole=whole)
        return totals

    def _register(self, one: Found, totals: dict[str, int], *, whole: bool) -> None:
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

    def end_job(self, namespace: str, name: str) -> int:
        """Say that a job is gone; return how many records it lost."""
        path = f"jobs/{quote(namespace, safe='')}/{quote(name, safe='')}"
        with understood():
            return int(self.ask("DELETE", path)["withdrawn"])


@contextmanager
def understood() -> Iterator[None]:
    """Refuse an answer that is not a catalog's.

    Raises:
        StreamtError: E571; the answer is no JSON, or lacks what a catalog says.
    """
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError):
        hint = "see that the address is that of a streamt catalog"
        raise _refused("the answer is not a catalog's", hint, Option("url")) from None


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


_LONGEST_REASON = 2000


def _detail(body: bytes) -> str:
    """Return the reason that a catalog gives (RFC 9457), as far as there is one."""
    try:
        problem = json.loads(body)
        places = "; ".join(f"{one['pointer']}: {one['detail']}" for one in problem.get("errors", ()))
        return f"{problem['detail']}{f' ({places})' if places else ''}"
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "no reason given"


def _visible(text: str) -> str:
    """Return a text of somebody else's, in one line and of a length that a person reads."""
    line = " ".join(text.split())
    shown = "".join(each if each.isprintable() else "�" for each in line)
    return shown if len(shown) <= _LONGEST_REASON else f"{shown[:_LONGEST_REASON]}…"


def _refused(message: str, hint: str | None, location: Option | Variable | None = None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=message, hint=hint, location=location))
