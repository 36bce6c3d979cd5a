"""What streamt asks of a Confluent-compatible schema registry, typed: the reader changes nothing, the admin can.

https://docs.confluent.io/platform/current/schema-registry/develop/api.html. Registries differ in what they leave out;
where they do, the answers here are the same (docs/schema-registries.md has the table):

- a subject without a level of its own: 404 with 40408, or 200 with a level that is not the effective one;
- the level of a subject that does not exist: the global one, or 404;
- the answer that names a level: `compatibilityLevel`, or `compatibility`;
- modes: a word, or 404 or 204 where there are none;
- reasons of an incompatibility: `messages`, or nothing;
- the cluster's own identity: `/v1/metadata/id`, or 404.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from streamt.clusters.failure import ClusterError, Failure, FailureKind
from streamt.diagnostics import redact
from streamt.net import Answered, Body, HttpClient, NotSent, Outcome, segments

SchemaType = Literal["AVRO", "JSON", "PROTOBUF"]

_ABSENT = frozenset({40401, 40402, 40403, 40404, 40408, 40409})
"""No such subject, version or schema; the subject is softly deleted; no level and no mode of its own."""
_KINDS = {401: FailureKind.LOGIN, 403: FailureKind.DENIED, 405: FailureKind.UNSUPPORTED, 501: FailureKind.UNSUPPORTED}
_UNDECIDED = frozenset({408, 429})
_CONTENT_TYPE = {"Content-Type": "application/vnd.schemaregistry.v1+json"}


class Level(StrEnum):
    """A compatibility level."""

    NONE = "NONE"
    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"


@dataclass(frozen=True, slots=True)
class SchemaReference:
    """A schema of another subject, by the name that the text calls it by."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaText:
    """A schema as it is sent."""

    text: str
    kind: SchemaType = "AVRO"
    references: tuple[SchemaReference, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the body of a request; Avro is not named, since old registries do not know the key."""
        body: dict[str, Any] = {"schema": self.text}
        body |= {} if self.kind == "AVRO" else {"schemaType": self.kind}
        if self.references:
            references = [{"name": r.name, "subject": r.subject, "version": r.version} for r in self.references]
            body["references"] = references
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a subject.

    Attributes:
        subject: whose it is.
        number: counted from 1.
        id: the schema's, which several subjects may share.
        schema: what it holds.
    """

    subject: str
    number: int
    id: int
    schema: SchemaText


@dataclass(frozen=True, slots=True)
class Compatibility:
    """What the registry says of a new version.

    Attributes:
        compatible: whether it would be taken, under the effective level.
        reasons: why not, in the registry's words; empty where it gives none.
    """

    compatible: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectLevel:
    """The compatibility level of a subject.

    Attributes:
        effective: the one that counts.
        own: the one that is set on the subject itself; None if the global one counts.
    """

    effective: str
    own: str | None = None


class RegistryReader:
    """Asks a schema registry, and changes nothing."""

    def __init__(self, clients: Sequence[HttpClient], secrets: Sequence[str] = ()) -> None:
        """Keep where it is; nothing is asked yet.

        Args:
            clients: one for each address, tried in order while nothing can be sent to the one before.
            secrets: values that must not appear in the registry's words.
        """
        self._clients = tuple(clients)
        self._secrets = tuple(secrets)

    def identity(self) -> str | None:
        """Return the registry's own identity; None if it tells none.

        Raises:
            ClusterError: it cannot be asked.
        """
        found = self._ask("v1", "metadata", "id", optional=True)
        if not isinstance(found, Mapping):
            return None
        scope = found.get("scope")
        clusters = scope.get("clusters") if isinstance(scope, Mapping) else None
        known = {"id": found.get("id"), **(clusters if isinstance(clusters, Mapping) else {})}
        return (
            "/".join(f"{key}={value}" for key, value in sorted(known.items()) if isinstance(value, str) and value)
            or None
        )

    def subjects(self) -> tuple[str, ...]:
        """Return the names of all subjects that are not deleted, sorted.

        Raises:
            ClusterError: they cannot be listed.
        """
        return tuple(sorted(map(str, _list(self._ask("subjects")))))

    def versions(self, subject: str) -> tuple[int, ...]:
        """Return the numbers of a subject's versions; none if there is no such subject.

        Raises:
            ClusterError: they cannot be listed.
        """
        return tuple(sorted(int(number) for number in _list(self._ask("subjects", subject, "versions"))))

    def latest(self, subject: str) -> Version | None:
        """Return the latest version of a subject; None if there is none.

        Raises:
            ClusterError: it cannot be asked.
        """
        return _version(self._ask("subjects", subject, "versions", "latest"))

    def version(self, subject: str, number: int) -> Version | None:
        """Return one version of a subject; None if there is none.

        Raises:
            ClusterError: it cannot be asked.
        """
        return _version(self._ask("subjects", subject, "versions", str(number)))

    def look_up(self, subject: str, schema: SchemaText, *, normalize: bool) -> Version | None:
        """Return the version under which a schema is registered already; None if it is not.

        Args:
            subject: where to look.
            schema: what to look for.
            normalize: whether the registry compares normal forms; what it leaves out of them differs.

        Raises:
            ClusterError: it cannot be asked, or the schema is no schema.
        """
        query = {"normalize": "true"} if normalize else {}
        return _version(self._ask("subjects", subject, query=query, body=schema.as_json()))

    def compatibility(self, subject: str, schema: SchemaText) -> Compatibility:
        """Return whether a schema could be the subject's next version; a subject without versions takes any.

        Raises:
            ClusterError: it cannot be asked, or the schema is no schema, or one that it refers to is not there.
        """
        path = ("compatibility", "subjects", subject, "versions", "latest")
        found = self._ask(*path, query={"verbose": "true"}, body=schema.as_json())
        if not isinstance(found, Mapping):
            return Compatibility(compatible=True)
        reasons = tuple(redact(str(each), self._secrets) for each in _list(found.get("messages")))
        return Compatibility(found.get("is_compatible") is True, reasons)

    def level(self, subject: str) -> SubjectLevel:
        """Return the level that counts for a subject, and its own.

        Raises:
            ClusterError: it cannot be asked.
        """
        effective = _level(self._ask("config", subject, query={"defaultToGlobal": "true"})) or self.global_level()
        own = _level(self._ask("config", subject))
        return SubjectLevel(effective, own if own == effective else None)

    def global_level(self) -> str:
        """Return the level of subjects without one of their own.

        Raises:
            ClusterError: it cannot be asked.
        """
        return _level(self._ask("config")) or Level.BACKWARD

    def mode(self, subject: str) -> str | None:
        """Return the mode that counts for a subject, such as `READONLY`; None if the registry has no modes.

        Raises:
            ClusterError: it cannot be asked.
        """
        found = self._ask("mode", subject, query={"defaultToGlobal": "true"}, optional=True)
        found = found or self._ask("mode", optional=True)
        mode = found.get("mode") if isinstance(found, Mapping) else None
        return mode if isinstance(mode, str) else None

    def referenced_by(self, subject: str, number: int) -> tuple[int, ...]:
        """Return the ids of the schemas that refer to a version.

        Raises:
            ClusterError: it cannot be asked.
        """
        found = self._ask("subjects", subject, "versions", str(number), "referencedby")
        return tuple(sorted(int(each) for each in _list(found)))

    def _ask(
        self, *path: str, query: Mapping[str, str] | None = None, body: object = None, optional: bool = False
    ) -> Any:
        """Send a request that changes nothing, and return its answer; None if what it names is not there.

        Args:
            path: its segments.
            query: names and values.
            body: what to send as JSON; makes it a POST.
            optional: whether some registries do not know the path.
        """
        outcome = self._send("GET" if body is None else "POST", *path, query=query, body=body)
        if optional and isinstance(outcome, Answered) and outcome.status == 404:
            return None
        failure = failure_of(outcome, self._secrets)
        if failure is not None and failure.kind is not FailureKind.ABSENT:
            raise ClusterError(failure)
        return None if failure or not isinstance(outcome, Answered) else _content(outcome)

    def _send(
        self,
        method: Literal["GET", "POST", "PUT", "DELETE"],
        *path: str,
        query: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Outcome:
        """Send to the first address that takes the request at all."""
        sent = None if body is None else Body(json.dumps(body).encode(), _CONTENT_TYPE)
        for client in self._clients[:-1]:
            outcome = client.send(method, segments(*path), query=query or {}, body=sent)
            if not isinstance(outcome, NotSent):
                return outcome
        return self._clients[-1].send(method, segments(*path), query=query or {}, body=sent)


class RegistryAdmin(RegistryReader):
    """Asks and changes a schema registry."""

    def register(self, subject: str, schema: SchemaText) -> Failure | None:
        """Register a schema as the subject's next version; return why that was not done, or is not known to be.

        The text goes as it is: normal forms of some registries leave docs out, and a changed doc would never arrive.
        """
        return self._change("POST", "subjects", subject, "versions", body=schema.as_json())

    def set_level(self, subject: str, level: str) -> Failure | None:
        """Set a subject's own level; return why that was not done, or is not known to be."""
        return self._change("PUT", "config", subject, body={"compatibility": level})

    def unset_level(self, subject: str) -> Failure | None:
        """Give a subject's level back to the global one; return why that was not done, or is not known to be."""
        failure = self._change("DELETE", "config", subject)
        return None if failure and failure.kind is FailureKind.ABSENT else failure

    def delete(self, subject: str) -> Failure | None:
        """Delete a subject softly: its versions can be brought back; return why that was not done, or is not known."""
        return self._change("DELETE", "subjects", subject)

    def _change(self, method: Literal["POST", "PUT", "DELETE"], *path: str, body: object = None) -> Failure | None:
        return failure_of(self._send(method, *path, body=body), self._secrets)


def failure_of(outcome: Outcome, secrets: Sequence[str] = ()) -> Failure | None:
    """Return what a request's outcome means; None if it was done.

    Args:
        outcome: of one request.
        secrets: values that must not appear in the registry's words.
    """
    if isinstance(outcome, NotSent):
        return Failure(FailureKind.UNREACHABLE, "", outcome.reason.value)
    if not isinstance(outcome, Answered):
        return Failure(FailureKind.UNDECIDED, "", outcome.reason.value)
    if outcome.is_success:
        return None
    code, message = _error(outcome)
    return Failure(_kind(outcome.status, code), str(code), redact(message, secrets))


def _kind(status: int, code: int) -> FailureKind:
    if status == 404:
        # Another 404 is a path that the registry, or what stands before it, does not know.
        return FailureKind.ABSENT if code in _ABSENT else FailureKind.REFUSED
    if status >= 500 or status in _UNDECIDED:
        return FailureKind.UNDECIDED
    return _KINDS.get(status, FailureKind.REFUSED)


def _error(answer: Answered) -> tuple[int, str]:
    """Return code and message of an error's body; the status where it has none."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    code = body.get("error_code") if isinstance(body, Mapping) else None
    message = body.get("message") if isinstance(body, Mapping) else None
    plain = f"HTTP status {answer.status}"
    return (code if isinstance(code, int) and code else answer.status), (message if isinstance(message, str) else plain)


def _content(answer: Answered) -> Any:
    if answer.status == 204 or not answer.body:
        return None
    try:
        return answer.json()
    except ValueError as error:
        raise ClusterError(Failure(FailureKind.UNDECIDED, str(answer.status), str(error))) from None


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _level(found: object) -> str | None:
    if not isinstance(found, Mapping):
        return None
    level = found.get("compatibilityLevel") or found.get("compatibility")
    return level if isinstance(level, str) else None


def _version(found: object) -> Version | None:
    if found is None:
        return None
    try:
        assert isinstance(found, Mapping)
        references = tuple(
            SchemaReference(str(each["name"]), str(each["subject"]), int(each["version"]))
            for each in found.get("references") or ()
        )
        schema = SchemaText(text=str(found["schema"]), kind=found.get("schemaType") or "AVRO", references=references)
        return Version(subject=str(found["subject"]), number=int(found["version"]), id=int(found["id"]), schema=schema)
    except (AssertionError, KeyError, TypeError, ValueError):
        raise ClusterError(Failure(FailureKind.UNDECIDED, "", "an answer that is no schema version")) from None
