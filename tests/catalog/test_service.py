"""What becomes of events in a store: the specification's sentences, on SQLite and on PostgreSQL."""

from typing import Any

import pytest

from streamt.catalog import editing
from streamt.catalog.access import Permission
from streamt.catalog.changes import DeniedError, MissingError
from streamt.catalog.store import people
from streamt.catalog.store.registering import ContainerSpec
from tests.catalog.desk import Desk, dataset, event, facet, lineage

VIEWER, EDITOR = Permission.VIEWER, Permission.EDITOR


def test_an_edge_has_a_record_of_who_asserted_it(desk: Desk) -> None:
    sql = {"sql": facet(query="select 1")}
    desk.send(event("START", 1, "a", "b", job_facets=sql), event("COMPLETE", 2))
    (record,) = desk.edge("a>b")["evidence"]
    assert record["job"]["namespace"] == "jobs"
    assert record["job"]["name"] == "job"
    assert record["producer"] == "https://producer.example/1.0"
    assert record["kind"] == "run"
    assert record["time"] == "2026-01-01T00:00:02Z"
    assert record["submitter"] == "admin"
    assert record["run"]["state"] == "COMPLETE"
    assert record["code"] == {"language": "sql", "text": "select 1"}


def test_two_jobs_have_records_of_their_own_and_the_edge_stays_as_long_as_one_lists_it(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b", job="one"), event("COMPLETE", 1, "a", "b", job="two", run=2))
    assert len(desk.edge("a>b")["evidence"]) == 2
    desk.send(event("COMPLETE", 2, "a", "c", job="one", run=3))
    assert len(desk.edge("a>b")["evidence"]) == 1
    assert desk.edges() == {"a>b", "a>c"}
    desk.send(event("COMPLETE", 2, "a", "c", job="two", run=4))
    assert desk.edges() == {"a>c"}


def test_the_producers_version_does_not_start_a_new_job(desk: Desk) -> None:
    newer = {**event("COMPLETE", 2, "a", "b", run=2), "producer": "https://producer.example/2.0"}
    desk.send(event("COMPLETE", 1, "a", "b"), newer)
    (record,) = desk.edge("a>b")["evidence"]
    assert record["producer"] == "https://producer.example/2.0"


def test_the_newest_producer_is_shown_whatever_arrives_last(desk: Desk) -> None:
    newer = {**event("COMPLETE", 2, "a", "b", run=2), "producer": "https://producer.example/2.0"}
    desk.send(newer, event("COMPLETE", 1, "a", "b"))
    (record,) = desk.edge("a>b")["evidence"]
    assert record["producer"] == "https://producer.example/2.0"


def test_a_retired_edge_stays_queryable_with_the_time_and_the_event_that_retired_it(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    (outcome,) = desk.send(event("COMPLETE", 2, "a", "c", run=2))
    found = desk.edge("a>b")
    assert found["active"] is False
    assert found["retired_by_event"] == outcome.event
    assert found["retired_at"] is not None
    assert [step["what"] for step in found["history"]] == ["retired", "asserted"]
    assert outcome.withdrawn == 1


def test_an_edge_asserted_again_is_the_same_edge(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    number = desk.edge("a>b")["id"]
    desk.send(event("COMPLETE", 2, "a", "c", run=2), event("COMPLETE", 3, "a", "b", run=3))
    found = desk.edge("a>b")
    assert (found["id"], found["active"]) == (number, True)
    assert [step["what"] for step in found["history"]] == ["asserted", "retired", "asserted"]


def test_the_same_event_again_changes_nothing_and_answers_with_the_first_number(desk: Desk) -> None:
    (first,) = desk.send(event("COMPLETE", 1, "a", "b"))
    (again,) = desk.send(event("COMPLETE", 1, "a", "b"))
    assert (again.event, again.status) == (first.event, "unchanged")
    assert len(desk.edge("a>b")["evidence"]) == 1


def test_the_same_event_within_a_wider_scope_is_applied_to_what_the_scope_gained(desk: Desk) -> None:
    narrow = desk.member("ann", EDITOR)
    desk.send(event("COMPLETE", 1, "a", "bd"), by=narrow)
    assert desk.edges() == {"a>b"}
    wide = _granted(desk, narrow.user, "team of ann", desk.datastores[1])
    (outcome,) = desk.send(event("COMPLETE", 1, "a", "bd"), by=wide)
    assert outcome.status == "applied"
    assert desk.edges() == {"a>b", "a>d"}


def _granted(desk: Desk, user: int, team: str, store: int, permission: Permission | None = EDITOR) -> Any:
    from streamt.catalog.access import Caller, Role

    def work(tools: Any) -> Caller:
        number = people.find_team(tools.conn, team)
        assert number is not None
        people.set_grant(tools.conn, number, store, permission)
        return Caller(user, "ann", Role.MEMBER, people.permissions_of(tools.conn, user))

    return desk.catalog.change(work)


def test_field_level_lineage_is_kept_with_its_transformations_and_describes_itself(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b", facets={"b": {"columnLineage": lineage(x="a.y")}}))
    assert desk.edges() == {"a>b", "a.y>b.x"}
    graph = desk.graph("b", fields=True)
    (line,) = [one for one in graph["edges"] if one["source_field"]]
    with desk.catalog.reading() as conn:
        from streamt.catalog.store import details

        found = details.edge_of(conn, desk.admin, line["id"])
    assert found is not None
    assert found["description"] == "DIRECT/IDENTITY"
    desk.catalog.change(lambda tools: editing.describe_edge(tools, line["id"], "mine", desk.admin))
    desk.send(event("COMPLETE", 2, "a", "b", run=2, facets={"b": {"columnLineage": lineage(x="a.y")}}))
    with desk.catalog.reading() as conn:
        found = details.edge_of(conn, desk.admin, line["id"])
    assert found is not None
    assert (found["description"], found["description_source"]) == ("mine", "user")


def test_an_unmatched_dataset_is_an_outside_asset_by_namespace_and_name(desk: Desk) -> None:
    one = event("COMPLETE", 1, "", "b")
    one["inputs"] = [{"namespace": "s3://x/y", "name": "z"}, {"namespace": "s3://x", "name": "y/z"}]
    (outcome,) = desk.send(one)
    graph = desk.graph("b")
    outside = {(node["namespace"], node["name"]) for node in graph["nodes"] if node["kind"] == "outside"}
    assert outside == {("s3://x/y", "z"), ("s3://x", "y/z")}
    assert len(outcome.unmatched) == 2


def test_a_relationship_without_a_catalogued_side_is_not_drawn_until_one_is_registered(desk: Desk) -> None:
    (outcome,) = desk.send(event("COMPLETE", 1, "p", "q"))
    assert outcome.status == "stored"
    assert desk.edges() == set()
    desk.register("q")
    assert desk.edges() == {"p>q"}
    assert desk.graph("q")["nodes"][1]["kind"] == "outside"


def test_an_edge_moves_onto_the_container_once_it_is_registered_and_gains_its_fields(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "p", "b", facets={"b": {"columnLineage": lineage(x="p.y")}}))
    assert desk.edges() == {"p>b"}
    desk.register("p")
    assert desk.edges() == {"p>b", "p.y>b.x"}
    assert desk.graph("b")["nodes"][1]["kind"] == "container"


def test_a_newer_truth_replaces_what_an_older_event_asked_to_replay(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "p", "q"), event("COMPLETE", 2, "a", "b", run=2))
    desk.register("pq")
    assert desk.edges() == {"a>b"}


def test_an_event_of_narrower_permissions_preserves_replay_for_the_other_datastores(desk: Desk) -> None:
    desk.send(_private(event("COMPLETE", 1)))
    narrow = desk.member("ann", EDITOR)
    desk.send(event("COMPLETE", 2, "a", "b", run=2), by=narrow)
    desk.register("pq", store=1)
    assert desk.edges() == {"a>b", "p>q"}


def _private(body: dict[str, Any]) -> dict[str, Any]:
    body["inputs"] = [dataset("analytics.private.p")]
    body["outputs"] = [dataset("analytics.private.q")]
    return body


def test_an_unfinished_run_keeps_all_that_it_reported_for_replay(desk: Desk) -> None:
    desk.send(event("START", 1, "p", "q"), event("RUNNING", 2, "q", "p"))
    desk.register("pq")
    assert desk.edges() == {"p>q", "q>p"}


def test_a_failed_run_is_not_replayed(desk: Desk) -> None:
    desk.send(event("START", 1, "p", "q"), event("FAIL", 2))
    desk.register("pq")
    assert desk.edges() == set()


def test_losing_editor_prevents_replay(desk: Desk) -> None:
    ann = desk.member("ann", EDITOR)
    desk.send(event("COMPLETE", 1, "p", "b"), by=ann)
    _granted(desk, ann.user, "team of ann", desk.datastores[0], VIEWER)
    desk.register("p")
    assert desk.graph("b")["nodes"][1]["kind"] == "outside"
    _granted(desk, ann.user, "team of ann", desk.datastores[0], EDITOR)
    desk.catalog.register(desk.datastores[0], [ContainerSpec("z")], desk.admin, whole=False)
    desk.register("p")
    desk.send(event("COMPLETE", 2, "p", "b", run=2), by=ann)
    assert desk.graph("b")["nodes"][1]["kind"] == "container"


def test_events_of_a_deleted_user_are_not_replayed(desk: Desk) -> None:
    ann = desk.member("ann", EDITOR, EDITOR)
    desk.send(event("COMPLETE", 1, "p", "q"), by=ann)
    desk.catalog.change(lambda tools: people.delete_account(tools.conn, ann.user, tools.now))
    desk.register("pq")
    assert desk.edges() == set()


def test_a_datastore_granted_later_is_not_in_the_replays_scope(desk: Desk) -> None:
    ann = desk.member("ann", EDITOR)
    desk.send(_private(event("COMPLETE", 1)), by=ann)
    _granted(desk, ann.user, "team of ann", desk.datastores[1], EDITOR)
    desk.register("pq", store=1)
    assert desk.edges() == set()


def test_only_matches_that_the_caller_may_edit_receive_edges(desk: Desk) -> None:
    ann = desk.member("ann", EDITOR, VIEWER)
    (outcome,) = desk.send(event("COMPLETE", 1, "a", "bd"), by=ann)
    assert desk.edges() == {"a>b"}
    assert outcome.denied == 1


def test_an_event_of_which_nothing_may_be_edited_is_denied_and_kept(desk: Desk) -> None:
    bob = desk.member("bob", VIEWER)
    (outcome,) = desk.send(event("COMPLETE", 1, "a", "b"), by=bob)
    assert outcome.status == "denied"
    assert desk.edges() == set()


def test_a_denied_event_says_nothing_of_the_job(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    bob = desk.member("bob", VIEWER)
    desk.send(event("COMPLETE", 2, "a", "c", run=2), by=bob)
    assert desk.edges() == {"a>b"}


def test_an_empty_complete_of_a_member_ends_only_what_they_may_edit(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "bd"))
    ann = desk.member("ann", EDITOR)
    desk.send(event("COMPLETE", 2, run=2), by=ann)
    assert desk.edges() == {"a>d"}


def test_a_drop_retires_the_datasets_edges(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "bc"))
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    (outcome,) = desk.send(event("DATASET", 2, "b", facets=drop))
    assert desk.edges() == {"a>c"}
    assert outcome.withdrawn == 1


def test_an_event_older_than_a_drop_asserts_nothing_for_that_dataset(desk: Desk) -> None:
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(event("DATASET", 2, "b", facets=drop), event("COMPLETE", 1, "a", "bc"))
    assert desk.edges() == {"a>c"}


def test_evidence_after_a_drop_is_preserved(desk: Desk) -> None:
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(event("COMPLETE", 3, "a", "b"), event("DATASET", 2, "b", facets=drop))
    assert desk.edges() == {"a>b"}


def test_an_event_that_drops_a_dataset_asserts_no_edge_to_it(desk: Desk) -> None:
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(event("COMPLETE", 1, "a", "bc", facets=drop))
    assert desk.edges() == {"a>c"}


def test_a_rename_retires_the_edges_of_the_former_name(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    former = dataset("b")
    rename = facet(lifecycleStateChange="RENAME", previousIdentifier=former)
    desk.send(event("COMPLETE", 2, "a", "c", job="renamer", run=2, facets={"c": {"lifecycleStateChange": rename}}))
    assert desk.edges() == {"a>c"}


@pytest.mark.parametrize("kind", ["FAIL", "ABORT"])
def test_lifecycle_facets_of_failed_runs_are_ignored(desk: Desk, kind: str) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(event(kind, 2, "", "b", run=2, facets=drop))
    assert desk.edges() == {"a>b"}


def test_a_drop_of_an_outside_asset_holds_after_its_registration(desk: Desk) -> None:
    drop = {"p": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(event("COMPLETE", 1, "p", "b"), event("DATASET", 2, "p", facets=drop))
    assert desk.edges() == set()
    desk.register("p")
    assert desk.edges() == set()


def test_a_person_deletes_an_edge_and_only_a_later_event_brings_it_back(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b", facets={"b": {"columnLineage": lineage(x="a.y")}}))
    number = desk.edge("a>b")["id"]
    desk.catalog.change(lambda tools: editing.delete_edge(tools, number, desk.admin))
    assert desk.edges() == set()
    assert desk.edge("a>b")["retired_by_user"] == "admin"
    desk.send(event("COMPLETE", 2, "a", "b", run=2))
    assert desk.edges() == set(), "an event of before the deletion"
    later = {**event("COMPLETE", 3, "a", "b", run=3), "eventTime": _now()}
    desk.send(later)
    assert desk.edges() == {"a>b"}


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat()


def test_a_manual_edge_is_never_touched_by_an_event(desk: Desk) -> None:
    wanted = editing.ManualEdge(desk.tables["a"], desk.tables["b"])
    number = desk.catalog.change(lambda tools: editing.make_edge(tools, wanted, desk.admin))
    drop = {"b": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}
    desk.send(event("COMPLETE", 1, "a", "b"), event("COMPLETE", 2, run=2), event("DATASET", 3, "b", facets=drop))
    assert desk.edges() == {"a>b"}
    (line,) = desk.graph("b")["edges"]
    assert line["origins"] == [{"origin": "manual", "id": number}]


def test_one_line_names_both_origins(desk: Desk) -> None:
    wanted = editing.ManualEdge(desk.tables["a"], desk.tables["b"])
    desk.catalog.change(lambda tools: editing.make_edge(tools, wanted, desk.admin))
    desk.send(event("COMPLETE", 1, "a", "b"))
    (line,) = desk.graph("b")["edges"]
    assert {origin["origin"] for origin in line["origins"]} == {"manual", "openlineage"}


def test_a_job_that_is_gone_asserts_nothing_until_a_later_event(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    assert desk.catalog.end_job(("jobs", "job"), desk.admin) == 1
    desk.send(event("COMPLETE", 2, "a", "b", run=2))
    assert desk.edges() == set()
    desk.send({**event("COMPLETE", 3, "a", "b", run=3), "eventTime": _now()})
    assert desk.edges() == {"a>b"}


def test_a_job_is_ended_only_within_what_the_person_may_edit(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "bd"))
    ann, bob = desk.member("ann", EDITOR), desk.member("bob", VIEWER)
    with pytest.raises(DeniedError):
        desk.catalog.end_job(("jobs", "job"), bob)
    desk.catalog.end_job(("jobs", "job"), ann)
    assert desk.edges() == {"a>d"}


def test_only_those_with_viewer_on_both_sides_see_who_asserted(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "bd"))
    ann, cat = desk.member("ann", VIEWER), desk.member("cat", VIEWER, VIEWER)
    assert set(desk.edge("a>d", ann)["evidence"][0]) == {"producer", "kind", "time"}
    assert desk.edge("a>d", ann)["target"] == {
        "id": desk.tables["d"],
        "kind": "container",
        "name": "d",
        "visible": False,
    }
    assert desk.edge("a>d", cat)["evidence"][0]["job"]["name"] == "job"
    assert desk.edge("a>b", ann)["evidence"][0]["job"]["name"] == "job"


def test_a_datasets_alternate_name_is_tried_after_its_own(desk: Desk) -> None:
    links = {"symlinks": facet(identifiers=[{**dataset("b"), "type": "TABLE"}])}
    body = event("COMPLETE", 1, "a")
    body["outputs"] = [{"namespace": "s3://lake", "name": "b", "facets": links}]
    desk.send(body)
    assert desk.edges() == {"a>b"}


def test_a_field_pair_that_names_a_dataset_by_an_alternate_name_means_that_dataset(desk: Desk) -> None:
    links = {"symlinks": facet(identifiers=[{**dataset("a"), "type": "TABLE"}])}
    body = event("COMPLETE", 1, "", "b", facets={"b": {"columnLineage": lineage(x="a.y")}})
    body["inputs"] = [{"namespace": "s3://lake", "name": "a", "facets": links}]
    desk.send(body)
    assert desk.edges() == {"a>b", "a.y>b.x"}


def test_an_event_of_ten_thousand_relationships_is_taken_and_one_more_is_not(sqlite_desk: Desk) -> None:
    body = event("COMPLETE", 1)
    body["inputs"] = [dataset(f"in-{number}") for number in range(100)]
    body["outputs"] = [dataset(f"out-{number}") for number in range(100)]
    (taken,) = sqlite_desk.send(body)
    assert taken.status == "stored"
    body["outputs"][0]["facets"] = {"columnLineage": lineage(x="in-0.y")}
    (refused,) = sqlite_desk.send(body)
    assert refused.status == "rejected"
    assert "10001 relationships" in refused.problems[0].detail


def test_what_one_event_of_an_array_does_wrong_touches_none_of_the_others(desk: Desk) -> None:
    outcomes = desk.send(event("COMPLETE", 1, "a", "b"), {"no": "event"}, event("COMPLETE", 1, "b", "c", job="two"))
    assert [outcome.status for outcome in outcomes] == ["applied", "rejected", "applied"]
    assert desk.edges() == {"a>b", "b>c"}


def test_a_dataset_joined_with_itself_is_a_mark(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "a"))
    graph = desk.graph("a")
    assert graph["nodes"][0]["self"] is True


def test_a_registration_of_a_container_that_nobody_named_replays_nothing(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    synced = desk.catalog.register(desk.datastores[0], [ContainerSpec("z")], desk.admin, whole=False)
    assert synced.jobs == 0


def test_a_whole_sync_marks_what_is_gone_and_retires_nothing(desk: Desk) -> None:
    desk.send(event("COMPLETE", 1, "a", "b"))
    synced = desk.catalog.register(desk.datastores[0], [ContainerSpec("a")], desk.admin, whole=True)
    assert synced.removed == 2
    assert desk.edges() == {"a>b"}
    with pytest.raises(MissingError):
        desk.catalog.register(999, [], desk.admin, whole=False)
