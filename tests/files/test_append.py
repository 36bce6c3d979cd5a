"""A line is appended whole or not at all, whatever happens to the process that asked for it."""

import errno
import fcntl
import multiprocessing
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from streamt.files import append_process, check_append, durable_append

# A forked child is the only one that can take on another user or a limit and still has what the test holds.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

LINE_BYTES = 4_000_000


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a forked process, which may change its limits or user, and give its exit code."""
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join(20)
    assert process.exitcode is not None
    return process.exitcode


def wait_for_writers(path: Path) -> None:
    """Wait until no process has the file open; one that outlives its caller may still be on its way to the lock."""
    while any(_has_open(process, path) for process in Path("/proc").glob("[0-9]*")):
        time.sleep(0.005)


def _has_open(process: Path, path: Path) -> bool:
    with suppress(OSError):
        return any(descriptor.readlink() == path for descriptor in (process / "fd").iterdir())
    return False


def test_lines_stand_one_after_the_other(target: Path) -> None:
    durable_append(target, b"a")
    durable_append(target, b"b")
    assert target.read_bytes() == b"a\nb\n"


def test_a_new_file_is_not_for_everybody(target: Path) -> None:
    durable_append(target, b"a")
    assert stat.S_IMODE(target.stat().st_mode) & 0o137 == 0


def test_what_stands_there_stays_byte_for_byte(target: Path) -> None:
    target.write_bytes(b"\xff\x00 old\n")
    durable_append(target, b"a")
    assert target.read_bytes() == b"\xff\x00 old\na\n"


def test_half_a_line_of_another_program_is_kept_and_ended(target: Path) -> None:
    target.write_bytes(b'{"torn')
    durable_append(target, b"a")
    assert target.read_bytes() == b'{"torn\na\n'


def test_a_newline_in_a_line_is_refused(target: Path) -> None:
    with pytest.raises(ValueError, match="no newline"):
        durable_append(target, b"a\nb")


def test_one_append_is_one_write_and_one_fsync(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    write, fsync = os.write, os.fsync

    def counted_write(descriptor: int, data: bytes) -> int:
        calls.append("write")
        return write(descriptor, data)

    def counted_fsync(descriptor: int) -> None:
        calls.append("fsync")
        fsync(descriptor)

    monkeypatch.setattr(os, "write", counted_write)
    monkeypatch.setattr(os, "fsync", counted_fsync)
    descriptor = os.open(target, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    append_process.append_whole(descriptor, b"a" * LINE_BYTES + b"\n")
    os.close(descriptor)
    assert calls == ["write", "fsync"]


def a_link(path: Path) -> None:
    path.with_name("other").write_bytes(b"")
    path.symlink_to("other")


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize("check", [check_append, lambda path: durable_append(path, b"a")], ids=["check", "append"])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (a_link, "it is a symbolic link"),
        (a_dangling_link, "it is a symbolic link"),
        (Path.mkdir, "Is a directory"),
        (os.mkfifo, "it is not a regular file"),
    ],
)
def test_only_a_regular_file_is_appended_to(
    target: Path, check: Callable[[Path], None], make: Callable[[Path], None], message: str
) -> None:
    make(target)
    with pytest.raises(OSError, match=message):
        check(target)


def test_the_target_of_a_link_stays_untouched(target: Path) -> None:
    a_link(target)
    with pytest.raises(OSError, match="symbolic link"):
        durable_append(target, b"a")
    assert target.with_name("other").read_bytes() == b""


def test_a_check_writes_nothing(target: Path) -> None:
    check_append(target)
    assert not target.exists()


def test_a_check_leaves_an_old_file_as_it_is(target: Path) -> None:
    target.write_bytes(b"old")
    check_append(target)
    assert target.read_bytes() == b"old"


def test_a_check_makes_missing_folders(tmp_path: Path) -> None:
    check_append(tmp_path / "a" / "b" / "events.jsonl")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_missing_folder_is_an_error_when_appending(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        durable_append(tmp_path / "a" / "events.jsonl", b"a")


def as_nobody(work: Callable[[], None]) -> int:
    """Run `work` without root's power to write everywhere; anybody else lacks it already."""

    def run() -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            work()
        except PermissionError:
            sys.exit(errno.EACCES)

    return in_child(run)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that another user can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_a_folder_that_may_not_be_written_fails_the_check(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    assert as_nobody(lambda: check_append(open_folder / "events.jsonl")) == errno.EACCES


def test_a_read_only_file_fails_the_check(open_folder: Path) -> None:
    target = open_folder / "events.jsonl"
    target.write_bytes(b"")
    target.chmod(0o444)
    assert as_nobody(lambda: check_append(target)) == errno.EACCES


def append_with_little_room(target: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    try:
        durable_append(target, b"b" * 20_000)
    except OSError as error:
        sys.exit(error.errno)


def test_a_full_disk_is_an_error(target: Path) -> None:
    assert in_child(lambda: append_with_little_room(target)) == errno.EFBIG


def test_a_full_disk_leaves_only_what_was_there(target: Path) -> None:
    target.write_bytes(b"old\n")
    in_child(lambda: append_with_little_room(target))
    assert target.read_bytes() == b"old\n"


def test_a_lock_is_not_waited_for_without_end(target: Path) -> None:
    with target.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError, match="another process keeps it locked"):
            durable_append(target, b"a", lock_seconds=0.05)


LETTERS = (b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h", b"i", b"j")


def append_many(target: Path, letter: bytes) -> None:
    for _ in range(6):
        durable_append(target, letter * 100_000, lock_seconds=60)


def test_ten_writers_lose_nothing_and_never_interleave(target: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_many, args=(target, letter)) for letter in LETTERS]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = target.read_bytes().splitlines()
    assert sorted(lines) == sorted(letter * 100_000 for letter in LETTERS for _ in range(6))


def test_the_lock_is_not_held_while_a_record_is_on_its_way(target: Path) -> None:
    command = [sys.executable, "-I", "-S", append_process.__file__, "5"]
    with target.open("ab+") as file, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file) as slow:
        assert slow.stdin is not None
        slow.stdin.write((3).to_bytes(append_process.LENGTH_BYTES) + b"a")
        slow.stdin.flush()
        durable_append(target, b"quick")
        slow.stdin.write(b"b\n")
        slow.stdin.close()
    assert target.read_bytes() == b"quick\nab\n"


