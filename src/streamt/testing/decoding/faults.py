"""Why the value of a record cannot be decoded: kinds and fixed words, never anything of the value."""

from dataclasses import dataclass
from enum import Enum

# Levels of objects and lists within each other; deeper ones would exhaust the stack of what looks at them.
DEPTH = 100


class Kind(Enum):
    """What keeps a value from being decoded; the text says what it is instead, with `#` for a schema's number."""

    NOT_JSON = "invalid JSON"
    NO_OBJECT = "JSON, but not an object"
    DUPLICATE_KEY = "an object with a key twice"
    TOO_DEEP = f"more than {DEPTH} levels of objects and lists"
    NUMBER = "a number with too many digits"
    NOT_WIRE_FORMAT = "not in the wire format of a schema registry"
    CUT_SHORT = "shorter than the header of the wire format"
    SCHEMA_IN_HEADER = "the schema is named in a record header, which is not supported"
    NOT_AVRO = "bytes that do not fit the Avro schema"
    NO_RECORD = "an Avro value that is not a record"
    TIME_RANGE = "a date or time outside the years 1 to 9999"
    REFUSED = "refused by the JSON Schema"
    TOO_SLOW = "too slow to decode"
    NO_REGISTRY = "in the wire format of a schema registry, but the project names none"
    UNKNOWN_SCHEMA = "the registry has no schema #"
    BAD_SCHEMA = "schema # of the registry is not valid"
    PATTERN = "schema # of the registry has a regular expression that is not supported"
    UNKNOWN_REFERENCE = "schema # of the registry refers to what the registry does not hold"
    UNSUPPORTED_SCHEMA = "schema # of the registry is neither Avro nor JSON Schema"

    @property
    def is_setup(self) -> bool:
        """Whether the project or the registry is at fault, so that nothing was learnt of the data."""
        return self in _SETUP


_SETUP = frozenset(
    {
        Kind.NO_REGISTRY,
        Kind.UNKNOWN_SCHEMA,
        Kind.BAD_SCHEMA,
        Kind.PATTERN,
        Kind.UNKNOWN_REFERENCE,
        Kind.UNSUPPORTED_SCHEMA,
    }
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why one value cannot be decoded.

    Attributes:
        kind: what keeps it from being decoded.
        schema: the number of the registry's schema, where one is at fault.
    """

    kind: Kind
    schema: int | None = None

    def __str__(self) -> str:
        return self.kind.value.replace(" #", "" if self.schema is None else f" {self.schema}")


class Undecodable(Exception):  # noqa: N818 - a verdict on a record, not on us
    """A value is not what it should be; it says nothing of the content.

    Attributes:
        fault: why.
    """

    def __init__(self, kind: Kind, schema: int | None = None) -> None:
        super().__init__()
        self.fault = Fault(kind, schema)
