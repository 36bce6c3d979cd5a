"""The kinds of field that the language's models are made of."""

from collections.abc import Callable
from typing import Annotated, Any, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    Secret,
    SecretStr,
    Strict,
    StringConstraints,
    Tag,
)
from pydantic_core import CoreSchema

from streamt.diagnostics import Supplied
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


NOT_BLANK = r"\S"
# Anything but "." and "..".
KAFKA_NAME_LENGTH = 249
KAFKA_NAME = r"^(\.?[a-zA-Z0-9_-]|\.\.[a-zA-Z0-9._-])[a-zA-Z0-9._-]*$"
DURATION = r"^[0-9]+(\.[0-9]+)? ?(ms|s|m|h|d|milliseconds?|seconds?|minutes?|hours?|days?)$"

Text = Annotated[str, Strict()]
NonBlank = Annotated[str, StringConstraints(strict=True, pattern=NOT_BLANK)]
KafkaName = Annotated[str, StringConstraints(pattern=KAFKA_NAME, max_length=KAFKA_NAME_LENGTH)]
Duration = Annotated[str, StringConstraints(pattern=DURATION)]

Natural = Annotated[int, Field(ge=0), BeforeValidator(unwrap_supplied(read_integer))]
Positive = Annotated[int, Field(ge=1), BeforeValidator(unwrap_supplied(read_integer))]
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
SecretText = SecretStr
SecretScalar = Annotated[Secret[Scalar], Field(json_schema_extra={"writeOnly": True})]
# What the language does not look into: it is carried as it was written.
Free = Any

Names = Annotated[tuple[NonBlank, ...], Strict(strict=False)]

NameOrNames = Annotated[
    Annotated[NonBlank, Tag(TEXT)]
    | Annotated[tuple[NonBlank, ...], Strict(strict=False), Field(min_length=1), Tag(LIST)],
    by_shape("a string or a list of strings", TEXT, LIST),
]
