"""Each sentence of "Retirement" and "Run States", each row of "Order", and the law below it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.catalog.reconcile import Edge, Tombstone, asserted, changes
from streamt.catalog.run_listing import Fact
from streamt.catalog.values import ALL, Kind, Listing, Moment, Scope
from tests.catalog.worlds import Job, World, listing, named

START, RUNNING, OTHER, COMPLETE, FAIL, ABORT, JOB = (
    Kind.START,
    Kind.RUNNING,
    Kind.OTHER,
    Kind.COMPLETE,
    Kind.FAIL,
    Kind.ABORT,
    Kind.JOB,
)
A, B, C, D = 1, 2, 3, 4
AB, AC, BA, CB = Edge(A, B), Edge(A, C), Edge(B, A), Edge(C, B)


@pytest.fixture
def world() -> World:
    containers = {"a": [(A, 10)], "b": [(B, 10)], "c": [(C, 10)], "d": [(D, 20)]}
    fields = {(number, name): number * 10 + at for number in (A, B, C, D) for at, name in enumerate("xyz", 1)}
    return World(containers, fields)


@pytest.fixture
def job(world: World) -> Job:
    return Job(world)


@pytest.mark.parametrize("kind", [START, RUNNING, OTHER, COMPLETE, JOB])
def test_an_event_asserts_an_edge_from_every_input_to_every_output(job: Job, kind: Kind) -> None:
    job.receive(kind, 1, listing("ac", "b"))
    assert job.active() == {AB, CB}


@pytest.mark.parametrize("kind", [FAIL, ABORT])
def test_an_event_that_fails_its_run_asserts_nothing(job: Job, kind: Kind) -> None:
    job.receive(kind, 1, listing("a", "b"))
    assert job.active() == set()


@pytest.mark.parametrize("kind", [COMPLETE, JOB])
def test_the_latest_authoritative_event_is_the_full_truth(job: Job, kind: Kind) -> None:
    job.receive(COMPLETE, 1, listing("a", "b"))
    job.receive(kind, 2, listing("a", "c"), run=2)
    assert job.active() == {AC}


def test_two_jobs_keep_records_of_their_own(world: World) -> None:
    one, other = Job(world), Job(world)
    one.receive(COMPLETE, 1, listing("a", "b"))
    other.receive(COMPLETE, 1, listing("a", "b"))
    one.receive(COMPLETE, 2, listing("a", "c"), run=2)
    assert AB not in one.active()
    assert AB in other.active()


def test_a_complete_covers_what_any_event_of_its_run_listed(job: Job) -> None:
    job.receive(START, 1, listing("a", "b"))
    job.receive(RUNNING, 2, listing("c", "b"))
    job.receive(COMPLETE, 3, Listing())
    assert job.active() == {AB, CB}
    assert all(settled for _, settled, _ in job.evidence().values())


def test_one_sided_events_of_a_run_are_joined(job: Job) -> None:
    job.receive(START, 1, listing("a", ""))
    job.receive(COMPLETE, 2, listing("", "b"))
    assert job.active() == {AB}


def test_a_one_sided_event_is_not_joined_with_an_event_of_both_sides(job: Job) -> None:
    job.receive(START, 1, listing("a", "b"))
    job.receive(COMPLETE, 2, listing("", "c"))
    assert job.active() == {AB}


def test_a_failed_run_takes_back_what_only_it_asserted(job: Job) -> None:
    job.receive(START, 1, listing("a", "b"))
    job.receive(FAIL, 2, Listing())
    assert job.active() == set()


def test_a_failed_run_leaves_what_an_earlier_complete_listed(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "b"))
    job.receive(START, 2, listing("ac", "b"), run=2)
    job.receive(FAIL, 3, Listing(), run=2)
    assert job.active() == {AB}


def test_a_failed_run_leaves_what_another_run_in_progress_asserts(job: Job) -> None:
    job.receive(START, 1, listing("a", "b"), run=1)
    job.receive(START, 2, listing("a", "b"), run=2)
    job.receive(FAIL, 3, Listing(), run=2)
    assert job.active() == {AB}


def test_a_start_delivered_after_its_fail_asserts_nothing(job: Job) -> None:
    job.receive(FAIL, 2, Listing())
    job.receive(START, 1, listing("a", "b"))
    assert job.active() == set()


def test_a_start_delivered_after_its_complete_does_not_add_to_it(job: Job) -> None:
    job.receive(COMPLETE, 2, listing("a", "b"))
    job.receive(START, 1, listing("a", "c"))
    assert job.active() == {AB}


def test_a_fail_holds_a_delayed_start_back_within_its_scope_only(job: Job) -> None:
    job.receive(FAIL, 2, Listing(), scope=Scope.of(20))
    job.receive(START, 1, listing("a", "bd"))
    assert job.active() == {AB, Edge(A, D)}
    job.receive(FAIL, 3, Listing(), scope=Scope.of(10))
    assert job.active() == {Edge(A, D)}, "an edge needs a scope that covers both of its ends"


def test_a_late_event_asserts_nothing(job: Job) -> None:
    job.receive(COMPLETE, 5, listing("a", "b"), run=2)
    job.receive(START, 3, listing("a", "c"))
    job.receive(COMPLETE, 4, listing("a", "c"))
    assert job.active() == {AB}


def test_a_late_event_still_applies_where_the_newer_one_could_not_edit(job: Job) -> None:
    job.world.containers |= {"p": [(8, 20)], "q": [(9, 20)]}
    job.receive(COMPLETE, 5, listing("a", "b"), run=2, scope=Scope.of(10))
    job.receive(COMPLETE, 4, listing("ap", "cq"))
    assert job.active() == {AB, Edge(8, 9), Edge(A, 9), Edge(8, C)}


def test_a_late_start_still_counts_in_its_runs_listing(job: Job) -> None:
    job.receive(COMPLETE, 5, listing("a", "b"), run=2)
    job.receive(START, 3, listing("a", "c"))
    job.receive(COMPLETE, 6, Listing())
    assert job.active() == {AC}


def test_a_record_is_lost_only_when_both_ends_can_be_edited(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "bd"))
    job.receive(COMPLETE, 2, Listing(), run=2, scope=Scope.of(10))
    assert job.active() == {Edge(A, D)}


def test_a_submitter_asserts_only_within_their_scope(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "bd"), scope=Scope.of(10))
    assert job.active() == {AB}


def test_a_run_lists_for_others_only_what_each_submitter_could_edit(job: Job) -> None:
    job.receive(START, 1, listing("a", "d"), scope=Scope.of(10))
    job.receive(COMPLETE, 2, listing("a", "b"))
    assert job.active() == {AB}


def test_a_fail_after_the_complete_of_its_run_withdraws_nothing(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "b"))
    job.receive(FAIL, 2, Listing())
    assert job.active() == {AB}
    assert job.state() is FAIL


def test_other_after_the_end_asserts_no_lineage(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "b"))
    job.receive(OTHER, 2, listing("a", "c"))
    assert job.active() == {AB}
    assert job.state() is COMPLETE


def test_a_run_without_an_end_is_running(job: Job) -> None:
    job.receive(OTHER, 1, Listing())
    assert job.state() is RUNNING


def test_a_supplied_facet_replaces_the_earlier_one_of_its_run(job: Job) -> None:
    job.receive(START, 1, listing("a", "b", {"b": "a.x>x"}))
    job.receive(COMPLETE, 2, listing("a", "b", {"b": "a.x>y"}))
    assert job.active() == {AB, Edge(A, B, 11, 22)}


def test_an_omitted_facet_stays(job: Job) -> None:
    job.receive(START, 1, listing("a", "b", {"b": "a.x>x"}))
    job.receive(COMPLETE, 2, listing("a", "b"))
    assert Edge(A, B, 11, 21) in job.active()


def test_a_deleted_facet_withdraws_the_earlier_one(job: Job) -> None:
    job.receive(START, 1, listing("a", "b", {"b": "a.x>x"}))
    job.receive(COMPLETE, 2, listing("a", "b", {"b": None}))
    assert job.active() == {AB}


def test_an_input_named_only_in_column_lineage_counts_as_an_input_for_that_output(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("", "bd", {"b": "a.x>x"}))
    assert job.active() == {AB, Edge(A, B, 11, 21)}


def test_a_field_pair_with_an_outside_side_is_carried_by_the_table_edge(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("o", "b", {"b": "o.x>x"}))
    ((_, edge),) = job.claims
    assert edge == Edge(named("o"), B)
    assert job.claims[1, edge].how[0].source_field == "x"


def test_a_field_pair_with_an_unknown_field_is_carried_by_the_table_edge(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "b", {"b": "a.nowhere>x"}))
    assert job.active() == {AB}


def test_no_edge_is_drawn_between_two_outside_assets(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("o", "p"))
    assert job.active() == set()


def test_a_dataset_joined_with_itself_is_one_mark(job: Job) -> None:
    job.world.containers["a"] = [(A, 10), (7, 20)]
    job.receive(COMPLETE, 1, listing("a", "a"))
    assert job.active() == {Edge(A, A), Edge(7, 7)}


def test_a_relationship_is_expanded_across_all_matches(job: Job) -> None:
    job.world.containers["a"] = [(A, 10), (7, 20)]
    job.receive(COMPLETE, 1, listing("a", "b"))
    assert job.active() == {AB, Edge(7, B)}


def test_only_writable_matches_receive_edges(job: Job) -> None:
    job.world.containers["a"] = [(A, 10), (7, 20)]
    job.receive(COMPLETE, 1, listing("a", "b"), scope=Scope.of(10))
    assert job.active() == {AB}


def test_a_known_match_that_is_not_writable_is_no_outside_asset(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("d", "b"), scope=Scope.of(10))
    assert job.active() == set()


def test_an_edge_with_an_outside_side_belongs_to_the_scope_of_its_catalogued_side(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("o", "bd"), scope=Scope.of(10))
    assert job.active() == {Edge(named("o"), B)}


def test_a_drop_retires_what_was_asserted_before_it(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "bc"))
    job.world.stones[B] = [Tombstone(2, ALL)]
    job.refresh(1)
    assert job.active() == {AC}


def test_evidence_asserted_after_a_drop_is_preserved(job: Job) -> None:
    job.world.stones[B] = [Tombstone(2, ALL)]
    job.receive(COMPLETE, 3, listing("a", "b"))
    assert job.active() == {AB}


def test_a_drop_reaches_only_edges_of_its_scope(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "bd"))
    job.world.stones[A] = [Tombstone(2, Scope.of(10))]
    job.refresh(1)
    assert job.active() == {Edge(A, D)}


def test_an_event_brings_a_deleted_edge_back_only_if_it_is_later(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("a", "b"))
    job.world.deletions[AB] = 5
    job.refresh(1)
    job.receive(COMPLETE, 4, listing("a", "b"), run=2)
    assert job.active() == set()
    job.receive(COMPLETE, 6, listing("a", "b"), run=3)
    assert job.active() == {AB}


def test_ties_are_decided_by_kind_and_digest_never_by_receipt(world: World) -> None:
    outcomes = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        job = Job(world)
        events = [
            (COMPLETE, listing("a", "b"), b"1"),
            (COMPLETE, listing("a", "c"), b"2"),
            (JOB, listing("b", "a"), b"0"),
        ]
        for at in order:
            kind, what, digest = events[at]
            job.receive(kind, 1, what, run=at + 1, digest=digest)
        outcomes.append(job.active())
    assert outcomes == [{BA}, {BA}, {BA}]


def test_an_outside_asset_keeps_its_edge_until_an_authorized_replay_replaces_it(job: Job) -> None:
    job.receive(COMPLETE, 1, listing("o", "b"))
    outside = Edge(named("o"), B)
    job.world.containers["o"] = [(9, 30)]
    job.world.hanging.add(named("o"))
    facts = [fact for _, fact in job.facts]
    stored = {edge: claim for (_, edge), claim in job.claims.items()}
    full = asserted(facts, job.authorities, job.world)
    narrowed = [Fact(f.event, f.moment, f.kind, Scope.of(10), f.listing) for f in facts]
    without_rights = changes(stored, full, asserted(narrowed, job.authorities, job.world))
    assert without_rights.drop == ()
    assert not without_rights.put
    with_rights = changes(stored, full)
    assert with_rights.drop == (outside,)
    assert set(with_rights.put) == {Edge(9, B)}


KINDS = st.sampled_from([START, RUNNING, OTHER, COMPLETE, FAIL, ABORT, JOB])
NAMES = st.text("abcdo", max_size=2)
SCOPES = st.sampled_from([ALL, Scope.of(10), Scope.of(10, 20), Scope.of(20)])
LINEAGE = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["a.x>x", "b.y>z a.x>", None, ""]), max_size=2)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[tuple[Kind, int, Listing, int, Scope]], list[int]]:
    """Some events of a job, and an order of delivery that keeps each run's progress before its ends, with repeats."""
    event = st.tuples(KINDS, st.integers(1, 6), st.builds(listing, NAMES, NAMES, LINEAGE), st.integers(1, 3), SCOPES)
    events = draw(st.lists(event, min_size=1, max_size=8))
    order = draw(st.permutations(range(len(events))))
    return events, legal([*order, *draw(st.lists(st.sampled_from(range(len(events))), max_size=3))], events)


