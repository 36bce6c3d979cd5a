"""A catalog with a few tables and people, and short words to send events and look at what became of them."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from streamt.catalog import wire
from streamt.catalog.access import Caller, Permission, Role
from streamt.catalog.applying import Outcome
from streamt.catalog.service import Catalog
from streamt.catalog.store import details, people, reading
from streamt.catalog.store.registering import ConnectionSpec, ContainerSpec, FieldSpec
from streamt.catalog.store.tables import asset, edge
from streamt.catalog.values import Scope

NAMESPACE = "postgres://warehouse:5432"
PRODUCER = "https://producer.example/1.0"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
DAY = "2026-01-01T00:00:{:02d}Z"
START_OF_DAY = 1_767_225_600 * 1_000_000_000
_FACET = {"_producer": PRODUCER, "_schemaURL": "https://openlineage.io/spec/facets/1-0-0/X.json"}


def run_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def facet(**content: Any) -> dict[str, Any]:
    return {**_FACET, **content}


def dataset(name: str, **facets: Any) -> dict[str, Any]:
    """`a` is a table of the first datastore, `d` of the second; longer names are taken as they are."""
    schema = "private" if name == "d" else "public"
    full = f"analytics.{schema}.{name}" if len(name) == 1 else name
    return {"namespace": NAMESPACE, "name": full, **({"facets": facets} if facets else {})}


def lineage(**fields: str) -> dict[str, Any]:
    """`x="a.y a.z"` derives field x from a's y and z."""
    made = {}
    for target, text in fields.items():
        sources = []
        for part in text.split():
            table, _, name = part.partition(".")
            how = [{"type": "DIRECT", "subtype": "IDENTITY"}]
            sources.append({**dataset(table), "field": name, "transformations": how})
        made[target] = {"inputFields": sources}
    return facet(fields=made)


