"""A small registry that behaves as Confluent's documentation says, in a real HTTP server of the test process.

https://docs.confluent.io/platform/current/schema-registry/develop/api.html. It holds what the adapter uses, and of
Avro's rules those that the tests need: a reader's new field needs a default, and a field's type stays.
"""

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.stack.net import HOST


class RefusedError(Exception):
    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


LEVELS = {"NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"}


@dataclass
class Registered:
    number: int
    id: int
    body: dict[str, Any]
    deleted: bool = False


@dataclass
class Confluent:
    """The registry's content.

    Attributes:
        url: where it is.
        login: `user:password` that it asks for, if any.
        requests: `METHOD path` of each request.
    """

    url: str = ""
    login: str | None = None
    subjects: dict[str, list[Registered]] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    level: str = "BACKWARD"
    mode: str = "READWRITE"
    ids: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def answer(self, method: str, path: list[str], query: dict[str, list[str]], body: Any) -> Any:
        if path[0] == "subjects":
            return self.subject(method, path[1:], body)
        match method, path:
            case "GET", ["v1", "metadata", "id"]:
                scope = {"path": [], "clusters": {"kafka-cluster": "K1", "schema-registry-cluster": "schema-registry"}}
                return {"scope": scope, "id": ""}
            case "POST", ["compatibility", "subjects", subject, "versions", "latest"]:
                return self.checked(subject, body, verbose="verbose" in query)
            case _, ["config", *_]:
                return self.config(method, path[1:], body, falls_back="defaultToGlobal" in query)
            case "GET", ["mode", *subjects]:
                return {"mode": self.mode_of(subjects, falls_back="defaultToGlobal" in query)}
            case _:
                raise RefusedError(404, 404, "HTTP 404 Not Found")

    def subject(self, method: str, path: list[str], body: Any) -> Any:
        match method, path:
            case "GET", []:
                return sorted(name for name, versions in self.subjects.items() if any(not v.deleted for v in versions))
            case "GET", [subject, "versions"]:
                return [version.number for version in self.live(subject)]
            case "GET", [subject, "versions", number]:
                return self.shown(subject, self.one(subject, number))
            case "GET", [subject, "versions", number, "referencedby"]:
                return self.users(subject, self.one(subject, number).number)
            case "POST", [subject]:
                return self.shown(subject, self.looked_up(subject, body))
            case "POST", [subject, "versions"]:
                return {"id": self.register(subject, body)}
            case "DELETE", [subject]:
                return self.delete(subject)
            case _:
                raise RefusedError(404, 404, "HTTP 404 Not Found")

    def mode_of(self, subjects: list[str], *, falls_back: bool) -> str:
        if subjects and subjects[0] not in self.modes and not falls_back:
            raise RefusedError(404, 40409, f"Subject '{subjects[0]}' does not have subject-level mode configured")
        return self.modes.get(subjects[0], self.mode) if subjects else self.mode

    def config(self, method: str, path: list[str], body: Any, *, falls_back: bool) -> Any:
        subject = path[0] if path else None
        if method == "PUT":
            if body.get("compatibility") not in LEVELS:
                raise RefusedError(422, 42203, "Invalid compatibility level")
            if subject is None:
                self.level = body["compatibility"]
            else:
                self.levels[subject] = body["compatibility"]
            return body
        if subject is None:
            return {"compatibilityLevel": self.level}
        if subject not in self.levels and not falls_back:
            message = f"Subject '{subject}' does not have subject-level compatibility configured"
            raise RefusedError(404, 40408, message)
        level = self.levels.get(subject, self.level)
        if method == "DELETE":
            del self.levels[subject]
        return {"compatibilityLevel": level}

    def live(self, subject: str) -> list[Registered]:
        found = [version for version in self.subjects.get(subject, []) if not version.deleted]
        if not found:
            raise RefusedError(404, 40401, f"Subject '{subject}' not found.")
        return found

    def one(self, subject: str, number: str) -> Registered:
        versions = self.live(subject)
        if number in {"latest", "-1"}:
            return versions[-1]
        for version in versions:
            if str(version.number) == number:
                return version
        raise RefusedError(404, 40402, f"Version {number} not found.")

    def shown(self, subject: str, version: Registered) -> dict[str, Any]:
        kept = {key: version.body[key] for key in ("schemaType", "references") if version.body.get(key)}
        return {
            "subject": subject,
            "version": version.number,
            "id": version.id,
            "schema": version.body["schema"],
            **kept,
        }

    def looked_up(self, subject: str, body: Any) -> Registered:
        for version in self.live(subject):
            if same(version.body, body):
                return version
        raise RefusedError(404, 40403, "Schema not found")

    def register(self, subject: str, body: Any) -> int:
        if self.modes.get(subject, self.mode).startswith("READONLY"):
            raise RefusedError(422, 42205, f"Subject {subject} is in read-only mode")
        self.check(body)
        versions = self.subjects.setdefault(subject, [])
        for version in versions:
            if same(version.body, body) and not version.deleted:
                return version.id
        if reasons := self.reasons(subject, body):
            message = (
                f'Schema being registered is incompatible with an earlier schema for subject "{subject}", details: '
            )
            raise RefusedError(409, 409, message + str(reasons))
        text = json.dumps([form(body), body.get("references")])
        if text not in self.ids:
            self.ids.append(text)
        versions.append(Registered(len(versions) + 1, self.ids.index(text) + 1, body))
        return versions[-1].id

    def check(self, body: Any) -> None:
        for reference in body.get("references", []):
            try:
                self.one(reference["subject"], str(reference["version"]))
            except RefusedError:
                raise RefusedError(422, 42201, "Invalid schema: No schema reference found") from None
        if body.get("schemaType", "AVRO") != "PROTOBUF":
            try:
                json.loads(body["schema"])
            except ValueError:
                raise RefusedError(422, 42201, "Invalid schema") from None

    def reasons(self, subject: str, body: Any) -> list[str]:
        level = self.levels.get(subject, self.level)
        earlier = [version for version in self.subjects.get(subject, []) if not version.deleted]
        if level == "NONE" or not earlier:
            return []
        found: list[str] = []
        for version in earlier if "TRANSITIVE" in level else earlier[-1:]:
            old, new = fields(version.body), fields(body)
            pairs = (
                [(new, old)]
                if "BACKWARD" in level
                else [(old, new)]
                if "FORWARD" in level
                else [(new, old), (old, new)]
            )
            for reader, writer in pairs:
                for name, each in reader.items():
                    if name not in writer and "default" not in each:
                        found.append(reason("READER_FIELD_MISSING_DEFAULT_VALUE", f"The field '{name}' has no default"))
                    elif name in writer and writer[name]["type"] != each["type"]:
                        found.append(reason("TYPE_MISMATCH", f"The type of the field '{name}' differs"))
        return found

    def checked(self, subject: str, body: Any, *, verbose: bool) -> Any:
        self.check(body)
        self.live(subject)
        reasons = self.reasons(subject, body)
        return {"is_compatible": not reasons} | ({"messages": reasons} if verbose else {})

    def delete(self, subject: str) -> list[int]:
        versions = self.live(subject)
        if any(self.users(subject, version.number) for version in versions):
            raise RefusedError(422, 42206, f"One or more references exist to the schema {{magic=1,subject={subject}}}")
        for version in versions:
            version.deleted = True
        return [version.number for version in versions]

    def users(self, subject: str, number: int) -> list[int]:
        return sorted(
            version.id
            for versions in self.subjects.values()
            for version in versions
            if not version.deleted
            for reference in version.body.get("references", [])
            if (reference["subject"], reference["version"]) == (subject, number)
        )


