"""What a model becomes, and whether what feeds it goes together with that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from streamt.compiler.artifacts import Materialization
from streamt.compiler.graph import Graph
from streamt.compiler.model import CompileContext, Draft
from streamt.compiler.queries import sql_place
from streamt.compiler.templates import readable
from streamt.diagnostics import Code, Diagnostic, quote
from streamt.sql import QueryFacts, Shape

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
    declared, explicit = _declared(draft)
    falls_back = declared is VIRTUAL and not context.has_gateway
    may_fall_back = not explicit or context.project.safety.virtual_topics_as_flink
    effective = FLINK if falls_back and may_fall_back else declared
    draft = replace(draft, declared=declared, materialization=effective, explicit=explicit)
    found = [*_unread(draft, context), *_misfeeds(draft)]
    if falls_back and not may_fall_back:
        found.append(draft.error("a virtual topic needs a Gateway, and the environment has none", hint=_NO_GATEWAY))
    return replace(draft, diagnostics=(*draft.diagnostics, *found)) if found else draft


def settled(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Return the drafts, those inferred virtual topics made Flink jobs that read a virtual topic themselves."""
    by_name = {each.model.name: each for each in drafts}
    if not any(_stands_on_virtual(each, by_name) for each in drafts):
        return tuple(drafts)
    inputs = {each.model.name: [read.name for read in each.reads if read.kind != "source"] for each in drafts}
    for name in Graph.from_inputs(inputs).order():
        draft = by_name[name]
        if _stands_on_virtual(draft, by_name):
            by_name[name] = replace(draft, declared=FLINK, materialization=FLINK)
    return tuple(by_name[each.model.name] for each in drafts)


def _stands_on_virtual(draft: Draft, by_name: Mapping[str, Draft]) -> bool:
    """Report whether a draft is inferred to be a virtual topic and reads another one."""
    if draft.materialization is not VIRTUAL or draft.explicit:
        return False
    below = by_name.get(draft.reads[0].name) if draft.reads[0].kind != "source" else None
    return below is not None and below.materialization is VIRTUAL


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
    return _inferred(draft, draft.query.facts), False


def _inferred(draft: Draft, facts: QueryFacts | None) -> Materialization:
    """Decide what SQL becomes: a virtual topic only if the Gateway can do all that is declared."""
    if facts is None or facts.shape is Shape.STATEFUL:
        return FLINK
    if facts.shape is Shape.COPY:
        return TOPIC
    advanced = draft.model.advanced
    says_job = advanced is not None and (advanced.flink is not None or advanced.flink_cluster is not None)
    may_be_rule = len({read.name for read in draft.reads}) == 1 and not facts.gateway_obstacle
    return VIRTUAL if may_be_rule and not draft.model.topics and not says_job else FLINK


def _unread(draft: Draft, context: CompileContext) -> Iterator[Diagnostic]:
    """Yield what is wrong with SQL that cannot be read, or that the Gateway cannot do."""
    query = draft.query
    if query is None:
        return
    facts = query.facts
    failure = query.parsed().failure if facts is None else None
    if failure is not None:
        macro = context.project.macros.get(draft.model.macro or "")
        place, suffix = sql_place(draft, failure.line, failure.column, query.rendered, macro)
        reason = "" if draft.hides else f": {readable(failure.message, query.rendered)}"
        if draft.declared is VIRTUAL:
            message = f"the Gateway cannot run SQL that cannot be parsed{reason}{suffix}"
            yield draft.error(message, place, _OR_FLINK)
        message = f"model {quote(draft.model.name)}: SQL that cannot be parsed{reason}{suffix}"
        yield Diagnostic(code=Code.SQL_NOT_PARSED, message=message, location=place, hint=_CHECK_SQL)
    elif draft.declared is VIRTUAL and draft.explicit and facts is not None and facts.gateway_obstacle:
        what = "this SQL" if draft.hides else readable(facts.gateway_obstacle, query.rendered)
        yield draft.error(f"the Gateway's SQL cannot do {what}", draft.sql_path, _OR_FLINK)


_CHECK_SQL = "check the SQL; if it is right, Flink will read it"
_OR_FLINK = "write what the Gateway can do, or `materialized: flink`"
_NO_GATEWAY = "declare `runtime.conduktor.gateway`, or set `safety.virtual_topics_as_flink` in the environment's file"


# What may feed what: the rest of it that loading, which reads no SQL, cannot check.


def _misfeeds(draft: Draft) -> Iterator[Diagnostic]:
    """Yield an error for everything that does not fit together."""
    model, path, declared = draft.model, draft.path, draft.declared
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
