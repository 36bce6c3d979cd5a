"""The filters and tests of templates, as Jinja documents them; each pays before it works.

https://jinja.palletsprojects.com/en/stable/templates/#builtin-filters
"""

from collections.abc import Callable, Mapping
from functools import cmp_to_key
from typing import Any, NamedTuple

from streamt.compiler.templates.budget import Budget
from streamt.compiler.templates.operations import arithmetic, compare, is_key, item, joined
from streamt.compiler.templates.values import Marker, TemplateError, Undefined, items_of, kind_of, text_of

Named = dict[str, Any]
Filter = Callable[..., Any]


class Group(NamedTuple):
    """One group of `groupby`."""

    grouper: Any
    list: list[Any]


def _text(budget: Budget, value: Any) -> str:
    text = text_of(value)
    budget.text(len(text))
    return text


def _of_text(change: Callable[[str], str]) -> Filter:
    return lambda budget, value: change(_text(budget, value))


def _abs(_budget: Budget, value: Any) -> Any:
    if not isinstance(value, (int, float)):
        raise TemplateError(f"{kind_of(value)} is not a number")
    return abs(value)


def _count(budget: Budget, value: Any) -> int:
    return len(value) if isinstance(value, str) else len(items_of(value, budget))


def default(_budget: Budget, value: Any, default_value: Any = "", boolean: Any = False) -> Any:  # noqa: FBT002 - Jinja's
    """Return `value`, or `default_value` where it is undefined (or empty, if `boolean`)."""
    return default_value if isinstance(value, Undefined) or (boolean and not value) else value


def _dictsort(budget: Budget, value: Any, case_sensitive: Any = False, by: Any = "key", reverse: Any = False) -> Any:  # noqa: FBT002 - Jinja's
    if not isinstance(value, Mapping) or by not in ("key", "value"):
        raise TemplateError("`dictsort` takes a mapping, and `by` is `key` or `value`")
    at = 0 if by == "key" else 1
    return _sorted(budget, list(value.items()), lambda pair: pair[at], case_sensitive, reverse)


def _end(index: int) -> Filter:
    def end(budget: Budget, value: Any) -> Any:
        items = items_of(value, budget)
        return items[index] if items else Undefined("the list is empty")

    return end


