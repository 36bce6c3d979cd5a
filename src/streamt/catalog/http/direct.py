"""The way of events past the router: what FastAPI does for a request costs more than all that becomes of an event.

The routes are declared with the others, for the OpenAPI document; here the same functions are called for the exact
paths, with the same errors and the same counting.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from fastapi import FastAPI, Request, Response
from starlette.middleware.exceptions import ExceptionMiddleware

from streamt.catalog.access import Caller
from streamt.catalog.http.callers import sender_of
from streamt.catalog.http.security import Message, Receive, Send
from streamt.catalog.service import Catalog

Endpoint = Callable[[Request, Caller, Catalog], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class _Route:
    """What metrics ask of a route."""

    path: str


class Direct:
    """Hands requests for some paths to their functions, and all others to the application."""

    def __init__(
        self, app: Callable[..., Awaitable[None]], service: FastAPI, endpoints: Mapping[str, Endpoint]
    ) -> None:
        self._app = app
        self._endpoints = {path: (_Route(path), endpoint) for path, endpoint in endpoints.items()}
        self._service = service
        self._guarded: ExceptionMiddleware | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self._endpoints:
            if self._guarded is None:  # all handlers of errors are known by the first request
                self._guarded = ExceptionMiddleware(self._serve, handlers=self._service.exception_handlers)
            await self._guarded(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        scope["route"], endpoint = self._endpoints[scope["path"]]
        request = Request(scope, receive)
        caller = await sender_of(request)
        response = await endpoint(request, caller, self._service.state.catalog)
        await response(scope, receive, send)
