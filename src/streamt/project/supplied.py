"""Marking what variables supplied, once more: pydantic makes plain text of it."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from streamt.diagnostics import Supplied
from streamt.project.language import Column, Document

T = TypeVar("T")

# What stands at a place of a document: the marked text itself, or what is below the place, by key and index.
Marks = dict[str | int, Any]


def mark_supplied(document: Document, data: Mapping[str, Any], sections: Iterable[str]) -> Document:
    """Return `document` with every text marked that is marked in `data`, which it was made of.

    Args:
        document: made of `data`.
        data: plain data.
        sections: the keys of `data` that may hold marked text.
    """
    marks = _marks({section: data[section] for section in sections if section in data}, {})
    return _marked(document, marks) if marks else document


def _marks(value: Any, seen: dict[int, Any]) -> Any:
    """Return the marks in plain data; None where there are none."""
    if isinstance(value, str):
        return value if isinstance(value, Supplied) else None
    if not isinstance(value, (dict, list)):
        return None
    if id(value) not in seen:  # an alias shares what its anchor holds
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        found = {key: marks for key, each in parts if (marks := _marks(each, seen)) is not None}
        seen[id(value)] = found or None
    return seen[id(value)]


def _marked(value: T, marks: Any) -> T:
    """Return `value` with the texts marked that `marks` has."""
    if isinstance(marks, Supplied):
        return marks if type(value) is str and value == marks else value
    if isinstance(value, BaseModel):
        names = {field.alias or name: name for name, field in type(value).model_fields.items()}
        changes = {names[key]: _marked(getattr(value, names[key]), each) for key, each in marks.items() if key in names}
        return value.model_copy(update=changes)
    if isinstance(value, Column):
        column = copy.copy(value)
        for key, each in marks.items():
            object.__setattr__(column, key, _marked(getattr(value, key), each))
        return column
    if isinstance(value, tuple):
        return tuple(_marked(each, marks[at]) if at in marks else each for at, each in enumerate(value))  # type: ignore[return-value]  # a tuple like it
    if isinstance(value, dict):
        return {key: _marked(each, marks[key]) if key in marks else each for key, each in value.items()}  # type: ignore[return-value]  # a dictionary like it
    return value
