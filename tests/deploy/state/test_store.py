"""What every store promises, on files and on a real PostgreSQL."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from streamt.deploy.backend import Outcome, StepResult, Verb
from streamt.deploy.state import DurableOperation, Finished, IntendedAction, Snapshot, Store, Word
from streamt.diagnostics import Code, Diagnostic, StreamtError
from tests.deploy.state.operations import address, apply_topics, begun, creation, done, here, intention, resource, step


def code_of(error: pytest.ExceptionInfo[StreamtError]) -> Code:
    return error.value.diagnostics[0].code


def test_a_new_store_has_no_state(store: Store) -> None:
    assert store.read() == Snapshot()


def test_an_operation_leaves_its_resources_under_the_next_serial(store: Store) -> None:
    operation = apply_topics(store, "a", "b")
    snapshot = store.read()
    assert snapshot.document is not None
    assert (snapshot.document.serial, snapshot.document.operation) == (1, operation)
    assert [(str(each.name), snapshot.resources[each].provider_id) for each in snapshot.resources] == [
        ("a", {"id": "id-a"}),
        ("b", {"id": "id-b"}),
    ]
    assert snapshot.open_operation is None


def test_serials_rise_by_one_and_the_store_id_stays(store: Store) -> None:
    documents = []
    for name in "abc":
        apply_topics(store, name)
        documents.append(store.read().document)
    assert [each.serial for each in documents if each] == [1, 2, 3]
    assert len({each.store_id for each in documents if each}) == 1


def test_an_operation_without_actions_leaves_the_state_as_it_is(store: Store) -> None:
    apply_topics(store, "a")
    before = store.read().version
    apply_topics(store)
    assert store.read().version == before


def test_what_a_finished_action_left_is_read_before_the_operation_ends(store: Store) -> None:
    with store.lock(here(), 5) as session:
        operation = begun(session, creation("a"), creation("b"))
        operation.intend(0, 0, step("a"))
        operation.record(0, 0, *done(id="1"))
        operation.intend(1, 0, step("b"))
        seen = store.read()
    assert set(seen.resources) == {address("a")}
    assert seen.resources[address("a")].provider_id == {"id": "1"}
    assert seen.document is not None
    assert (seen.document.serial, seen.document.resources) == (0, {})


def test_an_operation_that_a_crash_left_is_open_with_its_steps(store: Store) -> None:
    with store.lock(here(), 5) as session:
        operation = begun(session, creation("a"), creation("b"))
        operation.intend(0, 0, step("a"))
        operation.record(0, 0, *done())
        operation.intend(1, 0, step("b"))
    left = store.read().unrecovered
    assert left is not None
    assert (left.id, left.kind, left.actor) == (operation.id, "apply", "tester")
    assert [(each.action, each.step.call, each.result) for each in left.steps] == [
        (0, "CreateTopics a", Word.DONE),
        (1, "CreateTopics b", None),
    ]


def test_an_operation_that_called_nothing_needs_no_recovery(store: Store) -> None:
    with store.lock(here(), 5) as session:
        begun(session, creation("a"))
    snapshot = store.read()
    assert snapshot.open_operation is not None
    assert snapshot.unrecovered is None


def test_an_open_operation_is_closed_by_whoever_resumes_it(store: Store) -> None:
    with store.lock(here(), 5) as session:
        first = begun(session, creation("a"))
        first.intend(0, 0, step("a"))
    with store.lock(here(), 5) as session:
        operation = DurableOperation.resume(session, session.read())
        operation.finish(0, Finished(provider_id={"id": "x"}))
        version = operation.close(Word.RECOVERED, ["applied"], assumed={str(address("a")): "done"}, actor="somebody")
    snapshot = store.read()
    assert snapshot.version == version
    assert (version.serial, snapshot.open_operation, set(snapshot.resources)) == (1, None, {address("a")})


def test_a_refused_step_leaves_nothing_and_its_operation_fails_closed(store: Store) -> None:
    with store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        operation.intend(0, 0, step("a"))
        error = Diagnostic(code=Code.PROVIDER_REFUSED, message="policy")
        operation.record(0, 0, StepResult(outcome=Outcome.REFUSED, error=error))
        version = operation.close(Word.FAIL, ["failed"], reason="E561_PROVIDER_REFUSED")
    snapshot = store.read()
    assert (version.serial, snapshot.resources, snapshot.open_operation) == (0, {}, None)


def test_a_move_takes_the_old_address_away_and_keeps_the_resource(store: Store) -> None:
    apply_topics(store, "old")
    kept = store.read().resources[address("old")]
    move = IntendedAction(address=address("new"), verb=Verb.MOVE, name="old", source=address("old"), resource=kept)
    _finish(store, move)
    assert set(store.read().resources) == {address("new")}
    assert store.read().resources[address("new")].provider_id == {"id": "id-old"}


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.FORGET])
def test_what_is_deleted_or_forgotten_is_no_longer_in_state(store: Store, verb: Verb) -> None:
    apply_topics(store, "a", "b")
    _finish(store, IntendedAction(address=address("a"), verb=verb, name="a"))
    assert set(store.read().resources) == {address("b")}


def _finish(store: Store, action: IntendedAction) -> None:
    with store.lock(here(), 5) as session:
        operation = DurableOperation.begin(session, session.read(), intention(action))
        operation.finish(0, Finished(provider_id={}))
        operation.close(Word.COMMIT, ["applied"])


def test_a_second_holder_is_told_who_has_the_lock(store: Store) -> None:
    holder = here()
    with store.lock(holder, 5):
        found = store.holder()
        with pytest.raises(StreamtError) as error, store.lock(here(), 0):
            pass
    assert found is not None
    assert (found.lock_id, found.command, found.pid) == (holder.lock_id, "apply", holder.pid)
    assert code_of(error) is Code.STATE_LOCKED
    assert holder.lock_id in error.value.diagnostics[0].message
    assert store.holder() is None


def test_a_lock_is_given_back_however_the_block_ends(store: Store) -> None:
    with pytest.raises(KeyError), store.lock(here(), 5):
        raise KeyError
    with store.lock(here(), 0):
        pass


def test_whoever_waits_gets_the_lock_when_it_is_free(store: Store) -> None:
    taken = threading.Event()
    got: list[str] = []

    def wait() -> None:
        taken.wait(30)
        with store.lock(here(), 30):
            got.append("second")

    thread = threading.Thread(target=wait)
    thread.start()
    with store.lock(here(), 5):
        taken.set()
        got.append("first")
    thread.join(60)
    assert got == ["first", "second"]


def test_a_store_is_initialized_once(store: Store) -> None:
    with store.lock(here(), 5) as session:
        session.read()
        session.initialize(remember_secrets=False)
        first = session.read()
        with pytest.raises(StreamtError) as error:
            session.initialize(remember_secrets=False)
    assert code_of(error) in {Code.STATE_CONFLICT, Code.LOCK_LOST}
    assert store.read() == first


def test_a_second_operation_cannot_begin_beside_an_open_one(store: Store) -> None:
    with store.lock(here(), 5) as session:
        begun(session, creation("a"))
        with pytest.raises(StreamtError) as error:
            begun(session, creation("b"))
    assert code_of(error) in {Code.STATE_CONFLICT, Code.LOCK_LOST}


def test_a_marked_state_keeps_its_serial(store: Store) -> None:
    apply_topics(store, "a")
    with store.lock(here(), 5) as session:
        document = session.read().document
        assert document is not None
        session.replace(replace(document, moved_to="elsewhere"))
    moved = store.read().document
    assert moved is not None
    assert (moved.serial, moved.moved_to, moved.resources) == (1, "elsewhere", document.resources)


def test_stores_of_several_addresses_do_not_see_each_other(store: Store, sibling: Callable[[Store], Store]) -> None:
    other = sibling(store)
    apply_topics(store, "a")
    apply_topics(other, "b")
    assert set(store.read().resources) == {address("a")}
    assert set(other.read().resources) == {address("b")}
    with store.lock(here(), 0), other.lock(here(), 0):
        pass


def test_a_secret_key_is_drawn_only_where_secrets_are_remembered(store: Store) -> None:
    with store.lock(here(), 5) as session:
        session.read()
        session.initialize(remember_secrets=False)
    document = store.read().document
    assert document is not None
    assert document.secret_key is None
    assert resource("a").secrets == {}
