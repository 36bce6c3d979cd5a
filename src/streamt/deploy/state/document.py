"""The state of one environment as a document: what we put where, under which serial of which store."""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import Field, ValidationError

from streamt import __version__
from streamt.deploy.artifact import Address, decode, encode, encoded
from streamt.deploy.backend import Applied
from streamt.deploy.sealed import MIB, SealError, seal, unseal
from streamt.deploy.state.wire import Time, Uuid, Wire, WireAddress, place_of
from streamt.deploy.times import write_time

FORMAT = "streamt.state/1"
LIMIT = 64 * MIB
"""Bytes of a state that are read, and written, at most: ten thousand topics take about 8 MiB."""


def state_address(namespace: str, project: str, environment: str) -> str:
    """Return the address of an environment's state: `streamt-state://default/shop/prod`."""
    return "streamt-state://" + "/".join(map(encoded, (namespace, project, environment)))


@dataclass(frozen=True, kw_only=True)
class StateDocument:
    """What one environment owns.

    Attributes:
        store_id: a UUIDv4, drawn when the store was made; a serial of another store is never comparable.
        address: whose state it is.
        serial: rises by one with each committed change of resources.
        resources: what is ours, by address.
        operation: the operation that wrote this serial; None for the first.
        secret_key: hexadecimal key of the HMACs of secrets; None if they are not remembered.
        moved_to: where the state has been migrated to; it may no longer be used here.
    """

    store_id: str
    address: str
    serial: int
    resources: Mapping[Address, Applied] = field(default_factory=dict)
    operation: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    moved_to: str | None = None

    @classmethod
    def new(cls, address: str, *, remember_secrets: bool = True) -> Self:
        """Return the first, empty state of a new store."""
        key = secrets.token_hex(32) if remember_secrets else None
        return cls(store_id=str(uuid4()), address=address, serial=0, secret_key=key)

    def to_bytes(self) -> bytes:
        """Return the document as one line with its newline.

        Raises:
            SealError: it is larger than a state may be.
        """
        if len(self._content) > LIMIT:
            raise SealError(f"is larger than {LIMIT // MIB} MiB")
        return self._content

    @cached_property
    def _content(self) -> bytes:
        return seal(self._as_data(), "checksum") + b"\n"

    def _as_data(self) -> dict[str, Any]:
        optional = {"operation": self.operation, "secret_key": self.secret_key, "moved_to": self.moved_to}
        return {
            "format": FORMAT,
            "streamt": __version__,
            "store_id": self.store_id,
            "address": self.address,
            "serial": self.serial,
            "resources": {str(address): write_resource(each) for address, each in self.resources.items()},
            **{key: value for key, value in optional.items() if value is not None},
        }

    @classmethod
    def from_bytes(cls, content: bytes, address: str) -> Self:
        """Return the document that `to_bytes` wrote.

        Args:
            content: all of it.
            address: whose state it must be.

        Raises:
            SealError: it is damaged, or not this environment's.
        """
        if not content.endswith(b"\n"):
            raise SealError("is cut short")
        data = unseal(content[:-1], form=FORMAT, key="checksum", limit=LIMIT)
        if data.get("address") != address:
            raise SealError("belongs to another project, environment or namespace")
        try:
            wire = _Document.model_validate(data)
        except ValidationError as error:
            raise SealError(f"has an unexpected value at {place_of(error)}") from None
        return cls(
            store_id=wire.store_id,
            address=wire.address,
            serial=wire.serial,
            resources=dict(_read_resources(wire.resources)),
            operation=wire.operation,
            secret_key=wire.secret_key,
            moved_to=wire.moved_to,
        )


@dataclass(frozen=True, slots=True)
class StateVersion:
    """Which state a plan was made against."""

    store_id: str
    address: str
    serial: int
    checksum: str

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"store_id": self.store_id, "address": self.address, "serial": self.serial, "checksum": self.checksum}


def checksum_of(content: bytes) -> str:
    """Return the checksum that a state's bytes hold; empty if they hold none."""
    _, _, rest = content.partition(b'"checksum":"')
    return rest.partition(b'"')[0].decode(errors="replace")


# Resources


def write_resource(applied: Applied) -> dict[str, Any]:
    """Return an applied resource as plain data."""
    return {
        "name": applied.name,
        "cluster": {"alias": applied.cluster, "identity": applied.cluster_id},
        "provider_id": dict(applied.provider_id),
        "ownership": applied.ownership,
        "protect": applied.protect,
        "applied": {
            "digest": applied.digest,
            "artifact": encode(applied.content),
            "operation": applied.operation,
            "at": write_time(applied.at),
        },
        "run": {"condition": applied.condition} if applied.condition is not None else {},
        "secrets": dict(applied.secrets),
        "depends_on": [str(each) for each in applied.depends_on],
    }


def read_resource(data: Any) -> Applied:
    """Return the applied resource that `write_resource` wrote.

    Raises:
        SealError: it is none.
    """
    try:
        return _applied(_Resource.model_validate(data))
    except ValidationError as error:
        raise SealError(f"has an unexpected value at {place_of(error)}") from None


def _read_resources(resources: "Mapping[str, _Resource]") -> Iterator[tuple[Address, Applied]]:
    for text, resource in resources.items():
        address = Address.parse(text)
        if address is None:
            raise SealError("holds an invalid resource address")
        yield address, _applied(resource)


def _applied(wire: "_Resource") -> Applied:
    content = decode(wire.applied.artifact)
    assert isinstance(content, Mapping)  # as its model says
    return Applied(
        name=wire.name,
        cluster=wire.cluster.alias,
        cluster_id=wire.cluster.identity,
        provider_id=wire.provider_id,
        ownership=wire.ownership,
        protect=wire.protect,
        digest=wire.applied.digest,
        content=content,
        operation=wire.applied.operation,
        at=wire.applied.at,
        condition=wire.run.condition,
        secrets=wire.secrets,
        depends_on=tuple(wire.depends_on),
    )


# The form on disk


class _Cluster(Wire):
    alias: str | None
    identity: str


class _Artifact(Wire):
    digest: str
    artifact: dict[str, Any]
    operation: Uuid
    at: Time


class _Run(Wire):
    condition: str | None = None


class _Resource(Wire):
    name: str
    cluster: _Cluster
    provider_id: dict[str, str | int]
    ownership: Literal["managed", "adopted", "external"]
    protect: bool
    applied: _Artifact
    run: _Run
    secrets: dict[str, str]
    depends_on: list[WireAddress]


class _Document(Wire):
    format: str
    streamt: str
    store_id: Uuid
    address: str
    serial: Annotated[int, Field(ge=0)]
    resources: dict[str, _Resource]
    operation: Uuid | None = None
    secret_key: Annotated[str | None, Field(pattern="^[0-9a-f]{64}$")] = None
    moved_to: str | None = None
