"""Numbers of things that are told apart by a digest, made when they are first named, and remembered in memory."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, cast

from sqlalchemy import Column, Connection, Table, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from streamt.catalog.store.statements import Statement, inserting, selecting

_NUMBERS, _VALUES, _LARGE_VALUES = 100_000, 60_000, 6_000


def insert(connection: Connection, table: Table) -> Insert:
    """Return an INSERT that can say what to do on a conflict; both dialects spell it alike."""
    make = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    return cast("Insert", make(table))


class Recent:
    """What was asked for lately: the older half goes when the younger has grown to its bound."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._young: dict[Any, Any] = {}
        self._old: dict[Any, Any] = {}

    def get(self, key: object) -> Any:
        """Return what is kept under a key; None if nothing is."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self._young[key] = found
        return found

    def add(self, some: Mapping[Any, Any]) -> None:
        """Keep some more."""
        self._young |= some
        if len(self._young) > self._most:
            self._young, self._old = {}, self._young

    def clear(self) -> None:
        """Forget all."""
        self._young, self._old = {}, {}


class Ids:
    """What is known of numbers, for all transactions of one process.

    Nothing that was made in a transaction is remembered before that transaction is committed: a later one would take
    numbers for granted that were rolled back.
    """

    def __init__(self) -> None:
        self._known = Recent(_NUMBERS)
        self._values = Recent(_VALUES)
        self._large = Recent(_LARGE_VALUES)

    def begin(self) -> "PendingIds":
        """Return a view for one transaction."""
        return PendingIds(self._known, self._values, self._large)

    def keep(self, pending: "PendingIds") -> None:
        """Remember what a committed transaction learnt."""
        self._known.add(pending.made)
        self._values.add(pending.learnt)
        self._large.add(pending.learnt_large)

    def forget_values(self) -> None:
        """Forget what was learnt beside the numbers, since the registry has changed."""
        self._values.clear()
        self._large.clear()


class PendingIds:
    """Numbers as one transaction sees them."""

    def __init__(self, known: Recent, values: Recent, large: Recent) -> None:
        self._known = known
        self._values = values
        self._large = large
        self.made: dict[tuple[str, bytes], int] = {}
        self.learnt: dict[tuple[str, object], Any] = {}
        self.learnt_large: dict[object, Any] = {}
        self._free: dict[str, Iterator[int]] = {}

    def next_number(self, connection: Connection, table: Table) -> int:
        """Return a number for a new row; for the events of one job, which is locked, they grow in order of receipt."""
        number = next(self._free.get(table.name, iter(())), None)
        if number is None:
            self._free[table.name] = _free_numbers(connection, table)
            number = next(self._free[table.name])
        return number

    def get(self, table: Table, digest: bytes) -> int | None:
        """Return a number that is remembered."""
        key = (table.name, digest)
        number: int | None = self.made.get(key) or self._known.get(key)
        return number

    def value(self, kind: str, key: object) -> Any:
        """Return something that is remembered under a key; None if nothing is."""
        found = self.learnt.get((kind, key))
        return self._values.get((kind, key)) if found is None else found

    def learn(self, kind: str, key: object, value: Any) -> None:
        """Remember something under a key."""
        self.learnt[kind, key] = value

    def large(self, key: object) -> Any:
        """Return something that takes much memory, and is remembered for a shorter time."""
        found = self.learnt_large.get(key)
        return self._large.get(key) if found is None else found

    def learn_large(self, key: object, value: Any) -> None:
        """Remember something that takes much memory, and can be made again."""
        self.learnt_large[key] = value

    def find(self, connection: Connection, table: Table, digest: bytes) -> int | None:
        """Return the number of something that may not exist."""
        known = self.get(table, digest)
        if known is not None:
            return known
        number = _finding(table).scalar(connection, digest=digest)
        if number is not None:
            self.made[table.name, digest] = number
        return cast("int | None", number)

    def of(self, connection: Connection, table: Table, digest: bytes, **values: object) -> int:
        """Return the number of something, which is made if it is new."""
        return self.made_or_found(connection, table, digest, **values)[0]

    def made_or_found(self, connection: Connection, table: Table, digest: bytes, **values: object) -> tuple[int, bool]:
        """Return a number, and whether this call made it."""
        known = self.find(connection, table, digest)
        if known is not None:
            return known, False
        number = _making(table, *values).scalar(connection, **{_unique(table).name: digest, **values})
        is_new = number is not None
        if number is None:  # another server made it meanwhile
            number = _finding(table).scalar(connection, digest=digest)
        assert number is not None
        self.made[table.name, digest] = number
        return cast("int", number), is_new


def _free_numbers(connection: Connection, table: Table) -> Iterator[int]:
    """Return numbers for some rows: PostgreSQL gives them, while SQLite has one writer, which holds the lock."""
    if connection.dialect.name == "sqlite":
        return count((_greatest(table).scalar(connection) or 0) + 1)
    return (number for (number,) in _reserving(table).run(connection))


@cache
def _greatest(table: Table) -> Statement:
    return selecting(select(func.max(table.c.id)))


@cache
def _reserving(table: Table) -> Statement:
    return selecting(select(func.nextval(f"{table.name}_id_seq")).select_from(func.generate_series(1, 10)))


@cache
def _finding(table: Table) -> Statement:
    """Return the statement that finds a number by its digest."""
    return selecting(select(table.c.id).where(_unique(table) == bindparam("digest")))


@cache
def _making(table: Table, *columns: str) -> Statement:
    return inserting(table, _unique(table).name, *columns, ignore=True, returning=True)


def _unique(table: Table) -> Column[Any]:
    return table.c["ident"] if "ident" in table.c else table.c["digest"]


def chunks(items: Iterable[Any], size: int = 500) -> Iterable[list[Any]]:
    """Divide `items`, since a statement takes only so many values."""
    waiting = list(items)
    for at in range(0, len(waiting), size):
        yield waiting[at : at + size]
