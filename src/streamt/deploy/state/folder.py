"""The files of local states: their names, and whether their folder can be trusted with a lock."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from streamt.deploy.artifact import encoded

FOLDER = ".streamt/state"
_LONGEST = 120
# flock on these is either not passed on to the other machines or only emulated.
_NETWORK = frozenset(["afs", "beegfs", "ceph", "cifs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"]) | {
    f"fuse.{name}" for name in ("ceph", "glusterfs", "rclone", "s3fs", "sshfs")
}


def file_segment(environment: str) -> str:
    """Return the beginning of the names of an environment's files: no separator, no dot in front, never two the same.

    A name with capital letters gets a digest behind it, since some file systems do not tell `Prod` from `prod`; so does
    one that is too long for a file's name.
    """
    name = encoded(environment)
    name = re.sub(r"^\.", "%2E", name)
    if name == name.lower() and len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}~{hashlib.sha256(environment.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class StateFiles:
    """Where the files of one environment's state are.

    Attributes:
        root: the project's folder.
        environment: the environment's name.
    """

    root: Path
    environment: str

    @property
    def folder(self) -> Path:
        """The folder of all environments."""
        return self.root / FOLDER

    @property
    def state(self) -> Path:
        """The state."""
        return self.folder / f"{file_segment(self.environment)}.json"

    @property
    def lock(self) -> Path:
        """The lock."""
        return self.folder / f"{file_segment(self.environment)}.lock"

    @property
    def operations(self) -> Path:
        """The folder of the journals."""
        return self.folder / f"{file_segment(self.environment)}.operations"

    def history(self, serial: int) -> Path:
        """Return the place of an earlier state."""
        return self.state.with_name(f"{self.state.name}.{serial}")

    def open_journal(self, operation: str) -> Path:
        """Return the place of the journal of an operation that is going on."""
        return self.operations / f"{operation}.open.jsonl"

    def closed_journal(self, operation: str) -> Path:
        """Return the place of the journal of an operation that has ended."""
        return self.operations / f"{operation}.jsonl"

    def shown(self, path: Path) -> str:
        """Return `path` as messages name it: from the project's folder."""
        return path.relative_to(self.root).as_posix()


def network_file_system(path: Path, mounts: str | None = None) -> str | None:
    """Return the type of the network file system that holds `path`; None if it is a local one or cannot be told.

    Args:
        path: a file or folder, which need not exist.
        mounts: the text of `/proc/self/mountinfo`; read by default.
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(errors="replace")
        except OSError:
            return None
    real = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, types = before.split(), after.split()
        if len(fields) < 5 or not types:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
        is_above = real == point or real.startswith(point.rstrip("/") + "/")
        if is_above and len(point) >= len(best):
            best, kind = point, types[0]
    return kind if kind in _NETWORK else None
