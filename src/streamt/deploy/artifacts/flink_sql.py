"""The statements of a Flink job, as text: tables that last as long as a session, and one INSERT.

The text is made of an artifact's content alone, so that the same statements come out where it is shown, where it is
applied, and where an older artifact is put back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from streamt.deploy.artifact import SecretRef, decode

Reveal = Callable[[SecretRef], str]


def statements(content: Mapping[str, Any], reveal: Reveal = str) -> Iterator[str]:
    """Yield the statements of a job.

    Args:
        content: the content of the job's artifact.
        reveal: gives what stands for a secret; by default the marker `:secret("pointer")`.
    """
    for table in content["tables"]:
        yield create_table(table, reveal)
    sink = next(table for table in content["tables"] if table["role"] == "sink")
    names = ", ".join(_name(column["name"]) for column in sink["columns"] if "as" not in column)
    query = _query(content["query"], reveal)
    # The query has lines of its own, so that a place in an error of Flink's is a place in it.
    yield f"INSERT INTO {_name(sink['name'])} ({names})\nSELECT {names} FROM (\n{query}\n) AS `q`"


def create_table(table: Mapping[str, Any], reveal: Reveal = str) -> str:
    """Return the statement that makes one table; see `statements`."""
    lines = [_column(column) for column in table["columns"]]
    if table["watermark"]:
        lines.append(f"  WATERMARK FOR {table['watermark'].rsplit(' - INTERVAL ', 1)[0]} AS {table['watermark']}")
    if table["primary_key"]:
        lines.append(f"  PRIMARY KEY ({', '.join(map(_name, table['primary_key']))}) NOT ENFORCED")
    options = [f"  {_text(key)} = {_text(_shown(value, reveal))}" for key, value in table["options"].items()]
    return f"CREATE TEMPORARY TABLE {_name(table['name'])} (\n{_joined(lines)}\n) WITH (\n{_joined(options)}\n)"


def _column(column: Mapping[str, Any]) -> str:
    return f"  `{column['name']}` " + (f"AS {column['as']}" if "as" in column else str(column["type"]))


def _joined(lines: Sequence[str]) -> str:
    return ",\n".join(lines)


def _query(query: object, reveal: Reveal) -> str:
    """Return a query; one that holds secrets is a list of its parts."""
    if isinstance(query, str):
        return query
    assert isinstance(query, Sequence)
    return "".join(_shown(part, reveal) for part in query)


def _shown(value: object, reveal: Reveal) -> str:
    if isinstance(value, str):
        return value
    known = decode(value) if isinstance(value, dict) else value
    return reveal(known) if isinstance(known, SecretRef) else str(known)


def _name(name: str) -> str:
    return f"`{name}`"


def _text(value: str) -> str:
    """Return a text as a literal: a quote is doubled, and nothing else has a meaning."""
    return "'" + value.replace("'", "''") + "'"
