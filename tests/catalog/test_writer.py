"""Groups of events, and what a writer remembers between them: never more than the store holds."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest

from streamt.catalog import editing, wire
from streamt.catalog.retention import Rules, sweep
from streamt.catalog.service import Catalog
from streamt.catalog.store.statements import Later
from tests.catalog.desk import Desk, event, facet
from tests.catalog.test_faults import inconsistencies

Meanwhile = Callable[[dict[str, Any], Callable[[], object]], None]


@pytest.fixture
def other(desk: Desk) -> Iterator[Desk]:
    """The same store, opened by another program: a second server, or a command."""
    url = desk.catalog.store.writing.url.render_as_string(hide_password=False)
    second = Desk(Catalog.open(url), desk.admin, desk.datastores, desk.tables)
    yield second
    second.catalog.close()


def complete(second: int, inputs: str, outputs: str, **more: Any) -> dict[str, Any]:
    return event("COMPLETE", second, inputs, outputs, run=second, **more)


def agree(desk: Desk, *edges: str) -> None:
    assert desk.edges() == set(edges)
    assert not [one for one in inconsistencies(desk.catalog) if one.startswith("edge")]


def test_what_another_program_asserts_of_a_job_is_superseded_too(desk: Desk, other: Desk) -> None:
    desk.send(complete(1, "a", "b"))
    other.send(complete(2, "b", "c"))
    agree(desk, "b>c")
    desk.send(complete(3, "a", "c"))
    agree(desk, "a>c")


def test_an_event_older_than_what_another_program_received_asserts_nothing(desk: Desk, other: Desk) -> None:
    desk.send(complete(1, "a", "b"))
    other.send(complete(3, "b", "c"))
    desk.send(complete(2, "a", "c"))
    agree(desk, "b>c")


def test_a_job_that_another_program_ended_loses_nothing_twice(desk: Desk, other: Desk) -> None:
    desk.send(complete(1, "a", "b"))
    other.catalog.end_job(("jobs", "job"), other.admin)
    agree(desk)
    desk.send(complete(2, "b", "c"))
    agree(desk)


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_an_edge_that_a_person_deleted_stays_so_until_a_later_event(desk: Desk, other: Desk, where: str) -> None:
    desk.send(event("START", 1, "a", "b"))
    catalog = (desk if where == "here" else other).catalog
    number = desk.edge("a>b")["id"]
    catalog.change(lambda tools: editing.delete_edge(tools, number, desk.admin))
    desk.send(event("RUNNING", 2, "a", "b"))
    agree(desk)


def test_tables_that_another_program_registers_are_matched_by_the_next_event(desk: Desk, other: Desk) -> None:
    desk.send(complete(1, "a", "e"))
    assert desk.edges() == {"a>e"}
    other.register("e")
    desk.send(complete(2, "a", "e"))
    agree(desk, "a>e")
    assert desk.edge("a>e")["target"]["id"] == other.tables["e"]


def test_a_sweep_by_another_program_takes_nothing_that_is_remembered(desk: Desk, other: Desk) -> None:
    desk.send(*(complete(second, "a", "b") for second in range(1, 5)))
    sweep(other.catalog, Rules(bodies_days=0, events_days=0))
    desk.send(complete(5, "b", "c"))
    assert desk.edges() == {"b>c"}
    assert [one["job"]["name"] for one in desk.edge("b>c")["evidence"]] == ["job"]


def test_a_group_that_fails_leaves_nothing_remembered(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.send(complete(1, "a", "b"))
    with monkeypatch.context() as patched:
        patched.setattr(Later, "flush", _failing)
        with pytest.raises(RuntimeError, match="on purpose"):
            desk.send(complete(2, "b", "c"))
    agree(desk, "a>b")
    desk.send(complete(3, "b", "c"))
    agree(desk, "b>c")


def _failing(_later: Later) -> None:
    raise RuntimeError("on purpose")


def test_one_event_that_cannot_be_written_touches_no_other_of_its_group(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Later.add

    def add(later: Later, statement: Any, row: Any) -> None:
        if row.get("new_producer") == "https://bad.example":
            raise RuntimeError("on purpose")
        plain(later, statement, row)

    monkeypatch.setattr(Later, "add", add)
    bad = {**complete(2, "b", "c", job="bad"), "producer": "https://bad.example"}
    items = wire.decode(json.dumps([complete(1, "a", "b"), bad, complete(3, "a", "c", job="two")]).encode()).items
    answers = desk.catalog.submit(items, desk.admin)
    assert [type(one.exception(60)) for one in answers] == [type(None), RuntimeError, type(None)]
    agree(desk, "a>b", "a>c")


def test_a_dataset_dropped_in_a_group_changes_what_the_next_event_of_the_job_supersedes(desk: Desk) -> None:
    drop = {"c": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(complete(1, "a", "b"), complete(2, "a", "bc", facets=drop), complete(3, "b", "c"))
    agree(desk, "b>c")


@pytest.fixture
def meanwhile(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Send an event, and do something else before it is written: it waits, or what it does is written first."""
    plain = Later.flush

    def during(event_sent: dict[str, Any], work: Callable[[], object]) -> None:
        reached, go_on = threading.Event(), threading.Event()

        def flush(later: Later) -> None:
            if not reached.is_set():
                reached.set()
                go_on.wait(60)
            plain(later)

        monkeypatch.setattr(Later, "flush", flush)
        with ThreadPoolExecutor(2) as pool:
            sending = pool.submit(desk.send, event_sent)
            assert reached.wait(60)
            working = pool.submit(work)
            wait([working], timeout=0.3)
            go_on.set()
            sending.result(60)
            working.result(60)

    return during


def test_an_edge_that_is_deleted_while_a_group_is_written_counts_what_there_is(
    desk: Desk, meanwhile: Meanwhile
) -> None:
    desk.send(complete(1, "a", "b"))
    number = desk.edge("a>b")["id"]

    def delete() -> None:
        desk.catalog.change(lambda tools: editing.delete_edge(tools, number, desk.admin))

    meanwhile(complete(2, "a", "b"), delete)
    agree(desk)


def test_a_dataset_that_another_server_drops_while_a_group_is_written_loses_its_edges(
    desk: Desk, other: Desk, meanwhile: Meanwhile
) -> None:
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(complete(1, "b", "c", job="another"))
    meanwhile(complete(2, "a", "b"), lambda: other.send(event("DATASET", 5, "b", facets=drop)))
    agree(desk)


def test_a_sender_who_goes_away_stops_neither_the_event_nor_the_writer(desk: Desk) -> None:
    items = wire.decode(json.dumps(complete(1, "a", "b")).encode()).items
    (answer,) = desk.catalog.submit(items, desk.admin)
    assert not answer.cancel()
    assert answer.result(60).status == "applied"
    desk.send(complete(2, "b", "c"))
    agree(desk, "b>c")
