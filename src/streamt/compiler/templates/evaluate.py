"""A template's tree -> text: its statements; `expressions` gives the values in them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from jinja2 import nodes

from streamt.compiler.templates.expressions import Expressions, Scope
from streamt.compiler.templates.values import (
    Function,
    Loop,
    Marker,
    Namespace,
    TemplateError,
    Undefined,
    items_of,
    text_of,
)


class Evaluation(Expressions):
    """One rendering of one template."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__()
        functions = {"range": self._range, "dict": self._dict, "namespace": self._namespace}
        self._names = {name: Function(name, run) for name, run in functions.items()} | dict(names)

    def give(self, functions: Mapping[str, Function]) -> None:
        """Let the template call these functions; no parameter has their names."""
        self._names |= functions

    def render(self, template: nodes.Template) -> str:
        """Return the text of a template.

        Raises:
            TemplateError: it does what a template cannot do.
            TooMuchError, RecursionError: it does too much.
        """
        return self._body(template.body, Scope(Scope(None, self._names)))

    def _body(self, body: list[nodes.Node], scope: Scope) -> str:
        """Return the text that statements make."""
        texts: list[str] = []
        for node in body:
            self._budget.step()
            self.line = node.lineno
            match node:
                case nodes.Output():
                    texts += self._output(node, scope)
                case nodes.If():
                    texts.append(self._if(node, scope))
                case nodes.For():
                    texts.append(self._for(node, scope))
                case nodes.With():
                    texts.append(self._with(node, scope))
                case nodes.FilterBlock():
                    text = self._body(node.body, Scope(scope))
                    texts.append(text_of(self._filtered(node.filter, text, scope)))
                case nodes.CallBlock():
                    texts.append(self._call_block(node, scope))
                case _:
                    self._silent(node, scope)
        text = "".join(texts)
        self._budget.text(len(text))
        return text

    def _silent(self, node: nodes.Node, scope: Scope) -> None:
        """Do a statement that makes no text."""
        match node:
            case nodes.Assign():
                self._assign(node.target, self._value(node.node, scope), scope)
            case nodes.AssignBlock():
                text: Any = self._body(node.body, Scope(scope))
                self._assign(node.target, self._filtered(node.filter, text, scope) if node.filter else text, scope)
            case nodes.Macro():
                scope.names[node.name] = self._macro(node, node.name, scope)
            case _:
                name = type(node).__name__.lower()
                raise TemplateError(f"`{name}` is not allowed here", hint="a template stands for itself")

    def _output(self, node: nodes.Output, scope: Scope) -> Iterator[str]:
        for each in node.nodes:
            if isinstance(each, nodes.TemplateData):
                yield each.data
            else:
                yield self._printed(self._value(each, scope))

    def _printed(self, value: Any) -> str:
        return value.word if isinstance(value, Marker) else text_of(value)

    def _if(self, node: nodes.If, scope: Scope) -> str:
        for each in (node, *node.elif_):
            if self._truth(each.test, scope):
                return self._body(each.body, scope)
        return self._body(node.else_, scope)

    def _for(self, node: nodes.For, scope: Scope) -> str:
        return self._loop(node, items_of(self._value(node.iter, scope), self._budget), scope, 0)

    def _loop(self, node: nodes.For, items: list[Any], scope: Scope, depth: int) -> str:
        if node.test is not None:
            items = [each for each in items if self._passes(node, each, scope)]
        if not items:
            return self._body(node.else_, Scope(scope))

        def again(arguments: list[Any], _named: dict[str, Any]) -> str:
            if len(arguments) != 1:
                raise TemplateError("a recursive `loop` takes one list")
            return self._loop(node, items_of(arguments[0], self._budget), scope, depth + 1)

        loop = Loop(items, depth, again if node.recursive else None)
        texts = []
        for loop.index0, each in enumerate(items):
            inner = Scope(scope, {"loop": loop})
            self._assign(node.target, each, inner)
            texts.append(self._body(node.body, inner))
        return "".join(texts)

    def _passes(self, node: nodes.For, each: Any, scope: Scope) -> bool:
        inner = Scope(scope)
        self._assign(node.target, each, inner)
        return self._truth(cast("nodes.Expr", node.test), inner)

    def _with(self, node: nodes.With, scope: Scope) -> str:
        inner = Scope(scope)
        for target, value in zip(node.targets, node.values, strict=True):
            self._assign(target, self._value(value, scope), inner)
        return self._body(node.body, inner)

    def _assign(self, target: nodes.Node, value: Any, scope: Scope) -> None:
        if isinstance(target, nodes.Name):
            scope.names[target.name] = value
        elif isinstance(target, nodes.NSRef):
            owner = scope.find(target.name)
            if not isinstance(owner, Namespace):
                raise TemplateError(f"`{target.name}` is no namespace", hint="make it with `namespace(...)`")
            owner.values[target.attr] = value
        else:
            targets = cast("nodes.Tuple", target).items
            values = items_of(value, self._budget)
            if len(values) != len(targets):
                raise TemplateError(f"{len(values)} values for {len(targets)} names")
            for each, one in zip(targets, values, strict=True):
                self._assign(each, one, scope)

    def _macro(self, node: nodes.Macro | nodes.CallBlock, name: str, scope: Scope) -> Function:
        """Make the function that a macro, or the body of a `call`, is."""
        names = [argument.name for argument in node.args]
        defaults = dict(zip(names[len(names) - len(node.defaults) :], node.defaults, strict=True))

        def run(arguments: list[Any], named: dict[str, Any]) -> str:
            line = self.line
            self._budget.step(5)
            inner = Scope(scope, dict(zip(names, arguments, strict=False)))
            extra = {key: value for key, value in named.items() if key not in names}
            inner.names |= {key: value for key, value in named.items() if key in names}
            inner.names |= {"varargs": arguments[len(names) :], "kwargs": extra, "caller": extra.pop("caller", None)}
            if inner.names["caller"] is None:
                inner.names["caller"] = Undefined("no `call` around this macro")
            for each in names:
                if each not in inner.names:
                    missing = Undefined(f"argument `{each}` of `{name}` is missing")
                    inner.names[each] = self._value(defaults[each], inner) if each in defaults else missing
            text = self._body(node.body, inner)
            self.line = line
            return text

        return Function(name, run, takes_undefined=True)

    def _call_block(self, node: nodes.CallBlock, scope: Scope) -> str:
        caller = self._macro(node, "caller", scope)
        return self._printed(self._call(node.call, scope, {"caller": caller}))
