"""Operators, and the methods of texts and mappings: each pays before it is done."""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from streamt.compiler.templates.budget import Budget
from streamt.compiler.templates.values import Marker, TemplateError, Undefined, items_of, kind_of, text_of
from streamt.sql import words

_METHODS: tuple[tuple[type, frozenset[str]], ...] = (
    (
        str,
        words(
            "capitalize count endswith find index isalnum isalpha isdecimal isdigit islower isnumeric isspace isupper "
            "join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip "
            "split splitlines startswith strip swapcase title upper"
        ),
    ),
    (Mapping, words("get items keys values")),
    (list, words("count index")),
    (tuple, words("count index")),
)
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lteq": operator.le,
    "gt": operator.gt,
    "gteq": operator.ge,
}


def used(value: Any) -> Any:
    """Return `value`, which is about to be used.

    Raises:
        TemplateError: it is undefined.
    """
    if isinstance(value, Undefined):
        raise TemplateError(value.message, hint=value.hint)
    return value


def arithmetic(name: str, left: Any, right: Any, budget: Budget) -> Any:
    """Return `left operator right`, for an operator by the name of its node.

    Raises:
        TemplateError: the two have no such operator, or the division is by zero.
        TooMuchError: the result would be too large.
    """
    _bound(name, left, right, budget)
    try:
        result = _ARITHMETIC[name](left, right)
    except ZeroDivisionError:
        raise TemplateError("division by zero") from None
    except OverflowError:
        raise TemplateError("a number that is too large") from None
    if isinstance(result, int):
        budget.integer(result.bit_length())
    if isinstance(result, complex):
        raise TemplateError("a root of a negative number")
    return result


def _bound(name: str, left: Any, right: Any, budget: Budget) -> None:
    """Pay for what the operator makes, and refuse the kinds that it is not for."""
    texts, lists = isinstance(left, str) + isinstance(right, str), isinstance(left, list) + isinstance(right, list)
    numbers = isinstance(left, (int, float)) + isinstance(right, (int, float))
    if numbers == 2:
        _bound_number(name, left, right, budget)
    elif name == "Add" and texts == 2:
        budget.text(len(left) + len(right))
    elif name == "Add" and lists == 2:
        budget.items(len(left) + len(right))
    elif name == "Mul" and (texts or lists) and isinstance(left, int) + isinstance(right, int) == 1:
        many, times = (left, right) if isinstance(right, int) else (right, left)
        (budget.text if texts else budget.items)(len(many) * max(times, 0))
    else:
        hint = "write `~` to join texts" if texts else None
        raise TemplateError(f"{kind_of(left)} and {kind_of(right)} cannot be combined so", hint=hint)


def _bound_number(name: str, left: float, right: float, budget: Budget) -> None:
    if isinstance(left, int) and isinstance(right, int):
        if name == "Mul":
            budget.integer(left.bit_length() + right.bit_length())
        elif name == "Pow" and right > 0:
            budget.integer(math.ceil(right * left.bit_length()))


def compare(name: str, left: Any, right: Any, budget: Budget) -> bool:
    """Return the truth of a comparison, for an operator by the name of its node.

    Raises:
        TemplateError: the two have no order.
        TooMuchError: there is too much to compare.
    """
    if isinstance(left, Marker) or isinstance(right, Marker):
        raise TemplateError("`source` and `ref` give a table's name, which cannot be compared", hint="only print it")
    budget.whole(left)
    budget.whole(right)
    if name in ("in", "notin"):
        return _contains(right, left) == (name == "in")
    try:
        return bool(_COMPARISONS[name](left, right))
    except TypeError:
        raise TemplateError(f"{kind_of(left)} and {kind_of(right)} have no order") from None


def _contains(container: Any, item: Any) -> bool:
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, (list, tuple)) or (isinstance(container, Mapping) and is_key(item)):
        return item in container
    raise TemplateError(f"{kind_of(container)} cannot hold {kind_of(item)}")


def is_key(value: Any) -> bool:
    """Report whether `value` can be the key of a mapping."""
    if isinstance(value, tuple):
        return all(map(is_key, value))
    return value is None or isinstance(value, (str, int, float))


def item(owner: Any, key: Any, budget: Budget) -> Any:
    """Return `owner[key]`; `Undefined` where there is no such part.

    Raises:
        TooMuchError: the key is too large to be looked up.
    """
    budget.whole(key)
    if isinstance(owner, Mapping) and is_key(key) and key in owner:
        return owner[key]
    if isinstance(owner, (str, list, tuple)) and isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    return Undefined(f"{kind_of(owner)} has no such part")


def part(owner: Any, bounds: tuple[Any, Any, Any], budget: Budget) -> Any:
    """Return `owner[start:stop:step]`.

    Raises:
        TemplateError: it has no parts, or a bound is no whole number.
    """
    if not isinstance(owner, (str, list, tuple)) or not all(each is None or isinstance(each, int) for each in bounds):
        raise TemplateError(f"{kind_of(owner)} has no such part")
    if bounds[2] == 0:
        raise TemplateError("a step of zero")
    budget.step(len(owner) if not isinstance(owner, str) else 1)
    return owner[slice(*bounds)]


def method(owner: Any, name: str, budget: Budget) -> Callable[[list[Any], dict[str, Any]], Any] | None:
    """Return the method `name` of a value; None if it is not one of those that a template may call."""
    if not any(isinstance(owner, kind) and name in allowed for kind, allowed in _METHODS):
        return None

    def run(arguments: list[Any], named: dict[str, Any]) -> Any:
        budget.whole(owner)
        if name == "join":
            return _join(owner, arguments, budget)
        if name == "replace" and len(arguments) > 1 and isinstance(arguments[0], str):
            replacement = text_of(arguments[1])
            budget.text(len(owner) + owner.count(arguments[0]) * len(replacement))
        try:
            return plain(getattr(owner, name)(*arguments, **named), budget)
        except (TypeError, ValueError, KeyError):
            raise TemplateError(f"`{name}` cannot be called with these arguments here") from None

    return run


def _join(glue: str, arguments: list[Any], budget: Budget) -> str:
    if len(arguments) != 1:
        raise TemplateError("`join` takes one list")
    return joined(items_of(arguments[0], budget), glue, budget)


def joined(items: list[Any], glue: str, budget: Budget) -> str:
    """Return the texts of `items` with `glue` between them.

    Raises:
        TemplateError: one of them has no text.
        TooMuchError: it is too long.
    """
    texts = [text_of(each) for each in items]
    budget.text(sum(map(len, texts)) + len(glue) * len(texts))
    return glue.join(texts)


def plain(value: Any, budget: Budget) -> Any:
    """Return a value of the kinds that templates know: a list where Python gives a view.

    Raises:
        TooMuchError: it is too long.
    """
    if isinstance(value, (type({}.keys()), type({}.values()), type({}.items()))):
        value = list(value)
    if isinstance(value, list):
        budget.items(len(value))
    return value
