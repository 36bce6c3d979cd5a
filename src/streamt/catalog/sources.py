"""What there is to register: from events, a dbt manifest, a folder of files, or a PostgreSQL database."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamt.catalog.events import Event
from streamt.catalog.matching import RULES, Namespace, parse_namespace, split_name
from streamt.catalog.store.registering import ConnectionSpec, ContainerSpec, FieldSpec
from streamt.catalog.values import Name
from streamt.files import read_file
from streamt.openlineage.naming import join_name

_LARGEST_MANIFEST = 1 << 30
"""Bytes; manifests of large projects have some hundred MB."""


@dataclass(frozen=True, slots=True)
class Found:
    """A datastore and what it holds.

    Attributes:
        connection: the system.
        datastore: `database`, `schema`, `root`.
        containers: what it holds.
    """

    connection: ConnectionSpec
    datastore: Mapping[str, str]
    containers: tuple[ContainerSpec, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """Where a dataset that only events name would be.

    Attributes:
        connection: the system.
        database: its database.
        schema: its schema.
        container: its name there.
        kind: what it is, as far as its name tells.
    """

    connection: ConnectionSpec
    database: str
    schema: str
    container: str
    kind: str


def locate(name: Name) -> Located | None:
    """Return where a dataset would be by its name alone; None for a system that cannot be registered."""
    namespace, text = name
    parsed = parse_namespace(namespace)
    if parsed.system not in RULES:
        return None
    connection = ConnectionSpec(_address(parsed), parsed.system, parsed.host, parsed.port)
    style = RULES[parsed.system].style
    if style == "whole":
        return Located(connection, "", "", text, "topic" if parsed.system == "kafka" else "table")
    if style == "path":
        path = "/".join(part for part in (parsed.path, text.strip("/")) if part)
        last = path.rpartition("/")[2]
        return Located(connection, "", "", path, "file" if "." in last else "directory") if path else None
    parts = split_name(text)
    if not all(parts):
        return None
    database, schema = (parts[0] if len(parts) > 1 else ""), (parts[1] if len(parts) > 2 else "")
    return Located(connection, _quoted(database), _quoted(schema), ".".join(parts[2:] or parts[-1:]), "table")


def _quoted(part: str) -> str:
    return join_name((part,)) if part else ""


def _address(parsed: Namespace) -> str:
    host = parsed.host + (f":{parsed.port}" if parsed.port is not None else "")
    return f"{parsed.system}://{host}" if host else parsed.system


def in_events(events: Iterable[Event]) -> list[Found]:
    """Return what events name, with the fields that their schemas tell; what came later counts."""
    fields: dict[Name, tuple[FieldSpec, ...] | None] = {}
    for event in events:
        for name in (*event.listing.inputs, *event.listing.outputs, *(says.name for says in event.says)):
            fields.setdefault(name, None)
        for says in event.says:
            if says.fields:
                fields[says.name] = tuple(FieldSpec(name, kind) for name, kind in says.fields)
        for target, uses in event.listing.lineage.items():
            fields.setdefault(target, None)
            for use in uses or ():
                fields.setdefault(use.source, None)
    return _grouped(fields)


def _grouped(fields: Mapping[Name, tuple[FieldSpec, ...] | None]) -> list[Found]:
    groups: dict[tuple[ConnectionSpec, str, str], dict[str, ContainerSpec]] = {}
    for name, columns in fields.items():
        place = locate(name)
        if place is not None:
            group = groups.setdefault((place.connection, place.database, place.schema), {})
            group[place.container] = ContainerSpec(place.container, place.kind, columns)
    return [
        Found(connection, {"database": database, "schema": schema}, tuple(containers.values()))
        for (connection, database, schema), containers in groups.items()
    ]


def in_dbt_manifest(manifest: Mapping[str, Any], host: str, port: int | None, system: str | None = None) -> list[Found]:
    """Return the relations of a dbt project.

    Args:
        manifest: what dbt wrote to `target/manifest.json`.
        host: the warehouse's host, which a manifest does not tell.
        port: its port.
        system: the type of warehouse; else the manifest's adapter.

    Raises:
        ValueError: it is not a manifest, or the system cannot be registered.
    """
    metadata, nodes = manifest.get("metadata"), manifest.get("nodes")
    if not isinstance(metadata, dict) or not isinstance(nodes, dict):
        raise ValueError("this is not a dbt manifest")  # noqa: TRY004 - of the file, not of an argument
    kind = parse_namespace(f"{system or metadata.get('adapter_type')}://").system
    if kind not in RULES:
        raise ValueError("the warehouse's type is unknown")
    connection = ConnectionSpec(_address(Namespace(kind, host, port)), kind, host, port)
    groups: dict[tuple[str, str], list[ContainerSpec]] = {}
    for node in (*nodes.values(), *manifest.get("sources", {}).values()):
        if isinstance(node, dict) and node.get("resource_type") in ("model", "seed", "snapshot", "source"):
            materialized = node.get("config", {}).get("materialized")
            if materialized != "ephemeral":
                place = (_text(node, "database"), _text(node, "schema"))
                groups.setdefault(place, []).append(_relation(node, materialized))
    has_schema = kind not in ("mysql", "hive", "clickhouse", "spark", "teradata")
    return [
        Found(
            connection,
            {"database": _quoted(database if has_schema else schema), "schema": _quoted(schema if has_schema else "")},
            tuple(containers),
        )
        for (database, schema), containers in groups.items()
    ]


def _relation(node: Mapping[str, Any], materialized: object) -> ContainerSpec:
    name = _text(node, "identifier") or _text(node, "alias") or _text(node, "name")
    columns = node.get("columns", {})
    fields = tuple(
        FieldSpec(_text(one, "name"), _text(one, "data_type"), _text(one, "description") or None)
        for one in columns.values()
        if isinstance(one, dict)
    )
    kind = "view" if materialized == "view" else "table"
    return ContainerSpec(name, kind, fields or None, _text(node, "description") or None)


def _text(node: Mapping[str, Any], key: str) -> str:
    value = node.get(key)
    return value if isinstance(value, str) else ""


def in_dbt_file(path: Path, host: str, port: int | None, system: str | None = None) -> list[Found]:
    """Return the relations of the dbt project whose manifest is at `path`.

    Raises:
        ValueError: it is not a manifest, or the system cannot be registered.
        OSError: the file cannot be read.
    """
    value = json.loads(read_file(path, limit=_LARGEST_MANIFEST))
    if not isinstance(value, dict):
        raise ValueError("this is not a dbt manifest")  # noqa: TRY004 - of the file, not of an argument
    return in_dbt_manifest(value, host, port, system)


def in_folder(root: Path) -> list[Found]:
    """Return the files below a folder; one that holds a Delta log or partitions is one directory.

    Raises:
        OSError: it cannot be read.
    """
    whole = root.resolve(strict=True)
    containers = tuple(_in_folder(whole, whole))
    connection = ConnectionSpec("file", "file", "", None)
    return [Found(connection, {"root": str(whole)}, containers)]


def _in_folder(root: Path, folder: Path) -> Iterator[ContainerSpec]:
    for path in sorted(folder.iterdir()):
        name = str(path.relative_to(root))
        if path.name.startswith((".", "_")) or path.is_symlink():
            continue
        if path.is_dir():
            if (path / "_delta_log").is_dir() or any("=" in one.name for one in path.iterdir() if one.is_dir()):
                yield ContainerSpec(name, "directory")
            else:
                yield from _in_folder(root, path)
        elif path.is_file():
            yield ContainerSpec(name, "file")


_TABLES = """
select n.nspname, c.relname, c.relkind, obj_description(c.oid, 'pg_class'), a.attname,
       format_type(a.atttypid, a.atttypmod), col_description(c.oid, a.attnum)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind in ('r', 'v', 'm', 'p', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
order by n.nspname, c.relname, a.attnum
"""


def in_postgres(dsn: str) -> list[Found]:
    """Return the tables and views of a PostgreSQL database, with columns and comments.

    Raises:
        OSError: it cannot be read; the text never repeats the DSN.
    """
    import psycopg

    try:
        with psycopg.connect(dsn, connect_timeout=20) as link:
            host, port, database = link.info.host, link.info.port, link.info.dbname
            rows = link.execute(_TABLES).fetchall()
    except psycopg.Error as error:
        raise OSError(f"PostgreSQL cannot be read ({type(error).__name__})") from None
    connection = ConnectionSpec(_address(Namespace("postgres", host, port)), "postgres", host, port)
    return [
        Found(connection, {"database": _quoted(database), "schema": _quoted(schema)}, tuple(containers))
        for schema, containers in _tables(rows).items()
    ]


def _tables(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[ContainerSpec]]:
    columns: dict[tuple[str, str, str, str | None], list[FieldSpec]] = {}
    for schema, table, kind, comment, column, data_type, text in rows:
        fields = columns.setdefault((schema, table, kind, comment), [])
        if column is not None:
            fields.append(FieldSpec(column, data_type, text or ""))
    found: dict[str, list[ContainerSpec]] = {}
    for (schema, table, kind, comment), fields in columns.items():
        shape = "view" if kind in ("v", "m") else "table"
        found.setdefault(schema, []).append(ContainerSpec(table, shape, tuple(fields), comment or ""))
    return found
