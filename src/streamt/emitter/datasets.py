"""What a task reads or writes, before it has a name in any catalog."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a dataset.

    Attributes:
        name: as the system spells it.
        type: as the system or its author writes it.
        description: what it holds.
    """

    name: str
    type: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class DatasetRef:
    """A dataset by its system and structured parts; only `streamt.openlineage.naming` makes a name of them.

    Every provider gives these, and nothing else: declared by an author, read from dbt, or known from a connection.

    Attributes:
        system: such as `postgres`; empty where namespace and name are given as they are.
        parts: name and value of each part, such as `("table", "orders")`.
        columns: its columns, where they are known.
    """

    system: str
    parts: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...] = ()

    @classmethod
    def of(cls, system: str, parts: Mapping[str, str] | None = None, /, **more: str) -> "DatasetRef":
        """Return the reference by parts: `DatasetRef.of("kafka", host="b", port="9092", topic="t")`."""
        return cls(system, tuple(sorted({**(parts or {}), **more}.items())))

    @classmethod
    def raw(cls, namespace: str, name: str) -> "DatasetRef":
        """Return the reference to a dataset by an identity that its author wrote down, to the letter."""
        return cls("", (("name", name), ("namespace", namespace)))

    @property
    def known(self) -> Mapping[str, str]:
        """The parts by name."""
        return dict(self.parts)