def _float(budget: Budget, value: Any, default: Any = 0.0) -> Any:
    budget.whole(value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return default


def _int(budget: Budget, value: Any, default: Any = 0, base: Any = 10) -> Any:
    budget.whole(value)
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return default


def _groupby(budget: Budget, value: Any, attribute: Any, default: Any = None, case_sensitive: Any = False) -> Any:  # noqa: FBT002 - Jinja's
    key = _getter(budget, attribute, default)
    groups: list[Group] = []
    for each in _sorted(budget, items_of(value, budget), key, case_sensitive, reverse=False):
        found = key(each)
        if not groups or _folded(groups[-1].grouper, case_sensitive) != budget.whole(_folded(found, case_sensitive)):
            groups.append(Group(found, []))
        groups[-1].list.append(each)
    return groups


def _items(budget: Budget, value: Any) -> Any:
    if isinstance(value, Undefined):
        return []
    if not isinstance(value, Mapping):
        raise TemplateError("`items` takes a mapping")
    budget.items(len(value))
    return list(value.items())


def _join(budget: Budget, value: Any, d: Any = "", attribute: Any = None) -> str:
    items = items_of(value, budget)
    if attribute is not None:
        items = [_getter(budget, attribute)(each) for each in items]
    return joined(items, text_of(d), budget)


def _best(direction: str) -> Filter:
    def best(budget: Budget, value: Any, case_sensitive: Any = False, attribute: Any = None) -> Any:  # noqa: FBT002 - Jinja's
        items, key = items_of(value, budget), _getter(budget, attribute)
        found = items[0] if items else Undefined("the list is empty")
        for each in items[1:]:
            if compare(direction, _folded(key(each), case_sensitive), _folded(key(found), case_sensitive), budget):
                found = each
        return found

    return best


def _replace(budget: Budget, value: Any, old: Any, new: Any, count: Any = None) -> str:
    text, old, new = _text(budget, value), text_of(old), text_of(new)
    budget.text(len(text) + text.count(old) * len(new))
    return text.replace(old, new, -1 if count is None else count)


def _reverse(budget: Budget, value: Any) -> Any:
    return _text(budget, value)[::-1] if isinstance(value, str) else items_of(value, budget)[::-1]


def _sort(budget: Budget, value: Any, reverse: Any = False, case_sensitive: Any = False, attribute: Any = None) -> Any:  # noqa: FBT002 - Jinja's
    return _sorted(budget, items_of(value, budget), _getter(budget, attribute), case_sensitive, reverse)


def _sorted(
    budget: Budget, items: list[Any], key: Callable[[Any], Any], case_sensitive: object, reverse: object
) -> list[Any]:
    def order(left: Any, right: Any) -> int:
        one, other = _folded(key(left), case_sensitive), _folded(key(right), case_sensitive)
        return compare("gt", one, other, budget) - compare("lt", one, other, budget)

    return sorted(items, key=cmp_to_key(order), reverse=bool(reverse))


def _trim(budget: Budget, value: Any, chars: Any = None) -> str:
    return _text(budget, value).strip(None if chars is None else text_of(chars))


def _unique(budget: Budget, value: Any, case_sensitive: Any = False, attribute: Any = None) -> list[Any]:  # noqa: FBT002 - Jinja's
    key, seen, found = _getter(budget, attribute), set(), []
    for each in items_of(value, budget):
        known = budget.whole(_folded(key(each), case_sensitive))
        if not is_key(known):
            raise TemplateError("`unique` takes texts and numbers")
        if known not in seen:
            seen.add(known)
            found.append(each)
    return found


def _folded(value: Any, case_sensitive: object) -> Any:
    return value.lower() if isinstance(value, str) and not case_sensitive else value


def _getter(budget: Budget, attribute: Any, default: Any = None) -> Callable[[Any], Any]:
    """Return a function that gets the part `a.b` or `0.a` of a value; the value itself without an attribute."""
    if attribute is None:
        return lambda value: value
    if not isinstance(attribute, (str, int)):
        raise TemplateError("an attribute is a text or a number")
    parts = [int(each) if each.isdigit() else each for each in str(attribute).split(".")]

    def get(value: Any) -> Any:
        for each in parts:
            if isinstance(value, Group) and isinstance(each, str):
                value = getattr(value, each) if each in Group._fields else Undefined("a group has no such part")
            else:
                value = item(value, each, budget)
        if isinstance(value, Undefined) and default is not None:
            return default
        if isinstance(value, Undefined):
            raise TemplateError(value.message, hint=value.hint)
        return value

    return get


def _map(budget: Budget, value: Any, *arguments: Any, **named: Any) -> list[Any]:
    items = items_of(value, budget)
    if not arguments and "attribute" in named:
        get = _getter(budget, named["attribute"], named.get("default"))
        return [get(each) for each in items]
    run = _named(FILTERS, arguments, "filter")
    return [run(budget, each, *arguments[1:], **named) for each in items]


def _chosen(*, wanted: bool, by_attribute: bool) -> Filter:
    """Make `select`, `reject`, `selectattr` or `rejectattr`."""

    def choose(budget: Budget, value: Any, *arguments: Any, **named: Any) -> list[Any]:
        get = _getter(budget, arguments[0] if arguments else "") if by_attribute else _getter(budget, None)
        rest = arguments[1:] if by_attribute else arguments
        test = _named(TESTS, rest, "test") if rest else (lambda _budget, each: bool(each))
        return [each for each in items_of(value, budget) if bool(test(budget, get(each), *rest[1:], **named)) == wanted]

    return choose


def _named(table: Mapping[str, Filter], arguments: tuple[Any, ...], what: str) -> Filter:
    name = arguments[0] if arguments else None
    if not isinstance(name, str) or name not in table:
        raise TemplateError(f"a {what} that is not known")
    return table[name]


FILTERS: dict[str, Filter] = {
    "abs": _abs,
    "capitalize": _of_text(str.capitalize),
    "count": _count,
    "d": default,
    "default": default,
    "dictsort": _dictsort,
    "first": _end(0),
    "float": _float,
    "groupby": _groupby,
    "int": _int,
    "items": _items,
    "join": _join,
    "last": _end(-1),
    "length": _count,
    "list": lambda budget, value: items_of(value, budget),
    "lower": _of_text(str.lower),
    "map": _map,
    "max": _best("gt"),
    "min": _best("lt"),
    "reject": _chosen(wanted=False, by_attribute=False),
    "rejectattr": _chosen(wanted=False, by_attribute=True),
    "replace": _replace,
    "reverse": _reverse,
    "select": _chosen(wanted=True, by_attribute=False),
    "selectattr": _chosen(wanted=True, by_attribute=True),
    "sort": _sort,
    "string": lambda budget, value: value if isinstance(value, Marker) else _text(budget, value),
    "title": _of_text(str.title),
    "trim": _trim,
    "unique": _unique,
    "upper": _of_text(str.upper),
}


# Tests


def _compared(name: str) -> Filter:
    return lambda budget, value, other: compare(name, value, other, budget)


def _remainder(value: Any, divisor: Any, budget: Budget) -> Any:
    return arithmetic("Mod", value, divisor, budget)


_ORDERS = {
    "eq": ("eq", "equalto", "=="), "ne": ("ne", "!="), "lt": ("lt", "<"), "lteq": ("le", "<="), "gt": ("gt", ">"),
    "gteq": ("ge", ">="),
}  # fmt: skip
TESTS: dict[str, Filter] = {
    "boolean": lambda _budget, value: isinstance(value, bool),
    "defined": lambda _budget, value: not isinstance(value, Undefined),
    "divisibleby": lambda budget, value, number: _remainder(value, number, budget) == 0,
    "even": lambda budget, value: _remainder(value, 2, budget) == 0,
    "false": lambda _budget, value: value is False,
    "float": lambda _budget, value: isinstance(value, float),
    "in": _compared("in"),
    "integer": lambda _budget, value: isinstance(value, int) and not isinstance(value, bool),
    "iterable": lambda _budget, value: isinstance(value, (str, list, tuple, Mapping)),
    "lower": lambda budget, value: _text(budget, value).islower(),
    "mapping": lambda _budget, value: isinstance(value, Mapping),
    "none": lambda _budget, value: value is None,
    "number": lambda _budget, value: isinstance(value, (int, float)),
    "odd": lambda budget, value: _remainder(value, 2, budget) == 1,
    "sequence": lambda _budget, value: isinstance(value, (str, list, tuple, Mapping)),
    "string": lambda _budget, value: isinstance(value, str),
    "true": lambda _budget, value: value is True,
    "undefined": lambda _budget, value: isinstance(value, Undefined),
    "upper": lambda budget, value: _text(budget, value).isupper(),
    **{name: _compared(order) for order, names in _ORDERS.items() for name in names},
}

# What may be asked of a value that is not there, and of a table's name.
OF_UNDEFINED = frozenset({"d", "default", "defined", "undefined", "items"})
OF_MARKERS = frozenset({"d", "default", "defined", "undefined", "string"})


def checked(name: str, value: Any) -> Any:
    """Return `value`, to which a filter or test is about to be applied.

    Raises:
        TemplateError: the filter or test is not for such a value.
    """
    if isinstance(value, Undefined) and name not in OF_UNDEFINED:
        raise TemplateError(value.message, hint=value.hint)
    if isinstance(value, Marker) and name not in OF_MARKERS:
        raise TemplateError("`source` and `ref` give a table's name, which cannot be changed", hint="only print it")
    return value
