"""Tell of a real dbt project and a nightly script, both within one run, and print the lineage that comes of it.

`make demo-emitter` installs dbt-duckdb in an environment of its own, and runs this. Events go to a file, and then to a
catalog that is asked for the lineage: the one that STREAMT_CATALOG_URL names (with STREAMT_CATALOG_TOKEN, an admin's),
else one that runs for as long as the demonstration.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from examples import demo_catalog

PROJECT = Path(__file__).parent / "dbt-shop"

NIGHT = """
set -e
streamt dbt --dbt "$DBT" -- build --quiet
streamt run --job dbt.publish --input "duckdb:path=$PWD/shop.duckdb,database=shop,schema=main,table=daily" \\
    --output "file:path=$PWD/revenue.csv" -- sh -c 'echo Ada,10.5 > revenue.csv'
"""

Name = tuple[str, str]


def main() -> int:
    """Run the demonstration.

    Returns:
        The exit status: 0 if the way from a source to the last file can be followed.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(PROJECT, place / "shop")
        events = place / "events.jsonl"
        status = night(place / "shop", events)
        told = [json.loads(line) for line in events.read_bytes().splitlines()]
        say(f"{len(told)} events, of {len({event['run']['runId'] for event in told})} runs; the run of each job:\n")
        say("\n".join(jobs(told)))
        edges = edges_of(told)
        last = ("file", str(place / "shop" / "revenue.csv"))
        way = chain(edges, last)
        say("\nFrom the source to the last file:\n")
        say("\n".join(f"  {'  ' * depth}{name}" for depth, name in enumerate(way)))
        source = (f"duckdb://{place}/shop/shop.duckdb", "shop.main.raw_orders")
        with catalog(place) as (url, token):
            steps = told_by_catalog(url, token, events, source, last[1].lstrip("/"))
        return status or (0 if len(way) > 3 and steps else 1)


@contextmanager
def catalog(folder: Path) -> Iterator[tuple[str, str]]:
    """Give the address of a catalog and a token for it: the user's, or one that is served in `folder` meanwhile."""
    if url := os.environ.get("STREAMT_CATALOG_URL"):
        yield url, os.environ["STREAMT_CATALOG_TOKEN"]
        return
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "STREAMT_CATALOG_STORE": f"sqlite:///{folder}/c.db"}
    with demo_catalog.served(environment) as served:
        yield served, (folder / "streamt" / "catalog-admin-token").read_text().strip()


def told_by_catalog(url: str, token: str, events: Path, source: Name, last: str) -> list[dict[str, Any]]:
    """Send the events to a catalog, and print how it comes from the source to the last dataset.

    Returns:
        Its edges; empty if there is no way.
    """
    environment = {**os.environ, "STREAMT_CATALOG_URL": url, "STREAMT_CATALOG_TOKEN": token}
    environment["XDG_DATA_HOME"] = str(events.parent)  # where `send` keeps how far it is
    say("")
    demo_catalog.streamt(environment, "catalog", "send", str(events))
    demo_catalog.streamt(environment, "catalog", "sync", "events")  # registers the datasets that no other source knows
    steps = demo_catalog.chain(url, token, source, last)
    say(f"\nThe same, as the catalog tells it:\n{demo_catalog.show(steps)}")
    return steps


def night(project: Path, events: Path) -> int:
    """Run the night as one run of a job, with dbt and a script inside."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "DBT": os.environ.get("DBT", "dbt"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "STREAMT_LINEAGE_PATH": str(events),
        "STREAMT_LINEAGE_NAMESPACE": "demo",
    }
    return streamt("run", "--job", "nightly", "--", "sh", "-c", NIGHT, cwd=project, env=environment)


def streamt(*arguments: str, **more: Any) -> int:
    """Run streamt and return its exit status."""
    return subprocess.run([sys.executable, "-m", "streamt", *arguments], check=False, **more).returncode  # noqa: S603


def jobs(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each job: how its run ended, and under which."""
    lines = {}
    for event in events:
        parent = event["run"]["facets"].get("parent", {}).get("job", {}).get("name", "-")
        lines[event["job"]["name"]] = f"  {event['eventType']:9} {event['job']['name']}  (in {parent})"
    return list(lines.values())


def edges_of(events: Iterable[Mapping[str, Any]]) -> dict[Name, set[Name]]:
    """Return what each dataset is made of, as the events tell it."""
    edges: dict[Name, set[Name]] = {}
    for event in events:
        for written in event["outputs"]:
            into = edges.setdefault((written["namespace"], written["name"]), set())
            into |= {(read["namespace"], read["name"]) for read in event["inputs"]}
    return edges


def chain(edges: Mapping[Name, set[Name]], last: Name) -> list[str]:
    """Return the longest way to `last`, from its beginning."""
    before = [chain({key: value for key, value in edges.items() if key != last}, each) for each in edges.get(last, ())]
    return [*max(before, key=len, default=[]), last[1]]


def say(text: str) -> None:
    """Print for a person, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
