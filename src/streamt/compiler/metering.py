"""A Jinja sandbox in which every operation that can cost more than a moment pays first.

Jinja's own sandbox keeps templates away from Python's insides, but lets them run for ever and fill the memory. Here
each repetition, call, filter, comparison and text pays for what it does out of one budget, before it does it, so that
a hostile template ends without threads, signals or a tracer. What repeats (loops, macros) pays through a call that is
put into its body; what is done in one step by C code (`"a" * 10**9`) is measured before. There is no loader: no
template can open a file.
"""

import functools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from jinja2 import StrictUndefined, filters, nodes, pass_context, tests
from jinja2.exceptions import SecurityError, TemplateAssertionError
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from streamt.sql.words import words

# Characters and steps that one rendering may spend, and the processor's seconds if its steps should be dear ones.
BUDGET = 5_000_000
SECONDS = 1.0
LONGEST_TEXT = 1_000_000
LONGEST_LIST = 100_000
LARGEST_INTEGER_BITS = 4096

_FILTERS = words(
    "abs capitalize count d default dictsort first float groupby int items join last length list lower map max min "
    "reject rejectattr replace reverse select selectattr sort string title trim unique upper"
)
_TESTS = words(
    "!= < <= == > >= boolean defined divisibleby eq equalto even false float ge gt in integer iterable le lower lt "
    "mapping ne none number odd sequence string true undefined upper"
)
_METHODS: tuple[tuple[type, frozenset[str]], ...] = (
    (
        str,
        words(
            "capitalize count endswith find index isalnum isalpha isdecimal isdigit islower isnumeric isspace isupper "
            "join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip "
            "split splitlines startswith strip swapcase title upper"
        ),
    ),
    (Mapping, frozenset({"get", "items", "keys", "values"})),
    (list, frozenset({"count", "index"})),
    (tuple, frozenset({"count", "index"})),
    (int, frozenset()),
    (float, frozenset()),
)
_ALLOWED_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If, nodes.Macro, nodes.CallBlock,
    nodes.FilterBlock, nodes.With, nodes.Assign, nodes.AssignBlock, nodes.ExprStmt, nodes.Name, nodes.NSRef,
    nodes.Const, nodes.Tuple, nodes.List, nodes.Dict, nodes.Pair, nodes.Keyword, nodes.CondExpr, nodes.Filter,
    nodes.Test, nodes.Call, nodes.Getitem, nodes.Getattr, nodes.Slice, nodes.Concat, nodes.Compare, nodes.Operand,
    nodes.BinExpr, nodes.UnaryExpr,
)  # fmt: skip
# What Jinja's own compiled code adds to a call, and takes out again before the function sees it.
_OF_JINJA = ("_loop_vars", "_block_vars")
_CONTAINERS: tuple[type, ...] = (list, tuple, set, frozenset, type({}.keys()), type({}.values()), type({}.items()))


class TooMuchError(Exception):
    """A template wants to do more than its budget allows."""


