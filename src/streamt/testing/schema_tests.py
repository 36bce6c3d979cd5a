"""Schema tests: what the project declares must be able to keep what its assertions say. No record is read."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from streamt.compiler.artifacts import Node
from streamt.diagnostics import quote
from streamt.project.language import Assertion, Column, Document
from streamt.sql import FlinkType, known_type
from streamt.testing.results import AssertionResult, Status, Verdict
from streamt.testing.selection import Selected
from streamt.testing.types import admits, family, known_accepted_type, tells_time
from streamt.testing.values import exact_number


class Declared:
    """The columns that a source or model declares."""

    def __init__(self, name: str, columns: tuple[Column, ...]) -> None:
        self.name = name
        self.columns = columns
        self._by_name = {column.name: column for column in columns}
        self._types = {column.name: known_type(column.type) for column in columns}

    def column(self, name: str) -> Column | None:
        """Find the declared column that `name` is, or is nested in."""
        return self._by_name.get(name) or self._by_name.get(name.split(".", maxsplit=1)[0])

    def type_of(self, name: str) -> FlinkType | None:
        """Give the type of a column, nested ones as `a.b`; None where it has none, or one that is not known."""
        if name in self._types:
            return self._types[name]
        first, *rest = name.split(".")
        found = self._types.get(first)
        for part in rest:
            found = None if found is None else dict(zip(found.fields, found.items, strict=False)).get(part)
        return found

    def lacks(self, name: str) -> str | None:
        """Say what is wrong if `name` is no declared column."""
        column = self.column(name)
        if column is None:
            return f"{quote(self.name)} declares no column {quote(name)}"
        outer = self._types.get(column.name)
        if column.name != name and outer is not None and self.type_of(name) is None:
            return f"column {quote(column.name)} of {quote(self.name)} has no field for {quote(name)}"
        return None


def judge_schema(document: Document, nodes: Mapping[str, Node], selected: Selected) -> tuple[AssertionResult, ...]:
    """Judge a schema test: the declared columns, the contract, then each assertion.

    Args:
        document: the project.
        nodes: its sources and models, by logical name.
        selected: the test.
    """
    node = nodes[selected.target]
    declared = _declared(document, node.name)
    results = [AssertionResult("columns", node.columns_location or node.location, _verdict(_structure(declared)))]
    if (contract := _contract(document, node.name)) is not None:
        results.append(AssertionResult("contract", node.location / "contract", _verdict(contract)))
    for index, assertion in enumerate(selected.test.assertions):
        location = selected.location / "assertions" / index
        results.append(AssertionResult(assertion.kind, location, _judge(document, declared, assertion)))
    return tuple(results)


def _declared(document: Document, name: str) -> Declared:
    for source in document.sources:
        if source.name == name:
            return Declared(name, source.columns)
    model = next(model for model in document.models if model.name == name)
    return Declared(name, model.selected_columns[0])


def _structure(declared: Declared) -> Iterator[str]:
    """Say what is wrong with the declared columns by themselves."""
    if not declared.columns:
        yield f"{quote(declared.name)} declares no columns"
    for column in declared.columns:
        if column.type is not None and known_type(column.type) is None:
            yield f"the type of column {quote(column.name)} is none of Flink SQL"


def _contract(document: Document, name: str) -> Iterator[str] | None:
    """Compare a model's contract with its own columns; None if it does not have both."""
    model = next((model for model in document.models if model.name == name), None)
    if model is None or model.contract is None or not model.columns:
        return None
    own = Declared(name, model.columns)
    return (problem for column in model.contract.columns for problem in _promise(own, column))


def _promise(own: Declared, promised: Column) -> Iterator[str]:
    column = own.column(promised.name)
    if column is None:
        yield f"the contract promises column {quote(promised.name)}, which the model does not declare"
    elif promised.type and column.type and _comparable(promised.type) != _comparable(column.type):
        yield f"the contract promises another type of column {quote(promised.name)} than the model declares"
    elif promised.nullable is False and column.nullable:
        name = quote(promised.name)
        yield f"the contract promises that column {name} has a value, but the model declares it nullable"


