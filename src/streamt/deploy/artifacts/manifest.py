"""The manifest: what a compile made, resource by resource, and the digest of it all."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from streamt import __version__
from streamt.deploy.artifact import Artifact, digest, encode
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
        "digest": manifest_digest(project),
    }


def manifest_digest(project: DeployProject) -> str:
    """Return the digest of all that is desired: project, environment, resources, and what became of others.

    It depends neither on the time nor on the program's version, and not on the order of declarations.
    """
    return digest(
        {
            "project": project.project,
            "environment": project.environment,
            "resources": [_desired(each) for each in project.artifacts],
            "moved": sorted([str(each.source), str(each.target)] for each in project.moved),
            "removed": sorted([str(each.address), each.name, each.delete] for each in project.removed),
        }
    )


def _desired(artifact: Artifact) -> list[str | bool | list[str] | None]:
    depends_on = [str(each) for each in artifact.depends_on]
    identity = [str(artifact.address), artifact.name, artifact.cluster]
    return [*identity, artifact.digest, artifact.ownership, artifact.protect, depends_on]


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
