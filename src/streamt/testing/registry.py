"""Values in Confluent's wire format: a zero byte, a schema's number in four bytes, and the data.

https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from streamt.diagnostics import ProjectPath, StreamtError
from streamt.project import Project
from streamt.project.language import SchemaRegistry
from streamt.testing.decode import Decoder, Record, Undecodable, decode_json, exact, is_record
from streamt.testing.patience import within
from streamt.testing.problems import cannot_run
from streamt.testing.reader import Deadline

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import SchemaRegistryClient

MAGIC = b"\0"
HEADER = 5
# Seconds for one request to the registry; it is asked once for each schema.
REQUEST_SECONDS = 10
# What a schema gets that turns up when time is nearly over.
LAST_SECONDS = 1.0


@contextmanager
def decoding(project: Project, topic: str, target: str, location: ProjectPath, deadline: Deadline) -> Iterator[Decoder]:
    """Choose how the values of a topic are decoded; the block's end closes the connection to the registry.

    A source's `schema.format` decides; without one, a value that begins with a zero byte is in the wire format if
    there is a registry, and all others are JSON.

    Args:
        project: the project, with its runtime.
        topic: the topic's physical name.
        target: logical name of the source or model.
        location: the place of the test, for what goes wrong.
        deadline: until when the registry may take to answer.

    Raises:
        StreamtError: E531; the format is not supported, or what it needs is missing.
    """
    source = next((each for each in project.document.sources if each.name == target), None)
    declared = source.schema_.format if source and source.schema_ else None
    runtime = project.document.runtime
    registry = runtime.schema_registry if runtime else None
    if declared == "protobuf":
        hint = "test a model that writes JSON or Avro"
        raise cannot_run(f"source `{target}` holds Protobuf, which cannot be decoded", location, hint)
    if declared == "avro" and registry is None:
        hint = "add runtime.schema_registry with the registry's url"
        raise cannot_run(f"source `{target}` holds Avro, but the project names no schema registry", location, hint)
    if registry is None:
        yield decode_json
        return
    with _client(registry, project, location) as client:
        yield WireFormat(client, topic, location, deadline, avro_only=declared == "avro")


class WireFormat:
    """Decodes Avro and JSON Schema in the wire format, and plain JSON."""

    def __init__(
        self, client: "SchemaRegistryClient", topic: str, location: ProjectPath, deadline: Deadline, *, avro_only: bool
    ) -> None:
        self._client = client
        self._topic = topic
        self._location = location
        self._deadline = deadline
        self._avro_only = avro_only
        self._decoders: dict[bytes, Decoder | None] = {}
        # The schemas that are fully known: once a value was decoded, the registry is not asked again.
        self._settled: set[bytes] = set()

    def __call__(self, value: bytes, /) -> Record:
        """Decode one value.

        Raises:
            Undecodable: it is not what its schema, or JSON, says.
            StreamtError: E531; the registry does not answer, or the schema is of a kind that is not supported.
        """
        if not value.startswith(MAGIC):
            if self._avro_only:
                raise Undecodable
            return decode_json(value)
        number = value[1:HEADER]
        if number in self._settled:
            return self._decode(number, value)
        try:
            # The timeout of a request starts anew with each byte that comes.
            record = within(max(LAST_SECONDS, self._deadline.left), lambda: self._decode(number, value))
        except TimeoutError:
            message = "the schema registry did not answer in time"
            raise cannot_run(message, self._location, "raise the test's timeout") from None
        self._settled.add(number)
        return record

    def _decode(self, number: bytes, value: bytes) -> Record:
        if number not in self._decoders:
            self._decoders[number] = self._find(int.from_bytes(number)) if len(number) == HEADER - 1 else None
        decode = self._decoders[number]
        if decode is None:
            raise Undecodable
        return decode(value)

    def _find(self, number: int) -> Decoder | None:
        """Make the decoder of a schema; None if the registry does not know it."""
        from confluent_kafka.schema_registry.error import SchemaRegistryError

        try:
            schema = self._client.get_schema(number)
        except SchemaRegistryError as error:
            if error.http_status_code == 404:
                return None
            raise self._unavailable(f"it answers with status {error.http_status_code}") from None
        except Exception as error:  # noqa: BLE001 - the client lets through what its HTTP library raises
            raise self._unavailable(f"it cannot be reached ({type(error).__name__})") from None
        match schema.schema_type:
            case "AVRO":
                return self._avro()
            case "JSON":
                return self._json(schema.schema_str or "")
            case _:
                message = f"schema {number} of the registry is neither Avro nor JSON Schema, and cannot be decoded"
                raise cannot_run(message, self._location)

    def _avro(self) -> Decoder:
        from confluent_kafka.schema_registry.avro import AvroDeserializer

        deserialize = self._guarded(AvroDeserializer(self._client, conf=_by_number()))
        return lambda value: _record(exact(deserialize(value)))

    def _json(self, schema: str) -> Decoder:
        from confluent_kafka.schema_registry.json_schema import JSONDeserializer

        validate = self._guarded(JSONDeserializer(schema, schema_registry_client=self._client, conf=_by_number()))

        def decode(value: bytes) -> Record:
            validate(value)
            # The deserializer reads numbers as floats, so the text is read once more.
            return decode_json(value[HEADER:])

        return decode

    def _guarded(self, deserializer: Callable[..., Any]) -> Callable[[bytes], Any]:
        from confluent_kafka.schema_registry.error import SchemaRegistryError
        from confluent_kafka.serialization import MessageField, SerializationContext

        context = SerializationContext(self._topic, MessageField.VALUE)

        def deserialize(value: bytes) -> Any:
            try:
                return deserializer(value, context)
            except SchemaRegistryError as error:  # another schema that this one refers to
                raise self._unavailable(f"it answers with status {error.http_status_code}") from None
            except Exception as error:  # a broken value raises whatever the parser meets in it
                raise Undecodable from error

        return deserialize

    def _unavailable(self, reason: str) -> StreamtError:
        hint = "check url, username, password and ssl_ca_location of runtime.schema_registry"
        return cannot_run(f"the schema registry gives no schema: {reason}", self._location, hint)


def _by_number() -> dict[str, Any]:
    """Tell a deserializer to ask for schemas by number alone: who registered them where changes nothing."""
    from confluent_kafka.schema_registry import record_subject_name_strategy

    return {"subject.name.strategy": record_subject_name_strategy}


def _client(registry: SchemaRegistry, project: Project, location: ProjectPath) -> "SchemaRegistryClient":
    try:
        import fastavro  # noqa: F401 - the deserializer of Avro imports it later, without a word of help
        from confluent_kafka.schema_registry import SchemaRegistryClient
    except ImportError as error:
        hint = "install streamt with its extra `registry`"
        raise cannot_run(
            "a schema registry needs the package confluent-kafka with its extras", location, hint
        ) from error
    settings: dict[str, Any] = {
        "url": registry.url if isinstance(registry.url, str) else ",".join(registry.url),
        "timeout": REQUEST_SECONDS,
        "max.retries": 1,
    }
    if registry.username is not None:
        password = registry.password.get_secret_value() if registry.password else ""
        settings["basic.auth.user.info"] = f"{registry.username.get_secret_value()}:{password}"
    if registry.ssl_ca_location is not None:
        settings["ssl.ca.location"] = str(project.root / registry.ssl_ca_location)
    try:
        return SchemaRegistryClient(settings)
    except Exception:  # noqa: BLE001 - its text can hold the URL
        raise cannot_run("the client of the schema registry does not take runtime.schema_registry", location) from None


def _record(value: object) -> Record:
    if not is_record(value):
        raise Undecodable
    return value
