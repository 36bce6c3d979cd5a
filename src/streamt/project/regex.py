"""Regular expressions that a user writes: matched in linear time, so that none of them can hang."""

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema


class Regex:
    """A regular expression, matched by the engine in Rust that pydantic brings.

    It knows no look-around and no back-references, and needs no more time than a text is long.
    """

    def __init__(self, pattern: str) -> None:
        self._schema = SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))

    @classmethod
    def whole(cls, pattern: str) -> "Regex":
        """Make a regular expression that a text has to match from its beginning to its end."""
        return cls(rf"\A(?:{pattern})\z")

    @staticmethod
    def reason_against(pattern: str) -> str | None:
        """Return the reason why `pattern` is no regular expression, if it is none."""
        try:
            Regex(pattern)  # by itself first: `a)|(b` would close the group that `whole` opens
            Regex.whole(pattern)
        except SchemaError as error:
            return str(error).strip().splitlines()[-1].removeprefix("error: ").strip()
        return None

    def matches(self, text: str) -> bool:
        """Report whether `text` holds what the regular expression describes."""
        try:
            self._schema.validate_python(text)
        except ValidationError:
            return False
        return True
