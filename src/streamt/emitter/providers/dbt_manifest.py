"""dbt's `manifest.json`, every version from v7 on: nodes and sources, and what each of them reads and writes.

Manifests are read by their shape, not by their version: what is missing in one is missing, and nothing more (E13).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from streamt.diagnostics import Code, Diagnostic, FilePlace, StreamtError
from streamt.emitter.datasets import Column

LARGEST = 1 << 30
"""Bytes of the largest artifact that is read."""

_WRITES = frozenset({"model", "seed", "snapshot"})
_READS_TABLES = frozenset({"model", "seed", "snapshot", "source"})


@dataclass(frozen=True, slots=True)
class Node:
    """A node or a source.

    Attributes:
        unique_id: dbt's own name: `model.shop.orders`.
        kind: its resource type.
        values: what the manifest says of it.
    """

    unique_id: str
    kind: str
    values: Mapping[str, Any]

    @property
    def is_ephemeral(self) -> bool:
        """Whether it is a part of the queries that refer to it, and no table."""
        return self.kind == "model" and _mapping(self.values.get("config")).get("materialized") == "ephemeral"

    @property
    def parents(self) -> tuple[str, ...]:
        """What it refers to, by unique ids."""
        nodes = _mapping(self.values.get("depends_on")).get("nodes")
        return tuple(each for each in nodes if isinstance(each, str)) if isinstance(nodes, list) else ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that its author wrote down."""
        listed = _mapping(self.values.get("columns"))
        return tuple(
            Column(str(column.get("name") or name), _text(column, "data_type"), _text(column, "description"))
            for name, column in listed.items()
            if isinstance(column, dict)
        )

    @property
    def sql(self) -> str | None:
        """The compiled SQL, where the manifest has it."""
        return _text(self.values, "compiled_code") or _text(self.values, "compiled_sql")


@dataclass(frozen=True)
class Manifest:
    """What a dbt invocation knew.

    Attributes:
        metadata: about the invocation.
        nodes: nodes and sources by their unique ids.
    """

    metadata: Mapping[str, Any]
    nodes: Mapping[str, Node]

    @property
    def adapter(self) -> str:
        """The adapter's type."""
        return _text(self.metadata, "adapter_type") or ""

    @property
    def dbt_version(self) -> str:
        """The version of dbt."""
        return _text(self.metadata, "dbt_version") or "0"

    @property
    def invocation_id(self) -> str:
        """The id of the invocation that wrote it."""
        return _text(self.metadata, "invocation_id") or ""

    @cached_property
    def project(self) -> str:
        """The project's name, which manifests before v10 do not say: then that of the most nodes' package."""
        named = _text(self.metadata, "project_name")
        if named:
            return named
        packages = [_text(node.values, "package_name") or "" for node in self.nodes.values()]
        return max(sorted(set(packages)), key=packages.count, default="")

    def inputs(self, node: Node) -> tuple[Node, ...]:
        """Return the tables that a node reads: its parents, and through ephemeral ones theirs."""
        return tuple(sorted(self._tables(node, set()), key=lambda found: found.unique_id))

    def output(self, node: Node) -> Node | None:
        """Return what a node writes: itself, if it is a table or a view."""
        return node if node.kind in _WRITES and not node.is_ephemeral else None

    def _tables(self, node: Node, seen: set[str]) -> Iterator[Node]:
        """Walk up, without recursion into what was seen: a manifest that refers to itself ends all the same."""
        waiting = [*node.parents]
        while waiting:
            unique_id = waiting.pop()
            parent = self.nodes.get(unique_id)
            if unique_id in seen or parent is None:
                continue
            seen.add(unique_id)
            if parent.is_ephemeral:
                waiting += parent.parents
            elif parent.kind in _READS_TABLES:
                yield parent


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        StreamtError: E506; it cannot be read, is cut short, is not JSON, or is no manifest of dbt's.
    """
    content = read_artifact(path)
    nodes = content.get("nodes")
    if not isinstance(nodes, dict):
        raise _error(path, "not a dbt manifest: it has no `nodes`")
    found: dict[str, Node] = {}
    for group in (nodes, _mapping(content.get("sources"))):
        for unique_id, values in group.items():
            if isinstance(values, dict):
                found[unique_id] = Node(unique_id, str(values.get("resource_type", "")), values)
    return Manifest(_mapping(content.get("metadata")), found)


def read_artifact(path: Path) -> Mapping[str, Any]:
    """Read one of dbt's artifacts, a JSON object.

    Raises:
        StreamtError: E506; it cannot be read, is cut short, or is not JSON.
    """
    from streamt.files import read_file

    try:
        content = json.loads(read_file(path, limit=LARGEST))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "cut short, or not JSON"
        raise _error(path, f"the file cannot be read: {reason}") from None
    if not isinstance(content, dict):
        raise _error(path, "not an artifact of dbt's: it is not a JSON object")
    return content


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(values: Mapping[str, Any], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) and value else None


def _error(path: Path, message: str) -> StreamtError:
    hint = "give the file that dbt wrote, often `target/manifest.json`"
    return StreamtError(
        Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=FilePlace(path.name), hint=hint)
    )
