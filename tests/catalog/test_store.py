"""The store: versions, indices, retention, export and the law of delivery, on real databases."""

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, inspect, select, text

from streamt.catalog import editing
from streamt.catalog.retention import DAY, Rules, pages, sweep
from streamt.catalog.service import Catalog
from streamt.catalog.store import details, engine
from streamt.catalog.store.tables import claim, event_body, job, metadata, metadata_value, run
from streamt.catalog.store.tables import event as event_table
from streamt.diagnostics import StreamtError
from tests.catalog.conftest import copied
from tests.catalog.desk import Desk, event, facet, lineage
from tests.catalog.server import Client, serving, token_for
from tests.deploy.postgres_server import PostgresServer, programs


def test_the_migrations_make_the_tables_that_the_program_works_with(store_url: str) -> None:
    store = engine.open_store(store_url)
    with store.reading.connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    store.close()


def test_every_foreign_key_that_a_delete_walks_has_an_index(store_url: str) -> None:
    store = engine.open_store(store_url)
    inspector = inspect(store.reading)
    walked = {"event", "event_body", "event_seen", "run"}
    missing = []
    for table in metadata.tables:
        indexed = [index["column_names"][0] for index in inspector.get_indexes(table)]
        indexed += [inspector.get_pk_constraint(table)["constrained_columns"][0]]
        indexed += [unique["column_names"][0] for unique in inspector.get_unique_constraints(table)]
        for key in inspector.get_foreign_keys(table):
            assert not key["options"].get("ondelete")
            if key["referred_table"] in walked and key["constrained_columns"][0] not in indexed:
                missing.append(f"{table}.{key['constrained_columns'][0]}")
    store.close()
    assert missing == []


@pytest.mark.parametrize(("version", "says"), [("9999", "too new"), ("0000", "too new")])
def test_a_store_of_another_version_is_an_error_that_says_so(store_url: str, version: str, says: str) -> None:
    store = engine.open_store(store_url)
    with store.writing.begin() as conn:
        conn.execute(text("update alembic_version set version_num = :version"), {"version": version})
    store.close()
    with pytest.raises(StreamtError, match=says):
        engine.open_store(store_url)
    with pytest.raises(StreamtError, match="too new"):
        engine.migrate(store_url)


