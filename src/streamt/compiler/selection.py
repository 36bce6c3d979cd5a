"""What `--select` means: sources and models by name or tag, with what lies upstream or downstream of them.

`orders` is one name; `tag:daily` is everything with a tag; a `+` before takes what it reads too, directly or not, and a
`+` behind what reads it. Several selectors add up. A name that is spelled exactly so always wins.
"""

from collections.abc import Collection, Iterable, Mapping

from streamt.compiler.graph import Graph
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, did_you_mean, quote
from streamt.project.language import Document

_TAG = "tag:"


def select(selectors: Iterable[str], graph: Graph, tags: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return the names that the selectors mean; no selector means every name.

    Args:
        selectors: as given, one in each option.
        graph: all names, and what each reads.
        tags: the tags of each name; a name without tags may be missing.

    Raises:
        StreamtError: E500 for each selector with a name or a tag that nothing has.
    """
    selectors = tuple(selectors)
    if not selectors:
        return frozenset(graph.inputs)
    found: set[str] = set()
    problems: list[Diagnostic] = []
    for selector in selectors:
        upstream, core, downstream = _parts(selector, graph)
        named = _named(core, graph, tags)
        if not named:
            problems.append(_unknown(core, graph, tags))
        found |= named
        found |= graph.upstream(*named) if upstream else frozenset()
        found |= graph.downstream(*named) if downstream else frozenset()
    if problems:
        raise StreamtError(*problems)
    return frozenset(found)


def tags_of(document: Document) -> Mapping[str, tuple[str, ...]]:
    """Return the tags of each source and model, by its logical name."""
    sources = {source.name: source.tags for source in document.sources}
    return sources | {model.name: model.tags for model in document.models}


def _parts(selector: str, graph: Graph) -> tuple[bool, str, bool]:
    """Return whether a `+` stands before, what stands between, and whether one stands behind."""
    if selector in graph.inputs:
        return False, selector, False
    upstream, rest = selector.startswith("+"), selector.removeprefix("+")
    if rest in graph.inputs:
        return upstream, rest, False
    return upstream, rest.removesuffix("+"), rest.endswith("+")


def _named(core: str, graph: Graph, tags: Mapping[str, Collection[str]]) -> frozenset[str]:
    if core in graph.inputs:
        return frozenset({core})
    if not core.startswith(_TAG):
        return frozenset()
    return frozenset(name for name in graph.inputs if core.removeprefix(_TAG) in tags.get(name, ()))


def _unknown(core: str, graph: Graph, tags: Mapping[str, Collection[str]]) -> Diagnostic:
    if core.startswith(_TAG):
        known: set[str] = {tag for each in tags.values() for tag in each}
        message, hint = f"unknown tag {quote(core.removeprefix(_TAG))}", did_you_mean(core.removeprefix(_TAG), known)
    else:
        message, hint = f"unknown name {quote(core)}", did_you_mean(core, graph.inputs)
    hint = hint or "select by name (`orders`), tag (`tag:daily`), or with `+` what lies upstream or downstream"
    return Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("select"), hint=hint)
