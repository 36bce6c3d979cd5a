"""Deploy what `examples/payments` declares to a real Kafka, let somebody change a topic by hand, and put it back.

`make demo-apply` starts this. It runs three Apache Kafka brokers and a schema registry on loopback, plans the example
in an environment of its own, applies it, and ends everything again. It needs Java 17 or newer and Maven.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "payments"
TOPIC, SETTING = "payments.approved.v1", "retention.ms"
THREE_DAYS = "259200000"

ENVIRONMENT = """\
environment: {name: demo, description: "Three brokers and a registry on loopback."}
"""
REGISTRY = """\
  schema_registry: {url: "${SCHEMA_REGISTRY_URL}"}
"""


def main() -> int:
    """Run the demonstration.

    Returns:
        The first exit status that is not what it should be, or 0.
    """
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing and "JAVA_HOME" not in os.environ:
        sys.stderr.write(f"This needs {' and '.join(missing)}: install a JDK (17 or newer) and Maven 3.8 or newer.\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, servers() as addresses:
        project = Path(folder) / "payments"
        copy_example(project)
        brokers = str(addresses["kafka-three"]["bootstrap.servers"])
        variables = {"KAFKA_BOOTSTRAP_SERVERS": brokers, "SCHEMA_REGISTRY_URL": str(addresses["registry"]["url"])}
        return show(project, variables, brokers)


@contextmanager
def servers() -> Iterator[Mapping[str, Mapping[str, object]]]:
    """Start the servers, and end them and their files afterwards."""
    name = f"demo-{os.getpid()}"
    stack = [sys.executable, "-m", "tests.stack"]
    say("Starting three Kafka brokers and a schema registry on loopback (the first time, they are fetched) ...")
    try:
        up = subprocess.run(  # noqa: S603 - our own program
            [*stack, "up", "kafka-three", "registry", "--name", name], cwd=ROOT, stdout=subprocess.PIPE, check=True
        )
        yield json.loads(up.stdout)
    finally:
        subprocess.run([*stack, "down", "--name", name], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - as above
        say("\nThe servers have ended; nothing of them is left.")


def copy_example(project: Path) -> None:
    """Copy the example, and move its `runtime` into an environment of its own."""
    shutil.copytree(EXAMPLE, project)
    root = project / "stream_project.yml"
    text = root.read_text(encoding="utf-8")
    runtime = re.search(r"^runtime:\n(?:[ #].*\n|\n)*", text, re.MULTILINE)
    assert runtime, "the example says where it runs"
    root.write_text(text.replace(runtime[0], ""), encoding="utf-8")
    (project / "environments").mkdir()
    (project / "environments" / "demo.yml").write_text(ENVIRONMENT + runtime[0].rstrip() + "\n" + REGISTRY)


def show(project: Path, variables: Mapping[str, str], brokers: str) -> int:
    """Go through a day: plan, apply, status, drift, diff, and back."""
    statuses = [
        run(project, variables, "plan", "--out", str(project / "demo.plan")),
        run(project, variables, "apply", str(project / "demo.plan")),
        run(project, variables, "status", "--health"),
    ]
    say(f"\nSomebody sets `{SETTING}` of {TOPIC} to three days by hand.")
    change_by_hand(brokers)
    statuses += [
        run(project, variables, "diff"),
        run(project, variables, "apply"),
        run(project, variables, "status", "--health"),
        run(project, variables, "diff", "--exit-code"),
    ]
    return next((status for status in statuses if status), 0)


def run(project: Path, variables: Mapping[str, str], *arguments: str) -> int:
    """Run one command of streamt, showing what it says, and return its exit status."""
    say(f"\n$ streamt {' '.join(arguments)} --env demo")
    command = [sys.executable, "-m", "streamt", *arguments, "--env", "demo", "--project-dir", str(project)]
    return subprocess.run(command, env={**os.environ, **variables}, check=False).returncode  # noqa: S603 - our own


def change_by_hand(brokers: str) -> None:
    """Set a retention with Kafka's own admin API, behind the back of streamt."""
    from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

    entry = ConfigEntry(SETTING, THREE_DAYS, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, TOPIC, incremental_configs=[entry])
    client = AdminClient({"bootstrap.servers": brokers})
    for future in client.incremental_alter_configs([resource]).values():
        future.result()


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201 - this program talks to a person


if __name__ == "__main__":
    sys.exit(main())
