"""Events in a local file, one line each."""

import fcntl
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from streamt.diagnostics import Code, Option, StreamtError
from streamt.openlineage.identity import Identity
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.transport import DeliveryError, FileSettings, Transport, open_transport, transport_from_environ
from streamt.openlineage.transport.file import FileTransport
from streamt.openlineage.validation import Checker
from tests.openlineage.transport.official import official_event

RUN = CommandRun(uuid4(), Identity("prod", "streamt/p/commands/test"), "TEST", (Identity("kafka://b:9092", "t"),))


def opened(path: Path) -> Transport:
    return open_transport(FileSettings(log_file_path=path))


def test_a_run_is_two_lines_that_schemas_and_official_classes_accept(tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    transport = opened(target)
    now = datetime.now(UTC)
    transport.emit(bytes(start_event(RUN, now).to_json()))
    transport.emit(bytes(terminal_event(RUN, Outcome.FAIL, now, "1 of 2 tests failed").to_json()))
    transport.close()
    lines = target.read_bytes().splitlines()
    Checker().check_run(lines, Option("written"))
    for line in lines:
        official_event(json.loads(line))


def test_an_event_is_written_byte_for_byte(tmp_path: Path) -> None:
    event = '{"name":"Ünï \u2028 😀"}'.encode()
    opened(tmp_path / "events.jsonl").emit(event)
    assert (tmp_path / "events.jsonl").read_bytes() == event + b"\n"


def test_opening_writes_nothing(tmp_path: Path) -> None:
    opened(tmp_path / "new" / "events.jsonl").close()
    assert list(tmp_path.rglob("*")) == [tmp_path / "new"]


def test_a_path_with_any_letters_works(tmp_path: Path) -> None:
    target = tmp_path / "a b%{x}\u6587\udcff.jsonl"
    opened(target).emit(b"{}")
    assert target.read_bytes() == b"{}\n"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.symlink_to("nowhere"), "it is a symbolic link"),
        (Path.mkdir, "Is a directory"),
        (os.mkfifo, "it is not a regular file"),
        (lambda path: path.parent.write_bytes(b""), "Not a directory"),
    ],
    ids=["link", "folder", "pipe", "below a file"],
)
def test_what_cannot_be_appended_to_is_found_on_opening(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    target = tmp_path / "folder" / "events.jsonl"
    if reason != "Not a directory":
        target.parent.mkdir()
    make(target)
    variables = {"OPENLINEAGE__TRANSPORT__TYPE": "file", "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(target)}
    config = transport_from_environ(variables)
    with pytest.raises(StreamtError) as error:
        open_transport(config)
    (problem,) = error.value.placed()
    assert (problem.code, problem.location) == (Code.OPENLINEAGE_INVALID, "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH")
    assert problem.message == f"the file that `log_file_path` names cannot be appended to: {reason}"


def test_a_problem_points_to_the_line_of_the_file_that_set_the_path(tmp_path: Path) -> None:
    config_file = tmp_path / "openlineage.yml"
    config_file.write_text(f"transport:\n  type: file\n  log_file_path: {tmp_path}\n", encoding="utf-8")
    with pytest.raises(StreamtError) as error:
        open_transport(transport_from_environ({"OPENLINEAGE_CONFIG": str(config_file)}))
    (problem,) = error.value.placed()
    assert (problem.location, problem.file, problem.line, problem.column) == (
        "OPENLINEAGE_CONFIG",
        "openlineage.yml",
        3,
        18,
    )


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.symlink_to("nowhere"), "it is a symbolic link"),
        (lambda path: path.parent.rmdir(), "No such file or directory"),
    ],
)
def test_what_goes_wrong_later_is_a_delivery_error(tmp_path: Path, make: Callable[[Path], None], reason: str) -> None:
    target = tmp_path / "folder" / "events.jsonl"
    transport = opened(target)
    make(target)
    with pytest.raises(DeliveryError, match=f"^cannot append to the file: {reason}$"):
        transport.emit(b"{}")


def test_a_failed_event_does_not_keep_the_next_one_back(tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    transport = opened(target)
    target.mkdir()
    with pytest.raises(DeliveryError):
        transport.emit(b"1")
    target.rmdir()
    transport.emit(b"2")
    assert target.read_bytes() == b"2\n"


def test_a_lock_that_stays_is_a_delivery_error(tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    transport = FileTransport(FileSettings(log_file_path=target), lock_seconds=0.05)
    with target.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(DeliveryError, match=r"^cannot append to the file: another process keeps it locked$"):
            transport.emit(b"{}")
