"""Stacks without servers: names, owners, records, ports, and what is said when Java or Maven is missing."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack import java, process, runtime
from tests.stack.home import StackError, folder_of, locked
from tests.stack.net import free_port, is_free
from tests.stack.process import Command, Process


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STREAMT_STACK_HOME", str(tmp_path / "stack"))
    return tmp_path


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Process]:
    """A process with a child of its own."""
    found = process.start(
        Command("sleeper", ["sh", "-c", "sleep 600 & echo $!; wait"]), tmp_path / "record", tmp_path / "log"
    )
    yield found
    process.stop([found])


def test_a_record_tells_who_was_started(sleeper: Process, tmp_path: Path) -> None:
    assert Process.recorded(tmp_path / "record") == sleeper
    assert sleeper.alive()


def test_stopping_ends_the_whole_group(sleeper: Process, tmp_path: Path) -> None:
    while not (pid := (tmp_path / "log").read_text()).endswith("\n"):
        time.sleep(0.01)
    child = Process(int(pid), process._stat(int(pid))[1])
    assert child.alive()
    process.stop([sleeper])
    assert not sleeper.alive()
    while child.alive():
        time.sleep(0.01)


def test_a_later_owner_of_a_pid_is_not_touched(sleeper: Process) -> None:
    other = Process(sleeper.pid, sleeper.started - 1)
    process.stop([other])
    assert sleeper.alive()
    assert not other.alive()


def test_a_process_that_ignores_the_polite_signal_is_ended_by_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.2)
    deaf = Command("deaf", ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"])
    found = process.start(deaf, tmp_path / "record", tmp_path / "log")
    process.stop([found])
    assert not found.alive()


def test_a_name_says_whose_stack_it_is() -> None:
    assert runtime.owner_of(runtime.owned_name(Process.this())) == Process.this()
    assert runtime.owner_of("default") is None


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "-a", "a" * 62])
def test_a_name_is_one_plain_folder(name: str) -> None:
    with pytest.raises(StackError, match="invalid stack name"):
        folder_of(name)


def test_an_unknown_service_is_named() -> None:
    with pytest.raises(StackError, match="unknown service `kafak`; there are kafka,"):
        runtime.up("x", "kafak")


def test_only_what_a_dead_run_left_is_reaped(sleeper: Process) -> None:
    gone = runtime.owned_name(Process(sleeper.pid, sleeper.started - 1))
    for name in (gone, runtime.owned_name(Process.this()), "default"):
        folder_of(name).mkdir(parents=True)
    runtime.reap()
    assert gone not in runtime.names()
    assert len(runtime.names()) == 2


def test_what_a_killed_run_left_is_ended_at_once(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    name = runtime.owned_name(Process(owner.pid, process._stat(owner.pid)[1]))
    records = folder_of(name) / "processes"
    records.mkdir(parents=True)
    server = process.start(Command("kafka-1", ["sleep", "600"]), records / "kafka.kafka-1", tmp_path / "log")
    runtime._watch(name)
    assert runtime.running(name) == {"kafka-1": server}
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    deadline = time.monotonic() + 60
    while folder_of(name).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not folder_of(name).exists()
    assert not server.alive()


def test_two_stacks_never_share_a_port() -> None:
    for name in ("a", "b"):
        folder_of(name).mkdir(parents=True)
    first, second = (runtime._choose_ports(name, ["kafka-three", "flink"]) for name in ("a", "b"))
    assert len({*first.values(), *second.values()}) == len(first) + len(second) == 18
    assert runtime._choose_ports("a", ["kafka-three"]) == first


def test_a_free_port_is_free() -> None:
    assert is_free(free_port())


def test_a_lock_is_held_by_one() -> None:
    with locked("x"):
        script = "from tests.stack.home import locked\nwith locked('x'): print('in')"
        other = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        with pytest.raises(subprocess.TimeoutExpired):
            other.communicate(timeout=1)
    assert other.communicate(timeout=60)[0] == b"in\n"


def test_a_missing_java_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    java.java.cache_clear()
    with pytest.raises(StackError, match=r"need Java 17 or 21 .*; none found; install both, on Debian by `apt-get"):
        java.java()


def test_a_java_that_does_not_fit_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho 'openjdk version \"25.0.1\" 2025-10-21' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    java.java.cache_clear()
    with pytest.raises(StackError, match=r"`.*/java` is 25"):
        java.java()


def test_a_missing_maven_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StackError, match="there is no `mvn` on PATH; install both"):
        java.maven()
