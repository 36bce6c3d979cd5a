"""The options of a Flink table: its connector, its formats, and where it begins."""

import json
from collections.abc import Mapping
from datetime import datetime

from streamt.deploy.artifact import Artifact, Content, Part
from streamt.deploy.artifacts.kafka_clients import addresses, client_options
from streamt.deploy.artifacts.secret_book import text_of
from streamt.deploy.artifacts.site import Site
from streamt.deploy.artifacts.tables import Stream
from streamt.deploy.avro import java_text

_TEXTS = ("CHAR", "VARCHAR")
_BROKERS_LONGEST_TRANSACTION_MS = 900_000


def connector_of(stream: Stream) -> str:
    """Return the connector that reads and writes a stream."""
    return "upsert-kafka" if stream.changelog == "upsert" else "kafka"


def common_options(stream: Stream, site: Site, cluster: str | None) -> dict[str, Content]:
    """Return what a table has whether it is read or written: connector, topic, clients and formats."""
    return {
        "connector": connector_of(stream),
        "topic": stream.topic,
        **client_options(site, cluster, through_gateway=stream.is_virtual),
        **_formats(stream, site),
    }


def _formats(stream: Stream, site: Site) -> dict[str, Content]:
    value = _format(stream.format, is_registered=stream.is_registered)
    if not stream.key:
        return {"format": value, **_registry_options(stream, site, "value", value)}
    found: dict[str, Content] = {"key.format": _key_format(stream, site)}
    if stream.changelog == "append":
        found["key.fields"] = ";".join(stream.key)
    found |= _prefixed("key", _registry_options(stream, site, "key", str(found["key.format"])))
    found["value.format"] = value
    return found | _prefixed("value", _registry_options(stream, site, "value", value))


def _format(kind: str, *, is_registered: bool) -> str:
    return "avro-confluent" if kind == "avro" and is_registered else kind


def _key_format(stream: Stream, site: Site) -> str:
    """Return how a key is written: as declared, as plain text if it is one, and else as JSON."""
    if (stream.name, "key") in site.schemas:
        return "avro-confluent"
    flink = stream.types.get(stream.key[0])
    return "raw" if len(stream.key) == 1 and flink is not None and flink.name in _TEXTS else "json"


def _prefixed(prefix: str, options: Mapping[str, Content]) -> dict[str, Content]:
    return {f"{prefix}.{key}": value for key, value in options.items()}


def _registry_options(stream: Stream, site: Site, part: Part, kind: str) -> dict[str, Content]:
    """Return where the registry is, and which schema is written: the very text that is registered."""
    registry = site.runtime.schema_registry
    if kind != "avro-confluent" or registry is None:
        return {}
    path = ("runtime", "schema_registry")
    found: dict[str, Content] = {"url": addresses(site, registry.url, *path, "url")}
    schema = site.schemas.get((stream.name, part))
    if schema is not None:
        found |= {"subject": schema.name, "schema": _schema_text(schema)}
    if registry.username is not None or registry.password is not None:
        found["basic-auth.credentials-source"] = "USER_INFO"
        found["basic-auth.user-info"] = site.book.keep(
            (*path, "user_info"), lambda: f"{text_of(registry.username)}:{text_of(registry.password)}"
        )
    return _prefixed("avro-confluent", found)


def _schema_text(schema: Artifact) -> Content:
    body = schema.content["schema"]
    return body if isinstance(body, str) else java_text(body)


def reading_options(stream: Stream, group: str, start: str) -> dict[str, Content]:
    """Return where a job begins to read a stream, and as which group.

    Args:
        stream: what is read.
        group: the consumer group.
        start: `earliest`, `latest`, `committed` or a time; what is read by key is always read from its beginning.
    """
    options: dict[str, Content] = {"properties.group.id": group}
    if stream.changelog == "upsert":
        return options
    modes = {"earliest": "earliest-offset", "latest": "latest-offset", "committed": "group-offsets"}
    if start in modes:
        return options | {"scan.startup.mode": modes[start]}
    milliseconds = int(_moment(start).timestamp() * 1000)
    return options | {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": str(milliseconds)}


def _moment(start: str) -> datetime:
    """Return a time of RFC 3339.

    Raises:
        ValueError: there is no such time.
    """
    return datetime.fromisoformat(start.upper())


def is_moment(start: str) -> bool:
    """Report whether `start` is a word that is known, or a time that exists."""
    try:
        return start in ("earliest", "latest", "committed") or bool(_moment(start))
    except ValueError:
        return False


def writing_options(delivery: str, prefix: str) -> dict[str, Content]:
    """Return how often a job writes each record.

    Args:
        delivery: `at_least_once` or `exactly_once`.
        prefix: begins the names of transactions; it must never change, or open ones are left behind.
    """
    if delivery == "at_least_once":
        return {}
    return {
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": prefix,
        # The connector's own default is longer than a broker allows.
        "properties.transaction.timeout.ms": str(_BROKERS_LONGEST_TRANSACTION_MS),
    }


def schema_problem(stream: Stream, site: Site) -> str | None:
    """Return why the declared Avro schema of a stream's values is not what its columns say; None if it is."""
    schema = site.schemas.get((stream.name, "value"))
    if schema is None or stream.format != "avro":
        return None
    body = schema.content["schema"]
    parsed = json.loads(body) if isinstance(body, str) else body
    fields = parsed.get("fields") if isinstance(parsed, Mapping) else None
    if not isinstance(fields, (list, tuple)):
        return "it is not a record"
    columns = [column for column in stream.columns if not column.proctime]
    names = [field["name"] for field in fields if isinstance(field, Mapping) and "name" in field]
    if names != [column.name for column in columns]:
        return "its fields are not the columns, in their order"
    for column, field in zip(columns, fields, strict=True):
        kind = field["type"] if isinstance(field, Mapping) else None
        may_lack = isinstance(kind, (list, tuple)) and "null" in kind
        flink = stream.types[column.name]
        if flink is not None and may_lack is (stream.is_required(column) or not flink.nullable):
            return f"its field `{column.name}` and the column differ in whether a value may be missing"
    return None
