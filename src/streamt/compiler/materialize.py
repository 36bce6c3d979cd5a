"""What a model becomes, and whether what it declares goes together with that."""

from collections.abc import Iterator
from dataclasses import replace

from streamt.compiler.artifacts import Materialization
from streamt.compiler.model import CompileContext, Draft
from streamt.compiler.queries import sql_place
from streamt.diagnostics import Code, Diagnostic, quote
from streamt.project.language import Model
from streamt.sql import Shape

TOPIC, VIRTUAL, FLINK, SINK = (
    Materialization.TOPIC,
    Materialization.VIRTUAL_TOPIC,
    Materialization.FLINK,
    Materialization.SINK,
)


def materialized(draft: Draft, context: CompileContext) -> Draft:
    """Return `draft` with what the model becomes, and with what does not go together with that."""
    if draft.model.has_sql and draft.query is None:
        return draft
    found = list(draft.diagnostics)
    if draft.query is not None and draft.model.materialized is None and _needs_parser(draft.model):
        found += _not_parsed(draft, context)
    declared, explicit = _declared(draft)
    draft = replace(draft, materialization=declared, explicit=explicit)
    if declared is VIRTUAL and not context.has_gateway:
        if explicit:
            hint = "declare `runtime.conduktor.gateway`, or write `materialized: flink`"
            found.append(draft.error("a virtual topic needs a Gateway, and the project has none", hint=hint))
        else:
            draft = replace(draft, materialization=FLINK)
    found += _misfeeds(draft, declared)
    return replace(draft, diagnostics=tuple(found))


def _declared(draft: Draft) -> tuple[Materialization, bool]:
    """Decide what the model is, and whether the project says so in words."""
    model = draft.model
    if model.materialized is not None:
        return Materialization(model.materialized), True
    if model.from_ is not None and not model.has_sql:
        return SINK, True
    if model.virtual_topic is not None:
        return VIRTUAL, True
    if draft.query is None:
        return TOPIC, False
    facts = draft.query.parsed.facts
    if facts is None:
        return FLINK, False
    return {Shape.STATEFUL: FLINK, Shape.COPY: TOPIC, Shape.STATELESS: VIRTUAL}[facts.shape], False


def _needs_parser(model: Model) -> bool:
    return model.virtual_topic is None


def _not_parsed(draft: Draft, context: CompileContext) -> Iterator[Diagnostic]:
    """Warn of SQL that the dialect cannot read."""
    query = draft.query
    failure = query.parsed.failure if query else None
    if query is None or failure is None:
        return
    macro = context.project.macros.get(draft.model.macro or "")
    place, suffix = sql_place(draft, failure.line, failure.column, query.rendered, macro)
    yield Diagnostic(
        code=Code.SQL_NOT_PARSED,
        message=f"model {quote(draft.model.name)}: SQL that cannot be parsed{suffix}; it is taken to be a Flink job",
        location=place,
        hint="check the SQL; if it is right, write `materialized` yourself",
    )


# What may feed what: the rest of it that loading, which reads no SQL, cannot check.


def _misfeeds(draft: Draft, declared: Materialization) -> Iterator[Diagnostic]:
    """Yield an error for everything that does not fit together."""
    model, path = draft.model, draft.path
    if declared is SINK:
        yield from _sink_misfeeds(draft)
    elif model.sink_connector is not None:
        place = path / ("sink" if model.sink is not None else "connector")
        if model.materialized is None and not model.has_sql and model.from_ is None:
            hint = "add `from: NAME`, the model or source to take from"
            yield draft.error("a connector needs an input", place, hint)
        else:
            yield draft.error(f"a `{declared}` model has no connector", place, _OWN_SINK)
    if model.from_ is not None and declared in (TOPIC, FLINK):
        message = "`from` beside SQL" if model.has_sql else "`from` without SQL"
        yield draft.error(f"{message} in a `{declared}` model", path / "from", _SAYS_ITSELF if model.has_sql else _COPY)
    if declared is VIRTUAL and not model.has_sql and model.from_ is None:
        yield draft.error("a virtual topic needs `from` or `sql`", hint="give it one of them")


def _sink_misfeeds(draft: Draft) -> Iterator[Diagnostic]:
    if draft.model.has_sql:
        yield draft.error("a sink cannot run SQL", draft.sql_path, _OWN_SQL)
    if draft.model.sink_connector is None:
        hint = _SINK_OR_NOT if draft.model.virtual_topic is None else _SAY_VIRTUAL
        yield draft.error("a sink needs a connector", hint=hint)


_OWN_SINK = "give the connector a model of its own, which takes its records `from` this one"
_OWN_SQL = "move the SQL to a model of its own, and let the sink take its records `from` that model"
_SAYS_ITSELF = "remove `from`: SQL says itself what it reads; only a virtual topic has both"
_COPY = 'write `sql: SELECT * FROM {{ ref("NAME") }}`, or `materialized: sink` or `virtual_topic`'
_SAY_VIRTUAL = "`from` without SQL makes a sink; write `materialized: virtual_topic`, too"
_SINK_OR_NOT = "give it `sink: {connector: CLASS, config: {...}}`, or say what else it is with `materialized`"
