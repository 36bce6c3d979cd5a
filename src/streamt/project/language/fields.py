"""The kinds of field that the language's models are made of."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Generic, TypeVar, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    Strict,
    StringConstraints,
    Tag,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from streamt.diagnostics import MASK, StreamtError, Supplied
from streamt.yaml import read_boolean, read_integer, read_number

# Unions are told apart by these tags, which pydantic puts into the places of its errors. No key of a document
# can hold a NUL, so the tags are told from keys there, and dropped.
TEXT = "\0text"
LIST = "\0list"
MAPPING = "\0mapping"
TRUTH = "\0truth"
_SHAPES: dict[type, str] = {str: TEXT, list: LIST, dict: MAPPING, bool: TRUTH}

# Inputs stay out of pydantic's own messages: they may be secrets.
STRICT = ConfigDict(hide_input_in_errors=True, strict=True, frozen=True, extra="forbid", defer_build=True)


class Struct(BaseModel):
    """A mapping of the language: known keys only, never converted, never changed."""

    model_config = STRICT


class NotNull:
    """Let an optional field be absent, but not `null`: that is a slip more often than a wish."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take the `None` out of what the file may say, and leave it to the default."""
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


class OneOf:
    """Give a union of scalars one error instead of one for each of its members."""

    def __init__(self, expected: str) -> None:
        self.expected = expected

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Name the union's error."""
        named = {"custom_error_type": "one_of", "custom_error_message": self.expected}
        return cast("CoreSchema", {**handler(source), **named})


def by_shape(expected: str, *shapes: str) -> Discriminator:
    """Choose between text, list and mapping by a value's shape alone.

    Args:
        expected: says in words which of them may stand.
        shapes: the tags of those that may.
    """

    def shape(value: object) -> str | None:
        tag = _SHAPES.get(type(value), TEXT if isinstance(value, str) else None)
        return tag if tag in shapes else None

    return Discriminator(shape, custom_error_type="one_of", custom_error_message=expected)


def unwrap_supplied(read: Callable[[str], object]) -> Callable[[object], object]:
    """Make a validator that reads a variable's whole value with `read`, and leaves everything else as it is.

    A value that `read` does not know stays text, so that the field's own check refuses it.
    """

    def unwrap(value: object) -> object:
        if not isinstance(value, Supplied) or not value.whole:
            return value
        try:
            known = read(value)
        except OverflowError:
            return value
        return value if known is None else known

    return unwrap


T = TypeVar("T")


class Secret(Generic[T]):
    """A value that only those see who ask for it; its variable need not be set until then."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def get_secret_value(self) -> T:
        """Return the value.

        Raises:
            StreamtError: E502, the variable that should supply it is not set.
        """
        if isinstance(self._value, Supplied) and self._value.unset is not None:
            raise StreamtError(self._value.unset)
        return self._value

    @property
    def is_supplied(self) -> bool:
        """Whether a variable supplied it, or a part of it."""
        return isinstance(self._value, Supplied)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"Secret({MASK!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the value as one of its own type, and hide it."""

        def hide(value: Any, check: Callable[[Any], Any]) -> Secret[Any]:
            checked = check(value)
            return Secret(value if isinstance(value, Supplied) else checked)

        return core_schema.no_info_wrap_validator_function(hide, handler.generate_schema(get_args(source)[0]))


NOT_BLANK = r"\S"
LONGEST_NAME = 1024
# No character of these can be seen; some turn the text around them the other way.
_INVISIBLE = r"\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
NAME = rf"^[^{_INVISIBLE}]*[^\s{_INVISIBLE}][^{_INVISIBLE}]*$"
# Anything but "." and "..".
KAFKA_NAME_LENGTH = 249
KAFKA_NAME = r"^(\.?[a-zA-Z0-9_-]|\.\.[a-zA-Z0-9._-])[a-zA-Z0-9._-]*$"
DURATION = r"^[0-9]{1,15}(\.[0-9]{1,9})? ?(ms|s|m|h|d|milliseconds?|seconds?|minutes?|hours?|days?)$"

