"""The assertion that asks a query: custom_sql, over the sample in DuckDB.

The database lives in memory, and can reach neither files nor the network: `enable_external_access` is off, and the
configuration is locked (https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview).
"""

import base64
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from streamt.project.language import CustomSqlAssertion
from streamt.sql import FlinkType
from streamt.testing.assertions.base import Accumulator, Batch, Sample, records
from streamt.testing.assertions.shape import Shape, declared_type, distinct, empty_type
from streamt.testing.decode import exact
from streamt.testing.patience import within
from streamt.testing.results import Status, Verdict
from streamt.testing.values import exact_number, identity

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TABLE = "sample"
QUERY_SECONDS = 60.0
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "threads": "2",
    "memory_limit": "1GB",
    "autoload_known_extensions": "false",
}
_CALL = re.compile(r"""\{\{\s*(?:model|(?:ref|source)\(\s*(['"])(?P<name>.*?)\1\s*\))\s*\}\}""")


class CustomSql(Accumulator):
    """A query over the sample gives one value, the expected one."""

    def __init__(self, assertion: CustomSqlAssertion, target: str, columns: Mapping[str, FlinkType | None]) -> None:
        """Read the query.

        Args:
            assertion: the query, and what it must give.
            target: logical name of what is tested; `ref` and `source` may name it.
            columns: the declared columns, with their types where these are known.

        Raises:
            ValueError: it is not one query in Flink's SQL, or DuckDB cannot say it; in words for the user.
            ImportError: DuckDB is not installed.
        """
        self._query = to_duckdb(assertion.sql, target)
        expected = assertion.expect
        self._expected = exact_number(expected) if isinstance(expected, float) else expected
        self._declared = columns
        self._shape = Shape()
        self._connection = _database()

    def add(self, batch: Batch) -> None:
        """Put the records into the database, as text until their types are known."""
        texts = []
        for record in batch.records:
            self._shape.see(record)
            texts.append(json.dumps(record, default=_text, ensure_ascii=False))
        self._connection.execute("INSERT INTO records SELECT unnest(?::VARCHAR[])", [texts])

    def verdict(self, sample: Sample) -> Verdict:
        """Run the query, and compare."""
        try:
            found = self._ask()
        except ValueError as error:
            return Verdict(status=Status.ERROR, message=str(error), judged=sample.records)
        finally:
            self._connection.close()
        if identity(found) == identity(self._expected):
            message = f"{records(sample.records)} judged"
            return Verdict(status=Status.PASSED, message=message, judged=sample.records)
        message = f"the query over {records(sample.records)} does not give the expected value"
        return Verdict(status=Status.FAILED, message=message, failing=sample.records, judged=sample.records)

    def _ask(self) -> Any:
        """Give the one value of the query.

        Raises:
            ValueError: it fails, or gives no or more than one value; in words for the user.
        """
        import duckdb

        from streamt.sql.duckdb_functions import MARK

        try:
            rows = within(QUERY_SECONDS, self._rows, self._connection.interrupt)
        except TimeoutError:
            raise ValueError(f"the query takes longer than {QUERY_SECONDS:.0f} s") from None
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
            # These speak of the query and of columns, not of values.
            raise ValueError(f"the query cannot be run: {str(error).splitlines()[0]}") from error
        except (duckdb.Error, RuntimeError) as error:
            # What the translation itself lets DuckDB say holds no value either.
            _before, mark, said = _first_line(error).partition(MARK)
            if mark:
                raise ValueError(said) from error
            raise ValueError(f"the query fails on this sample ({type(error).__name__})") from error
        if len(rows) != 1 or len(rows[0]) != 1:
            raise ValueError("the query must give one row of one column, such as `SELECT COUNT(*) ...`")
        return exact(rows[0][0])

    def _rows(self) -> list[Any]:
        self._make_table()
        return self._connection.execute(self._query).fetchmany(2)

    def _make_table(self) -> None:
        # Neither names nor types can be parameters; all of them are quoted.
        columns = ", ".join(f"{expression} AS {_quoted(name)}" for name, expression in self._columns().items())
        structure = json.dumps(self._shape.structure(self._is_meant)).replace("'", "''")
        rows = f"SELECT from_json(record, '{structure}') AS found FROM records"  # noqa: S608 - see above
        self._connection.execute(f"CREATE TABLE {TABLE} AS SELECT {columns} FROM ({rows})")  # noqa: S608 - see above

    def _columns(self) -> dict[str, str]:
        """Give the expression of each column: the declared ones first, then the others in the order seen."""
        columns = {}
        for name in distinct(dict.fromkeys([*self._declared, *self._shape.fields]), self._is_meant):
            seen = self._shape.fields.get(name)
            declared = declared_type(self._declared.get(name))
            if seen is None or seen.is_empty:
                columns[name] = f"CAST(NULL AS {empty_type(self._declared.get(name))})"
            elif seen.is_text and declared:
                columns[name] = f"CAST(found.{_quoted(name)} AS {declared})"
            else:
                columns[name] = f"found.{_quoted(name)}"
        return columns or {"nothing": "NULL"}

    def _is_meant(self, name: str) -> bool:
        return name in self._declared or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self._query) is not None


def to_duckdb(sql: str, target: str) -> str:
    """Write a query of Flink's SQL as DuckDB's.

    Args:
        sql: the query, with `{{ model }}` for the sample.
        target: what `{{ ref("...") }}` and `{{ source("...") }}` may name too.

    Raises:
        ValueError: it is not one query, or cannot be translated; in words for the user.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    from streamt.sql import duckdb
    from streamt.sql.dialect import Flink

    def table(match: re.Match[str]) -> str:
        if match["name"] not in (None, target):
            raise ValueError(f"the query reads `{match['name']}`, but a test sees only its own sample, {{{{ model }}}}")
        return f"`{TABLE}`"

    rendered = _CALL.sub(table, sql)
    if "{{" in rendered or "{%" in rendered:
        raise ValueError("the query holds Jinja other than {{ model }}")
    try:
        statements = [each for each in sqlglot.parse(rendered, dialect=Flink) if each is not None]
        if len(statements) != 1 or not isinstance(statements[0], sqlglot.exp.Query):
            raise ValueError("custom_sql must be one SELECT")
        return duckdb.to_duckdb(statements[0])
    except duckdb.UntranslatableError as error:
        raise ValueError(f"custom_sql cannot judge {error}") from error
    except SqlglotError as error:
        raise ValueError(f"the query cannot be read as Flink's SQL for DuckDB: {_first_line(error)}") from error


def _database() -> "DuckDBPyConnection":
    import duckdb

    connection = duckdb.connect(":memory:", config=_SETTINGS)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")  # it would go to stdout
    connection.execute("SET integer_division = true")  # as Flink divides
    connection.execute("SET lock_configuration = true")
    connection.execute("CREATE TABLE records (record VARCHAR)")
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: object) -> str:
    """Write what JSON lacks as the text that DuckDB reads; a decimal keeps all its digits so."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _first_line(error: Exception) -> str:
    # sqlglot underlines the place with terminal codes.
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0]
