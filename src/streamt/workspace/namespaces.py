"""The namespaces of a command: what it was given, the variables, and the addresses that the project declares."""

from collections.abc import Collection, Sequence

from streamt.compiler.artifacts import OutputKind
from streamt.diagnostics import ProjectPath
from streamt.openlineage.identity import Bootstrap, NamespaceOptions, Namespaces, resolve_namespaces
from streamt.openlineage.static import named_by
from streamt.workspace.workspace import Workspace


def namespaces_of(
    workspace: Workspace, options: NamespaceOptions, selected: Collection[str] | None = None
) -> Namespaces:
    """Resolve the namespaces that the datasets of the project need.

    Args:
        workspace: the project.
        options: what the command was given.
        selected: the sources and models that events will tell of, with what they read; without, all of them.

    Raises:
        StreamtError: E506, with everything that is missing, ambiguous or malformed.
    """
    runtime = workspace.project.document.runtime
    kafka = runtime.kafka if runtime else None
    gateway = runtime.conduktor.gateway if runtime and runtime.conduktor else None
    nodes = named_by(workspace.compiled, selected)
    kinds = {node.output.kind for node in nodes if node.output}

    def bootstrap(servers: str | Sequence[str] | None, keys: tuple[str, ...], kind: OutputKind) -> Bootstrap:
        hidden = workspace.project.is_supplied(servers)
        location = ProjectPath(("runtime", *keys), dotted=True)
        return Bootstrap(servers, location, needed=kind in kinds, hidden=hidden)

    return resolve_namespaces(
        options,
        workspace.environ,
        kafka=bootstrap(kafka.bootstrap_servers if kafka else None, ("kafka", "bootstrap_servers"), OutputKind.TOPIC),
        gateway=bootstrap(
            gateway.proxy_bootstrap if gateway else None,
            ("conduktor", "gateway", "proxy_bootstrap"),
            OutputKind.VIRTUAL_TOPIC,
        ),
    )
