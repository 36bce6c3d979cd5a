"""What only local states have: files, names, locks of the kernel."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.deploy.state import DurableOperation, LocalStore, StateFiles, Word
from streamt.deploy.state.folder import file_segment, network_file_system
from streamt.deploy.state.local import KEPT
from streamt.diagnostics import Code, StreamtError
from tests.deploy.state.operations import apply_topics, begun, creation, done, here, step

NAMES = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=300)


@given(NAMES)
def test_an_environments_name_never_leaves_its_folder(name: str) -> None:
    try:
        segment = file_segment(name)
    except UnicodeEncodeError:  # a lone surrogate is no name of a file either
        return
    assert "/" not in segment
    assert not segment.startswith(".")
    assert len(segment.encode()) < 200
    files = StateFiles(Path("/p"), name)
    for path in (files.state, files.lock, files.history(3), files.operations):
        assert os.path.normpath(path) == str(path)
        assert path.parent == Path("/p/.streamt/state")


@given(NAMES, NAMES)
def test_two_environments_never_share_a_file(one: str, other: str) -> None:
    if one != other:
        try:
            assert file_segment(one).lower() != file_segment(other).lower()
        except UnicodeEncodeError:
            return


def test_files_are_private(local_store: LocalStore) -> None:
    apply_topics(local_store, "a")
    apply_topics(local_store, "b")
    files = local_store.files
    for path in (files.state, files.lock, files.history(1), *files.operations.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(files.operations.stat().st_mode) == 0o700


def test_git_does_not_see_states(local_store: LocalStore) -> None:
    apply_topics(local_store, "a")
    assert (local_store.files.root / ".streamt/.gitignore").read_text() == "*\n"


def test_earlier_serials_are_kept(local_store: LocalStore) -> None:
    apply_topics(local_store, "a")
    first = local_store.files.state.read_bytes()
    apply_topics(local_store, "b")
    assert local_store.files.history(1).read_bytes() == first


def test_only_so_many_earlier_serials_and_journals_are_kept(local_store: LocalStore) -> None:
    for number in range(KEPT + 3):
        apply_topics(local_store, f"t{number}")
    files = local_store.files
    assert len(list(files.folder.glob("prod.json.*"))) == KEPT
    assert not files.history(0).exists()
    assert len(list(files.operations.iterdir())) == KEPT


def test_ended_journals_are_put_away(local_store: LocalStore) -> None:
    operation = apply_topics(local_store, "a")
    assert local_store.files.closed_journal(operation).exists()
    assert not local_store.files.open_journal(operation).exists()


def test_a_crash_between_state_and_journal_is_no_open_operation(local_store: LocalStore) -> None:
    operation = apply_topics(local_store, "a")
    closed = local_store.files.closed_journal(operation)
    *lines, _end = closed.read_bytes().splitlines(keepends=True)
    local_store.files.open_journal(operation).write_bytes(b"".join(lines))
    closed.unlink()
    snapshot = local_store.read()
    assert (snapshot.is_written, snapshot.open_operation) == (True, None)
    assert len(snapshot.resources) == 1


def test_half_a_record_is_cut_off_before_the_next_is_written(local_store: LocalStore) -> None:
    with local_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        operation.intend(0, 0, step("a"))
    path = local_store.files.open_journal(operation.id)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"format":"stre')
    with local_store.lock(here(), 5) as session:
        DurableOperation.resume(session, session.read()).record(0, 0, *done())
    assert path.read_bytes().startswith(whole)
    assert local_store.read().unrecovered is not None


def test_a_lock_whose_file_was_removed_is_lost(local_store: LocalStore) -> None:
    with local_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        local_store.files.lock.unlink()
        with pytest.raises(StreamtError) as error:
            operation.intend(0, 0, step("a"))
    assert error.value.diagnostics[0].code is Code.LOCK_LOST


def test_a_state_that_somebody_changed_beside_the_lock_is_a_conflict(local_store: LocalStore) -> None:
    apply_topics(local_store, "a")
    old = local_store.files.state.read_bytes()
    apply_topics(local_store, "b")
    with local_store.lock(here(), 5) as session:
        operation = begun(session, creation("c"))
        operation.intend(0, 0, step("c"))
        operation.record(0, 0, *done())
        local_store.files.state.write_bytes(old)
        with pytest.raises(StreamtError) as error:
            operation.close(Word.COMMIT, ["applied"])
    assert error.value.diagnostics[0].code is Code.STATE_CONFLICT


def test_a_folder_that_cannot_be_made_is_said_to_be_one(local_store: LocalStore) -> None:
    (local_store.files.root / ".streamt").write_text("a file")
    with pytest.raises(StreamtError) as error, local_store.lock(here(), 0):
        pass
    assert error.value.diagnostics[0].code is Code.STATE_UNAVAILABLE


def test_a_lock_dies_with_its_process(local_store: LocalStore) -> None:
    program = (
        "import sys; from pathlib import Path; from streamt.deploy.state import *;"
        "store = LocalStore(StateFiles(Path(sys.argv[1]), 'prod'), sys.argv[2]);"
        "lock = store.lock(Holder.here('apply'), 5); lock.__enter__(); print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", program, str(local_store.files.root), local_store.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        holder = local_store.holder()
        process.kill()
    assert holder is not None
    assert holder.pid == process.pid
    with local_store.lock(here(), 5):
        pass


MOUNTS = """\
22 1 0:20 / / rw - ext4 /dev/sda1 rw
23 22 0:21 / /home rw shared:1 - nfs4 server:/home rw
24 23 0:22 / /home/me/my\\040disk rw - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/srv/p", None), ("/home", "nfs4"), ("/home/me/p", "nfs4"), ("/home/me/my disk/p", None), ("/homeless", None)],
)
def test_network_file_systems_are_known(path: str, kind: str | None) -> None:
    assert network_file_system(Path(path), MOUNTS) == kind


def test_a_state_on_a_network_file_system_is_refused(local_store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamt.deploy.state.local.network_file_system", lambda _path: "nfs4")
    with pytest.raises(StreamtError) as error, local_store.lock(here(), 0):
        pass
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, "nfs4" in diagnostic.message) == (Code.STATE_UNAVAILABLE, True)
