"""The assertion that asks a query: custom_sql, over the sample in DuckDB.

The database lives in memory, and can reach neither files nor the network: `enable_external_access` is off, and the
configuration is locked (https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview). Only the columns
that the query may mean are kept, so that a wide record costs nothing that nobody asks for.

What DuckDB says of an error is never passed on: it quotes the names and types of what the records hold.
"""

import base64
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from streamt.sql import FlinkType
from streamt.testing.assertions.base import Accumulator, Batch, Sample, records
from streamt.testing.assertions.query import TABLE, Query
from streamt.testing.assertions.shape import Shape, TooManyFieldsError, declared_type, distinct, empty_type, fold
from streamt.testing.results import Status, Verdict
from streamt.testing.values import exact, exact_number, identity

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "threads": "2",
    "memory_limit": "1GB",
    "autoload_known_extensions": "false",
}
# What a table has that must have a column; a name that no query has.
_NO_COLUMN = " "
_OUT_OF_MEMORY = "the query needs more memory than 1 GB"
# Where DuckDB says what it does not know.
_UNKNOWN = (
    (re.compile(r'Referenced column "(.*?)" not found'), "column"),
    (re.compile(r'Could not find key "(.*?)" in struct'), "field"),
    (re.compile(r"Table with name (.*?) does not exist"), "table"),
    (re.compile(r'Referenced table "(.*?)" not found'), "table"),
)
# Names whose answer is remembered; records that hold keys as others hold values have no end of them.
_REMEMBERED = 10_000


class CustomSql(Accumulator):
    """A query over the sample gives one value, the expected one."""

    isolated: ClassVar[bool] = True

    def __init__(self, query: Query, expected: str | float | None, columns: Mapping[str, FlinkType | None]) -> None:
        """Begin a sample.

        Args:
            query: what is asked.
            expected: the value that it must give.
            columns: the declared columns, with their types where these are known.
        """
        self._query = query
        self._expected = exact_number(expected) if isinstance(expected, float) else expected
        self._folded = None if query.names is None else frozenset(map(fold, query.names))
        self._declared = {name: flink for name, flink in columns.items() if self._may_mean(name)}
        self._meant: dict[str, bool] = {}
        self._shape = Shape()
        self._too_wide = False
        # The records of each batch, as lines of JSON.
        self._texts: list[bytes] = []

    def add(self, batch: Batch) -> None:
        """Keep what the query may mean of the records, as text until the types are known."""
        if self._too_wide:
            return
        texts = []
        try:
            for record in batch.records:
                part = record if self._folded is None else {k: v for k, v in record.items() if self._is_kept(k)}
                self._shape.see(part)
                texts.append(json.dumps(part, default=_text, ensure_ascii=False))
        except TooManyFieldsError:
            self._too_wide = True
            self._texts.clear()
            return
        self._texts.append("\n".join(texts).encode())

    def verdict(self, sample: Sample) -> Verdict:
        """Run the query, and compare."""
        try:
            found = self._ask()
        except MemoryError:
            return Verdict(status=Status.ERROR, message=_OUT_OF_MEMORY, judged=sample.records)
        except ValueError as error:
            return Verdict(status=Status.ERROR, message=str(error), judged=sample.records)
        if identity(found) == identity(self._expected):
            message = f"{records(sample.records)} judged"
            return Verdict(status=Status.PASSED, message=message, judged=sample.records)
        message = f"the query over {records(sample.records)} gives {self._told(found)}"
        return Verdict(status=Status.FAILED, message=message, failing=sample.records, judged=sample.records)

    def _told(self, found: Any) -> str:
        """Say what was found, where that tells nothing that a record holds."""
        expected = str(self._expected) if isinstance(self._expected, Decimal) else json.dumps(self._expected)
        if found is None:
            return f"NULL, not {expected}"
        if self._query.is_count and type(found) in (int, Decimal):
            return f"{found}, not {expected}"
        return "another value than expected"

    def _ask(self) -> Any:
        """Return the one value of the query.

        Raises:
            ValueError: it fails, or gives no or more than one value; in words for the user.
            MemoryError: it needs too much of it.
        """
        import duckdb

        if self._too_wide:
            raise ValueError("the records have too many different columns and fields for a table")
        try:
            with _database() as connection:
                self._make_table(connection)
                rows = connection.execute(self._query.text).fetchmany(2)
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
            raise ValueError(f"the query cannot be run: {self._unknown(str(error))}") from error
        except (duckdb.Error, RuntimeError) as error:
            _before, mark, said = str(error).partition(self._query.mark)
            if mark:
                raise ValueError(said.splitlines()[0]) from error
            raise ValueError(f"the query fails on this sample ({type(error).__name__})") from error
        if len(rows) != 1 or len(rows[0]) != 1:
            raise ValueError("the query must give one row of one column, such as `SELECT COUNT(*) ...`")
        return exact(rows[0][0])

    def _unknown(self, said: str) -> str:
        """Say what the query names and the sample lacks; a name only if the query itself has it."""
        for pattern, kind in _UNKNOWN:
            match = pattern.search(said)
            if match and self._query.names is not None and match[1] in self._query.names:
                return f"unknown {kind} `{match[1]}`"
        return "its columns and functions do not fit together on this sample"

    def _make_table(self, connection: "DuckDBPyConnection") -> None:
        connection.execute("CREATE TABLE records (record VARCHAR)")
        for text in self._texts:
            connection.execute("INSERT INTO records SELECT unnest(?::VARCHAR[])", [text.decode().split("\n")])
        # Neither names nor types can be parameters; all of them are quoted.
        columns = ", ".join(f"{expression} AS {_quoted(name)}" for name, expression in self._columns().items())
        structure = json.dumps(self._shape.structure(self._is_spelled)).replace("'", "''")
        rows = f"SELECT from_json(record, '{structure}') AS found FROM records"  # noqa: S608 - see above
        connection.execute(f"CREATE TABLE {TABLE} AS SELECT {columns} FROM ({rows})")  # noqa: S608 - see above

    def _columns(self) -> dict[str, str]:
        """Return the expression of each column: the declared ones first, then the others in the order seen."""
        columns = {}
        for name in distinct(dict.fromkeys([*self._declared, *self._shape.fields]), self._is_spelled):
            seen = self._shape.fields.get(name)
            declared = declared_type(self._declared.get(name))
            if seen is None or seen.is_empty:
                columns[name] = f"CAST(NULL AS {empty_type(self._declared.get(name))})"
            elif seen.is_text and declared:
                columns[name] = f"CAST(found.{_quoted(name)} AS {declared})"
            else:
                columns[name] = f"found.{_quoted(name)}"
        return columns or {_NO_COLUMN: "NULL"}

    def _is_kept(self, name: str) -> bool:
        """Report whether the query may mean a column, whatever the case of its letters."""
        found = self._meant.get(name)
        if found is None:
            found = self._may_mean(name)
            if len(self._meant) < _REMEMBERED:
                self._meant[name] = found
        return found

    def _may_mean(self, name: str) -> bool:
        return self._folded is None or fold(name) in self._folded

    def _is_spelled(self, name: str) -> bool:
        """Report whether the declared columns or the query have a name as it is spelled."""
        return name in self._declared or (self._query.names is not None and name in self._query.names)


def _database() -> "DuckDBPyConnection":
    import duckdb

    connection = duckdb.connect(":memory:", config=_SETTINGS)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")  # it would go to stdout
    connection.execute("SET integer_division = true")  # as Flink divides
    connection.execute("SET lock_configuration = true")
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: object) -> str:
    """Write what JSON lacks as the text that DuckDB reads; a decimal keeps all its digits so."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)
