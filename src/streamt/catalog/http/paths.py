"""Paths whose parts are names: taken apart as they were sent and decoded then, so `%2F` is a letter of its part."""

from typing import Annotated, Any
from urllib.parse import unquote

from pydantic import AfterValidator

from streamt.catalog.http.security import Message, Receive, Send

NAMED = b"/api/v1/jobs/"
"""Below this, a path's parts are the namespace and the name of a job, which often hold slashes."""

Part = Annotated[str, AfterValidator(unquote)]
"""A part of such a path, decoded."""


class SentPaths:
    """Routes what is below `NAMED` by the path as it was sent; servers decode it, and tell no slash from another."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        sent = scope.get("raw_path", b"")
        if sent.startswith(NAMED):
            scope["path"] = sent.decode("ascii", "replace")
        await self._app(scope, receive, send)
