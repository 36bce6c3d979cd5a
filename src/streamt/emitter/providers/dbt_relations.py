"""A node of dbt's -> the dataset that it is: relation, system and connection together.

Source: E3. `relation_name` is read by the adapter's quotes: a quoted part stays as it is, an unquoted one is folded as
the system folds it, since that is what the database made of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamt.emitter.datasets import Column, DatasetRef
from streamt.emitter.providers.dbt_adapters import Adapter
from streamt.emitter.providers.dbt_manifest import Node
from streamt.openlineage.naming import NamingError, parts_of_relation, system_named


@dataclass(frozen=True, slots=True)
class Where:
    """Where a project's relations are.

    Attributes:
        adapter: how they are named.
        system: the system's name, where it is not the adapter's own (`unitycatalog`).
        parts: what names the system.
        files: the file of each attached database or schema.
        folder: where relative paths begin.
    """

    adapter: Adapter
    system: str
    parts: Mapping[str, str]
    files: Mapping[str, str]
    folder: Path

    def dataset(
        self, node: Node, note: Callable[[str], None], instead: Mapping[str, Any] | None = None
    ) -> DatasetRef | None:
        """Return the dataset that a node is; None where it has no name, which is noted.

        Args:
            node: a model, seed, snapshot or source.
            note: takes what the user should know.
            instead: what names the relation of another environment that stands in for it.
        """
        try:
            parts = self._parts(node.values if instead is None else instead)
        except NamingError as error:
            note(f"a relation of dbt's has no name: {error}")
            return None
        return self._reference(parts, node.columns)

    def _parts(self, values: Mapping[str, Any]) -> dict[str, str]:
        names = self.adapter.relation
        relation = values.get("relation_name")
        if isinstance(relation, str) and relation.strip():
            found = parts_of_relation(self.adapter.system, relation.strip())[-len(names) :]
            named = dict(zip(names[-len(found) :], found, strict=True))
        else:
            named = {}
        return {**self._declared(values), **named}

    def _declared(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return what database, schema and alias say, folded where dbt does not quote."""
        table = values.get("alias") or values.get("identifier") or values.get("name")
        stated = (("database", values.get("database")), ("schema", values.get("schema")), ("identifier", table))
        quoting = values.get("quoting") or (values.get("config") or {}).get("quoting")
        told = quoting if isinstance(quoting, dict) else {}
        names = dict(zip(("identifier", "schema", "database"), reversed(self.adapter.relation), strict=False))
        folded = {key: self._folded(value, told.get(key)) for key, value in stated if isinstance(value, str) and value}
        return {names[key]: value for key, value in folded.items() if key in names}

    def _folded(self, value: str, quoted: object) -> str:
        if self.adapter.quotes if quoted is None else quoted:
            return value
        fold = system_named(self.adapter.system).fold
        return value.upper() if fold == "upper" else value.lower() if fold == "lower" else value

    def _reference(self, parts: Mapping[str, str], columns: tuple[Column, ...]) -> DatasetRef:
        known = {**self.parts, **parts}
        attached = self.files.get(parts.get("database", "")) or self.files.get(parts.get("schema", ""))
        if attached:
            known["path"] = attached
        if "path" in known:
            known["path"] = self._path(known["path"])
        return DatasetRef(self.system, tuple(sorted(known.items())), columns)

    def _path(self, path: str) -> str:
        if path.startswith((":memory:", "md:", "motherduck:")) or "://" in path:
            return path
        return str((self.folder / path).absolute())
