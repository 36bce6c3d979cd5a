"""Values in Confluent's wire format: a zero byte, a schema's number in four bytes, and the data.

https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format

Nothing here asks the registry. Whoever decodes fetches a schema that is needed, and hands it over.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from streamt.testing.decoding.avro import AvroDecoder
from streamt.testing.decoding.exact_json import Record, decode_flat, decode_json
from streamt.testing.decoding.faults import Kind, Undecodable

MAGIC = b"\0"
HEADER = 5


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema of the registry, with all that it refers to.

    Attributes:
        kind: `AVRO`, `JSON` or another, as the registry has it.
        text: what it says.
        references: the schemas that it refers to, by the names that it calls them by, each after those that it refers
            to itself; None if the registry does not have one of them.
    """

    kind: str
    text: str
    references: Mapping[str, str] | None = field(default_factory=dict)


class ValueDecoder:
    """Decodes Avro and JSON Schema in the wire format, and plain JSON.

    Attributes:
        unknown_types: for columns of Avro, the logical or Connect type that is read as its plain type.
        reads_avro: whether a schema of Avro is known, so that values may be of its types.
    """

    def __init__(self, *, has_registry: bool, only_avro: bool) -> None:
        """Choose what is decoded.

        Args:
            has_registry: whether there is a registry to fetch schemas from.
            only_avro: whether a value that is not in the wire format is a fault.
        """
        self.unknown_types: dict[str, str] = {}
        self.reads_avro = False
        self._has_registry = has_registry
        self._only_avro = only_avro
        self._decoders: dict[bytes, Callable[[bytes], Record]] = {}

    def __call__(self, value: bytes, /) -> Record:
        """Decode one value.

        Raises:
            Undecodable: it is not what its schema, or JSON, says.
            KeyError: its schema is not known yet.
        """
        if not value.startswith(MAGIC):
            if self._only_avro:
                raise Undecodable(Kind.NOT_WIRE_FORMAT)
            return decode_json(value)
        if not self._has_registry:
            raise Undecodable(Kind.NO_REGISTRY)
        if len(value) < HEADER:
            raise Undecodable(Kind.CUT_SHORT)
        return self._decoders[value[1:HEADER]](value)

    def decode_flat(self, values: Sequence[bytes | None]) -> list[Record] | None:
        """Decode many values at once where all of them are plain JSON objects; None where that is not certain."""
        # A value in the wire format begins with what no JSON begins with.
        if self._only_avro or None in values:
            return None
        return decode_flat(cast("Sequence[bytes]", values))

    def needed(self, values: Iterable[bytes | None]) -> list[int]:
        """Return the numbers of the schemas that must be known before `values` can be decoded."""
        if not self._has_registry:
            return []
        named = {value[1:HEADER] for value in values if value and value.startswith(MAGIC) and len(value) >= HEADER}
        return [int.from_bytes(number) for number in sorted(named - self._decoders.keys())]

    def learn(self, number: int, schema: Schema | None) -> None:
        """Take the schema of a number; None if the registry does not have it."""
        try:
            decode = _numbered(self._decoder(schema), number)
        except Undecodable as error:
            decode = _refuse(error.fault.kind, number)
        self._decoders[number.to_bytes(HEADER - len(MAGIC))] = decode

    def _decoder(self, schema: Schema | None) -> Callable[[bytes], Record]:
        if schema is None:
            raise Undecodable(Kind.UNKNOWN_SCHEMA)
        if schema.kind not in ("AVRO", "JSON"):
            raise Undecodable(Kind.UNSUPPORTED_SCHEMA)
        if schema.references is None:
            raise Undecodable(Kind.UNKNOWN_REFERENCE)
        if schema.kind == "AVRO":
            avro = AvroDecoder(schema.text, schema.references.values())
            self.unknown_types.update(avro.unknown_types)
            self.reads_avro = True
            return lambda value: avro(value, HEADER)
        from streamt.testing.decoding.json_schema import JsonSchemaDecoder

        json = JsonSchemaDecoder(schema.text, schema.references)
        return lambda value: json(value[HEADER:])


def _numbered(decode: Callable[[bytes], Record], number: int) -> Callable[[bytes], Record]:
    """Add the schema's number to what only a value shows to be wrong with it."""

    def numbered(value: bytes) -> Record:
        try:
            return decode(value)
        except Undecodable as error:
            raise Undecodable(error.fault.kind, number if error.fault.kind.is_setup else None) from error

    return numbered


def _refuse(kind: Kind, number: int) -> Callable[[bytes], Record]:
    def decode(_value: bytes) -> Record:
        raise Undecodable(kind, number)

    return decode
