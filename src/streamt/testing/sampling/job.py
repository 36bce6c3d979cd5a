"""What a worker process is asked to do, and what it says: plain values that pass between two processes.

The job goes to the worker by `pickle`, from us to our own code. What comes back is JSON and is read as strictly as any
foreign text: a process that has read foreign bytes is not trusted.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from streamt.clusters import Failure, FailureKind
from streamt.net import Address, Basic, HttpClient
from streamt.testing.assertions.base import Accumulator
from streamt.testing.decoding.faults import Fault, Kind
from streamt.testing.results import Cause, Counts, RecordPosition, Status, Verdict

QUERY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RegistryAccess:
    """Where a schema registry is, and how to log in there.

    Attributes:
        addresses: to be tried in order.
        login: the user and the password, if it wants any.
        ca_file: a file with certificates to trust beside the system's.
    """

    addresses: tuple[Address, ...]
    login: Basic | None = None
    ca_file: Path | None = None

    def clients(self) -> tuple[HttpClient, ...]:
        """Return a client for each address.

        Raises:
            CertificateFileError: `ca_file` holds no certificates.
        """
        return tuple(HttpClient(address=each, credentials=self.login, ca_file=self.ca_file) for each in self.addresses)


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic to read.

    Attributes:
        name: its physical name.
        config: librdkafka's settings; secret.
        only_avro: whether a value that is not Avro in the wire format is a fault.
        registry: where the schemas of the wire format are, if anywhere.
    """

    name: str
    config: Mapping[str, str] = field(repr=False)
    only_avro: bool = False
    registry: RegistryAccess | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One sample to read and to judge.

    Attributes:
        topic: what to read.
        limit: how many records at most.
        seconds: how long reading a topic may take.
        judges: the assertions, empty.
        references: for assertions, by index, the topic that they look values up in.
        query_seconds: how long each query may take.
    """

    topic: Topic
    limit: int
    seconds: float
    judges: tuple[Accumulator, ...]
    references: Mapping[int, Topic] = field(default_factory=dict)
    query_seconds: float = QUERY_SECONDS


class Phase(StrEnum):
    """What a worker is doing; the value continues "the process ended while ..."."""

    STARTING = "starting"
    CONNECTING = "connecting to the broker"
    READING = "reading and decoding records"
    LOOKING_UP = "reading the topic of a foreign key"
    JUDGING = "judging the assertions"


class TroubleKind(StrEnum):
    """What keeps a sample from being judged."""

    BROKER = "broker"
    REGISTRY = "registry"
    REFERENCE_CUT_SHORT = "reference cut short"
    REFERENCE_UNDECODABLE = "reference undecodable"
    MEMORY = "memory"
    UNFORESEEN = "unforeseen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a sample was not judged.

    Attributes:
        kind: what is wrong.
        reference: the index of the assertion whose topic it is about; None for the sample's own topic.
        failure: what a system said.
        counts: what was read of the topic.
        name: the type of an exception that nobody foresaw.
    """

    kind: TroubleKind
    reference: int | None = None
    failure: Failure | None = None
    counts: Counts | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many records are read, out of at most how many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Entered:
    """A phase begins, and may take so many seconds."""

    phase: Phase
    seconds: float


@dataclass(frozen=True, slots=True)
class Counted:
    """What was read, once reading is over."""

    counts: Counts


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on the assertion at an index."""

    index: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Ended:
    """The job is done; with what stopped it, if anything did."""

    trouble: Trouble | None = None


Message = Progress | Entered | Counted | Judged | Ended
_KINDS: Mapping[str, type[Message]] = {kind.__name__: kind for kind in (Progress, Entered, Counted, Judged, Ended)}


def encode(message: Message) -> bytes:
    """Write a message as one line."""
    return json.dumps({"is": type(message).__name__, **asdict(message)}, default=_plain).encode() + b"\n"


def decode(line: bytes) -> Message:
    """Read a message.

    Raises:
        ValueError: it is none.
    """
    try:
        parts: dict[str, Any] = json.loads(line)
        message: Message = _READERS[_KINDS[parts.pop("is")]](parts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a message of a worker") from error
    return message


def _plain(value: object) -> object:
    if isinstance(value, Kind):
        return value.name
    raise TypeError


def _place(parts: dict[str, Any] | None) -> RecordPosition | None:
    return None if parts is None else RecordPosition(int(parts["partition"]), int(parts["offset"]))


def _verdict(parts: dict[str, Any]) -> Verdict:
    return Verdict(
        status=Status(parts["status"]),
        message=str(parts["message"]),
        failing=int(parts["failing"]),
        judged=int(parts["judged"]),
        place=_place(parts["place"]),
    )


def _counts(parts: dict[str, Any]) -> Counts:
    return Counts(
        records=int(parts["records"]),
        tombstones=int(parts["tombstones"]),
        causes=tuple(_cause(each) for each in parts["causes"]),
        timed_out=bool(parts["timed_out"]),
    )


def _cause(parts: dict[str, Any]) -> Cause:
    schema = parts["fault"]["schema"]
    fault = Fault(Kind[parts["fault"]["kind"]], None if schema is None else int(schema))
    place = _place(parts["place"])
    assert place is not None
    return Cause(fault, int(parts["count"]), place)


def _trouble(parts: dict[str, Any] | None) -> Trouble | None:
    if parts is None:
        return None
    said = parts["failure"]
    failure = said and Failure(FailureKind(said["kind"]), str(said["code"]), str(said["message"]))
    counts = parts["counts"] and _counts(parts["counts"])
    reference = None if parts["reference"] is None else int(parts["reference"])
    kind, name = TroubleKind(parts["kind"]), str(parts["name"])
    return Trouble(kind=kind, reference=reference, failure=failure, counts=counts, name=name)


_READERS: Mapping[type[Message], Any] = {
    Progress: lambda parts: Progress(int(parts["done"]), int(parts["total"])),
    Entered: lambda parts: Entered(Phase(parts["phase"]), float(parts["seconds"])),
    Counted: lambda parts: Counted(_counts(parts["counts"])),
    Judged: lambda parts: Judged(int(parts["index"]), _verdict(parts["verdict"])),
    Ended: lambda parts: Ended(_trouble(parts["trouble"])),
}