def legal(order: list[int], events: list[tuple[Kind, int, Listing, int, Scope]]) -> list[int]:
    """Move the events of each run so that START, RUNNING and OTHER come before its ends."""
    places: dict[int, list[int]] = {}
    for at, number in enumerate(order):
        kind, _, _, run, _ = events[number]
        places.setdefault(0 if kind is JOB else run, []).append(at)
    result = list(order)
    for run, slots in places.items():
        if run:
            numbers = sorted((order[at] for at in slots), key=lambda n: events[n][0].is_terminal)
            for at, number in zip(slots, numbers, strict=True):
                result[at] = number
    return result


@settings(max_examples=400, deadline=None)
@given(histories())
def test_any_order_of_delivery_gives_the_same_edges_evidence_and_run_states(
    history: tuple[list[tuple[Kind, int, Listing, int, Scope]], list[int]],
) -> None:
    events, order = history
    containers = {"a": [(A, 10)], "b": [(B, 10), (5, 20)], "c": [(C, 20)]}
    fields = {(number, name): number * 10 + at for number in (A, B, C, 5) for at, name in enumerate("xyz", 1)}
    stones: dict[int | tuple[str, str], list[Tombstone]] = {A: [Tombstone(3, Scope.of(10))]}
    plain = Job(World(containers, fields, stones))
    shuffled = Job(World(containers, fields, stones))
    for number in legal(list(range(len(events))), events):
        kind, time, what, run, scope = events[number]
        plain.receive(kind, time, what, run=run, scope=scope)
    for number in order:
        kind, time, what, run, scope = events[number]
        shuffled.receive(kind, time, what, run=run, scope=scope)
    assert shuffled.evidence() == plain.evidence()
    assert [shuffled.state(run) for run in (1, 2, 3)] == [plain.state(run) for run in (1, 2, 3)]


def test_claims_do_not_depend_on_what_the_moment_of_receipt_was() -> None:
    one = Moment(1, 0, b"x")
    assert one < Moment(1, 0, b"y") < Moment(1, 1, b"") < Moment(2)
