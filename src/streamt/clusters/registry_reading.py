"""Schemas by their numbers in records, read from a Confluent-compatible registry with all that they refer to.

Unlike `registry_admin`, this asks within the time of a sample, and passes on no word of what the registry says.
https://docs.confluent.io/platform/current/schema-registry/develop/api.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamt.clusters.failure import ClusterError, FailureKind
from streamt.clusters.http_failures import answer_of, unreadable
from streamt.net import Deadline, HttpClient, segments

# How many schemas one may refer to, directly or not.
_MOST_REFERENCES = 200


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """A schema as the registry has it.

    Attributes:
        kind: `AVRO`, `JSON` or `PROTOBUF`.
        text: what it says.
        references: the schemas that it refers to, by the names that it calls them by, each after those that it refers
            to itself; None if the registry does not have one of them.
    """

    kind: str
    text: str
    references: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class _Answered:
    """One answer: a schema, and the name, subject and version of each that it refers to."""

    kind: str
    text: str
    references: tuple[tuple[str, str, int], ...]


class SchemaRegistry:
    """Asks one registry for schemas; no other address is ever asked."""

    def __init__(self, clients: Sequence[HttpClient]) -> None:
        """Keep how it is reached; nothing is asked yet.

        Args:
            clients: one for each of its addresses, tried in order.
        """
        self._clients = clients

    def schema(self, number: int, deadline: Deadline) -> RegisteredSchema | None:
        """Return the schema of a number; None if there is none.

        Raises:
            ClusterError: the registry cannot be asked, or gives no schema.
        """
        found = self._ask(segments("schemas", "ids", str(number)), deadline)
        if found is None:
            return None
        references: dict[str, str] = {}
        complete = self._collect(found, references, deadline)
        return RegisteredSchema(found.kind, found.text, references if complete else None)

    def _collect(self, schema: _Answered, found: dict[str, str], deadline: Deadline) -> bool:
        """Add what a schema refers to, and before each what that refers to; report whether all of it is there."""
        for name, subject, version in schema.references:
            if name in found:
                continue
            if len(found) >= _MOST_REFERENCES:
                return False
            found[name] = ""  # it may refer to itself, through others
            reference = self._ask(segments("subjects", subject, "versions", str(version)), deadline)
            if reference is None or not self._collect(reference, found, deadline):
                return False
            del found[name]  # to stand behind what it refers to
            found[name] = reference.text
        return True

    def _ask(self, path: str, deadline: Deadline) -> _Answered | None:
        """Ask the first address that can be reached; None for what is not there."""
        for client in self._clients:
            try:
                return _read(answer_of(client.send("GET", path, deadline=deadline)))
            except ClusterError as error:
                if error.failure.kind is FailureKind.ABSENT:
                    return None
                if error.failure.kind is not FailureKind.UNREACHABLE or client is self._clients[-1]:
                    raise
        raise AssertionError("a registry has an address")


def _read(answer: Any) -> _Answered:
    try:
        references = tuple(
            (_text(each["name"]), _text(each["subject"]), int(each["version"]))
            for each in answer.get("references") or ()
        )
        return _Answered(_text(answer.get("schemaType") or "AVRO"), _text(answer["schema"]), references)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise unreadable("the answer is no schema") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
