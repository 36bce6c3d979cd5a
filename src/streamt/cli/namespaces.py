"""The namespaces of a command: its options, the environment, and the addresses that the project declares."""

import os
from collections.abc import Sequence

from streamt.cli.projects import Opened
from streamt.compiler.artifacts import OutputKind
from streamt.diagnostics import ProjectPath
from streamt.openlineage.identity import Bootstrap, NamespaceOptions, Namespaces, resolve_namespaces


def namespaces_of(opened: Opened, options: NamespaceOptions) -> Namespaces:
    """Resolve the namespaces that the datasets of the project need.

    Raises:
        StreamtError: E506, with everything that is missing, ambiguous or malformed.
    """
    runtime = opened.project.document.runtime
    kafka = runtime.kafka if runtime else None
    gateway = runtime.conduktor.gateway if runtime and runtime.conduktor else None
    kinds = {node.output.kind for node in opened.compiled.nodes if node.output}

    def bootstrap(servers: str | Sequence[str] | None, keys: tuple[str, ...], kind: OutputKind) -> Bootstrap:
        hidden = opened.project.is_supplied(servers)
        location = ProjectPath(("runtime", *keys), dotted=True)
        return Bootstrap(servers, location, needed=kind in kinds, hidden=hidden)

    return resolve_namespaces(
        options,
        os.environ,
        kafka=bootstrap(kafka.bootstrap_servers if kafka else None, ("kafka", "bootstrap_servers"), OutputKind.TOPIC),
        gateway=bootstrap(
            gateway.proxy_bootstrap if gateway else None,
            ("conduktor", "gateway", "proxy_bootstrap"),
            OutputKind.VIRTUAL_TOPIC,
        ),
    )
