"""What is deployed, as data: addresses, artifacts, and a project made of them."""

from streamt.deploy.artifact import (
    Address,
    Artifact,
    Content,
    Declaration,
    ResourceKind,
    SecretRef,
    canonical_json,
    decode,
    digest,
    encode,
    encoded,
)
from streamt.deploy.project import DeployProject, Moved, Removed, Secrets

__all__ = [
    "Address",
    "Artifact",
    "Content",
    "Declaration",
    "DeployProject",
    "Moved",
    "Removed",
    "ResourceKind",
    "SecretRef",
    "Secrets",
    "canonical_json",
    "decode",
    "digest",
    "encode",
    "encoded",
]