class Printed:
    """A value that a template may print whole, but neither change nor take apart."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word

    def __str__(self) -> str:
        return self.word


class MeteredEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox with a budget; call `refill` before each rendering."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, finalize=_printable, cache_size=0, optimized=False)
        self.filters = {name: _metered(name, filters.FILTERS[name]) for name in _FILTERS}
        self.tests = {name: _metered(name, tests.TESTS[name]) for name in _TESTS}
        self.globals = {name: self.globals[name] for name in ("range", "dict", "namespace")}
        self.refill()

    def refill(self) -> None:
        """Start a new rendering with the whole budget."""
        self._left = BUDGET
        self._deadline = time.process_time() + SECONDS

    def spend(self, cost: int = 1) -> str:
        """Pay `cost` characters or steps.

        Raises:
            TooMuchError: the budget or the time is used up.
        """
        self._left -= cost
        if self._left < 0 or time.process_time() > self._deadline:
            raise TooMuchError
        return ""

    def weighed(self, value: Any) -> Any:
        """Pay for every text and element of `value`, however nested, and give it back.

        Raises:
            TooMuchError: the budget is used up.
        """
        if isinstance(value, str):
            self.spend(1 + len(value))
        elif isinstance(value, (*_CONTAINERS, Mapping)):
            self._weigh_container(value)
        return value

    def _weigh_container(self, value: Any) -> None:
        left: list[Any] = [value]
        while left:
            each = left.pop()
            self.spend(1 + len(each) if isinstance(each, str) else 1)
            if isinstance(each, Mapping):
                left.extend(each.keys())
                left.extend(each.values())
            elif isinstance(each, _CONTAINERS):
                left.extend(cast("Iterable[Any]", each))

    def tilde(self, *parts: Any) -> str:
        """Join the parts of a `~`."""
        texts = [_text(part) for part in parts]
        self.spend(_bounded_text(sum(map(len, texts))))
        return "".join(texts)

    def compiled(self, source: str) -> Any:
        """Compile `source` to a template that pays for what it does.

        Raises:
            jinja2.TemplateError: the source is not a template, or uses what is not allowed.
        """
        self.refill()
        tree = _Meters(self).visit(self.parse(source))
        tree.set_environment(self)
        return self.from_string(tree)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - Jinja's
        """Call `__obj` for a template, after paying for its arguments."""
        owner = getattr(__obj, "__self__", None)
        if owner is __self:
            return __obj(*args)
        __self.spend()
        for value in (owner, *args, *(value for name, value in kwargs.items() if name not in _OF_JINJA)):
            __self.weighed(value)
        if isinstance(owner, str):
            args = tuple(_as_list(arg) for arg in args)
            __self.weigh_result(__obj.__name__, owner, *args)
        return super().call(__context, __obj, *args, **kwargs)

    def weigh_result(self, name: str, text: Any, *args: Any) -> None:
        """Pay for the text that `join` and `replace`, alone among methods and filters, can make out of little."""
        if name == "replace" and len(args) > 1:
            text, old, new = _text(text), _text(args[0]), _text(args[1])
            self.spend(_bounded_text(len(text) + text.count(old) * len(new)))
        elif name == "join":
            glue, items = (text, args[0]) if args and not isinstance(args[0], str) else (args[0] if args else "", text)
            count = len(items) if hasattr(items, "__len__") else 0
            self.spend(_bounded_text(len(_text(glue)) * count))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Do `left operator right` if its result is of a bearable size."""
        if operator == "%" and isinstance(left, str):
            raise SecurityError("`%` does not format text here; write `~`")
        if operator == "+":
            _bound_sum(left, right)
        elif operator == "*":
            _bound_product(left, right)
        elif operator == "**":
            _bound_power(left, right)
        return self.weighed(super().call_binop(context, operator, left, right))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Allow the methods that cannot make much out of little, and no attribute of a number."""
        for kind, allowed in _METHODS:
            if isinstance(obj, kind):
                return attr in allowed
        return not isinstance(obj, Printed) and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:
        """Treat `format` as any method, so that it is refused: its widths make much out of little."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Get `obj.attribute`: a mapping's own key goes before its methods."""
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Get `obj[argument]`."""
        return super().getitem(obj, self.weighed(argument))


class _Meters(NodeTransformer):
    """Puts payments into a template's tree, and refuses what templates of SQL have no use for."""

    def __init__(self, environment: MeteredEnvironment) -> None:
        self._environment = environment

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(node, _ALLOWED_NODES):
            what = type(node).__name__.lower()
            raise TemplateAssertionError(f"`{what}` is not allowed here: a template stands for itself", node.lineno)
        return super().visit(node, *args, **kwargs)

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja's way to name a visitor
        return self._paying(node)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:  # noqa: N802 - Jinja's visitor finds it by this name
        return self._paying(node)

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:  # noqa: N802 - Jinja's visitor finds it by this name
        return self._paying(node)

    def _paying(self, node: Any) -> nodes.Node:
        cost = 1 + sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_payment("spend", nodes.Const(cost)), lineno=node.lineno))
        return node  # type: ignore[no-any-return]  # one of the three kinds above

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja's visitor finds it by this name
        self.generic_visit(node)
        return _payment("tilde", *node.nodes)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - Jinja's visitor finds it by this name
        self.generic_visit(node)
        node.expr = _payment("weighed", node.expr)
        for operand in node.ops:
            operand.expr = _payment("weighed", operand.expr)
        return node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:  # noqa: N802 - Jinja's visitor finds it by this name
        self.generic_visit(node)
        node.key = _payment("weighed", node.key)
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - Jinja's visitor finds it by this name
        """Tell `source` and `ref` the line that they stand on."""
        self.generic_visit(node)
        if isinstance(node.node, nodes.Name) and node.node.name in ("source", "ref") and not node.kwargs:
            node.kwargs.append(nodes.Keyword("_line", nodes.Const(node.lineno)))
        return node


