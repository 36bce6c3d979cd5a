"""What the compiler says a resource should be: its address, its content and their digest, as plain data.

An artifact holds no secret: where a secret belongs stands a `SecretRef`, which names the place of its declaration and
is resolved by the adapter that sends it, and by nobody else.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, Literal, Self, cast
from urllib.parse import quote, unquote

from streamt.diagnostics import pointer

SCHEME = "streamt://"
_SECRET_KEY = "$secret"  # noqa: S105 - the key that stands for a secret, not a secret

Ownership = Literal["managed", "adopted", "external"]
Part = Literal["key", "value"]


class ResourceKind(StrEnum):
    """What can be deployed; the values are segments of addresses."""

    SCHEMA = "schema"
    TOPIC = "topic"
    FLINK_JOB = "flink_job"
    CONNECTOR = "connector"
    GATEWAY_RULE = "gateway_rule"


@dataclass(frozen=True, slots=True)
class SecretRef:
    """A value that must not be seen, by the place of its declaration.

    Attributes:
        pointer: a JSON pointer into the project in which sources and models stand by name and not by index, so that it
            does not depend on the order of declarations: `/models/orders/sink/config/connection.password`.
    """

    pointer: str

    def __str__(self) -> str:
        return f':secret("{self.pointer}")'


Content = None | bool | int | float | str | SecretRef | Sequence["Content"] | Mapping[str, "Content"]


@dataclass(frozen=True, kw_only=True)
class Address:
    """The name of a resource that outlives every change of its physical name.

    Attributes:
        project: the project's name.
        environment: the environment's name.
        kind: what is deployed.
        name: the logical name of the source or model that it belongs to.
        part: which of a topic's two schemas is meant; None for every other kind.
    """

    project: str
    environment: str
    kind: ResourceKind
    name: str
    part: Part | None = None

    def __hash__(self) -> int:
        return hash((self.name, self.part))  # what tells addresses of one environment apart, but for the kind

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        part = f"/{self.part}" if self.part else ""
        place = f"{encoded(self.project)}/{encoded(self.environment)}"
        return f"{SCHEME}{place}/{self.kind.value}/{encoded(self.name)}{part}"

    def __lt__(self, other: "Address") -> bool:
        return str(self) < str(other)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the address that `text` is; None if it is none, or is not spelled as `str` spells it."""
        segments = [unquote(each) for each in text.removeprefix(SCHEME).split("/")]
        if len(segments) not in (4, 5) or segments[2] not in set(ResourceKind):
            return None
        project, environment, kind, name, *part = segments
        address = cls(
            project=project,
            environment=environment,
            kind=ResourceKind(kind),
            name=name,
            part=cast("Part", part[0]) if part else None,
        )
        is_whole = (address.kind is ResourceKind.SCHEMA) == (address.part in ("key", "value"))
        return address if is_whole and str(address) == text else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The source or model that a resource belongs to.

    Attributes:
        kind: `source` or `model`.
        name: its logical name.
        owner: the person or team that answers for it, as declared.
    """

    kind: Literal["source", "model"]
    name: str
    owner: str | None = None

    @property
    def location(self) -> str:
        """The pointer of the declaration, by name: `/models/orders`."""
        return pointer(f"{self.kind}s", self.name)


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """One resource as it should be.

    Attributes:
        address: its lasting name.
        name: its physical name: a topic's, a subject's, a job's, a connector's or a rule's.
        cluster: the alias of the cluster that holds it; None where the project has only one.
        content: all that is ours of it, free of secrets; what its digest is made of.
        declaration: what it belongs to.
        ownership: whether streamt manages it, has adopted it, or leaves it alone.
        protect: whether no plan may delete or stop it.
        depends_on: what must be there before it.
    """

    address: Address
    name: str
    cluster: str | None = None
    content: Mapping[str, Content]
    declaration: Declaration
    ownership: Ownership = "managed"
    protect: bool = False
    depends_on: tuple[Address, ...] = ()

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the hexadecimal SHA-256 of the content's canonical JSON."""
        return _digest(self._canonical)

    @cached_property
    def data(self) -> Any:
        """The content as plain JSON data, its keys sorted."""
        return json.loads(self._canonical)  # quicker than `encode`, since all of it runs in C

    @cached_property
    def _canonical(self) -> bytes:
        return canonical_json(self.content)

    @cached_property
    def secrets(self) -> Mapping[str, SecretRef]:
        """The secrets of the content, by the JSON pointer of their place in it."""
        # Most resources have none, and a look at their text is enough.
        return dict(_secrets(self.content, ())) if _SECRET_KEY.encode() in self._canonical else {}


@lru_cache(maxsize=100_000)  # addresses are spelled in the order of names, again and again: all must fit
def encoded(text: str) -> str:
    """Return `text` percent-encoded (RFC 3986), all but ASCII letters, digits and `-._~`."""
    return quote(text, safe="")


def encode(content: Content) -> Any:
    """Return `content` as plain JSON data, its keys sorted: `{"$secret": pointer}` stands for a secret."""
    kind = type(content)
    if kind is str or kind is int or kind is bool or content is None:  # most of it, and quickly told
        return content
    if isinstance(content, SecretRef):
        return {_SECRET_KEY: content.pointer}
    if isinstance(content, Mapping):
        # Most values are texts: asking here saves a call for each of them.
        return {key: value if type(value := content[key]) is str else encode(value) for key in sorted(content)}
    if isinstance(content, Sequence) and not isinstance(content, str):
        return [value if type(value) is str else encode(value) for value in content]
    return content


def decode(data: Any) -> Content:
    """Return the content that `encode` made `data` of."""
    if isinstance(data, dict):
        if data.keys() == {_SECRET_KEY} and isinstance(data[_SECRET_KEY], str):
            return SecretRef(data[_SECRET_KEY])
        return {key: decode(value) for key, value in data.items()}
    return [decode(value) for value in data] if isinstance(data, list) else cast("Content", data)


def canonical_json(content: Content) -> bytes:
    """Return `content` as JSON of one spelling: sorted keys, no spaces, UTF-8.

    Raises:
        ValueError: it holds a number that JSON does not have.
    """
    return _CANONICAL.encode(content).encode()


def _plain(content: Content) -> Any:
    """Return what JSON's encoder does not know by itself as something that it knows.

    Raises:
        TypeError: nothing of the kind belongs into an artifact.
    """
    if isinstance(content, SecretRef):
        return {_SECRET_KEY: content.pointer}
    if isinstance(content, Mapping):
        return dict(content)
    if isinstance(content, Sequence):
        return list(content)
    raise TypeError(f"{type(content).__name__} in an artifact")


# One for all: making an encoder takes longer than encoding a small resource.
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
)


def digest(content: Content) -> str:
    """Return `sha256:` and the hexadecimal SHA-256 of the canonical JSON of `content`.

    Raises:
        ValueError: it holds a number that JSON does not have.
    """
    return _digest(canonical_json(content))


def _digest(canonical: bytes) -> str:
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


def _secrets(content: Content, path: tuple[str | int, ...]) -> Iterator[tuple[str, SecretRef]]:
    if isinstance(content, SecretRef):
        yield pointer(*path), content
    elif isinstance(content, Mapping):
        for key in sorted(content):
            yield from _secrets(content[key], (*path, key))
    elif isinstance(content, Sequence) and not isinstance(content, str):
        for index, value in enumerate(content):
            yield from _secrets(value, (*path, index))
