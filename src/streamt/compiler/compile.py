"""A project -> what it means: every dependency, materialization and physical name, or everything that is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from streamt.cache import NO_CACHE, Cache
from streamt.compiler.artifacts import CompiledProject, Node, NodeKind
from streamt.compiler.clusters import check_clusters
from streamt.compiler.columns import check_columns
from streamt.compiler.foreign_tables import check_tables
from streamt.compiler.idle_keys import check_idle_keys
from streamt.compiler.macros import check_macros
from streamt.compiler.materialize import materialized, settled
from streamt.compiler.model import CompileContext, CompiledModel, Draft, Read
from streamt.compiler.names import check_topic_names, collisions
from streamt.compiler.nodes import compiled_model, model_node, source_node
from streamt.compiler.physical import check_outputs
from streamt.compiler.queries import with_query
from streamt.compiler.references import Declared, check_reads, cycles
from streamt.compiler.topics import check_replicas, topic_settings
from streamt.diagnostics import Diagnostic, ProjectPath, StreamtError
from streamt.project import Project
from streamt.project.language import Model, TopicSettings


@dataclass(frozen=True, slots=True)
class Compilation:
    """Everything that compiling a project gives.

    Attributes:
        project: what exporting and all commands see; free of secrets.
        models: each model in declaration order, with its SQL and its declaration.
    """

    project: CompiledProject
    models: tuple[CompiledModel, ...]


def compile_project(project: Project, *, compiled_at: datetime) -> CompiledProject:
    """Compile `project`.

    Args:
        project: a project, as `load_project` gives it.
        compiled_at: the time of this compile, aware and in UTC.

    Raises:
        StreamtError: E510, with everything that is wrong in all models.
    """
    return compile_models(project, compiled_at=compiled_at).project


def compile_models(project: Project, *, compiled_at: datetime, cache: Cache = NO_CACHE) -> Compilation:
    """Compile `project`, with all that is known of each model.

    Args:
        project: a project, as `load_project` gives it.
        compiled_at: the time of this compile, aware and in UTC.
        cache: what was read before.

    Raises:
        StreamtError: E510, with everything that is wrong in all models.
    """
    context, document = CompileContext.of(project, cache), project.document
    drafts = settled(
        [draft_model(model, ProjectPath(("models", index)), context) for index, model in enumerate(document.models)]
    )
    sources = tuple(source_node(source, ProjectPath(("sources", i))) for i, source in enumerate(document.sources))
    models = tuple(model_node(each) for each in drafts if each.materialization is not None)
    nodes = (*sources, *models)
    topics = topic_settings(nodes, document)
    diagnostics = sorted(_diagnostics(drafts, nodes, topics, project), key=_declaration)
    errors = [each for each in diagnostics if each.is_error]
    if errors:
        raise StreamtError(*errors, positions=project.source_map)
    result = CompiledProject(document.project.name, nodes, compiled_at, tuple(diagnostics))
    compiled = tuple(
        compiled_model(draft, node, topics.get(node.name)) for draft, node in zip(drafts, models, strict=True)
    )
    return Compilation(result, compiled)


def draft_model(model: Model, path: ProjectPath, context: CompileContext) -> Draft:
    """Compile one model by itself; `path` is where it stands."""
    reads = (Read(each.name, each.kind, ProjectPath((*path.parts, *each.location))) for each in model.inputs)
    draft = Draft(model=model, path=path, reads=tuple(reads))
    return materialized(with_query(draft, context) if model.has_sql else draft, context)


def _diagnostics(
    drafts: Sequence[Draft], nodes: Sequence[Node], topics: Mapping[str, TopicSettings], project: Project
) -> Iterator[Diagnostic]:
    document = project.document
    declared, calls = Declared.of(document, drafts), _calls(nodes)
    models = {model.name: model for model in document.models}
    for draft in drafts:
        yield from draft.diagnostics
        yield from check_idle_keys(draft)
        yield from check_reads(draft, declared)
        yield from check_tables(draft, calls, project.macros)
    yield from check_columns(document)
    yield from check_clusters(document)
    yield from check_macros(project)
    yield from cycles(drafts)
    yield from check_topic_names(nodes, models)
    yield from check_replicas(nodes, topics, document)
    yield from check_outputs(nodes, models)
    yield from collisions(nodes)


def _calls(nodes: Sequence[Node]) -> dict[str, str]:
    """Return the call that reads each declared name and each topic."""
    calls = {}
    for node in reversed(nodes):
        call = f'{"source" if node.kind is NodeKind.SOURCE else "ref"}("{node.name}")'
        if node.output is not None:
            calls[node.output.name] = call
    return calls | {
        node.name: f'{"source" if node.kind is NodeKind.SOURCE else "ref"}("{node.name}")' for node in nodes
    }


_SECTIONS = ("runtime", "defaults", "sources", "models", "tests")


def _declaration(diagnostic: Diagnostic) -> tuple[int, int]:
    """Return what diagnostics are sorted by: the section, and the place in its list."""
    if not isinstance(diagnostic.location, ProjectPath):
        return len(_SECTIONS), 0
    section, index = diagnostic.location.parts[:2]
    return _SECTIONS.index(str(section)), index if isinstance(index, int) else 0