Text = Annotated[str, Strict()]
NonBlank = Annotated[str, StringConstraints(strict=True, pattern=NOT_BLANK)]
KafkaName = Annotated[str, StringConstraints(pattern=KAFKA_NAME, max_length=KAFKA_NAME_LENGTH)]

_UNIT_SECONDS = {"ms": "0.001", "milli": "0.001", "s": "1", "m": "60", "h": "3600", "d": "86400"}
MAX_SECONDS = 100 * 31_557_600
"""A hundred years, which is the longest time of all."""


def duration_seconds(text: str) -> Decimal:
    """Return the seconds of a duration, such as `500ms`, `30s` or `2 minutes`.

    Raises:
        ValueError: it is none.
    """
    match = re.fullmatch(DURATION, text)
    if match is None:
        raise ValueError("not a duration such as 500ms, 30s or 2m")
    number, unit = text[: match.start(2)], match[2]
    of_unit = next(_UNIT_SECONDS[start] for start in ("ms", "milli", unit[0]) if unit.startswith(start))
    return Decimal(number.strip()) * Decimal(of_unit)


def _not_too_long(text: str) -> str:
    if duration_seconds(text) > MAX_SECONDS:
        raise PydanticCustomError("duration_too_long", "longer than 100 years")
    return text


Name = Annotated[str, StringConstraints(strict=True, pattern=NAME, max_length=LONGEST_NAME)]
Duration = Annotated[str, StringConstraints(pattern=DURATION), AfterValidator(_not_too_long)]

_WHOLE = BeforeValidator(unwrap_supplied(read_integer))
MAX_COUNT = 2**31 - 1
"""The most of anything that Kafka and Flink count in 32 bits."""
Natural = Annotated[int, Field(ge=0, le=2**63 - 1), _WHOLE]
Positive = Annotated[int, Field(ge=1, le=MAX_COUNT), _WHOLE]
SampleSize = Annotated[int, Field(ge=1, le=1_000_000_000), _WHOLE]
Replicas = Annotated[int, Field(ge=1, le=2**15 - 1), _WHOLE]
Seconds = Annotated[int, Field(ge=0, le=MAX_SECONDS), _WHOLE]
Milliseconds = Annotated[int, Field(ge=0, le=MAX_SECONDS * 1000), _WHOLE]
PositiveMilliseconds = Annotated[int, Field(ge=1, le=MAX_SECONDS * 1000), _WHOLE]
Boolean = Annotated[bool, Strict(), BeforeValidator(unwrap_supplied(read_boolean))]
# An integer stays one: as a float, 9007199254740993 would change.
Number = Annotated[
    int | Annotated[float, Field(allow_inf_nan=False)],
    OneOf("a finite number"),
    BeforeValidator(unwrap_supplied(read_number)),
]
NonNegative = Annotated[
    Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0, allow_inf_nan=False)],
    OneOf("a number of 0 or more"),
    BeforeValidator(unwrap_supplied(read_number)),
]
Ratio = Annotated[
    Annotated[int, Field(ge=0, le=1)] | Annotated[float, Field(ge=0, le=1)],
    OneOf("a number from 0 to 1"),
    BeforeValidator(unwrap_supplied(read_number)),
]
Scalar = Annotated[str | bool | int | float, OneOf("a string, a number or a boolean")]
SecretText = Annotated[Secret[Text], Field(json_schema_extra={"format": "password", "writeOnly": True})]
SecretScalar = Annotated[Secret[Scalar], Field(json_schema_extra={"writeOnly": True})]
# What the language does not look into: it is carried as it was written.
Free = Any

Names = Annotated[tuple[Name, ...], Strict(strict=False)]

NameOrNames = Annotated[
    Annotated[NonBlank, Tag(TEXT)]
    | Annotated[tuple[NonBlank, ...], Strict(strict=False), Field(min_length=1), Tag(LIST)],
    by_shape("a string or a list of strings", TEXT, LIST),
]