WRITER = f"""
import sys
from pathlib import Path
from streamt.files import durable_append
print("ready", flush=True)
while True:
    durable_append(Path(sys.argv[1]), b"x" * {LINE_BYTES})
"""


@pytest.mark.parametrize("group", [False, True], ids=["process", "process group"])
def test_a_kill_in_the_middle_leaves_only_whole_lines(target: Path, group: bool) -> None:
    target.touch()
    chance = random.Random(20261130)
    for last in (*[False] * 11, True):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, process_group=0)
        with writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            while last and not target.stat().st_size:  # a slow machine may have written nothing so far
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.06))
            (os.killpg if group else os.kill)(writer.pid, signal.SIGKILL)
        wait_for_writers(target)
        assert target.stat().st_size % (LINE_BYTES + 1) == 0
    content = target.read_bytes()
    assert content == (b"x" * LINE_BYTES + b"\n") * (len(content) // (LINE_BYTES + 1)) != b""


def test_a_caller_that_dies_while_it_hands_over_writes_nothing(target: Path) -> None:
    with target.open("ab+") as file:
        code = subprocess.run(
            [sys.executable, "-I", "-S", append_process.__file__, "5"],
            input=(10).to_bytes(append_process.LENGTH_BYTES) + b"half",
            stdout=file,
            check=False,
        ).returncode
    assert (code, target.read_bytes()) == (append_process.INCOMPLETE, b"")
