"""The values of a template's expressions, by walking through its tree: only what is written here can be done.

Jinja's parser makes the tree; none of Jinja's compiler, run time or sandbox is used, so nothing of Python can be
reached that is not given here on purpose. Every node pays for itself.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, cast

from jinja2 import nodes

from streamt.compiler.templates import builtins
from streamt.compiler.templates.budget import Budget, TooMuchError
from streamt.compiler.templates.operations import arithmetic, compare, is_key, item, method, part, used
from streamt.compiler.templates.values import (
    Function,
    Loop,
    Namespace,
    TemplateError,
    Undefined,
    kind_of,
    text_of,
)
from streamt.diagnostics import did_you_mean, quote

_FOREIGN = {
    "var": "a macro has `params`, and YAML has `${NAME}`",
    "env_var": "write `${NAME}` in a macro's `params`",
    "this": "a query does not name its own output; streamt writes the INSERT",
    "config": "a model's settings are keys of the model in YAML",
}


class Scope:
    """Names and their values, inside of other scopes."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: "Scope | None", names: dict[str, Any] | None = None) -> None:
        self.outer = outer
        self.names = {} if names is None else names

    def find(self, name: str) -> Any:
        """Return the value of `name`; `Undefined` where no scope has it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        known = (each for scope in self._outwards() for each in scope.names)
        hint = _FOREIGN.get(name) or did_you_mean(name, known) or _DEFINED
        return Undefined(f"undefined name {quote(name)}", hint)

    def _outwards(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


_DEFINED = "a template knows `source` and `ref`, and that of a macro also `params` and each of them by name"


class Expressions:
    """Gives the values of expressions.

    Attributes:
        line: the line of what is being evaluated.
    """

    def __init__(self) -> None:
        self.line = 1
        self._budget = Budget()

    def _value(self, node: nodes.Node, scope: Scope) -> Any:
        """Return what an expression gives; it may be undefined."""
        self._budget.step()
        evaluate = self._OF_NODES.get(type(node))
        if evaluate is None:
            raise TemplateError(f"`{type(node).__name__.lower()}` is not allowed here")
        self.line = node.lineno
        return evaluate(self, node, scope)

    def _used(self, node: nodes.Node, scope: Scope) -> Any:
        return used(self._value(node, scope))

    def _truth(self, node: nodes.Node, scope: Scope) -> bool:
        return bool(self._used(node, scope))

    def _list(self, node: nodes.List | nodes.Tuple, scope: Scope) -> Any:
        values = [self._value(each, scope) for each in node.items]
        return values if isinstance(node, nodes.List) else tuple(values)

    def _dict_literal(self, node: nodes.Dict, scope: Scope) -> dict[Any, Any]:
        pairs = ((self._used(each.key, scope), self._value(each.value, scope)) for each in node.items)
        return {self._key(key): value for key, value in pairs}

    def _key(self, value: Any) -> Any:
        if not is_key(self._budget.whole(value)):
            raise TemplateError(f"{kind_of(value)} cannot be a key")
        return value

    def _condition(self, node: nodes.CondExpr, scope: Scope) -> Any:
        if self._truth(node.test, scope):
            return self._value(node.expr1, scope)
        return self._value(node.expr2, scope) if node.expr2 else ""

    def _logic(self, node: nodes.And | nodes.Or, scope: Scope) -> Any:
        left = self._used(node.left, scope)
        return left if bool(left) == isinstance(node, nodes.Or) else self._used(node.right, scope)

    def _arithmetic(self, node: nodes.BinExpr, scope: Scope) -> Any:
        left, right = self._used(node.left, scope), self._used(node.right, scope)
        return arithmetic(type(node).__name__, left, right, self._budget)

    def _sign(self, node: nodes.UnaryExpr, scope: Scope) -> Any:
        value = self._used(node.node, scope)
        if not isinstance(value, (int, float)):
            raise TemplateError(f"{kind_of(value)} has no sign")
        return -value if isinstance(node, nodes.Neg) else +value

    def _compare(self, node: nodes.Compare, scope: Scope) -> bool:
        left = self._used(node.expr, scope)
        for operand in node.ops:
            right = self._used(operand.expr, scope)
            if not compare(operand.op, left, right, self._budget):
                return False
            left = right
        return True

    def _concat(self, node: nodes.Concat, scope: Scope) -> str:
        texts = [text_of(self._used(each, scope)) for each in node.nodes]
        self._budget.text(sum(map(len, texts)))
        return "".join(texts)

    def _filter(self, node: nodes.Filter, scope: Scope) -> Any:
        return self._applied(builtins.FILTERS, "filter", node, self._value(cast("nodes.Node", node.node), scope), scope)

    def _filtered(self, node: nodes.Filter, text: str, scope: Scope) -> Any:
        """Apply the filters of a `filter` or `set` block, the innermost first."""
        inner = cast("nodes.Filter | None", node.node)
        value = text if inner is None else self._filtered(inner, text, scope)
        return self._applied(builtins.FILTERS, "filter", node, value, scope)

    def _test(self, node: nodes.Test, scope: Scope) -> bool:
        return bool(self._applied(builtins.TESTS, "test", node, self._value(node.node, scope), scope))

    def _applied(
        self, table: Mapping[str, builtins.Filter], what: str, node: nodes.Filter | nodes.Test, value: Any, scope: Scope
    ) -> Any:
        self.line = node.lineno
        run = table.get(node.name)
        if run is None:
            hint = did_you_mean(node.name, table) or f"the {what}s are {', '.join(sorted(table))}"
            raise TemplateError(f"unknown {what} {quote(node.name)}", hint=hint)
        builtins.checked(node.name, value)
        arguments, named = self._arguments(node, scope)
        try:
            return run(self._budget, value, *map(used, arguments), **{key: used(each) for key, each in named.items()})
        except (TypeError, ValueError):
            raise TemplateError(f"{quote(node.name)} cannot be used with these values") from None

    def _arguments(self, node: Any, scope: Scope) -> tuple[list[Any], dict[str, Any]]:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            raise TemplateError("`*` and `**` are not allowed in a call", hint="write the arguments one by one")
        arguments = [self._value(each, scope) for each in node.args]
        return arguments, {each.key: self._value(each.value, scope) for each in node.kwargs}

    def _call(self, node: nodes.Call, scope: Scope, extra: Mapping[str, Any] | None = None) -> Any:
        function = self._used(node.node, scope)
        if isinstance(function, Loop) and function.again is not None:
            function = Function("loop", function.again)
        if not isinstance(function, Function):
            raise TemplateError(f"{kind_of(function)} cannot be called")
        arguments, named = self._arguments(node, scope)
        self.line = node.lineno
        for value in (*arguments, *named.values()):
            self._budget.whole(value if function.takes_undefined else used(value))
        return function.run(arguments, named | dict(extra or {}))

    def _attribute(self, node: nodes.Getattr, scope: Scope) -> Any:
        return self._part(self._used(node.node, scope), node.attr)

    def _item(self, node: nodes.Getitem, scope: Scope) -> Any:
        owner = self._used(node.node, scope)
        if isinstance(node.arg, nodes.Slice):
            bounds = (node.arg.start, node.arg.stop, node.arg.step)
            start, stop, step = (None if each is None else self._used(each, scope) for each in bounds)
            return part(owner, (start, stop, step), self._budget)
        key = self._used(node.arg, scope)
        return self._part(owner, key) if isinstance(key, str) else item(owner, key, self._budget)

    def _part(self, owner: Any, name: str) -> Any:
        """Return a mapping's own value before its methods, and the parts of what templates make."""
        if isinstance(owner, Loop):
            return owner.part(name)
        if isinstance(owner, Namespace):
            return owner.values.get(name, Undefined(f"the namespace has no {quote(name)}"))
        if isinstance(owner, builtins.Group) and name in owner._fields:
            return getattr(owner, name)
        found = item(owner, name, self._budget)
        run = method(owner, name, self._budget) if isinstance(found, Undefined) else None
        return Function(name, run) if run else found

    # What every template can call

    def _range(self, arguments: list[Any], named: dict[str, Any]) -> list[int]:
        if named or not 1 <= len(arguments) <= 3 or not all(isinstance(each, int) for each in arguments):
            raise TemplateError("`range` takes one to three whole numbers")
        if len(arguments) == 3 and arguments[2] == 0:
            raise TemplateError("a step of zero")
        try:
            self._budget.items(len(range(*arguments)))
        except OverflowError:
            raise TooMuchError from None
        return list(range(*arguments))

    def _dict(self, arguments: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        return {**(arguments[0] if arguments and isinstance(arguments[0], Mapping) else {}), **named}

    def _namespace(self, arguments: list[Any], named: dict[str, Any]) -> Namespace:
        return Namespace(self._dict(arguments, named))

    _OF_NODES: ClassVar[dict[type[nodes.Node], Callable[[Any, Any, Scope], Any]]] = {
        nodes.Name: lambda _self, node, scope: scope.find(node.name),
        nodes.Const: lambda _self, node, _scope: node.value,
        nodes.TemplateData: lambda _self, node, _scope: node.data,
        nodes.List: _list,
        nodes.Tuple: _list,
        nodes.Dict: _dict_literal,
        nodes.CondExpr: _condition,
        nodes.And: _logic,
        nodes.Or: _logic,
        nodes.Not: lambda self, node, scope: not self._truth(node.node, scope),
        nodes.Neg: _sign,
        nodes.Pos: _sign,
        nodes.Compare: _compare,
        nodes.Concat: _concat,
        nodes.Filter: _filter,
        nodes.Test: _test,
        nodes.Call: _call,
        nodes.Getattr: _attribute,
        nodes.Getitem: _item,
        **dict.fromkeys(
            (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow), _arithmetic
        ),
    }
