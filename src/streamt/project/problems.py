"""What is wrong with a project, before it has a place, and pydantic's complaints in plain words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import ErrorDetails

from streamt.diagnostics import Code, Diagnostic, FilePlace, Supplied, did_you_mean, quote
from streamt.project.language import DURATION, KAFKA_NAME, NOT_BLANK, Schema, schema_at
from streamt.project.source_map import SourceMap
from streamt.yaml import Path
from streamt.yaml.scalars import type_name_of

KAFKA_NAME_RULE = "1 to 249 letters, digits, `.`, `_` and `-`, and not `.` or `..`"
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong at a path of the merged project.

    Attributes:
        path: keys and indexes, from the root of the merged project.
        message: what is wrong.
        hint: what to do next.
        at_key: whether the key is meant, and not its value.
        code: which error it is.
        needs_raw: whether the hint goes on with the value in quotes, exactly as the file has it.
    """

    path: Path
    message: str
    hint: str | None = None
    at_key: bool = False
    code: Code = Code.PARSE_ERROR
    needs_raw: bool = False


def placed(problems: Iterable[Problem], source_map: SourceMap) -> list[Diagnostic]:
    """Give every problem its file, line and column."""
    problems = list(problems)
    spots = source_map.positions(problem.path for problem in problems)
    diagnostics = []
    for problem in problems:
        file, spot = spots[problem.path]
        line, column = spot.key if problem.at_key else spot.value
        hint = problem.hint
        if problem.needs_raw and spot.raw and len(spot.raw) <= _LONGEST_SHOWN:
            hint = f'{hint}: "{spot.raw}"'
        diagnostics.append(
            Diagnostic(
                code=problem.code,
                message=problem.message,
                location=FilePlace(file, line, column, problem.path),
                hint=hint,
            )
        )
    return diagnostics


def from_pydantic(error: ErrorDetails, schema: Schema, data: Any) -> Problem:
    """Put one of pydantic's errors into words.

    Args:
        error: the error; its `loc` starts at the root of `data`.
        schema: the JSON Schema of `data`'s language.
        data: the document that was refused.
    """
    path = tuple(part for part in error["loc"] if not (isinstance(part, str) and part.startswith("\0")))
    kind = error["type"]
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return _unknown_key(path, schema_at(schema, data, path[:-1]))
    if kind == "missing":
        return _missing(path, schema_at(schema, data, path))
    field = schema_at(schema, data, path)
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this"
    if kind == "literal_error":
        return _wrong_word(path, name, error["input"], field)
    return _mismatch(path, f"{name} {_rule(error, field)}", error, field)


def _rule(error: ErrorDetails, field: Mapping[str, Any]) -> str:
    """Say what should stand where `error` is."""
    kind, context = error["type"], error.get("ctx", {})
    if field.get("pattern") == DURATION:
        return _A_DURATION
    if kind == "string_pattern_mismatch":
        return _PATTERNS[context["pattern"]]
    if kind == "one_of":
        return f"must be {error['msg']}"
    return _MESSAGES.get(kind, "is not valid").format(**context)


_A_DURATION = "must be a duration such as `500ms`, `30s` or `2m`"
_PATTERNS = {
    NOT_BLANK: "must not be blank",
    KAFKA_NAME: f"must be a Kafka topic name: {KAFKA_NAME_RULE}",
    DURATION: _A_DURATION,
}
_MESSAGES = {
    "string_type": "must be a string",
    "string_too_long": f"must be a Kafka topic name: {KAFKA_NAME_RULE}",
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
    }
)


def _unknown_key(path: Path, parent: Mapping[str, Any]) -> Problem:
    key = str(path[-1])
    hint = _unknown_key_hint(key, list(parent.get("properties", {})))
    return Problem(path=path, message=f"unknown key {quote(key)}", hint=hint, at_key=True)


def _unknown_key_hint(key: str, known: list[str]) -> str | None:
    if re.fullmatch(r"\d+\)", key):  # what is left of `{type: DECIMAL(10, 2)}`, where a comma ends a value
        return 'quote the value before it, since it contains a comma: `type: "DECIMAL(10, 2)"`'
    return did_you_mean(key, known) or (f"known keys: {_listed(known)}" if known else None)


def _missing(path: Path, field: Mapping[str, Any]) -> Problem:
    description = field.get("description")
    hint = f"add `{path[-1]}:` - {description}" if description else f"add `{path[-1]}:`"
    return Problem(path=path, message=f"missing key `{path[-1]}`", hint=hint)


def _wrong_word(path: Path, name: str, value: object, field: Mapping[str, Any]) -> Problem:
    allowed = [str(word) for word in field.get("enum", [field.get("const", "")])]
    word = f", not {quote(value)}" if isinstance(value, str) else f", not {_kind_of(value)}"
    near = did_you_mean(value, allowed) if isinstance(value, str) and not isinstance(value, Supplied) else None
    return Problem(path=path, message=f"{name} must be one of {_listed(allowed)}{word}", hint=near)


def _mismatch(path: Path, rule: str, error: ErrorDetails, field: Mapping[str, Any]) -> Problem:
    """Say what should stand at `path`, and how to mend it where that is plain."""
    value = error["input"]
    if isinstance(value, Supplied):
        return Problem(path=path, message=f"{rule}; the value of {quote(value)} is something else")
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if error["type"] in _RIGHT_KIND or (number and "number" in rule and error["type"] == "one_of"):
        return Problem(path=path, message=rule)
    if value is None:
        hint = "write a value, or remove the key"
        return Problem(path=path, message=f"{rule}, but is empty", hint=hint, at_key=True)
    message = f"{rule}, not {'a fraction' if error['type'] == 'int_type' and number else _kind_of(value)}"
    if "must be a string" in rule and not isinstance(value, (list, dict)):
        secret = field.get("writeOnly", False)
        return Problem(path=path, message=message, hint="quote it", needs_raw=not secret)
    return Problem(path=path, message=message)


def _kind_of(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    return type_name_of.get(type(value), "a string")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
