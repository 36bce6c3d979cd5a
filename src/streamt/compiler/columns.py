"""Declared columns: each once, each of a type that Flink has, and everything that names one names one of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from streamt.compiler.model import compile_error
from streamt.diagnostics import Diagnostic, ProjectPath, did_you_mean, quote
from streamt.project.language import Column, Document, EventTime, Model, Source, Test
from streamt.sql import InvalidTypeError, parse_type

_Path = tuple[str | int, ...]


def check_columns(document: Document) -> Iterator[Diagnostic]:
    """Check the columns of all sources, models and tests."""
    invalid = cache(_invalid)
    for index, source in enumerate(document.sources):
        path, who = ProjectPath(("sources", index)), f"source {quote(source.name)}"
        yield from _declared(source.columns, path / "columns", who, invalid)
        yield from _source_names(source, path, who)
    for index, model in enumerate(document.models):
        yield from _check_model(model, ProjectPath(("models", index)), invalid)
    names = _names_by_declaration(document) if document.tests else {}
    for index, test in enumerate(document.tests):
        yield from _check_test(test, ProjectPath(("tests", index)), names)


def _invalid(text: str) -> InvalidTypeError | None:
    try:
        parse_type(text)
    except InvalidTypeError as error:
        return error
    return None


def _declared(
    columns: Iterable[Column], path: ProjectPath, who: str, invalid: Callable[[str], InvalidTypeError | None]
) -> Iterator[Diagnostic]:
    """Check that each column is declared once, and has a type that is one."""
    columns = tuple(columns)
    types = {each.type for each in columns if each.type is not None}
    if len({each.name for each in columns}) == len(columns) and not any(map(invalid, types)):
        return  # as nearly always, and most projects have more columns than anything else
    seen: set[str] = set()
    for index, column in enumerate(columns):
        if column.name in seen:
            message = f"{who}: duplicate column {quote(column.name)}"
            yield compile_error(message, path / index / "name", "remove one of them")
        seen.add(column.name)
        error = invalid(column.type) if column.type is not None else None
        if error is not None:
            message = f"{who}: column {quote(column.name)}: {_without_value(error, column.type or '')}"
            yield compile_error(message, path / index / "type", error.hint or _TYPES)


_TYPES = "https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/types/ lists the types"


def _without_value(error: InvalidTypeError, text: str) -> str:
    """Return the error with the type as a message may show it."""
    return str(error).replace(f"`{error.text}`", quote(text), 1)


# What names columns


def _check_names(
    named: Iterable[tuple[str, ProjectPath]], known: Mapping[str, None], who: str, what: str
) -> Iterator[Diagnostic]:
    """Check that each of the names is a declared column, or a field in one; nothing is said where none is declared."""
    for name, place in named if known else ():
        if name not in known and name.split(".", 1)[0] not in known:
            hint = did_you_mean(name, known) or "declare it in `columns`"
            yield compile_error(f"{who}: {what} names the unknown column {quote(name)}", place, hint)


def _listed(value: str | Iterable[str] | None, place: ProjectPath) -> Iterator[tuple[str, ProjectPath]]:
    """Yield a name, or the names of a list, each with its place."""
    if isinstance(value, str):
        yield value, place
    else:
        yield from ((name, place / index) for index, name in enumerate(value or ()))


def _event_time(event_time: EventTime | None, place: ProjectPath) -> Iterator[tuple[str, ProjectPath]]:
    if event_time is not None and event_time.column is not None:
        yield event_time.column, place / "column"


def _source_names(source: Source, path: ProjectPath, who: str) -> Iterator[Diagnostic]:
    known = dict.fromkeys(column.name for column in source.columns)
    advanced = source.advanced.event_time if source.advanced else None
    named = [*_event_time(source.event_time, path / "event_time")]
    named += _event_time(advanced, path / "advanced" / "event_time")
    yield from _check_names(named, known, who, "`event_time`")


def _check_model(
    model: Model, path: ProjectPath, invalid: Callable[[str], InvalidTypeError | None]
) -> Iterator[Diagnostic]:
    who = f"model {quote(model.name)}"
    yield from _declared(model.columns, path / "columns", who, invalid)
    own = dict.fromkeys(column.name for column in model.columns)
    if model.contract is not None:
        place = path / "contract" / "columns"
        yield from _declared(model.contract.columns, place, who, invalid)
        promised = ((each.name, place / at / "name") for at, each in enumerate(model.contract.columns))
        yield from _check_names(promised, own, who, "`contract`")
    for name, output in model.ml_outputs.items():
        yield from _declared(output.columns, path / "ml_outputs" / name / "columns", who, invalid)
    if not (model.key or model.event_time or model.security):
        return
    known = own or dict.fromkeys(column.name for column in model.selected_columns[0])
    yield from _check_names(_listed(model.key, path / "key"), known, who, "`key`")
    advanced = path / "advanced" / "event_time"
    yield from _check_names(_event_time(model.event_time, advanced), known, who, "`event_time`")
    yield from _security_names(model, path / "security", known, who)


def _security_names(model: Model, path: ProjectPath, known: Mapping[str, None], who: str) -> Iterator[Diagnostic]:
    if model.security is None:
        return
    masks = (
        (policy.mask.column, path / "policies" / at / "mask" / "column")
        for at, policy in enumerate(model.security.policies)
    )
    yield from _check_names(masks, known, who, "a mask")
    levels = ((name, (path / "classification" / name).key()) for name in model.security.classification)
    yield from _check_names(levels, known, who, "`classification`")


# Tests


def _names_by_declaration(document: Document) -> dict[tuple[str, str], dict[str, None]]:
    """Return the declared columns of each source and model; of a model with a contract, all that either of both has."""
    names = {("source", each.name): dict.fromkeys(column.name for column in each.columns) for each in document.sources}
    for model in document.models:
        columns = (*model.columns, *model.selected_columns[0])
        names["model", model.name] = dict.fromkeys(column.name for column in columns)
    return names


def _check_test(
    test: Test, path: ProjectPath, names: Mapping[tuple[str, str], dict[str, None]]
) -> Iterator[Diagnostic]:
    who = f"test {quote(test.name)}"
    if not test.assertions and test.type == "sample":
        yield compile_error(f"{who}: no assertion", path, "add `assertions`, such as `- not_null: {columns: [id]}`")
    target = ("model", test.model) if test.model is not None else ("source", test.source or "")
    known = names.get(target, {})
    for index, assertion in enumerate(test.assertions):
        body, place = assertion.body, path / "assertions" / index / assertion.kind
        named = [
            *_listed(getattr(body, "columns", None), place / "columns"),
            *_listed(getattr(body, "column", None), place / "column"),
            *_listed(getattr(body, "key", None), place / "key"),
            *((name, (place / "types" / name).key()) for name in getattr(body, "types", ())),
        ]
        yield from _check_names(named, known, who, f"`{assertion.kind}`")
        if assertion.kind == "foreign_key":
            other = names.get(("model", body.ref_model)) or names.get(("source", body.ref_model)) or {}
            yield from _check_names([(body.ref_key, place / "ref_key")], other, who, "`ref_key`")
