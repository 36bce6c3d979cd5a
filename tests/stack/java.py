"""The Java and the Maven that the servers need."""

import os
import re
import shutil
import subprocess
from functools import cache

from tests.stack.home import StackError

FITTING = ("17", "21")  # Flink's SQL Gateway does not start on 25
INSTALL = "install both, on Debian by `apt-get install openjdk-17-jre-headless maven`"


@cache
def java() -> str:
    """Return the Java of JAVA_HOME if its version fits, else the one on PATH.

    Raises:
        StackError: neither fits; the message says what to install.
    """
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    found = {program: _major(program) for program in (home and f"{home}/bin/java", on_path) if program}
    for program, major in found.items():
        if major in FITTING:
            return program
    seen = ", ".join(f"`{program}` is {major or 'not a Java'}" for program, major in found.items()) or "none found"
    raise StackError(
        f"the real servers need Java {' or '.join(FITTING)} (JAVA_HOME or PATH) and Maven; {seen}; {INSTALL}"
    )


def maven() -> str:
    """Return the Maven on PATH.

    Raises:
        StackError: there is none; the message says what to install.
    """
    found = shutil.which("mvn")
    if found is None:
        raise StackError(f"the real servers are fetched by Maven, and there is no `mvn` on PATH; {INSTALL}")
    return found


def _major(program: str) -> str:
    try:
        done = subprocess.run([program, "-version"], check=False, capture_output=True, text=True)
    except OSError:
        return ""
    version = re.search(r'version "(\d+)', done.stderr)
    return version[1] if version else ""