def _payment(name: str, *values: nodes.Expr) -> nodes.Call:
    line = values[0].lineno
    return nodes.Call(nodes.EnvironmentAttribute(name, lineno=line), list(values), [], None, None, lineno=line)


@pass_context
def _printable(context: Context, value: Any) -> str:
    """Give the text of what `{{ }}` prints."""
    text = _text(value)
    context.environment.spend(1 + len(text))  # type: ignore[attr-defined]  # it is ours
    return text


def _text(value: Any) -> str:
    """Give the text of one value; only what SQL can hold has one.

    Raises:
        SecurityError: the value is a list, a mapping, nothing, or one of the template's own parts.
    """
    if isinstance(value, (str, int, float, Printed, Undefined)):
        return str(value)
    if value is None:
        raise SecurityError("an empty value (none) has no text; give it a `default`")
    if isinstance(value, (*_CONTAINERS, Mapping)):
        raise SecurityError("a list or a mapping has no text; use `join` or a `for`")
    raise SecurityError("only text and numbers can be printed; is a pair of parentheses missing?")


def _metered(name: str, function: Any) -> Callable[..., Any]:
    """Make a filter or a test pay for its arguments, and give a list where it would give a generator."""
    skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

    @functools.wraps(function)
    def metered(environment: MeteredEnvironment, *args: Any, **kwargs: Any) -> Any:
        values = [_as_list(value) for value in args[skipped:]]
        if values and isinstance(values[0], Printed) and name not in ("d", "default", "defined", "undefined", "string"):
            raise SecurityError(f"`{name}` cannot change what `source` and `ref` give; only print it")
        for value in (*values, *kwargs.values()):
            environment.weighed(value)
        environment.weigh_result(name, *values, *kwargs.values())
        return _as_list(function(*args[:skipped], *values, **kwargs))

    return _passing_environment(metered, function)


def _passing_environment(metered: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Take what Jinja passes to `function`, and the environment before it."""
    kind = getattr(getattr(function, "jinja_pass_arg", None), "name", None)

    if kind is None:

        @functools.wraps(function)
        def from_nothing(environment: Any, *args: Any, **kwargs: Any) -> Any:
            return metered(environment, *args, **kwargs)

        from_nothing.jinja_pass_arg = _PASS_ENVIRONMENT  # type: ignore[attr-defined]  # Jinja's mark
        return from_nothing

    @functools.wraps(function)
    def from_passed(passed: Any, *args: Any, **kwargs: Any) -> Any:
        return metered(passed if kind == "environment" else passed.environment, passed, *args, **kwargs)

    return from_passed


_PASS_ENVIRONMENT = filters.FILTERS["first"].jinja_pass_arg


def _as_list(value: Any) -> Any:
    if not isinstance(value, Iterator):
        return value
    items = []
    for item in value:
        items.append(item)
        _bounded_list(len(items))
    return items


def _bounded_text(length: int) -> int:
    if length > LONGEST_TEXT:
        raise TooMuchError
    return length


def _bounded_list(length: int) -> int:
    if length > LONGEST_LIST:
        raise TooMuchError
    return length


def _bound_sum(left: Any, right: Any) -> None:
    if isinstance(left, str) and isinstance(right, str):
        _bounded_text(len(left) + len(right))
    elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        _bounded_list(len(left) + len(right))


def _bound_product(left: Any, right: Any) -> None:
    for many, times in ((left, right), (right, left)):
        if isinstance(times, int) and isinstance(many, str):
            _bounded_text(len(many) * times)
        elif isinstance(times, int) and isinstance(many, (list, tuple)):
            _bounded_list(len(many) * times)
    if isinstance(left, int) and isinstance(right, int):
        _bound_integer(left.bit_length() + right.bit_length())


def _bound_power(left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int) and right > 0:
        _bound_integer(math.ceil(right * left.bit_length()))


def _bound_integer(bits: int) -> None:
    if bits > LARGEST_INTEGER_BITS:
        raise TooMuchError
