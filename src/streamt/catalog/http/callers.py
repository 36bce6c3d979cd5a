"""Who calls: a token in the Authorization header, or a browser's session with its secret for changes."""

import hmac
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool

from streamt.catalog.access import Caller, Right, token_hash
from streamt.catalog.service import Catalog
from streamt.catalog.store import people
from streamt.catalog.writer import BusyError

COOKIE = "streamt_session"
CSRF_HEADER = "X-CSRF-Token"
_SAFE = ("GET", "HEAD", "OPTIONS")
_KEPT_SECONDS = 1.0


@dataclass
class Limiter:
    """How many requests each token may send: so many a second, and a burst of twice as many."""

    rate: float
    _buckets: dict[int, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, token: int) -> None:
        """Count one request.

        Raises:
            BusyError: too many came.
        """
        if self.rate <= 0:
            return
        now = time.monotonic()
        with self._lock:
            left, then = self._buckets.get(token, (self.rate * 2, now))
            left = min(self.rate * 2, left + (now - then) * self.rate)
            self._buckets[token] = (max(left - 1, 0.0), now)
        if left < 1:
            raise BusyError(max(1, int((1 - left) / self.rate + 0.999)))


class Callers:
    """Finds out who calls; what a token may do is remembered for a second."""

    def __init__(self, catalog: Catalog, rate: float) -> None:
        self._catalog = catalog
        self._limiter = Limiter(rate)
        self._known: dict[bytes, tuple[float, Caller]] = {}

    def forget(self) -> None:
        """Forget what is remembered, since users, grants or tokens have changed."""
        self._known.clear()

    async def identify(self, request: Request) -> Caller:
        """Return who calls; the store is asked in another thread, and only where nothing is remembered.

        Raises:
            HTTPException: 401 without a valid token or session, 403 for a change without the session's secret.
            BusyError: the token sends too much.
        """
        header = request.headers.get("authorization")
        known = self._remembered(header) if header is not None else None
        if known is not None:
            caller = known
        elif header is not None:
            caller = await run_in_threadpool(self._by_token, header)
        else:
            caller = await run_in_threadpool(self._by_session, request)
        self._limiter.take(caller.token)
        return caller

    def _remembered(self, header: str) -> Caller | None:
        """Return who was found for this token a moment ago."""
        known = self._known.get(token_hash(header.partition(" ")[2].strip()))
        fresh = known is not None and time.monotonic() - known[0] < _KEPT_SECONDS
        return known[1] if known is not None and fresh and header[:7].lower() == "bearer " else None

    def _by_token(self, header: str) -> Caller:
        scheme, _, text = header.partition(" ")
        if scheme.lower() != "bearer" or not text.strip():
            raise _unauthorized("only bearer tokens are accepted")
        caller = self.of_token(text.strip())
        if caller is None:
            raise _unauthorized("unknown, expired or revoked token")
        return caller

    def of_token(self, text: str) -> Caller | None:
        """Return who sends a token; None if nobody."""
        key, now = token_hash(text), time.monotonic()
        known = self._known.get(key)
        if known is not None and now - known[0] < _KEPT_SECONDS:
            return known[1]
        with self._catalog.reading() as conn:
            caller = people.caller_of(conn, text, self._catalog.clock())
        if caller is not None:
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[key] = (now, caller)
        return caller

    def _by_session(self, request: Request) -> Caller:
        secret = request.cookies.get(COOKIE)
        if not secret:
            raise _unauthorized("a token is required")
        with self._catalog.reading() as conn:
            found = people.caller_of_session(conn, secret, self._catalog.clock())
        if found is None:
            raise _unauthorized("the session is over; sign in again")
        caller, csrf = found
        sent = request.headers.get(CSRF_HEADER, "")
        if request.method not in _SAFE and not hmac.compare_digest(sent.encode(), csrf.encode()):
            raise HTTPException(403, f"a change needs the session's secret in {CSRF_HEADER}")
        return caller


def _unauthorized(detail: str) -> HTTPException:
    return HTTPException(401, detail, {"WWW-Authenticate": 'Bearer realm="streamt catalog"'})


def _having(right: Right) -> Callable[[Request], Awaitable[Caller]]:
    async def find(request: Request) -> Caller:
        callers: Callers = request.app.state.callers
        caller = await callers.identify(request)
        if right not in caller.rights:
            raise HTTPException(403, f"the token lacks the right `{right.value}`")
        return caller

    return find


async def _admin(request: Request) -> Caller:
    caller = await _having(Right.READ if request.method in _SAFE else Right.EDIT)(request)
    if not caller.is_admin:
        raise HTTPException(403, "only for admins")
    return caller


async def _catalog(request: Request) -> Catalog:
    catalog: Catalog = request.app.state.catalog
    return catalog


sender_of = _having(Right.SEND)

Reader = Annotated[Caller, Depends(_having(Right.READ))]
Sender = Annotated[Caller, Depends(sender_of)]
Editor = Annotated[Caller, Depends(_having(Right.EDIT))]
Admin = Annotated[Caller, Depends(_admin)]
Service = Annotated[Catalog, Depends(_catalog)]
