"""Statements that every event needs: made and compiled once for each kind of store, since that costs more than they do.

SQLAlchemy writes the text; the driver executes it with its values, inside SQLAlchemy's transaction. So the types here
are plain ones, numbers, texts and bytes, which both drivers take and give as they are.
"""

import json
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Executable,
    Table,
    any_,
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import DBAPIError

Values = Mapping[str, Any]


@dataclass(slots=True)
class _Compiled:
    """A statement's text.

    Attributes:
        text: as the driver takes it.
        order: the names of the values, where it takes them by place.
        constants: the values that are part of the statement.
        row: makes a row with named values; None before the first one came.
    """

    text: str
    order: list[str] | None
    constants: dict[str, Any]
    row: Callable[[Iterable[Any]], Any] | None = None

    def arrange(self, values: Values) -> Any:
        """Return values as the driver takes them: by place, or by name."""
        known = {**self.constants, **values} if self.constants else values
        return known if self.order is None else [known[name] for name in self.order]


class Statement:
    """One statement with named values."""

    def __init__(self, make: Callable[[str], Executable], stage: int = 0) -> None:
        self._make = make
        self.stage = stage
        self._compiled: dict[str, _Compiled] = {}

    def run(self, conn: Connection, **values: Any) -> list[Any]:
        """Execute it once, and return its rows, whose values have names."""
        compiled = self._for(conn)
        cursor = _driven(conn, compiled.text, lambda raw: raw.execute(compiled.text, compiled.arrange(values)))
        if cursor.description is None:
            return []
        if compiled.row is None:
            names = [column[0] for column in cursor.description]
            made: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]  # the names come from the statement
            compiled.row = made._make
        row = compiled.row
        assert row is not None
        return [row(found) for found in cursor.fetchall()]

    def run_many(self, conn: Connection, rows: Iterable[Values]) -> None:
        """Execute it for each of `rows`, of which there must be one at least."""
        compiled = self._for(conn)
        arranged = [compiled.arrange(row) for row in rows]
        _driven(conn, compiled.text, lambda raw: raw.cursor().executemany(compiled.text, arranged))

    def first(self, conn: Connection, **values: Any) -> Any:
        """Execute it and return its first row; None if there is none."""
        return next(iter(self.run(conn, **values)), None)

    def scalar(self, conn: Connection, **values: Any) -> Any:
        """Execute it and return the first value of its first row; None if there is none."""
        row = self.first(conn, **values)
        return None if row is None else row[0]

    def _for(self, conn: Connection) -> _Compiled:
        known = self._compiled.get(conn.dialect.name)
        if known is None:
            compiled = self._make(conn.dialect.name).compile(dialect=conn.dialect)  # type: ignore[attr-defined]
            constants = {name: value for name, value in compiled.params.items() if value is not None}
            known = self._compiled[conn.dialect.name] = _Compiled(str(compiled), compiled.positiontup, constants)
        return known


class Later:
    """Rows that are written together, since each call of a driver costs more than the row.

    Whoever asks for what may wait here calls `flush` before. Statements are executed in the order in which they are
    declared by `stage`: what others refer to comes first.
    """

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self._rows: dict[Statement, list[Values]] = {}
        self._subjects: set[object] = set()

    def add(self, statement: Statement, row: Values) -> None:
        """Keep a row for later."""
        self._rows.setdefault(statement, []).append(row)

    def claim(self, *subjects: object) -> None:
        """Begin work on some subjects; what waits is written before, if any of it is about one of them."""
        if not self._subjects.isdisjoint(subjects):
            self.flush()
            self._subjects.clear()
        self._subjects.update(subjects)

    def flush(self) -> None:
        """Write what waits; the work on the present subjects may go on afterwards."""
        for statement in sorted(self._rows, key=lambda one: one.stage):
            statement.run_many(self.conn, self._rows[statement])
        self._rows.clear()


def _driven(conn: Connection, text: str, work: Callable[[Any], Any]) -> Any:
    """Do something with the driver's own connection; what it raises is what SQLAlchemy would raise."""
    errors: Any = conn.dialect.loaded_dbapi.Error
    try:
        return work(conn.connection.driver_connection)
    except errors as error:
        raise DBAPIError.instance(text, None, error, errors, dialect=conn.dialect) from error


def is_among(dialect: str, column: ColumnElement[int], name: str) -> ColumnElement[bool]:
    """Return the condition that a number is one of several, whose text does not grow with them; see `several`."""
    if dialect == "sqlite":
        return column.in_(select(func.json_each(bindparam(name)).table_valued("value").c.value))
    return column == any_(bindparam(name, type_=ARRAY(BigInteger)))


def several(conn: Connection, numbers: Sequence[int]) -> object:
    """Return numbers as `is_among` takes them."""
    return json.dumps(numbers) if conn.dialect.name == "sqlite" else list(numbers)


def selecting(statement: Executable, *, stage: int = 0) -> Statement:
    """Return a statement that both stores understand as it is; `stage` is its place among those that wait."""
    return Statement(lambda _dialect: statement, stage)


def inserting(table: Table, *columns: str, ignore: bool = False, returning: bool = False, stage: int = 0) -> Statement:
    """Return an INSERT of these columns.

    Args:
        table: the table.
        columns: the columns, each with a value of its name.
        ignore: whether a row that is there already is left alone.
        returning: whether the number of the new row is returned.
        stage: the place among the statements that wait.
    """

    def make(dialect: str) -> Executable:
        maker = sqlite_insert if dialect == "sqlite" else postgresql_insert
        statement: Any = maker(table).values({name: bindparam(name) for name in columns})
        if ignore:
            statement = statement.on_conflict_do_nothing()
        return statement.returning(table.c.id) if returning else statement  # type: ignore[no-any-return]

    return Statement(make, stage)


def upserting(table: Table, keys: Iterable[str], *columns: str, stage: int = 0) -> Statement:
    """Return an INSERT that replaces the columns besides `keys` where the row is there already."""
    known = list(keys)

    def make(dialect: str) -> Executable:
        maker = sqlite_insert if dialect == "sqlite" else postgresql_insert
        statement: Any = maker(table).values({name: bindparam(name) for name in (*known, *columns)})
        new = {name: statement.excluded[name] for name in columns}
        return statement.on_conflict_do_update(index_elements=known, set_=new)  # type: ignore[no-any-return]

    return Statement(make, stage)