def event(
    kind: str,
    second: int,
    inputs: str = "",
    outputs: str = "",
    *,
    run: int = 1,
    job: str = "job",
    facets: Mapping[str, Mapping[str, Any]] | None = None,
    job_facets: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write an event in short: each letter of `inputs` and `outputs` is a dataset; kind JOB and DATASET are such."""
    known = facets or {}
    body: dict[str, Any] = {"eventTime": DAY.format(second), "producer": PRODUCER, "schemaURL": SCHEMA}
    if kind == "DATASET":
        return {**body, "dataset": dataset(inputs, **known.get(inputs, {}))}
    body["job"] = {"namespace": "jobs", "name": job, **({"facets": job_facets} if job_facets else {})}
    body["inputs"] = [dataset(name, **known.get(name, {})) for name in inputs]
    body["outputs"] = [dataset(name, **known.get(name, {})) for name in outputs]
    if kind != "JOB":
        body |= {"eventType": kind, "run": {"runId": run_id(run)}}
    return body


@dataclass
class Desk:
    """A catalog and what is in it."""

    catalog: Catalog
    admin: Caller
    datastores: tuple[int, int]
    tables: dict[str, int] = field(default_factory=dict)

    @classmethod
    def again(cls, url: str) -> "Desk":
        """Open a store that `open` set up, or a copy of it."""
        desk = cls(Catalog.open(url), Caller(1, "admin", Role.ADMIN), (1, 2))
        with desk.catalog.reading() as conn:
            desk.tables |= {name: number for number, name in conn.execute(select(asset.c.id, asset.c.name))}
        return desk

    @classmethod
    def open(cls, url: str) -> "Desk":
        catalog = Catalog.open(url)
        number = catalog.change(lambda tools: people.make_account(tools.conn, "admin", Role.ADMIN, tools.now))
        assert number is not None
        admin = Caller(number, "admin", Role.ADMIN)
        connection, _ = catalog.make_connection(ConnectionSpec("warehouse", "postgres", "warehouse", 5432), admin)
        first, _ = catalog.make_datastore(connection, {"database": "analytics", "schema": "public"}, admin)
        second, _ = catalog.make_datastore(connection, {"database": "analytics", "schema": "private"}, admin)
        desk = cls(catalog, admin, (first, second))
        desk.register("abc")
        desk.register("d", store=1)
        return desk

    def register(self, names: str, *, store: int = 0) -> None:
        """Register tables with the fields x, y and z, and wait until what named them is replayed."""
        fields = tuple(FieldSpec(name, "int") for name in "xyz")
        specs = [ContainerSpec(name, fields=fields) for name in names]
        synced = self.catalog.register(self.datastores[store], specs, self.admin, whole=False)
        self.tables |= dict(zip(names, synced.containers, strict=True))
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is left to replay."""
        end = time.monotonic() + 60
        while self.catalog.pending_replays():
            assert time.monotonic() < end
            self.catalog.replay_pending()

    def member(self, name: str, *permissions: Permission | None) -> Caller:
        """Make a user whose team has these permissions on the first and the second datastore."""

        def work(tools: Any) -> Caller:
            number = people.make_account(tools.conn, name, Role.MEMBER, tools.now)
            team = people.make_team(tools.conn, f"team of {name}")
            assert number is not None
            assert team is not None
            people.set_member(tools.conn, team, number, member=True)
            for store, permission in zip(self.datastores, permissions, strict=False):
                people.set_grant(tools.conn, team, store, permission)
            return Caller(number, name, Role.MEMBER, people.permissions_of(tools.conn, number))

        return self.catalog.change(work)

    def send(self, *events: Mapping[str, Any], by: Caller | None = None) -> list[Outcome]:
        body = wire.decode(json.dumps(list(events)).encode())
        return self.catalog.receive(body.items, by or self.admin)

    def rights(self, caller: Caller) -> Scope:
        with self.catalog.reading() as conn:
            return people.rights_of(conn, caller.user)

    def edges(self, *, retired: bool = False) -> set[str]:
        """Return the edges as short texts: `a>b`, `a.x>b.y`; outside assets in full."""
        with self.catalog.reading() as conn:
            rows = conn.execute(select(asset.c.id, asset.c.name)).all()
            names = {number: name.rpartition(".")[2] for number, name in rows}
            fields = dict(conn.execute(select(_field.c.id, _field.c.name)).all())
            query = select(edge).where(edge.c.retired_at.is_not(None) if retired else edge.c.retired_at.is_(None))
            found = set()
            for row in conn.execute(query):
                ends = (names[row.source_id], names[row.target_id])
                parts = (fields.get(row.source_field), fields.get(row.target_field))
                shown = [end if part is None else f"{end}.{part}" for end, part in zip(ends, parts, strict=True)]
                found.add(">".join(shown))
            return found

    def edge(self, text: str, by: Caller | None = None) -> dict[str, Any]:
        """Return what a caller sees of a table edge, active or retired, written as `a>b`."""
        source, _, target = text.partition(">")
        with self.catalog.reading() as conn:
            ends = (edge.c.source_id == self.tables[source], edge.c.target_id == self.tables[target])
            query = select(edge.c.id).where(*ends, edge.c.source_field == 0)
            number = conn.scalars(query.order_by(edge.c.id)).first()
            assert number is not None
            found = details.edge_of(conn, by or self.admin, number)
        assert found is not None
        return found

    def container(self, name: str, by: Caller | None = None) -> dict[str, Any]:
        with self.catalog.reading() as conn:
            found = details.container(conn, by or self.admin, self.tables[name])
        assert found is not None
        return found

    def graph(self, name: str, by: Caller | None = None, **asked: Any) -> dict[str, Any]:
        with self.catalog.reading() as conn:
            return reading.graph(conn, by or self.admin, reading.GraphQuery(self.tables[name], **asked))


from streamt.catalog.store.tables import field as _field  # noqa: E402 - `field` is the dataclass's here
