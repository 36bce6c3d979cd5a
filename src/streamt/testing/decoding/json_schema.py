"""JSON records that a JSON Schema of the registry must accept.

References are looked up among what the registry gave, and nowhere else: nothing here opens a file or a connection.
Numbers are held against the schema as the decimals that they are written as.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urljoin

from jsonschema import Draft7Validator, ValidationError, validators
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped] # it has no types
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT7, SchemaRegistry, specification_with

from streamt.testing.decoding.exact_json import Record, decode_any, decode_json
from streamt.testing.decoding.faults import Kind, Undecodable

# Drafts in which `1.0` is no integer.
_OLD = ("http://json-schema.org/draft-03/schema", "http://json-schema.org/draft-04/schema")


class JsonSchemaDecoder:
    """Decodes JSON objects that one schema accepts."""

    def __init__(self, text: str, references: Mapping[str, str] | None = None) -> None:
        """Read the schema; one that names no draft is of draft 7, as Confluent's clients have it.

        Args:
            text: the schema.
            references: the schemas that it refers to, by the names that it calls them by.

        Raises:
            Undecodable: one of them is no valid schema.
        """
        try:
            schema = _schema(text)
            kind = _exact(validators.validator_for(schema, default=Draft7Validator))
            kind.check_schema(schema)
            self._validator = kind(schema, registry=_registry(schema, references or {}))
        except Undecodable:
            raise
        except SchemaError as error:
            raise Undecodable(Kind.PATTERN if error.validator == "format" else Kind.BAD_SCHEMA) from error
        except Exception as error:  # what libraries raise for schemas that none of them foresaw
            raise Undecodable(Kind.BAD_SCHEMA) from error

    def __call__(self, value: bytes) -> Record:
        """Decode one JSON object.

        Raises:
            Undecodable: it is none, or the schema refuses it or cannot be applied.
        """
        record = decode_json(value)
        try:
            accepted = self._validator.is_valid(record)
        except Unresolvable as error:
            raise Undecodable(Kind.UNKNOWN_REFERENCE) from error
        except re.error as error:
            raise Undecodable(Kind.PATTERN) from error
        except Exception as error:  # a schema that refers to itself without end, say
            raise Undecodable(Kind.BAD_SCHEMA) from error
        if not accepted:
            raise Undecodable(Kind.REFUSED)
        return record


def _schema(text: str) -> Any:
    try:
        return decode_any(text.encode("utf-8", "surrogatepass"))
    except Undecodable as error:
        raise Undecodable(Kind.BAD_SCHEMA) from error


def _registry(schema: Any, references: Mapping[str, str]) -> SchemaRegistry:
    """Make the closed registry: the drafts themselves, and each reference by its name, from wherever it is named."""
    base = schema.get("$id", "") if isinstance(schema, dict) else ""
    found: SchemaRegistry = REGISTRY
    for name, text in references.items():
        contents = _schema(text)
        draft = contents.get("$schema") if isinstance(contents, dict) else None
        resource = specification_with(str(draft), default=DRAFT7).create_resource(contents)
        found = found.with_resources([(name, resource), (urljoin(str(base), name), resource)])
    return found.crawl()


def _exact(kind: type[Validator]) -> type[Validator]:
    """Return a validator that takes a `Decimal` for what it is."""
    checker = kind.TYPE_CHECKER
    if str(kind.META_SCHEMA.get("$schema", "")).rstrip("#") not in _OLD:
        checker = checker.redefine("integer", _is_integer)
    found: type[Validator] = validators.extend(  # type: ignore[no-untyped-call] # its stubs leave out the result
        kind, validators={"multipleOf": _multiple_of}, type_checker=checker
    )
    return found


def _is_integer(_checker: object, value: object) -> bool:
    return (type(value) is int) or (type(value) is Decimal and _is_multiple(value, 1))


def _multiple_of(validator: Validator, divisor: Any, value: Any, _schema: object) -> Iterator[ValidationError]:
    if validator.is_type(value, "number") and not _is_multiple(value, divisor):
        yield ValidationError("")


def _is_multiple(value: int | Decimal, divisor: int | Decimal) -> bool:
    """Divide exactly, at any size of the exponents."""
    number, power = _whole(value)
    by, by_power = _whole(divisor)
    if power >= by_power:
        return number * pow(10, power - by_power, abs(by)) % by == 0
    return number == 0 or (by_power - power <= len(str(number)) and number % (by * 10 ** (by_power - power)) == 0)


def _whole(value: int | Decimal) -> tuple[int, int]:
    """Return the whole number and the power of ten that make up `value`."""
    sign, digits, exponent = Decimal(value).as_tuple()
    number = int("".join(map(str, digits)))
    return (-number if sign else number), int(exponent)