def test_a_store_that_is_too_old_asks_for_migrate(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.open_store(store_url).close()
    monkeypatch.setattr(engine, "revisions", lambda: ["0002", "0001"])
    with pytest.raises(StreamtError, match="too old") as caught:
        engine.open_store(store_url)
    assert "streamt catalog migrate" in str(caught.value.diagnostics[0].hint)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://x/y", "nonsense"])
def test_a_url_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(StreamtError):
        engine.open_store(url)


def test_a_store_that_is_not_there_is_an_error_without_a_password() -> None:
    with pytest.raises(StreamtError) as caught:
        engine.open_store("postgresql://somebody:sup3rs3cret@127.0.0.1:1/nothing")
    assert "sup3rs3cret" not in str(caught.value)


def test_an_sqlite_store_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    engine.open_store(f"sqlite:///{tmp_path}/new/catalog.db").close()
    assert (tmp_path / "new" / "catalog.db").stat().st_mode & 0o077 == 0


def test_migrating_twice_changes_nothing(store_url: str) -> None:
    assert engine.migrate(store_url) == (None, engine.head())
    assert engine.migrate(store_url) == (engine.head(), engine.head())


@pytest.mark.parametrize("text", ["a\\u0000b", "\\ud800"])
def test_a_text_that_no_store_can_keep_is_422_or_kept_but_never_a_failure(desk: Desk, text: str) -> None:
    with serving(desk.catalog) as url:
        client = Client(url, token_for(desk.catalog, desk.admin))
        answer = client.call("POST", "/api/v1/teams", raw=f'{{"name": "{text}"}}'.encode())
        assert answer.status in (201, 422)
        assert client.get("/api/v1/search?q=%00").status in (200, 422)


def test_a_back_up_of_a_running_sqlite_store_can_be_restored(sqlite_desk: Desk, tmp_path: Path) -> None:
    sqlite_desk.send(event("COMPLETE", 1, "a", "b"))
    with sqlite3.connect(tmp_path / "desk.db") as link:
        link.execute("vacuum into ?", (str(tmp_path / "copy.db"),))
    link.close()
    again = Desk.again(f"sqlite:///{tmp_path}/copy.db")
    assert again.edges() == {"a>b"}
    again.send(event("COMPLETE", 2, "a", "c", run=2))
    assert again.edges() == {"a>c"}
    again.catalog.close()


def test_a_dump_of_a_postgresql_store_can_be_restored(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.make_database(f"dumped_{uuid4().hex}")
    desk = Desk.open(url)
    desk.send(event("COMPLETE", 1, "a", "b"))
    desk.catalog.close()
    restored = postgres.make_database(f"restored_{uuid4().hex}")
    dump = tmp_path / "catalog.dump"
    subprocess.run([programs() / "pg_dump", "-Fc", "-f", dump, url], check=True)
    subprocess.run([programs() / "pg_restore", "-d", restored, dump], check=True)
    again = Desk.again(restored)
    assert again.edges() == {"a>b"}
    again.send(event("COMPLETE", 2, "a", "c", run=2))
    assert again.edges() == {"a>c"}
    again.catalog.close()


# Retention


def _bodies(catalog: Catalog) -> int:
    with catalog.reading() as conn:
        return conn.scalar(select(func.count()).select_from(event_body)) or 0


def test_retention_takes_old_bodies_but_not_what_truth_and_open_runs_need(desk: Desk) -> None:
    desk.send(*[event("COMPLETE", second, "a", "b", run=second) for second in range(1, 20)])
    desk.send(event("START", 30, "b", "c", job="open", run=50))
    desk.send({"no": "event"})
    now = desk.catalog.clock()
    desk.catalog.clock = lambda: now + 40 * DAY
    swept = sweep(desk.catalog, Rules(bodies_days=30, events_days=400))
    assert _bodies(desk.catalog) == 2, "the truth and the open run"
    assert swept.bodies == 19
    assert desk.edges() == {"a>b", "b>c"}


def test_rejected_events_keep_their_bodies_for_thirty_days(desk: Desk) -> None:
    desk.send({"no": "event"})
    now = desk.catalog.clock()
    desk.catalog.clock = lambda: now + 20 * DAY
    sweep(desk.catalog, Rules(bodies_days=1))
    assert _bodies(desk.catalog) == 1


def test_a_sweep_changes_nothing_of_what_is_shown_and_what_comes_after_is_the_same(desk: Desk) -> None:
    desk.send(event("START", 1, "a", "b", run=1), event("COMPLETE", 2, run=1))
    desk.send(*[event("COMPLETE", second, "a", "c", run=second, job="other") for second in range(3, 9)])
    desk.send(event("START", 20, "p", "c", job="waits", run=60))
    now = desk.catalog.clock()
    desk.catalog.clock = lambda: now + 1000 * DAY
    swept = sweep(desk.catalog, Rules(bodies_days=1, events_days=1))
    assert swept.events > 0
    assert desk.edges() == {"a>b", "a>c", "p>c"}
    desk.register("p")
    assert desk.graph("c")["nodes"][-1]["kind"] == "container"
    desk.send({**event("COMPLETE", 9, run=1), "eventTime": "2026-01-01T00:00:09Z"})
    assert "a>b" in desk.edges()


def test_bodies_that_stay_are_compressed_and_read_as_they_came(desk: Desk) -> None:
    from streamt.catalog.store import ledger

    body = event("COMPLETE", 1, "a", "b", facets={"b": {"strange": {"pad": "x" * 5000}}})
    (outcome,) = desk.send(body)
    assert sweep(desk.catalog, Rules()).compressed == 1
    with desk.catalog.reading() as conn:
        raw = ledger.body_of(conn, outcome.event)
    assert raw is not None
    assert json.loads(raw) == body


def test_the_sqlite_file_shrinks(sqlite_desk: Desk) -> None:
    pad = {"b": {"strange": {"pad": "x" * 20_000}}}
    sqlite_desk.send(*[event("COMPLETE", second, "a", "b", run=second, facets=pad) for second in range(1, 40)])
    now = sqlite_desk.catalog.clock()
    sqlite_desk.catalog.clock = lambda: now + 200 * DAY
    before = pages(sqlite_desk.catalog)
    sweep(sqlite_desk.catalog, Rules(), compress=False)
    assert pages(sqlite_desk.catalog) < before / 2


def test_a_run_that_never_ended_becomes_lost_and_keeps_its_edges(desk: Desk) -> None:
    desk.send(event("START", 1, "a", "b"))
    now = desk.catalog.clock()
    desk.catalog.clock = lambda: now + 400 * DAY
    assert sweep(desk.catalog, Rules(run_days=7)).lost == 1
    assert desk.edge("a>b")["evidence"][0]["run"]["state"] == "LOST"


# Export


def test_an_export_sent_to_an_empty_catalog_gives_the_same_graph(desk: Desk, tmp_path: Path) -> None:
    desk.send(
        event("COMPLETE", 1, "ab", "c", job="one", facets={"c": {"columnLineage": lineage(x="a.y b.z")}}),
        event("START", 2, "a", "b", job="two", run=2),
        event("RUNNING", 3, "c", "d", job="two", run=2),
        event("COMPLETE", 4, job="two", run=2),
        event("COMPLETE", 5, "p", "a", job="three", run=3),
        event("DATASET", 6, "a", facets={"a": {"documentation": facet(description="what a is")}}),
    )
    with desk.catalog.reading() as conn:
        exported = list(desk.catalog.export(conn))
    other = Desk.open(f"sqlite:///{tmp_path}/other.db")
    try:
        outcomes = other.send(*exported)
        assert {outcome.status for outcome in outcomes} <= {"applied", "stored"}
        assert other.edges() == desk.edges()
        assert other.container("a")["description"]["value"] == "what a is"
        for pair in ("a>b", "a>c", "c>d"):
            names = [one["job"]["name"] for one in other.edge(pair)["evidence"]]
            assert names == [one["job"]["name"] for one in desk.edge(pair)["evidence"]]
    finally:
        other.catalog.close()


def test_an_empty_catalog_learns_from_events_what_there_is(tmp_path: Path) -> None:
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    body = event("COMPLETE", 1)
    kafka = {"namespace": "kafka://broker:9092", "name": "topic.v1"}
    schema = {"schema": facet(fields=[{"name": "id", "type": "string"}])}
    body["inputs"] = [{**kafka, "facets": schema}]
    body["outputs"] = [{"namespace": "s3://lake", "name": "/tables/out/"}]
    desk.send(body)
    assert desk.edges() == set()
    found = desk.catalog.sync_events(desk.admin)
    desk.settle()
    assert found["added"] == 2
    assert len(desk.edges()) == 1
    (topic,) = desk.catalog.nodes_named(("kafka://broker:9092", "topic.v1"))
    with desk.catalog.reading() as conn:
        shown = details.container(conn, desk.admin, topic)
    assert shown is not None
    assert [one["name"] for one in shown["fields"]] == ["id"]
    desk.catalog.close()


# Metadata


def described(text: str | None, second: int, run: int = 1) -> dict[str, Any]:
    documentation = {"_deleted": True} if text is None else facet(description=text)
    return event("COMPLETE", second, "", "b", run=run, facets={"b": {"documentation": documentation}})


def test_a_users_description_wins_and_is_handed_back_when_cleared(desk: Desk) -> None:
    desk.send(described("from a producer", 1))
    edits = [editing.Edit("description", "mine")]
    desk.catalog.change(lambda tools: editing.edit(tools, desk.tables["b"], edits, desk.admin))
    desk.send(described("newer", 2, run=2))
    assert desk.container("b")["description"]["value"] == "mine"
    clear = [editing.Edit("description", None)]
    desk.catalog.change(lambda tools: editing.edit(tools, desk.tables["b"], clear, desk.admin))
    assert desk.container("b")["description"]["value"] == "newer"


@pytest.mark.parametrize("runs", [(1, 2), (2, 1), (3, 4), (4, 3)])
def test_of_two_reports_of_one_time_the_same_one_counts_for_what_comes_later(desk: Desk, runs: tuple[int, int]) -> None:
    desk.send(described("one", 4, run=runs[0]), described(None, 4, run=runs[1]), described(None, 5, run=9))
    assert desk.container("b")["description"]["value"] is None


def test_a_deleted_facet_withdraws_and_older_events_do_not_replace_newer_ones(desk: Desk) -> None:
    desk.send(described("new", 5), described("old", 2, run=2))
    assert desk.container("b")["description"]["value"] == "new"
    desk.send(described(None, 6, run=3))
    assert desk.container("b")["description"]["value"] is None


def test_owners_are_descriptive_and_grant_nothing(desk: Desk) -> None:
    bob = desk.member("bob")
    owners = {"b": {"ownership": facet(owners=[{"name": "bob", "type": "OWNER"}])}}
    desk.send(event("COMPLETE", 1, "", "b", facets=owners))
    assert desk.container("b")["owners"] == [{"name": "bob", "type": "OWNER"}]
    assert not desk.rights(bob).covers([desk.datastores[0]])


def test_descriptions_and_tags_of_fields(desk: Desk) -> None:
    schema = facet(fields=[{"name": "X", "description": "the x"}, {"name": "unknown", "description": "?"}])
    tags = facet(tags=[{"key": "pii", "value": "true", "field": "x"}, {"key": "gold", "value": ""}])
    desk.send(event("COMPLETE", 1, "", "b", facets={"b": {"schema": schema, "tags": tags}}))
    shown = desk.container("b")
    assert shown["fields"][0]["description"]["value"] == "the x"
    assert shown["fields"][0]["tags"] == [{"key": "pii", "value": "true", "source": "openlineage"}]
    assert shown["tags"] == [{"key": "gold", "value": "", "source": "openlineage"}]
    desk.send(event("COMPLETE", 2, "", "b", run=2, facets={"b": {"tags": facet(tags=[])}}))
    assert desk.container("b")["tags"] == []


def test_the_timeline_names_the_producer_beside_the_user_and_never_the_job_or_run(desk: Desk) -> None:
    from streamt.catalog.store.reading import Page

    (outcome,) = desk.send(described("text", 1))
    with desk.catalog.reading() as conn:
        (line,) = details.timeline_of(conn, desk.tables["b"], Page())["items"]
    assert (line["producer"], line["user"], line["event"]) == ("https://producer.example/1.0", "admin", outcome.event)
    assert "job" not in json.dumps(line).replace("jobs", "")


def test_metadata_goes_only_to_containers_that_the_caller_may_edit(desk: Desk) -> None:
    from streamt.catalog.access import Permission

    ann = desk.member("ann", Permission.EDITOR)
    told = {name: {"documentation": facet(description="told")} for name in "bd"}
    desk.send(event("COMPLETE", 1, "", "bd", facets=told), by=ann)
    assert desk.container("b")["description"]["value"] == "told"
    assert desk.container("d")["description"]["value"] is None


def test_openlineage_never_adds_a_container_or_a_field(desk: Desk) -> None:
    schema = {"b": {"schema": facet(fields=[{"name": "new"}])}}
    desk.send(event("COMPLETE", 1, "p", "b", facets=schema))
    assert [one["name"] for one in desk.container("b")["fields"]] == ["x", "y", "z"]
    assert desk.graph("b")["nodes"][1]["kind"] == "outside"


# The law


KINDS = st.sampled_from(["START", "RUNNING", "OTHER", "COMPLETE", "FAIL", "ABORT", "JOB"])
FACETS = st.sampled_from(
    [
        None,
        {"b": {"columnLineage": lineage(x="a.y")}},
        {"b": {"documentation": facet(description="one")}},
        {"b": {"documentation": facet(description="two")}},
        {"b": {"documentation": {"_deleted": True}}},
        {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}},
        {"b": {"tags": facet(tags=[{"key": "t", "value": "1"}])}},
    ]
)
EVENTS = st.builds(
    lambda kind, second, inputs, facets, run, job: event(kind, second, inputs, "b", run=run, job=job, facets=facets),
    KINDS,
    st.integers(1, 5),
    st.sampled_from(["a", "ac", "d", ""]),
    FACETS,
    st.integers(1, 2),
    st.sampled_from(["one", "two"]),
)


NAMING_A_NEW_TABLE = st.builds(
    lambda kind, second, inputs, facets, run, job: event(kind, second, inputs, "b", run=run, job=job, facets=facets),
    KINDS,
    st.integers(1, 5),
    st.sampled_from(["e", "ae", "a", ""]),
    st.sampled_from([None, {"b": {"columnLineage": lineage(x="e.y")}}]),
    st.integers(1, 2),
    st.sampled_from(["one", "two"]),
)


def _state(desk: Desk) -> dict[str, Any]:
    with desk.catalog.reading() as conn:
        evidence = {
            tuple(row)
            for row in conn.execute(
                select(job.c.name, claim.c.edge_id, claim.c.slot > 0, claim.c.event_time, claim.c.how).join(
                    job, job.c.id == claim.c.job_id
                )
            )
        }
        states = {tuple(row) for row in conn.execute(select(run.c.uuid, job.c.name, run.c.state).join(job))}
        values = {
            (row.asset_id, row.attribute, row.source, row.value, row.changed_at)
            for row in conn.execute(select(metadata_value))
        }
        events = conn.scalar(select(func.count()).select_from(event_table))
    edges = desk.edges()
    shape = {(name, slot, time, how) for name, _, slot, time, how in evidence}
    return {"edges": edges, "evidence": shape, "states": states, "values": values, "any": bool(events)}


def _legal(order: list[int], events: list[dict[str, Any]]) -> list[int]:
    """Keep START, RUNNING and OTHER of each run before its ends."""
    result = list(order)
    groups: dict[tuple[str, str], list[int]] = {}
    for at, number in enumerate(order):
        body = events[number]
        if "run" in body:
            groups.setdefault((body["job"]["name"], body["run"]["runId"]), []).append(at)
    for slots in groups.values():
        ends = ("COMPLETE", "FAIL", "ABORT")
        numbers = sorted((order[at] for at in slots), key=lambda n: events[n]["eventType"] in ends)
        for at, number in zip(slots, numbers, strict=True):
            result[at] = number
    return result


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(EVENTS, min_size=1, max_size=7), data=st.data())
def test_any_order_of_delivery_leaves_the_same_catalog(
    sqlite_template: Path, tmp_path: Path, events: list[dict[str, Any]], data: st.DataObject
) -> None:
    order = list(data.draw(st.permutations(range(len(events)))))
    repeats = data.draw(st.lists(st.sampled_from(range(len(events))), max_size=2))
    states = []
    for sequence, size in ((list(range(len(events))), len(events)), ([*order, *repeats], 1)):
        desk = Desk.again(copied(sqlite_template, tmp_path / "law.db"))
        try:
            sent = [events[number] for number in _legal(sequence, events)]
            for at in range(0, len(sent), size):  # all in one transaction; then each in one of its own
                desk.send(*sent[at : at + size])
            states.append(_state(desk))
        finally:
            desk.catalog.close()
            for path in tmp_path.glob("law.db*"):
                path.unlink()
    assert states[0] == states[1]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(NAMING_A_NEW_TABLE, min_size=1, max_size=6), data=st.data())
def test_a_table_that_is_registered_later_has_the_edges_as_if_it_had_been_there(
    sqlite_template: Path, tmp_path: Path, events: list[dict[str, Any]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(events)))
    found = []
    for moment in (0, at):
        desk = Desk.again(copied(sqlite_template, tmp_path / "law.db"))
        try:
            for number, one in enumerate(events):
                if number == moment:
                    desk.register("e")
                desk.send(one)
            if moment == len(events):
                desk.register("e")
            with desk.catalog.reading() as conn:
                evidence = set(conn.execute(select(job.c.name, claim.c.event_time, claim.c.how).join(job)).all())
            found.append((desk.edges(), {tuple(each) for each in evidence}))
        finally:
            desk.catalog.close()
            for path in tmp_path.glob("law.db*"):
                path.unlink()
    assert found[0] == found[1]
