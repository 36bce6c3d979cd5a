"""The artifacts as files: their names, their text, and a folder that appears as a whole or not at all."""

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from streamt.deploy.artifact import Artifact, ResourceKind, canonical_json, encoded
from streamt.deploy.artifacts.flink_sql import statements
from streamt.deploy.artifacts.manifest import FORMAT, manifest
from streamt.deploy.project import DeployProject
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError
from streamt.files import atomic_replace, read_file

MANIFEST = "manifest.json"
CHECKSUMS = "checksums.sha256"
_FOLDERS = {
    ResourceKind.SCHEMA: "schemas",
    ResourceKind.TOPIC: "topics",
    ResourceKind.FLINK_JOB: "flink",
    ResourceKind.CONNECTOR: "connect",
    ResourceKind.GATEWAY_RULE: "gateway",
}
# With a suffix, the longest name that every file system takes.
_LONGEST = 200
_LARGEST_MANIFEST = 1 << 30


def artifact_files(project: DeployProject, compiled_at: datetime, *, checksums: bool) -> dict[str, bytes]:
    """Return the files of a project's artifacts, by their paths, sorted.

    Args:
        project: what was made.
        compiled_at: the time of the compile, aware and in UTC.
        checksums: whether a list for `sha256sum -c` is among them.
    """
    stems = _stems(project)
    files: dict[str, bytes] = {}
    for each in project.artifacts:
        stem = stems[str(each.address)]
        files[f"{stem}.json"] = pretty(each.data)
        if each.address.kind is ResourceKind.FLINK_JOB:
            files[f"{stem}.sql"] = sql_text(each).encode()
    listed = {address: f"{stem}.json" for address, stem in stems.items()}
    files[MANIFEST] = pretty(json.loads(canonical_json(manifest(project, listed, compiled_at))))  # keys sorted
    files = dict(sorted(files.items()))
    return files | {CHECKSUMS: _checksums(files)} if checksums else files


def sql_text(artifact: Artifact) -> str:
    """Return the statements of a Flink job as one file; a secret is the marker `:secret("pointer")`."""
    return ";\n\n".join(statements(artifact.content)) + ";\n"


def pretty(data: Any) -> bytes:
    """Return data as JSON for people, indented, in UTF-8, its keys in the order that they have."""
    return to_json(data, indent=2) + b"\n"


def _checksums(files: Mapping[str, bytes]) -> bytes:
    lines = (f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in files.items())
    return "".join(lines).encode()


def _stems(project: DeployProject) -> dict[str, str]:
    """Return the path of each resource's files, without the suffix.

    Two names that differ only in case get a part of their digests, since some file systems take them for one.
    """
    plain = {str(each.address): f"{_FOLDERS[each.address.kind]}/{encoded(_name(each))}" for each in project.artifacts}
    alike = Counter(stem.lower() for stem in plain.values())
    return {address: _distinct(stem, alike[stem.lower()] > 1) for address, stem in plain.items()}


def _name(artifact: Artifact) -> str:
    """Return what a resource's files are called after: a job's model, and else the resource's own name."""
    return artifact.address.name if artifact.address.kind is ResourceKind.FLINK_JOB else artifact.name


def _distinct(stem: str, is_alike: bool) -> str:  # noqa: FBT001 - of one pair
    if not is_alike and len(stem) <= _LONGEST:
        return stem
    return f"{stem[:_LONGEST]}~{hashlib.sha256(stem.encode()).hexdigest()[:8]}"


def write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Replace a folder by `files`, as a whole.

    Args:
        target: the folder; it may not exist, be empty, or be one that was written so before.
        files: the contents, by paths with `/`.

    Raises:
        StreamtError: E505, the folder holds something else, or cannot be written.
    """
    try:
        if not _is_ours(target):
            message = f"`{target}` is not empty, and was not written by streamt"
            raise StreamtError(_refused(message, "give an empty folder, or another one, with `--output-dir`"))
        if _replaced_at_once(target, files):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            _fill(staging, files)
            _swap(staging, target)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise StreamtError(_refused(f"`{target}` cannot be written: {error.strerror}", None)) from error


def _is_ours(target: Path) -> bool:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        return False
    if not target.exists() or not any(target.iterdir()):
        return True
    try:
        found = json.loads(read_file(target / MANIFEST, limit=_LARGEST_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT


def _replaced_at_once(target: Path, files: Mapping[str, bytes]) -> bool:
    """Replace the one file that differs, if no more do, and report whether that was all there was to do.

    After an edit that changes no artifact that is the manifest, which tells the time. More than one file cannot change
    at once, and takes a new folder.
    """
    try:
        if not target.is_dir() or _listed(target) != _expected(files):
            return False
        root = f"{target}{os.sep}"
        differing = (path for path, content in files.items() if not _holds(root + path, content))
        changed = list(islice(differing, 2))
    except OSError:
        return False  # what cannot be read can still be replaced
    if len(changed) == 1:
        atomic_replace(target / changed[0], [files[changed[0]]])
    return len(changed) <= 1


def _listed(target: Path) -> set[str]:
    """Return the paths of all below a folder; a folder's ends in `/`, and that of what is no file either in `?`."""
    found: set[str] = set()
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(target / folder) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                path = f"{folder}{entry.name}"
                found.add(f"{path}/" if is_folder else path if entry.is_file(follow_symlinks=False) else f"{path}?")
                if is_folder:
                    waiting.append(f"{path}/")
    return found


def _expected(files: Mapping[str, bytes]) -> set[str]:
    return {*files} | {f"{folder}/" for path in files if (folder := path.rpartition("/")[0])}


def _holds(path: str, content: bytes) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        # One byte more than there should be tells a longer file; a short read is taken for a change, and written anew.
        return os.read(descriptor, len(content) + 1) == content
    finally:
        os.close(descriptor)


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    for each in sorted({path.rpartition("/")[0] for path in files} - {""}):
        (folder / each).mkdir()
    root = f"{folder}{os.sep}"
    for path, content in files.items():
        _write_new(root + path, content)
    folder.chmod(0o755)


def _write_new(path: str, content: bytes) -> None:
    """Write a file with as few calls of the system as there can be: a large project has tens of thousands."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        written = os.write(descriptor, content)
        while written < len(content):
            written += os.write(descriptor, content[written:])
    finally:
        os.close(descriptor)


def _swap(staging: Path, target: Path) -> None:
    """Put `staging` where `target` is; the old folder goes aside first, and comes back if that fails."""
    old = staging.with_name(f"{staging.name}-old")
    if target.exists():
        target.rename(old)
    try:
        staging.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _refused(message: str, hint: str | None) -> Diagnostic:
    return Diagnostic(code=Code.OUTPUT_FAILED, message=message, location=Option("output_dir"), hint=hint)
