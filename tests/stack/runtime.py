"""Bring a named stack up, take it down, and leave nothing behind, not even after a killed test run."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.stack import process
from tests.stack.home import StackError, folder_of, home, locked, say, tail
from tests.stack.install import install
from tests.stack.net import free_port, is_free
from tests.stack.process import Process
from tests.stack.services import SERVICES, Addresses, Site

_PORTS, _PROCESSES = "ports.json", "processes"


def up(name: str, *wanted: str, within: float = 240.0) -> dict[str, Addresses]:
    """Start the `wanted` services and what they need, and return their addresses when they answer.

    What already runs is left alone; if one does not get ready, all that this call started is ended.

    Args:
        name: which stack; several run side by side.
        wanted: names of services.
        within: seconds.

    Raises:
        StackError: with the end of the log of the service that failed.
    """
    ordered, dist = _ordered(wanted), install()
    with locked(f"stack-{name}"):
        folder = folder_of(name)
        if not folder.is_dir():
            folder.mkdir(parents=True)
            _watch(name)
        missing = [service for service in ordered if not _runs(folder, service)]
        site = Site(folder, _choose_ports(name, missing), dist)
        try:
            _start(site, missing, time.monotonic() + within)
        except BaseException:
            process.stop(one for service in missing for one in _processes(folder, service).values())
            raise
        return {service: SERVICES[service].addresses(site) for service in ordered}


def down(name: str) -> None:
    """End every process of a stack, those first that need others, and remove its files."""
    with locked(f"stack-{name}"):
        folder = folder_of(name)
        for dependent in (True, False):
            wave = (key for key, service in SERVICES.items() if bool(service.needs) is dependent)
            process.stop(one for key in wave for one in _processes(folder, key).values())
        shutil.rmtree(folder, ignore_errors=True)
    (home() / "locks" / f"stack-{name}").unlink(missing_ok=True)


def reap() -> None:
    """Take down each stack whose test run is gone."""
    for name in names():
        owner = owner_of(name)
        if owner and not owner.alive():
            say(f"ending what a killed test run left: {name}")
            down(name)


def names() -> list[str]:
    """Return the names of all stacks of this home."""
    return sorted(path.name for path in (home() / "run").glob("*") if path.is_dir())


def owned_name(owner: Process) -> str:
    """Return the name of the stack that belongs to a process and ends with it."""
    return f"test-{owner.pid}-{owner.started}"


def owner_of(name: str) -> Process | None:
    """Return the process that a stack belongs to; None if a person started it."""
    found = re.fullmatch(r"test-(\d+)-(\d+)", name)
    return Process(int(found[1]), int(found[2])) if found else None


def wait_for_owner(name: str) -> None:
    """Wait until the stack is gone; take it down if its owner is gone before."""
    owner = owner_of(name)
    while folder_of(name).is_dir():
        if owner and not owner.alive():
            down(name)
        time.sleep(0.5)


def running(name: str) -> dict[str, Process]:
    """Return the live processes of a stack by name."""
    folder = folder_of(name)
    found = (pair for service in SERVICES for pair in _processes(folder, service).items())
    return {key: one for key, one in found if one.alive()}


def _watch(name: str) -> None:
    """Start a process that outlives a killed owner for as long as it takes to clean up behind it."""
    if owner_of(name) is None:
        return
    argv = [sys.executable, "-m", "tests.stack", "watch", name]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    root = Path(__file__).parents[2]
    child = subprocess.Popen(argv, cwd=root, start_new_session=True, **quiet)  # type: ignore[call-overload] # a dict
    child.returncode = 0  # it outlives this object on purpose


def _ordered(wanted: tuple[str, ...]) -> list[str]:
    if unknown := [service for service in wanted if service not in SERVICES]:
        raise StackError(f"unknown service `{unknown[0]}`; there are {', '.join(SERVICES)}")
    needed = {need for service in wanted for need in SERVICES[service].needs}
    return [service for service in SERVICES if service in needed or service in wanted]


def _start(site: Site, missing: list[str], deadline: float) -> None:
    """Start each service once what it needs is ready; all else side by side."""
    waiting, starting = list(missing), list[str]()
    while waiting or starting:
        for service in [one for one in waiting if not {*waiting, *starting} & {*SERVICES[one].needs}]:
            waiting.remove(service)
            starting.append(service)
            for command in SERVICES[service].commands(site):
                process.start(command, _records(site.folder) / f"{service}.{command.name}", _log(site, command.name))
        for service in list(starting):
            if _check(site, service, deadline):
                starting.remove(service)
        time.sleep(0.1)


def _check(site: Site, service: str, deadline: float) -> bool:
    """Report whether a service is ready.

    Raises:
        StackError: it ended, or it is late.
    """
    found = _processes(site.folder, service)
    if dead := [name for name, one in found.items() if not one.alive()]:
        raise StackError(_failure(site, service, dead, "ended"))
    try:
        if SERVICES[service].ready(site):
            return True
    except (OSError, KeyError, TypeError):  # no answer, or not yet one of the expected shape
        pass
    if time.monotonic() > deadline:
        raise StackError(_failure(site, service, list(found), "is not ready in time"))
    return False


def _failure(site: Site, service: str, names: list[str], what: str) -> str:
    tails = [f"--- {name}\n{tail(_log(site, name))}" for name in names]
    return "\n".join([f"`{service}` {what}", *tails])


def _choose_ports(name: str, services: list[str]) -> dict[str, int]:
    """Give each service its ports; no other stack of this home gets the same ones."""
    path = folder_of(name) / _PORTS
    with locked("ports"):
        given = [json.loads(file.read_text()) for file in (home() / "run").glob(f"*/{_PORTS}")]
        taken = {port for ports in given for port in ports.values()}
        mine: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
        for key in (port for service in services for port in SERVICES[service].ports):
            if key not in mine or not is_free(mine[key]):
                mine[key] = free_port(taken)
                taken.add(mine[key])
        path.write_text(json.dumps(mine))
    return mine


def _log(site: Site, process_name: str) -> Path:
    folder = site.folder / "logs"
    folder.mkdir(exist_ok=True)
    return folder / f"{process_name}.log"


def _records(folder: Path) -> Path:
    return folder / _PROCESSES


def _processes(folder: Path, service: str) -> dict[str, Process]:
    """Return the processes of a service by name, dead or alive."""
    found = _records(folder).glob(f"{service}.*")
    return {path.name.partition(".")[2]: Process.recorded(path) for path in found if path.suffix != ".new"}


def _runs(folder: Path, service: str) -> bool:
    found = _processes(folder, service)
    return bool(found) and all(one.alive() for one in found.values())
