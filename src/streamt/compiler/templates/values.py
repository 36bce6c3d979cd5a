"""What a template's values are, and what can be done with any of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from streamt.compiler.templates.budget import Budget


class TemplateError(Exception):
    """What is wrong with a template.

    Attributes:
        message: a noun phrase; never a value.
        line: counted from 1, if it is known.
        hint: what to do next.
    """

    def __init__(self, message: str, *, line: int | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.hint = hint


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """What `source` and `ref` give: a value that can be printed, and nothing else."""

    word: str


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name or a part that is not there; it can be asked for, given a default and passed on.

    Attributes:
        message: what is said when it is used as if it were there.
        hint: what to do next.
    """

    message: str
    hint: str | None = None


@dataclass(slots=True, eq=False)
class Namespace:
    """What `namespace()` makes: the one kind of value that can be changed."""

    values: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """What can be called: a macro, a method, or a function that every template has."""

    name: str
    run: Callable[[list[Any], dict[str, Any]], Any]
    takes_undefined: bool = False


@dataclass(slots=True, eq=False)
class Loop:
    """What `loop` is inside of a `for`.

    Attributes:
        items: what is gone through.
        index0: how many came before.
        depth0: how many recursive calls are around.
        again: goes through other items with the same body, for a recursive loop.
    """

    items: list[Any]
    depth0: int
    again: Callable[[list[Any], dict[str, Any]], Any] | None
    index0: int = 0
    before: Any = field(default=None)

    def part(self, name: str) -> Any:
        """Return one of the parts that Jinja documents; `Undefined` for every other name."""
        count, at = len(self.items), self.index0
        numbers = {
            "index": at + 1, "index0": at, "revindex": count - at, "revindex0": count - at - 1, "length": count,
            "first": at == 0, "last": at == count - 1, "depth": self.depth0 + 1, "depth0": self.depth0,
        }  # fmt: skip
        if name in numbers:
            return numbers[name]
        if name in ("previtem", "nextitem"):
            other = at - 1 if name == "previtem" else at + 1
            return self.items[other] if 0 <= other < count else Undefined(f"no `{name}` here")
        methods = {"cycle": self._cycle, "changed": self._changed}
        return Function(name, methods[name]) if name in methods else Undefined(f"unknown part `{name}` of `loop`")

    def _cycle(self, arguments: list[Any], _named: dict[str, Any]) -> Any:
        if not arguments:
            raise TemplateError("`loop.cycle` without a value")
        return arguments[self.index0 % len(arguments)]

    def _changed(self, arguments: list[Any], _named: dict[str, Any]) -> bool:
        changed = bool(self.before != arguments)
        self.before = arguments
        return changed


def text_of(value: Any) -> str:
    """Return the text of a value; only what SQL can hold has one.

    Raises:
        TemplateError: the value is a list, a mapping, nothing, or one of the template's own parts.
    """
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, Undefined):
        raise TemplateError(value.message, hint=value.hint)
    if value is None:
        raise TemplateError("an empty value (none) has no text", hint="give it a `default`")
    if isinstance(value, (list, tuple, Mapping)):
        raise TemplateError("a list or a mapping has no text", hint="use `join` or a `for`")
    if isinstance(value, Marker):
        raise TemplateError("`source` and `ref` give a table's name, which cannot be changed", hint="only print it")
    raise TemplateError("only text and numbers can be printed", hint="add the parentheses of a call, if one is meant")


def items_of(value: Any, budget: Budget) -> list[Any]:
    """Return what a loop over `value` goes through, paid for.

    Raises:
        TemplateError: nothing can go through it.
        TooMuchError: it is too long.
    """
    if isinstance(value, Undefined):
        raise TemplateError(value.message, hint=value.hint)
    if not isinstance(value, (str, list, tuple, Mapping)):
        raise TemplateError(f"{kind_of(value)} is not a list", hint="only a list, a mapping or a text has items")
    iterable: Iterable[Any] = value
    budget.items(len(value))
    return list(iterable)


def kind_of(value: Any) -> str:
    """Return what a value is, in words, without the value."""
    if isinstance(value, bool):
        return "a truth value"
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return "an empty value (none)" if value is None else "a part of the template"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "a text"),
    ((int, float), "a number"),
    (Mapping, "a mapping"),
    ((list, tuple), "a list"),
    (Marker, "a table's name"),
    (Function, "a function"),
    (Undefined, "an undefined value"),
)
