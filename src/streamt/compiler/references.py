"""What models read: whether it is there, may be read so, and goes around in no circle."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from streamt.compiler.graph import Graph
from streamt.compiler.materialize import SINK, VIRTUAL
from streamt.compiler.model import Draft, Read, compile_error
from streamt.diagnostics import Diagnostic, did_you_mean, quote
from streamt.project.language import Document, Source


@dataclass(frozen=True, slots=True)
class Declared:
    """Every declared name: the sources, and the models with what each of them came to."""

    sources: Mapping[str, Source]
    models: Mapping[str, Draft]

    @classmethod
    def of(cls, document: Document, drafts: Iterable[Draft]) -> "Declared":
        """Return the names of a project."""
        return cls({source.name: source for source in document.sources}, {each.model.name: each for each in drafts})


def check_reads(draft: Draft, declared: Declared) -> Iterator[Diagnostic]:
    """Check every input of a model, and that a virtual topic has the one that it needs."""
    for read in draft.reads:
        yield from _check_read(draft, read, declared)
    if draft.declared is VIRTUAL and draft.explicit:
        yield from _check_virtual_input(draft, declared)


def _check_read(draft: Draft, read: Read, declared: Declared) -> Iterator[Diagnostic]:
    name = read.name
    is_model, is_source = name in declared.models, name in declared.sources
    other = declared.models.get(name) if read.kind != "source" else None
    if other is draft:
        message = f"circular dependency: {quote(name)} -> {quote(name)}"
        yield compile_error(message, read.place, "remove this reference: a model cannot read its own output")
    elif read.kind == "source" and not is_source and is_model:
        yield draft.error(f"{quote(name)} is a model, not a source", read.place, f"write {_written(read, 'ref')}")
    elif read.kind == "ref" and not is_model and is_source:
        yield draft.error(f"{quote(name)} is a source, not a model", read.place, f"write {_written(read, 'source')}")
    elif not is_model and not is_source:
        hint = None if draft.hides else did_you_mean(name, [*declared.models, *declared.sources])
        hint = hint or "declare it under `sources` or `models`"
        yield draft.error(f"unknown source or model {draft.shown(name)}", read.place, hint)
    elif other is not None and other.materialization is SINK:
        hint = "read what the sink takes its records from"
        yield draft.error(f"{quote(name)} is a sink, which has no topic to read", read.place, hint)


def _written(read: Read, kind: str) -> str:
    in_sql = read.place.parts[-1] in ("sql", "macro")
    return f'`{{{{ {kind}("{read.name}") }}}}`' if in_sql else f"`{kind}: {read.name}`"


def _check_virtual_input(draft: Draft, declared: Declared) -> Iterator[Diagnostic]:
    """Check that a Gateway rule stands over exactly one physical topic."""
    names = tuple(dict.fromkeys(read.name for read in draft.reads))
    place = draft.reads[0].place if draft.reads else draft.path
    if len(names) != 1:
        # A model without SQL and `from` has got its own error.
        if names or draft.model.has_sql:
            message = f"a virtual topic reads exactly one input, not {len(names)}"
            yield draft.error(message, place, "write `materialized: flink`")
        return
    other = declared.models.get(names[0])
    if other is not None and other.declared is VIRTUAL and other is not draft:
        message = f"a virtual topic cannot read the virtual topic {quote(names[0])}"
        yield draft.error(message, place, "read a topic of Kafka, or write `materialized: flink`")


def cycles(drafts: Sequence[Draft]) -> Iterator[Diagnostic]:
    """Find the models that read each other."""
    paths = {each.model.name: each.path for each in drafts}
    names = {each.model.name: each.model.name for each in drafts}
    inputs = {each.model.name: [r.name for r in each.reads if r.kind != "source"] for each in drafts}
    for cycle in Graph.from_inputs(inputs).cycles():
        if len(cycle) > 2:
            around = [quote(names[name]) for name in cycle]
            shown = around if len(around) <= 12 else [*around[:6], f"... {len(around) - 12} more ...", *around[-6:]]
            message = f"circular dependency: {' -> '.join(shown)}"
            yield compile_error(message, paths[cycle[0]], "remove one of these references")
