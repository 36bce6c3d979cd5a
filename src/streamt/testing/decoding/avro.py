"""Values of Avro's binary encoding, read with the schema that wrote them.

https://avro.apache.org/docs/1.12.0/specification/ has schemas and encoding. A schema becomes functions that call each
other as its types hold each other; what is wrong with it is found then, and not at the first value.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from streamt.testing.decoding.avro_input import Input
from streamt.testing.decoding.avro_logical import logical
from streamt.testing.decoding.exact_json import Record, decode_any
from streamt.testing.decoding.faults import Kind, Undecodable

Read = Callable[[Input], Any]

_PRIMITIVES: Mapping[str, Read] = {
    "null": Input.null,
    "boolean": Input.boolean,
    "int": Input.integer,
    "long": Input.long,
    "float": Input.single,
    "double": Input.double,
    "bytes": Input.bytes,
    "string": Input.text,
}
# A name that may be shown: it stands in the registry's schema, and holds nothing of a record.
_TYPE_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class AvroDecoder:
    """Decodes values that one schema wrote.

    Attributes:
        unknown_types: for columns, nested ones as `a.b`, the logical or Connect type that is read as its plain type.
    """

    def __init__(self, text: str, references: Iterable[str] = ()) -> None:
        """Read the schema.

        Args:
            text: the schema.
            references: the schemas that it refers to, each after those that it refers to itself.

        Raises:
            Undecodable: one of them is no valid schema.
        """
        compiler = _Compiler()
        for reference in references:
            compiler.compile(reference)
        # The names of columns are those within the schema itself.
        compiler.unknown_types.clear()
        self._read = compiler.compile(text)
        self.unknown_types: Mapping[str, str] = compiler.unknown_types

    def __call__(self, value: bytes, start: int = 0) -> Record:
        """Decode what `value` holds from `start` on.

        Raises:
            Undecodable: it is not what the schema says.
        """
        source = Input(value, start)
        try:
            record = self._read(source)
        except RecursionError as error:
            raise Undecodable(Kind.TOO_DEEP) from error
        if source.at != len(value):
            raise Undecodable(Kind.NOT_AVRO)
        if type(record) is not dict:
            raise Undecodable(Kind.NO_RECORD)
        return record


class _Compiler:
    """Makes functions that read from schemas; names that one defines are known to those that come after it."""

    def __init__(self) -> None:
        self.unknown_types: dict[str, str] = {}
        self._named: dict[str, list[Read]] = {}

    def compile(self, text: str) -> Read:
        try:
            return self._read(decode_any(text.encode("utf-8", "surrogatepass")), "", ())
        except (Undecodable, RecursionError, AttributeError, KeyError, TypeError, ValueError) as error:
            # What a schema lacks, or has of another kind.
            raise Undecodable(Kind.BAD_SCHEMA) from error

    def _read(self, schema: Any, namespace: str, path: tuple[str, ...]) -> Read:
        if isinstance(schema, list):
            return self._union(schema, namespace, path)
        if isinstance(schema, str):
            return self._by_name(schema, namespace)
        kind = schema["type"]
        match kind:
            case list() | dict():
                return self._read(kind, namespace, path)
            case "array":
                return _array(self._read(schema["items"], namespace, path))
            case "map":
                return _map(self._read(schema["values"], namespace, path))
            case "record" | "error" | "enum" | "fixed":
                return self._defined(kind, schema, namespace, path)
            case _:
                return self._converted(kind, self._by_name(kind, namespace), schema, path)

    def _defined(self, kind: str, schema: Mapping[str, Any], namespace: str, path: tuple[str, ...]) -> Read:
        match kind:
            case "record" | "error":
                return self._record(schema, namespace, path)
            case "enum":
                return self._enum(schema, namespace)
            case _:
                return self._fixed(schema, namespace, path)

    def _by_name(self, name: str, namespace: str) -> Read:
        if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        room = self._named.get(_full_name(name, namespace)) or self._named[name]

        def read(source: Input) -> Any:
            return room[0](source)  # which is not there yet while its own parts are being read

        return read

    def _define(self, schema: Mapping[str, Any], namespace: str) -> tuple[list[Read], str]:
        """Make room for a named type; its own parts may name it before it is there."""
        full = _full_name(schema["name"], schema.get("namespace", namespace))
        if full in self._named or full in _PRIMITIVES or not full.rpartition(".")[2]:
            raise ValueError
        return self._named.setdefault(full, [Input.null]), full.rpartition(".")[0]

    def _record(self, schema: Mapping[str, Any], namespace: str, path: tuple[str, ...]) -> Read:
        room, inner = self._define(schema, namespace)
        fields = [
            (_text(field["name"]), self._read(field["type"], inner, (*path, field["name"])))
            for field in schema["fields"]
        ]
        if len(dict(fields)) != len(fields):
            raise ValueError

        def read(source: Input) -> Any:
            source.enter()
            found = {name: read_field(source) for name, read_field in fields}
            source.leave()
            return found

        room[0] = read
        return read

    def _enum(self, schema: Mapping[str, Any], namespace: str) -> Read:
        room, _inner = self._define(schema, namespace)
        symbols = [_text(symbol) for symbol in schema["symbols"]]

        def read(source: Input) -> str:
            return symbols[_index(source, symbols)]

        room[0] = read
        return read

    def _fixed(self, schema: Mapping[str, Any], namespace: str, path: tuple[str, ...]) -> Read:
        room, _inner = self._define(schema, namespace)
        size = schema["size"]
        if type(size) is not int or size < 0:
            raise ValueError
        room[0] = self._converted("fixed", lambda source: source.take(size), schema, path)
        return room[0]

    def _union(self, schemas: list[Any], namespace: str, path: tuple[str, ...]) -> Read:
        if not schemas or any(isinstance(each, list) for each in schemas):
            raise ValueError
        branches = [self._read(each, namespace, path) for each in schemas]

        def read(source: Input) -> Any:
            return branches[_index(source, branches)](source)

        return read

    def _converted(self, kind: str, plain: Read, schema: Mapping[str, Any], path: tuple[str, ...]) -> Read:
        name = schema.get("logicalType")
        convert = logical(kind, name, schema) if isinstance(name, str) else None
        if convert is None:
            self._note(path, name or schema.get("connect.name"))
            return plain
        return lambda source: convert(plain(source))

    def _note(self, path: tuple[str, ...], name: object) -> None:
        if path and isinstance(name, str) and _TYPE_NAME.fullmatch(name):
            self.unknown_types[".".join(path)] = name


def _full_name(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _index(source: Input, choices: list[Any]) -> int:
    index = source.long()
    if not 0 <= index < len(choices):
        raise Undecodable(Kind.NOT_AVRO)
    return index


def _array(read_item: Read) -> Read:
    def read(source: Input) -> list[Any]:
        source.enter()
        found: list[Any] = []
        while count := source.block():
            found += [read_item(source) for _item in range(count)]
        source.leave()
        return found

    return read


def _map(read_value: Read) -> Read:
    def read(source: Input) -> dict[str, Any]:
        source.enter()
        found: dict[str, Any] = {}
        total = 0
        while count := source.block():
            total += count
            found.update((source.text(), read_value(source)) for _item in range(count))
        if len(found) != total:
            raise Undecodable(Kind.DUPLICATE_KEY)
        source.leave()
        return found

    return read
