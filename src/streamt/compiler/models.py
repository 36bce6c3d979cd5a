"""One model by itself: what feeds it, what it becomes, and what is wrong with how that is written."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from streamt.compiler.artifacts import Materialization
from streamt.compiler.templates import Fault, GluedError, Reference, Rendered, Renderer, references_of
from streamt.diagnostics import Code, Diagnostic, ProjectPath
from streamt.project.language import Model
from streamt.sql import ParsedQuery, Query, Shape, SqlError, read_query

if TYPE_CHECKING:
    from streamt.project import Macro

TOPIC, VIRTUAL, FLINK, SINK = (
    Materialization.TOPIC,
    Materialization.VIRTUAL_TOPIC,
    Materialization.FLINK,
    Materialization.SINK,
)


@dataclass(frozen=True, slots=True)
class Read:
    """One input of a model.

    Attributes:
        name: what is read.
        kind: `source`, `ref`, or `any`, for a model's or else a source's name.
        place: where the project says so.
    """

    name: str
    kind: str
    place: ProjectPath


@dataclass(slots=True)
class Compiled:
    """What one model comes to, before the models around it are looked at.

    Attributes:
        model: the declaration.
        location: where it stands.
        materialization: the effective one; None if the SQL is too wrong to tell.
        explicit: whether the project says it in words.
        reads: its inputs, each name and kind once, in order.
        sql_length: characters of the rendered SQL, markers replaced by the names; None without SQL.
        problems: everything that is wrong, and the warnings.
    """

    model: Model
    location: ProjectPath
    materialization: Materialization | None = None
    explicit: bool = False
    reads: tuple[Read, ...] = ()
    sql_length: int | None = None
    problems: list[Diagnostic] = field(default_factory=list)

    def complain(self, message: str, *where: str, hint: str | None = None) -> None:
        """Add an error at `where`, from the model on."""
        self.problems.append(error(message, self.at(*where), hint))

    def at(self, *where: str | int) -> ProjectPath:
        """Return the place of `where`, from the model on."""
        return ProjectPath((*self.location.parts, *where))


def error(message: str, location: ProjectPath, hint: str | None = None) -> Diagnostic:
    """Make a compile error."""
    return Diagnostic(code=Code.COMPILE_ERROR, message=message, location=location, hint=hint)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all models of a project share while they are compiled.

    Attributes:
        macros: the project's macros, by name.
        has_gateway: whether the project has a Gateway that can hold virtual topics.
        renderer: renders the SQL.
        parsed: gives the same parsed query for equal texts. Markers are numbered in each model by itself, so models
            that differ only in what they read have one query here.
    """

    macros: "Mapping[str, Macro]"
    has_gateway: bool
    renderer: Renderer = field(default_factory=Renderer)
    parsed: Callable[[str], ParsedQuery] = field(default_factory=lambda: cache(ParsedQuery))


def compile_model(model: Model, location: ProjectPath, around: Surroundings) -> Compiled:
    """Compile one model by itself; `location` is where it stands."""
    compiled = Compiled(model, location)
    query = _query(compiled, around)
    compiled.reads = tuple({(read.kind, read.name): read for read in (*_from(compiled), *compiled.reads)}.values())
    if model.has_sql and query is None:
        return compiled
    declared, compiled.explicit = _declared(compiled, query, around)
    compiled.materialization = declared
    if declared is VIRTUAL and not around.has_gateway:
        if compiled.explicit:
            compiled.complain(
                f"{_named(model)} is a virtual topic, but the project has no Gateway",
                hint="declare `runtime.conduktor.gateway`, or write `materialized: flink`",
            )
        else:
            compiled.materialization = FLINK
    for message, where, hint in _misfeeds(model, declared):
        compiled.complain(f"{_named(model)} {message}", *where, hint=hint)
    return compiled


def _named(model: Model) -> str:
    return f'model "{model.name}"'


def _from(compiled: Compiled) -> Iterator[Read]:
    for each in compiled.model.inputs:
        yield Read(each.name, each.kind, compiled.at(*each.location))


# SQL


def _query(compiled: Compiled, around: Surroundings) -> Query | None:
    """Render and read the model's SQL; None if there is none or it is wrong."""
    model = compiled.model
    macro = around.macros.get(model.macro) if model.macro is not None else None
    if model.macro is not None and macro is None:
        compiled.complain(
            f'{_named(model)} uses the macro "{model.macro}", which does not exist',
            "macro",
            hint=_did_you_mean(model.macro, around.macros) or "a macro is a file `macros/NAME.sql.j2`",
        )
        return None
    template = macro.text if macro else model.sql
    if template is None:
        return None
    rendered = None
    try:
        rendered = around.renderer.render(template, model.params if macro else None)
        query = read_query(rendered.sql)
        references = references_of(query, around.renderer.prefix)
    except Fault as fault:
        compiled.problems.append(_fault_problem(compiled, fault, rendered, macro))
        return None
    except SqlError as error:
        found = Fault(error.message, line=error.line, in_template=False, hint=error.hint)
        if isinstance(error, GluedError):
            found = _glued_fault(error, rendered)
        compiled.problems.append(_fault_problem(compiled, found, rendered, macro))
        return None
    compiled.reads = tuple(_sql_reads(compiled, references, rendered, macro))
    compiled.sql_length = _length(rendered, around.renderer.prefix)
    return query


def _length(rendered: Rendered, prefix: str) -> int:
    names = [reference.name for reference in rendered.references]
    return len(re.sub(rf"{prefix}(\d+)x", lambda marker: names[int(marker[1])], rendered.sql))


