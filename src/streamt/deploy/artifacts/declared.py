"""What a compiled project declares for deployment: everything that it makes, or everything that keeps it from that."""

from collections.abc import Iterator
from dataclasses import replace

from streamt.compiler.artifacts import OutputKind, ProcessKind
from streamt.compiler.compile import Compilation
from streamt.compiler.model import CompiledModel
from streamt.deploy.artifact import Address, Artifact, Part, ResourceKind
from streamt.deploy.artifacts.connectors import connector
from streamt.deploy.artifacts.flink_jobs import flink_job
from streamt.deploy.artifacts.gateway_rules import gateway_rule, mask_warnings
from streamt.deploy.artifacts.site import Site, mode_of, wrong
from streamt.deploy.artifacts.tables import Streams
from streamt.deploy.artifacts.topics import topic_artifact
from streamt.deploy.project import DeployProject, Moved, Removed
from streamt.deploy.schemas import SchemaOwner, declared_parts, schema_artifact, subject_of
from streamt.diagnostics import Diagnostic, StreamtError
from streamt.files import garbage_collector
from streamt.project import Project


def deploy_project(project: Project, compilation: Compilation) -> DeployProject:
    """Return what a deployment of the project's environment is made from.

    Raises:
        StreamtError: E510, with everything that keeps a part of the project from being deployed.
    """
    # What is made only grows, so collecting garbage on the way would go through it again and again.
    with garbage_collector(on=False):
        return _declared(Site(project, compilation))


def _declared(site: Site) -> DeployProject:
    project, compilation = site.project, site.compilation
    made = [*_schemas(site)]
    schemas = {(each.address.name, each.address.part): each for each in made if isinstance(each, Artifact)}
    site = replace(site, schemas={(name, part): each for (name, part), each in schemas.items() if part is not None})
    streams = Streams(site)
    ours = [each for each in compilation.models if mode_of(each) != "external"]
    made += [each for model in ours for each in _artifacts(model, site, streams)]
    found = [each for each in made if isinstance(each, Diagnostic)]
    if any(each.is_error for each in found):
        raise StreamtError(*dict.fromkeys(found))
    artifacts = {each.address: each for each in made if isinstance(each, Artifact)}
    moved, removed = _lifecycle(site)
    return DeployProject(
        project=compilation.project.name,
        environment=project.environment,
        protected=project.protected,
        artifacts=tuple(_settled(artifacts[address], artifacts) for address in sorted(artifacts, key=str)),
        edges=tuple((source, node.name) for node in compilation.project.nodes for source in node.dependencies),
        moved=moved,
        removed=removed,
        secrets=site.book.secrets(),
        warnings=tuple(found),
    )


def _artifacts(model: CompiledModel, site: Site, streams: Streams) -> Iterator[Artifact | Diagnostic]:
    """Yield everything that one model makes but schemas."""
    makes_topic = model.output is not None and model.output.kind is OutputKind.TOPIC
    topic = topic_artifact(model, site, is_upsert=makes_topic and streams.changelog(model.node.name) == "upsert")
    if topic is not None:
        yield topic
    yield from flink_job(model, site, streams)
    if model.node.process is ProcessKind.CONNECTOR:
        yield from connector(model, site)
    yield from gateway_rule(model, site, streams)
    yield from mask_warnings(model, site)


def _settled(artifact: Artifact, artifacts: dict[Address, Artifact]) -> Artifact:
    """Return an artifact that depends only on what is made, too, each once and in order."""
    depends_on = tuple(sorted({each for each in artifact.depends_on if each in artifacts}, key=str))
    return replace(artifact, depends_on=depends_on)


def _schemas(site: Site) -> Iterator[Artifact | Diagnostic]:
    """Yield the schemas of all models that have a topic and are ours."""
    declared = [
        (model, part, schema)
        for model in site.compilation.models
        if model.output is not None and mode_of(model) != "external"
        for part, schema in declared_parts(model.declaration)
    ]
    subjects: dict[str, Address] = {}
    for model, part, schema in declared:
        assert model.output is not None
        subject = subject_of(schema, model.declaration, model.output.name, part)
        if subject in subjects:
            message = f"duplicate subject `{subject}`; model `{subjects[subject].name}` has it already"
            yield wrong(message, model.path / "schema")
        subjects[subject] = site.address(ResourceKind.SCHEMA, model.node.name, part)
    for model, part, schema in declared:
        assert model.output is not None
        owner = SchemaOwner(
            project=site.names[0],
            environment=site.names[1],
            model=model.declaration,
            place=model.path,
            topic=model.output.name,
            subjects=subjects,
        )
        yield schema_artifact(owner, part, schema)


def _lifecycle(site: Site) -> tuple[tuple[Moved, ...], tuple[Removed, ...]]:
    lifecycle = site.project.document.lifecycle

    def address(kind: str, logical: str) -> Address:
        base, _, last = logical.rpartition("/")
        if kind != ResourceKind.SCHEMA.value:
            return site.address(ResourceKind(kind), logical)
        part: Part = "key" if last == "key" else "value"
        return site.address(ResourceKind.SCHEMA, base or logical, part)

    moved = (Moved(address(each.kind, each.from_), address(each.kind, each.to)) for each in lifecycle.moved)
    removed = (
        Removed(address=address(each.kind, each.name), name=each.physical, delete=each.delete)
        for each in lifecycle.removed
    )
    return tuple(moved), tuple(removed)
