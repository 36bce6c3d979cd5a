"""A model's SQL: rendered, read, and every error in it brought to its place."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt.compiler.model import CompileContext, CompiledQuery, Draft, Read
from streamt.compiler.templates import GluedError, Reference, Rendered, TemplateError, references_of, render
from streamt.diagnostics import Diagnostic, ProjectPath, Supplied, did_you_mean, quote
from streamt.sql import QueryFacts, SqlError, read_query, structure_of

if TYPE_CHECKING:
    from streamt.project import Macro


def with_query(draft: Draft, context: CompileContext) -> Draft:
    """Return `draft` with its query and what the query reads, or with what is wrong with its SQL."""
    model, macros = draft.model, context.project.macros
    macro = macros.get(model.macro) if model.macro is not None else None
    if model.macro is not None and macro is None:
        hint = did_you_mean(model.macro, macros) or "a macro is a file `macros/NAME.sql.j2`"
        return _failed(draft, draft.error(f"unknown macro {quote(model.macro)}", draft.path / "macro", hint))
    if macro is not None and _holds_supplied(model.params):
        draft = replace(draft, hides=True)
    source = _Source(macro.text if macro else model.sql or "", model.params if macro else None)
    try:
        # What a variable supplied is kept nowhere.
        found = _read(source, context) if draft.hides else _remembered(source, context)
    except TemplateError as error:
        place = _template_place(draft, macro, error.line)
        return _failed(draft, draft.error(error.message, place, None if draft.hides else error.hint))
    except SqlError as error:
        return _failed(draft, sql_error(draft, error, render(*source), macro))
    reads = (Read(each.name, each.kind, reference_place(draft, macro, each)) for each in found.references)
    return replace(draft, query=found, reads=_unique((*draft.reads, *reads)))


class _Source(NamedTuple):
    """All that a model's query is made from.

    Attributes:
        template: the template of its SQL.
        params: those of a macro; None where the template is the model's own.
    """

    template: str
    params: Mapping[str, Any] | None


def _read(source: _Source, context: CompileContext) -> CompiledQuery:
    """Return the one query of a model's SQL.

    Raises:
        TemplateError: there is no SQL.
        SqlError: it is no query.
    """
    rendered = render(*source)
    query = read_query(rendered.sql)
    references = references_of(query, rendered)
    facts = context.parsed(structure_of(query.text)).facts
    if query.has_hints and facts is not None and facts.gateway_obstacle is None:
        facts = replace(facts, gateway_obstacle="a hint (`/*+ */`)")
    return CompiledQuery(rendered, query.text, facts, references)


def _remembered(source: _Source, context: CompileContext) -> CompiledQuery:
    """Return the one query of a model's SQL, as it was read before or as `_read` reads it."""
    return context.cache.get_or_make(
        "query",
        repr(tuple(source)).encode(errors="surrogatepass"),
        make=partial(_read, source, context),
        dump=_dumped,
        load=partial(_loaded, source.template),
    )


def _dumped(query: CompiledQuery) -> Any:
    rendered = query.rendered
    text = None if query.text == rendered.sql else query.text
    facts = query.facts.as_plain() if query.facts else None
    numbers = [rendered.references.index(each) for each in query.references]
    return rendered.as_plain(), text, numbers, facts


def _loaded(template: str, plain: Any) -> CompiledQuery:
    rendered_plain, text, numbers, facts = plain
    rendered = Rendered.of_plain(rendered_plain, template)
    return CompiledQuery(
        rendered,
        rendered.sql if text is None else text,
        None if facts is None else QueryFacts.of_plain(facts),
        tuple(rendered.references[number] for number in numbers),
    )


def _failed(draft: Draft, diagnostic: Diagnostic) -> Draft:
    return replace(draft, diagnostics=(*draft.diagnostics, diagnostic))


def _unique(reads: tuple[Read, ...]) -> tuple[Read, ...]:
    first: dict[tuple[str, str], Read] = {}
    for read in reads:
        first.setdefault((read.kind, read.name), read)
    return tuple(first.values())


def _holds_supplied(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_supplied, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_supplied, value))
    return isinstance(value, Supplied)


def _template_place(draft: Draft, macro: "Macro | None", line: int | None, column: int | None = None) -> ProjectPath:
    if line is None:
        return draft.sql_path
    return draft.sql_path.at(line, column, file=macro.path if macro else None)


def reference_place(draft: Draft, macro: "Macro | None", reference: Reference) -> ProjectPath:
    """Return where a template first calls `source` or `ref` with a name."""
    return _template_place(draft, macro, reference.line, reference.column)


def sql_error(draft: Draft, error: SqlError, rendered: Rendered, macro: "Macro | None") -> Diagnostic:
    """Return what is wrong with the rendered SQL, at its place in the template if that is known."""
    if isinstance(error, GluedError) and error.reference is not None:
        message = "`source` or `ref` must stand alone as a table name" if draft.hides else error.message
        return draft.error(message, reference_place(draft, macro, error.reference), error.hint)
    place, suffix = sql_place(draft, error.line, error.column, rendered, macro)
    return draft.error(error.message + suffix, place, error.hint)


def sql_place(
    draft: Draft, line: int | None, column: int | None, rendered: Rendered, macro: "Macro | None"
) -> tuple[ProjectPath, str]:
    """Return the place of a line of the rendered SQL, and what a message adds where it is in no file."""
    if line is None:
        return draft.sql_path, ""
    known = rendered.place(line, column)
    if known is None:
        return draft.sql_path, f" (line {line} of the rendered SQL)"
    return _template_place(draft, macro, *known), ""