def _sql_reads(
    compiled: Compiled, references: tuple[int, ...], rendered: Rendered, macro: "Macro | None"
) -> Iterator[Read]:
    for number in references:
        reference = rendered.references[number]
        yield Read(reference.name, reference.kind, _template_place(compiled, macro, reference.line))


def _template_place(compiled: Compiled, macro: "Macro | None", line: int | None) -> ProjectPath:
    place = compiled.at("macro" if macro else "sql")
    return place if line is None else place.at(line, file=macro.path if macro else None)


def _fault_problem(compiled: Compiled, fault: Fault, rendered: Rendered | None, macro: "Macro | None") -> Diagnostic:
    message, line, hint, in_template = fault.message, fault.line, fault.hint, fault.in_template
    message = f"{_named(compiled.model)}: {message}"
    if line is not None and not in_template and not (rendered and rendered.keeps_lines):
        message, line = f"{message} (line {line} of the rendered SQL)", None
    return placed(message, _template_place(compiled, macro, line), hint)


def _glued_fault(error: GluedError, rendered: Rendered | None) -> Fault:
    reference: Reference | None = None
    if rendered is not None and error.number is not None:
        reference = rendered.references[error.number]
    what = f"`{reference}`" if reference else "`source` or `ref`"
    line, in_template = (reference.line, True) if reference and reference.line else (error.line, False)
    return Fault(
        f"{what} must stand alone as a table name",
        line=line,
        in_template=in_template,
        hint="put the whole name into the call: a table is read by the name of its source or model",
    )


def placed(message: str, place: ProjectPath, hint: str | None = None) -> Diagnostic:
    """Make an error that says its line."""
    if place.text is None:
        return error(message, place, hint)
    if place.text.file is None:
        return error(f"{message} (line {place.text.line} of its SQL)", place, hint)
    return error(f"{message} ({place.text.file}, line {place.text.line})", place, hint)


def _did_you_mean(name: str, known: Mapping[str, object]) -> str | None:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f'did you mean "{close[0]}"?' if close else None


# Materialization


def _declared(compiled: Compiled, query: Query | None, around: Surroundings) -> tuple[Materialization, bool]:
    """Decide what the model is, and whether the project says so in words."""
    model = compiled.model
    if model.materialized is not None:
        return Materialization(model.materialized), True
    if model.from_ is not None and not model.has_sql:
        return SINK, True
    if model.virtual_topic is not None:
        return VIRTUAL, True
    if query is None:
        return TOPIC, False
    facts = around.parsed(query.text).facts
    if facts is None:
        compiled.problems.append(_not_parsed(compiled))
        return FLINK, False
    return {Shape.STATEFUL: FLINK, Shape.COPY: TOPIC, Shape.STATELESS: VIRTUAL}[facts.shape], False


def _not_parsed(compiled: Compiled) -> Diagnostic:
    return Diagnostic(
        code=Code.SQL_NOT_PARSED,
        message=f"the SQL of {_named(compiled.model)} cannot be parsed; it is taken to be `materialized: flink`",
        location=compiled.at("sql" if compiled.model.sql is not None else "macro"),
        hint="check the SQL; if it is right, write `materialized` yourself",
    )


# What may feed what: the rest of it that loading, which reads no SQL, cannot check.


def _misfeeds(model: Model, declared: Materialization) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Give a message, a place and a hint for everything that does not fit together."""
    if declared is SINK:
        yield from _sink_misfeeds(model)
    elif model.sink_connector is not None:
        where = ("sink",) if model.sink is not None else ("connector",)
        if model.materialized is None and not model.has_sql and model.from_ is None:
            yield (
                "has a connector, but nothing that feeds it",
                where,
                "add `from: NAME`, the model or source to take from",
            )
        else:
            yield f"has a connector, but it is a `{declared}`", where, _OWN_SINK
    if model.from_ is not None and declared in (TOPIC, FLINK):
        beside, hint = ("beside its SQL", _SAYS_ITSELF) if model.has_sql else ("but no SQL", _COPY)
        yield f"is a `{declared}` and has `from` {beside}", ("from",), hint
    if declared is VIRTUAL and not model.has_sql and model.from_ is None:
        yield "is a virtual topic, but says not what it shows", (), "give it `from` or `sql`"


def _sink_misfeeds(model: Model) -> Iterator[tuple[str, tuple[str, ...], str]]:
    if model.has_sql:
        where = ("sql",) if model.sql is not None else ("macro",)
        yield "is a sink, but has SQL, which a connector cannot run", where, _OWN_SQL
    if model.sink_connector is None:
        hint = _SINK_OR_NOT if model.virtual_topic is None else _SAY_VIRTUAL
        yield "is a sink, but has no connector", (), hint


_OWN_SINK = "a connector has a model of its own, which takes its records `from` this one"
_OWN_SQL = "move the SQL to a model of its own, and let the sink take its records `from` that model"
_SAYS_ITSELF = "remove `from`: SQL says itself what it reads; only a virtual topic has both"
_COPY = 'write `sql: SELECT * FROM {{ ref("NAME") }}`, or `materialized: sink` or `virtual_topic`'
_SAY_VIRTUAL = "`from` without SQL makes a sink; write `materialized: virtual_topic`, too"
_SINK_OR_NOT = "give it `sink: {connector: CLASS, config: {...}}`, or say what else it is with `materialized`"
