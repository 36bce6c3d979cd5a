"""What a compiled project declares for deployment."""

from collections.abc import Iterator

from streamt.compiler.artifacts import CompiledProject, Node, NodeKind, OutputKind, ProcessKind
from streamt.deploy.artifact import Address, Artifact, Content, Declaration, ResourceKind, SecretRef
from streamt.deploy.project import DeployProject, Moved, Removed, Secrets
from streamt.deploy.schemas import SchemaOwner, declared_parts, schema_artifact, subject_of
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError, Supplied, pointer
from streamt.project import Project
from streamt.project.kafka_config import TOPIC_CONFIGS
from streamt.project.language import Model

_PROCESSES = {
    ProcessKind.FLINK_JOB: ResourceKind.FLINK_JOB,
    ProcessKind.GATEWAY_RULE: ResourceKind.GATEWAY_RULE,
    ProcessKind.CONNECTOR: ResourceKind.CONNECTOR,
}


def deploy_project(project: Project, compiled: CompiledProject) -> DeployProject:
    """Return what a deployment of the project's environment is made from."""
    moved, removed = _lifecycle(project, compiled.name)
    models = {model.name: model for model in project.document.models}
    nodes = [node for node in compiled.nodes if node.kind is NodeKind.MODEL]
    secrets: dict[str, str] = {}
    made = tuple(each for node in nodes for each in _artifacts(node, models[node.name], project, secrets))
    artifacts = (*made, *_schemas(project, compiled))
    return DeployProject(
        project=compiled.name,
        environment=project.environment,
        protected=project.protected,
        artifacts=tuple(sorted(artifacts, key=lambda each: str(each.address))),
        edges=tuple((source, node.name) for node in compiled.nodes for source in node.dependencies),
        moved=moved,
        removed=removed,
        secrets=Secrets(secrets),
    )


def _artifacts(node: Node, model: Model, project: Project, secrets: dict[str, str]) -> Iterator[Artifact]:
    """Yield what a model becomes, and add the values of its secrets to `secrets`."""
    mode = model.ownership.mode if model.ownership else "managed"
    if mode == "external":
        return

    def make(kind: ResourceKind, name: str, content: dict[str, Content]) -> Artifact:
        return Artifact(
            address=Address(
                project=project.document.project.name, environment=project.environment, kind=kind, name=node.name
            ),
            name=name,
            content=content,
            declaration=Declaration(kind="model", name=node.name, owner=node.owner),
            ownership=mode,
            protect=_protect(model, kind),
        )

    if node.output is not None and node.output.kind is OutputKind.TOPIC:
        settings = project.document.topic_settings(model)
        keyed = model.key is not None or "compact" in settings.config.get("cleanup.policy", "")
        yield make(
            ResourceKind.TOPIC,
            node.output.name,
            {
                "name": node.output.name,
                "partitions": settings.partitions,
                "replication_factor": settings.replication_factor,
                "config": {
                    key: _setting(key, value, node.name, secrets) for key, value in sorted(settings.config.items())
                },
                "keyed": keyed,
            },
        )
    if node.process is not None:
        yield make(_PROCESSES[node.process], node.name, {})


def _setting(key: str, value: str, model: str, secrets: dict[str, str]) -> Content:
    """Return a topic's setting: as a secret, if a variable supplied it and Kafka does not have a setting of that name.

    Kafka's own settings hold no secrets, and a plan must show how a retention changes wherever its value comes from.
    """
    if key in TOPIC_CONFIGS or not isinstance(value, Supplied):
        return str(value)
    ref = SecretRef(pointer("models", model, "topic", "config", key))
    secrets[ref.pointer] = str(value)
    return ref


def _schemas(project: Project, compiled: CompiledProject) -> Iterator[Artifact]:
    """Yield the schemas of all models that have a topic and are ours.

    Raises:
        StreamtError: E510, with everything that is wrong with them.
    """
    topics = {node.name: node.output.name for node in compiled.nodes if node.output is not None}
    declared = [
        (index, model, part, schema)
        for index, model in enumerate(project.document.models)
        if model.name in topics and not (model.ownership and model.ownership.mode == "external")
        for part, schema in declared_parts(model)
    ]
    subjects: dict[str, Address] = {}
    wrong: list[Diagnostic] = []
    for index, model, part, schema in declared:
        subject = subject_of(schema, model, topics[model.name], part)
        if subject in subjects:
            place = ProjectPath(("models", index, "schema"))
            message = f"duplicate subject `{subject}`; model `{subjects[subject].name}` has it already"
            wrong.append(Diagnostic(code=Code.COMPILE_ERROR, message=message, location=place))
        subjects[subject] = Address(
            project=compiled.name,
            environment=project.environment,
            kind=ResourceKind.SCHEMA,
            name=model.name,
            part=part,
        )
    for index, model, part, schema in declared:
        owner = SchemaOwner(
            project=compiled.name,
            environment=project.environment,
            model=model,
            place=ProjectPath(("models", index)),
            topic=topics[model.name],
            subjects=subjects,
        )
        found = schema_artifact(owner, part, schema)
        if isinstance(found, Diagnostic):
            wrong.append(found)
        else:
            yield found
    if wrong:
        raise StreamtError(*wrong)


def _protect(model: Model, kind: ResourceKind) -> bool:
    declared = model.ownership.protect if model.ownership else None
    return kind in (ResourceKind.TOPIC, ResourceKind.SCHEMA) if declared is None else declared


def _lifecycle(project: Project, name: str) -> tuple[tuple[Moved, ...], tuple[Removed, ...]]:
    lifecycle = project.document.lifecycle

    def address(kind: str, logical: str) -> Address:
        base, _, part = logical.rpartition("/")
        of_schema = kind == ResourceKind.SCHEMA.value
        return Address(
            project=name,
            environment=project.environment,
            kind=ResourceKind(kind),
            name=base if of_schema and base else logical,
            part=("key" if part == "key" else "value") if of_schema else None,
        )

    moved = (Moved(address(each.kind, each.from_), address(each.kind, each.to)) for each in lifecycle.moved)
    removed = (
        Removed(address=address(each.kind, each.name), name=each.physical, delete=each.delete)
        for each in lifecycle.removed
    )
    return tuple(moved), tuple(removed)
