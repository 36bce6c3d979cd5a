"""The manifest: what a compile made, resource by resource, and the digest of it all."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from streamt import __version__
from streamt.deploy.artifact import Artifact, encode
from streamt.deploy.project import DeployProject

FORMAT = "streamt.manifest/1"


def manifest(project: DeployProject, files: Mapping[str, str], compiled_at: datetime) -> dict[str, Any]:
    """Return the manifest of a project.

    Args:
        project: what was made.
        files: the file of each resource, by its address.
        compiled_at: the time of the compile, aware and in UTC.
    """
    names = sorted({name for edge in project.edges for name in edge} | {e.declaration.name for e in project.artifacts})
    return {
        "format": FORMAT,
        "streamt": __version__,
        "project": project.project,
        "environment": project.environment,
        "compiled_at": compiled_at.isoformat().replace("+00:00", "Z"),
        "graph": {"nodes": names, "edges": sorted([source, target] for source, target in project.edges)},
        "resources": [_resource(each, files[str(each.address)]) for each in project.artifacts],
        "digest": project.digest,
    }


def _resource(artifact: Artifact, file: str) -> dict[str, Any]:
    declaration = artifact.declaration
    owner = {"kind": declaration.kind, "name": declaration.name, "location": declaration.location}
    return {
        "address": str(artifact.address),
        "kind": artifact.address.kind.value,
        "name": artifact.name,
        "cluster": artifact.cluster,
        "owner": owner,
        "ownership": artifact.ownership,
        "depends_on": [str(each) for each in artifact.depends_on],
        "file": file,
        "digest": artifact.digest,
        "secrets": {path: encode(ref) for path, ref in artifact.secrets.items()},
    }