def reason(kind: str, text: str) -> str:
    return f"{{errorType:'{kind}', description:'{text}'}}"


def form(body: Any) -> Any:
    """Avro and JSON are compared by what they say, not by how it is spaced."""
    return body["schema"] if body.get("schemaType") == "PROTOBUF" else json.loads(body["schema"])


def same(one: Any, other: Any) -> bool:
    return bool(form(one) == form(other) and one.get("references", []) == other.get("references", []))


def fields(body: Any) -> dict[str, Any]:
    schema = form(body)
    return {each["name"]: each for each in schema.get("fields", [])} if isinstance(schema, dict) else {}


@contextmanager
def confluent(context: ssl.SSLContext | None = None) -> Iterator[Confluent]:
    """Yield a registry that runs, over TLS if it is given a certificate."""
    registry = Confluent()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            url = urlsplit(self.path)
            registry.requests.append(f"{self.command} {self.path}")
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            expected = registry.login and f"Basic {base64.b64encode(registry.login.encode()).decode()}"
            if expected and self.headers.get("Authorization") != expected:
                return self._reply(401, {"error_code": 401, "message": "Unauthorized"})
            try:
                path = [unquote(part) for part in url.path.strip("/").split("/")]
                found = registry.answer(self.command, path, parse_qs(url.query), json.loads(raw) if raw else None)
                return self._reply(200, found)
            except RefusedError as error:
                return self._reply(error.status, {"error_code": error.code, "message": str(error)})

        def _reply(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 # the server's own names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    registry.url = f"http{'s' if context else ''}://{HOST}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