def _comparable(text: str) -> FlinkType | str:
    return known_type(text) or text


def _judge(document: Document, declared: Declared, assertion: Assertion) -> Verdict:
    if assertion.kind == "foreign_key":
        return _verdict(_foreign_key(document, declared, assertion.body))
    check = _CHECKS.get(assertion.kind)
    if check is None:
        message = "can only be judged on records: write `type: sample`"
        return Verdict(status=Status.ERROR, message=message)
    return _verdict(check(declared, assertion.body))


def _verdict(problems: Iterator[str]) -> Verdict:
    found = list(problems)
    if found:
        return Verdict(status=Status.FAILED, message="; ".join(found), failing=len(found))
    return Verdict(status=Status.PASSED, message="as declared")


def _not_null(declared: Declared, body: Any) -> Iterator[str]:
    for name in body.columns:
        column = declared.column(name)
        if (lack := declared.lacks(name)) is not None:
            yield lack
        elif column is not None and column.nullable:
            yield f"column {quote(name)} is declared nullable"


def _unique_key(declared: Declared, body: Any) -> Iterator[str]:
    key = (body.key,) if isinstance(body.key, str) else body.key
    yield from _lacking(declared, *key)
    primary = {column.name for column in declared.columns if column.primary_key}
    if primary and not primary <= set(key):
        yield "the key does not hold all columns of the declared primary key"


def _accepted_values(declared: Declared, body: Any) -> Iterator[str]:
    yield from _lacking(declared, body.column)
    flink = declared.type_of(body.column)
    exact = [exact_number(value) if isinstance(value, float) else value for value in body.values]
    if flink is not None and not all(admits(flink, value) for value in exact):
        yield f"not every accepted value is of the type of column {quote(body.column)}"


def _accepted_types(declared: Declared, body: Any) -> Iterator[str]:
    for name, text in body.types.items():
        wanted, found = known_accepted_type(text), declared.type_of(name)
        if (lack := declared.lacks(name)) is not None:
            yield lack
        elif wanted is None:
            yield f"the type for column {quote(name)} is none of Flink SQL"
        elif found is None:
            yield f"column {quote(name)} has no declared type"
        elif wanted != found:
            yield f"column {quote(name)} is declared with another type"


def _numeric(declared: Declared, body: Any) -> Iterator[str]:
    yield from _lacking(declared, body.column)
    flink = declared.type_of(body.column)
    if flink is not None and not flink.is_numeric:
        yield f"column {quote(body.column)} is declared with a type that is no number"


def _max_lag(declared: Declared, body: Any) -> Iterator[str]:
    yield from _lacking(declared, body.column)
    flink = declared.type_of(body.column)
    if flink is not None and not tells_time(flink):
        yield f"column {quote(body.column)} is declared with a type that tells no time"


def _foreign_key(document: Document, declared: Declared, body: Any) -> Iterator[str]:
    other = _declared(document, body.ref_model)
    yield from _lacking(declared, body.column)
    yield from _lacking(other, body.ref_key)
    own, foreign = declared.type_of(body.column), other.type_of(body.ref_key)
    if own is not None and foreign is not None and family(own) != family(foreign):
        yield f"columns {quote(body.column)} and {quote(body.ref_key)} are declared with types that cannot be equal"


def _lacking(declared: Declared, *names: str) -> Iterator[str]:
    yield from (lack for name in names if (lack := declared.lacks(name)) is not None)


_CHECKS: dict[str, Callable[[Declared, Any], Iterator[str]]] = {
    "not_null": _not_null,
    "unique_key": _unique_key,
    "accepted_values": _accepted_values,
    "accepted_types": _accepted_types,
    "range": _numeric,
    "distribution": _numeric,
    "max_lag": _max_lag,
}
