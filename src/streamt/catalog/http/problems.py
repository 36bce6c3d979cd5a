"""What goes wrong, as `application/problem+json` (RFC 9457)."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException

from streamt.catalog.changes import DeniedError, MissingError, TakenError
from streamt.catalog.store.engine import AwayError
from streamt.catalog.store.reading import CursorError
from streamt.catalog.wire import RefusedError
from streamt.catalog.writer import BusyError
from streamt.diagnostics import pointer

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5


class ErrorPlace(BaseModel):
    """What is wrong at one place of what was sent."""

    pointer: str = Field(description="A JSON pointer into the event or the request.")
    detail: str


class Problem(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str = Field(description="A reference that names the kind of problem; `about:blank` for a plain status.")
    title: str
    status: int
    detail: str
    errors: list[ErrorPlace] | None = None


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what an endpoint may answer besides success, for the OpenAPI document."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in statuses
    }


def problem(
    status: int, detail: str, *, errors: Sequence[Mapping[str, str]] = (), headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an answer that says what is wrong."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = list(errors)
    return JSONResponse(body, status, dict(headers or {}), media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Answer every error of the service as a problem; none with a trace."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, answer)


async def _http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, str(error.detail), headers=error.headers)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    places = [{"pointer": _place(one["loc"]), "detail": one["msg"]} for one in error.errors()]
    return problem(422, "the request is not what this endpoint takes", errors=places)


def _place(loc: Sequence[str | int]) -> str:
    inside = loc[1:] if loc and loc[0] in ("body", "query", "path") else loc
    return pointer(*inside)


async def _failed(_request: Request, _error: Exception) -> JSONResponse:
    return problem(500, "the server failed; its log says why")


async def _denied(_request: Request, _error: Exception) -> JSONResponse:
    return problem(403, "you may not do this")


async def _missing(_request: Request, _error: Exception) -> JSONResponse:
    return problem(404, "there is nothing here that you may see")


async def _taken(_request: Request, _error: Exception) -> JSONResponse:
    return problem(409, "the name is in use")


async def _busy(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, BusyError)
    return problem(429, str(error), headers={"Retry-After": str(error.seconds)})


async def _away(_request: Request, _error: Exception) -> JSONResponse:
    detail = "the store cannot be used at the moment; nothing was stored"
    return problem(503, detail, headers={"Retry-After": str(RETRY_SECONDS)})


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RefusedError)
    return problem(error.status, error.detail)


async def _unstorable(_request: Request, _error: Exception) -> JSONResponse:
    return problem(422, "a text holds `\\u0000` or an unpaired surrogate, which no store can keep")


async def _cursor(_request: Request, _error: Exception) -> JSONResponse:
    return problem(422, "unknown cursor", errors=[{"pointer": "/cursor", "detail": "not made by this server"}])


_ANSWERS = {
    DeniedError: _denied,
    MissingError: _missing,
    TakenError: _taken,
    BusyError: _busy,
    AwayError: _away,
    RefusedError: _refused,
    CursorError: _cursor,
    DataError: _unstorable,
    UnicodeEncodeError: _unstorable,
}


async def answer(request: Request, error: Exception) -> JSONResponse:
    """Return the answer to one of the errors that `install` answers, for what stands before the application."""
    return await _ANSWERS[type(error)](request, error)
