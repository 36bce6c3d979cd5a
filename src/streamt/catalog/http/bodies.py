"""Bodies of requests, read within limits of size and time before anything looks at them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool

from streamt.catalog.http.problems import answer
from streamt.catalog.http.security import Message, Receive, Send
from streamt.catalog.store.engine import AwayError
from streamt.catalog.wire import MAX_UNPACKED, RefusedError

READ_SECONDS = 60.0
MAX_BODY = 1024 * 1024
"""Bytes of a request that sends no events: a name, a description, a token."""
MAX_REGISTRATION = MAX_UNPACKED
"""Bytes of a registration of containers, by somebody who is known."""

_BODILESS = ("GET", "HEAD", "OPTIONS")


async def read_within(request: Request, limit: int) -> bytes:
    """Read a body.

    Args:
        request: whose body was not read yet.
        limit: bytes.

    Raises:
        RefusedError: 413 where it is larger, 408 where it does not come in time.
    """
    too_large = RefusedError(413, f"the body is larger than {limit} bytes")
    stated = request.headers.get("content-length", "0")
    if stated.isdigit() and int(stated[:20]) > limit:
        raise too_large
    data = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > limit:
                    raise too_large
    except TimeoutError:
        raise RefusedError(408, "the body did not arrive in time") from None
    return bytes(data)


class Bodies:
    """Reads what is sent before the application does, which would read on without an end and ask for a token later."""

    def __init__(self, app: Callable[..., Awaitable[None]], service: FastAPI) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, its body read."""
        if scope["type"] != "http" or scope["method"] in _BODILESS:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            data = await read_within(request, await self._limit(request))
        except (RefusedError, AwayError) as error:
            await (await answer(request, error))(scope, receive, send)
            return
        await self._app(scope, _given(data, receive), send)

    async def _limit(self, request: Request) -> int:
        if not request.scope["path"].endswith("/containers"):
            return MAX_BODY
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        is_known = await run_in_threadpool(self._service.state.callers.of_token, token) if token else None
        return MAX_REGISTRATION if is_known else MAX_BODY


def _given(data: bytes, receive: Receive) -> Receive:
    """Return what gives the body once, and then what else is received."""
    waiting: list[Mapping[str, Any]] = [{"type": "http.request", "body": data, "more_body": False}]

    async def give() -> Message:
        return dict(waiting.pop()) if waiting else await receive()

    return give
