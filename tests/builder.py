"""The one builder of projects on disk."""

from collections.abc import Mapping
from pathlib import Path

HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"
ROOT_FILE = "stream_project.yml"


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder, which is made if it is missing, and return the folder.

    Args:
        folder: where.
        files: the content of each file, by its path from the folder, with `/`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def write_project(folder: Path, text: str, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Write a project, and return its folder.

    Args:
        folder: where.
        text: the root file, behind its version and name.
        files: further files, by their paths.
    """
    return write_files(folder, {ROOT_FILE: HEAD + text} | dict(files or {}))
