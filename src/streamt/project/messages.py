"""What pydantic refuses, in plain words and with what to do next."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails, ValidationError

from streamt.diagnostics import Code, Diagnostic, ProjectPath, Supplied, did_you_mean, nearest, quote
from streamt.project.constructs import Construct, find_construct
from streamt.project.language import DURATION, KAFKA_NAME, LONGEST_NAME, NAME, NOT_BLANK, Schema, schema_at
from streamt.yaml import LONGEST_RAW, Path
from streamt.yaml.scalars import type_name_of

KAFKA_NAME_RULE = "1 to 249 letters, digits, `.`, `_` and `-`, and not `.` or `..`"

Raw = Callable[[Sequence[Path]], Mapping[Path, str | None]]
"""Returns values exactly as the files have them, for those that are unquoted and in one line."""


def describe_refusals(error: ValidationError, schema: Schema, data: Any, raw: Raw) -> Iterator[Diagnostic]:
    """Yield what pydantic refused, in its order.

    Args:
        error: the refusal; its places start at the root of `data`.
        schema: the JSON Schema of `data`'s language.
        data: the document that was refused.
        raw: gives values as they were written.
    """
    errors = [_located(each) for each in error.errors(include_url=False)]
    quotable = [path for path, each in errors if _wants_quotes(each, schema_at(schema, data, path))]
    words = raw(quotable) if quotable else {}
    unknown = _UnknownKeys(schema, data, errors)
    for path, each in errors:
        if each["type"] in _UNKNOWN_KEY:
            yield from unknown.describe(path)
        elif each["type"] == "missing":
            if path not in unknown.meant:
                yield _missing(path, schema_at(schema, data, path))
        else:
            yield _refusal(path, each, schema_at(schema, data, path), words.get(path))


_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")


def _located(error: ErrorDetails) -> tuple[Path, ErrorDetails]:
    """Return an error with its path, without the tags of unions."""
    return tuple(part for part in error["loc"] if not (isinstance(part, str) and part.startswith("\0"))), error


def _diagnostic(path: Path, message: str, hint: str | None = None, *, at_key: bool = False) -> Diagnostic:
    location = ProjectPath(path, at_key=at_key)
    return Diagnostic(code=Code.PARSE_ERROR, message=message, location=location, hint=hint)


# Unknown and missing keys


class _UnknownKeys:
    """Describes keys that the language does not know.

    Attributes:
        meant: the paths of known keys that unknown ones were meant to be, so that these are not called missing.
    """

    def __init__(self, schema: Schema, data: Any, errors: Iterable[tuple[Path, ErrorDetails]]) -> None:
        self.meant: set[Path] = set()
        self._known: dict[Path, list[str]] = {}
        self._groups: dict[tuple[Path, Construct], list[str]] = {}
        for path, each in errors:
            if each["type"] in _UNKNOWN_KEY:
                self._add(path, list(schema_at(schema, data, path[:-1]).get("properties", {})))

    def _add(self, path: Path, known: list[str]) -> None:
        parent, key = path[:-1], str(path[-1])
        self._known[parent] = known
        construct = find_construct(path)
        if construct is not None:
            self._groups.setdefault((parent, construct), []).append(key)
            self.meant |= {(*parent, each) for each in construct.stands_for}
        elif near := nearest(key, known):
            self.meant.add((*parent, near))

    def describe(self, path: Path) -> Iterator[Diagnostic]:
        """Yield what is wrong with one key; nothing for one that was told together with an earlier one."""
        parent, key = path[:-1], str(path[-1])
        construct = find_construct(path)
        if construct is None:
            yield _diagnostic(path, f"unknown key {quote(key)}", self._hint(key, self._known[parent]), at_key=True)
            return
        keys = self._groups[parent, construct]
        if key == keys[0]:
            noun = "key" if len(keys) == 1 else "keys"
            yield _diagnostic(path, f"unknown {noun} {_listed(keys)}", construct.hint, at_key=True)

    @staticmethod
    def _hint(key: str, known: list[str]) -> str | None:
        if re.fullmatch(r"\d+\)", key):  # what is left of `{type: DECIMAL(10, 2)}`, where a comma ends a value
            return 'quote the value before it, since it contains a comma: `type: "DECIMAL(10, 2)"`'
        return did_you_mean(key, known) or (f"known keys: {_listed(known)}" if known else None)


def _missing(path: Path, field: Mapping[str, Any]) -> Diagnostic:
    description = field.get("description")
    hint = f"add `{path[-1]}:` - {description}" if description else f"add `{path[-1]}:`"
    return _diagnostic(path, f"missing key `{path[-1]}`", hint)


# Values


def _refusal(path: Path, error: ErrorDetails, field: Mapping[str, Any], raw: str | None) -> Diagnostic:
    """Say what should stand at `path`, and how to fix it where that is plain."""
    value = error["input"]
    if error["type"] == "literal_error":
        return _wrong_word(path, value, field)
    rule = f"{_named(path)} {_rule(error, field)}"
    if isinstance(value, Supplied):
        return _diagnostic(path, f"{rule}; the value of {quote(value)} is something else")
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if error["type"] in _RIGHT_KIND or (number and "number" in rule and error["type"] == "one_of"):
        return _diagnostic(path, rule)
    if value is None:
        return _diagnostic(path, f"{rule}, but is empty", "write a value, or remove the key", at_key=True)
    message = f"{rule}, not {'a fraction' if error['type'] == 'int_type' and number else _kind_of(value)}"
    if _wants_quotes(error, field):
        secret = field.get("writeOnly", False)
        exact = f': "{raw}"' if raw and not secret and len(raw) <= LONGEST_RAW else ""
        return _diagnostic(path, message, f"quote it{exact}")
    construct = find_construct(path)
    return _diagnostic(path, message, construct.hint if construct else None)


def _named(path: Path) -> str:
    """Return what a message calls the value at `path`."""
    return quote(path[-1]) if path and isinstance(path[-1], str) else "this entry"


def _rule(error: ErrorDetails, field: Mapping[str, Any]) -> str:
    """Say what should stand where `error` is."""
    kind, context = error["type"], error.get("ctx", {})
    if field.get("pattern") == DURATION and kind != "duration_too_long":
        return _A_DURATION
    if kind == "string_pattern_mismatch":
        return _pattern_rule(context["pattern"], error["input"])
    if kind == "string_too_long":
        return f"must be {LONGEST_NAME:,} characters or fewer" if context["max_length"] == LONGEST_NAME else _A_TOPIC
    if kind == "one_of":
        return f"must be {error['msg']}"
    return _RULES.get(kind, "is not valid").format(**context)


def _pattern_rule(pattern: str, value: str) -> str:
    if pattern == NAME and value.strip():
        invisible = next(character for character in value if not re.fullmatch(NAME, f"x{character}"))
        return f"must not contain the invisible character U+{ord(invisible):04X}"
    return {NAME: "must not be blank", NOT_BLANK: "must not be blank", KAFKA_NAME: _A_TOPIC}[pattern]


_A_DURATION = "must be a duration such as `500ms`, `30s` or `2m`"
_A_TOPIC = f"must be a Kafka topic name: {KAFKA_NAME_RULE}"
_RULES = {
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be `true` or `false`",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "dataclass_type": "must be a mapping",
    "too_short": "must not be empty",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "duration_too_long": "must be 100 years or less",
}
# Errors of a value that has the right kind already, so that naming its kind would not help.
_RIGHT_KIND = frozenset(
    {
        "string_pattern_mismatch",
        "string_too_long",
        "finite_number",
        "too_short",
        "greater_than_equal",
        "less_than_equal",
        "duration_too_long",
    }
)


def _wrong_word(path: Path, value: object, field: Mapping[str, Any]) -> Diagnostic:
    allowed = [str(word) for word in field.get("enum", [field.get("const", "")])]
    word = quote(value) if isinstance(value, str) else _kind_of(value)
    construct = find_construct(path)
    hint = construct.hint if construct else None
    if isinstance(value, str) and not isinstance(value, Supplied):
        hint = did_you_mean(value, allowed)
    return _diagnostic(path, f"{_named(path)} must be one of {_listed(allowed)}, not {word}", hint)


def _wants_quotes(error: ErrorDetails, field: Mapping[str, Any]) -> bool:
    """Report whether quotes would make a number or a boolean the string that should stand there."""
    value = error["input"]
    kind = error["type"]
    is_text = kind == "string_type" or (kind == "one_of" and error["msg"].startswith("a string or"))
    scalar = isinstance(value, (bool, int, float)) and not isinstance(value, Supplied)
    return is_text and scalar and field.get("pattern") != DURATION


def _kind_of(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    return type_name_of.get(type(value), "a string")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(map(quote, words))
