"""What the documents of state and journal are read with: strict, closed, and silent about values."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from streamt.deploy.artifact import Address
from streamt.deploy.times import read_time


class Wire(BaseModel):
    """An object of a document: known keys only, nothing converted, no value in an error."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", hide_input_in_errors=True)


def place_of(error: ValidationError) -> str:
    """Return where the first thing is wrong, as a pointer between backticks."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return "`" + "".join(f"/{part}" for part in first["loc"]) + "`"


def _as_address(value: object) -> object:
    return (Address.parse(value) if isinstance(value, str) else None) or value


def _as_time(value: object) -> object:
    return read_time(value) if isinstance(value, str) else value


def _as_uuid(value: object) -> object:
    if isinstance(value, str) and str(UUID(value)) != value:
        raise ValueError("not a UUID")
    return value


Uuid = Annotated[str, BeforeValidator(_as_uuid)]
Time = Annotated[datetime, BeforeValidator(_as_time)]
WireAddress = Annotated[Address, BeforeValidator(_as_address)]
