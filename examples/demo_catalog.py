"""Serve a catalog that knows the examples, and follow a chain from a topic to a table in it.

`make demo-catalog` starts it and prints where to look; `make demo-catalog CHECK=1` looks by itself, takes a picture of
the page where there is a browser (PICTURE names the file), and ends.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from examples import demo_test
from examples.catalog_picture import take_picture

FOLDER = Path(__file__).parent
PROJECTS: dict[str, dict[str, str]] = {
    "payments": {},
    "ecommerce": {"STREAMT_ENV": "dev"},
    "iot": {},
}
START = ("kafka://localhost:9092", "payments.approved.v1")
END = "revenue_by_day"
PATIENCE = 120.0


def main() -> int:
    """Run the demonstration.

    Returns:
        The exit status: 0 if the chain can be followed.
    """
    check = os.environ.get("CHECK") == "1"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_DATA_HOME": folder, "STREAMT_CATALOG_STORE": f"sqlite:///{folder}/catalog.db"}
        with served(environment) as url:
            environment["STREAMT_CATALOG_URL"] = url
            fill(environment, Path(folder))
            token = (Path(folder) / "streamt" / "catalog-admin-token").read_text().strip()
            steps = chain(url, token, START, END)
            say(f"\nFrom topic to table, as the catalog tells it:\n{show(steps)}")
            if not check:
                say(f"\nOpen {url}/ and sign in with this token: {token}\nCtrl-C ends it.")
                with suppress(KeyboardInterrupt):
                    time.sleep(86_400)
            elif steps:
                picture(url, token, steps)
            return 0 if steps and steps[-1]["target"]["name"] == END else 1


@contextmanager
def served(environment: Mapping[str, str]) -> Iterator[str]:
    """Serve a catalog for as long as the context lasts; give its address, once it answers."""
    command = [sys.executable, "-m", "streamt", "catalog", "serve", "--port", os.environ.get("PORT", "0")]
    process = subprocess.Popen(command, env=dict(environment), stderr=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("The catalog is served at "):
                yield line.split()[-1]
                break
        else:
            raise SystemExit("the catalog did not start")
    finally:
        process.terminate()
        process.wait(60)


def fill(environment: Mapping[str, str], folder: Path) -> None:
    """Register what there is, and send what producers tell of it."""
    for name, more in PROJECTS.items():
        project = ["--project-dir", str(FOLDER / name)]
        wanted = {**environment, **more}
        streamt(wanted, "catalog", "sync", "project", *project)
        events = folder / f"{name}.jsonl"
        streamt(wanted, "docs", "openlineage", "--job-namespace", name, "--output-file", str(events), *project)
        streamt(environment, "catalog", "send", str(events))
    manifest = str(FOLDER / "catalog" / "manifest.json")
    streamt(environment, "catalog", "sync", "dbt", manifest, "--host", "warehouse.example.com", "--port", "5432")
    streamt(environment, "catalog", "send", str(FOLDER / "catalog" / "producers.jsonl"))
    runs = folder / "runs.jsonl"
    with demo_test.broker() as address:
        records = dict(demo_test.topics(random.Random(7), datetime.now(UTC)))  # noqa: S311 - made-up payments
        demo_test.fill(address, records)
        demo_test.run_tests(address, runs)
    if runs.exists():
        streamt(environment, "catalog", "send", str(runs))
    # The lake's folder is named by Spark and by Airflow, and known to no source above.
    streamt(environment, "catalog", "sync", "events")


def streamt(environment: Mapping[str, str], *arguments: str) -> None:
    """Run the program, and show what it says."""
    say(f"$ streamt {' '.join(arguments)}")
    command = [sys.executable, "-m", "streamt", "--no-color", *arguments]
    done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=False)  # noqa: S603
    say(done.stdout.strip() or done.stderr.strip())
    if done.returncode:
        say(done.stderr)
        raise SystemExit(f"it ended with status {done.returncode}")


def chain(url: str, token: str, start: tuple[str, str], last: str) -> list[dict[str, Any]]:
    """Follow edges from `start`, a namespace and a name, to the dataset named `last`."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if ask(url, token, "status")["replaying"] == 0:
            break
        time.sleep(0.2)
    namespace, name = (quote(part, safe="") for part in start)
    graph = ask(url, token, f"graph?namespace={namespace}&name={name}&upstream=0&downstream=10")
    nodes = {node["id"]: node for node in graph["nodes"]}
    target = next((one["id"] for one in graph["nodes"] if one["name"] == last), None)
    into = {edge["target"]: edge for edge in graph["edges"] if edge["source"] != edge["target"]}
    steps: list[dict[str, Any]] = []
    while target in into and target != graph["node"] and len(steps) < len(nodes):
        edge = ask(url, token, f"edges/{into[target]['id']}")
        steps.insert(0, edge)
        target = edge["source"]["id"]
    return steps


def picture(url: str, token: str, steps: list[dict[str, Any]]) -> None:
    """Take a picture of the middle of the chain, with who asserts its edges."""
    path = Path(os.environ.get("PICTURE") or FOLDER.parent / "dist" / "catalog.png")
    middle = steps[len(steps) // 2]["source"]
    place = f"node={middle['id']}&upstream=1&downstream=1"
    taken = take_picture(url, token, place, middle["name"], path)
    say(f"\nThe page: {path}" if taken else "\nThere is no Chromium here, so there is no picture of the page.")


def ask(url: str, token: str, path: str) -> Any:
    """Ask the catalog."""
    request = Request(f"{url}/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - our own server
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - our own server
        return json.load(answer)


def show(steps: list[dict[str, Any]]) -> str:
    """Write a chain, with who asserted each edge."""
    lines = []
    for edge in steps:
        who = ", ".join(f"{one['job']['namespace']}/{one['job']['name']}" for one in edge["evidence"])
        lines.append(f"  {edge['source']['name']} -> {edge['target']['name']}   asserted by {who}")
    return "\n".join(lines)


def say(text: str) -> None:
    """Print at once, since other programs print between."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
