"""What dbt wrote down -> runs and tasks: one for the invocation, one for each node that ran."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from streamt.emitter.datasets import DatasetRef
from streamt.emitter.providers.dbt_adapters import adapter_named
from streamt.emitter.providers.dbt_manifest import Manifest, Node, read_artifact, read_manifest
from streamt.emitter.providers.dbt_profile import Profile
from streamt.emitter.providers.dbt_relations import Where
from streamt.emitter.told import EventType, Told
from streamt.emitter.values import Run, Task

OUTCOMES: Mapping[str, EventType | None] = {
    "success": "COMPLETE",
    "pass": "COMPLETE",
    "warn": "COMPLETE",
    "error": "FAIL",
    "fail": "FAIL",
    "runtime error": "FAIL",
    "partial success": "FAIL",
    "skipped": None,
    "no-op": None,
}
"""What each status of a node tells; of the last two there is nothing to tell."""

RUNS_NODES = frozenset({"run", "build", "seed", "snapshot", "test", "retry"})
"""The commands of dbt that run nodes (E7)."""

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Results:
    """What an invocation did.

    Attributes:
        metadata: about the invocation.
        arguments: of its command line.
        nodes: one for each node that it came to.
    """

    metadata: Mapping[str, Any]
    arguments: Mapping[str, Any]
    nodes: tuple[Mapping[str, Any], ...]

    @property
    def invocation_id(self) -> str:
        """The invocation's id."""
        return str(self.metadata.get("invocation_id") or "")

    @property
    def generated_at(self) -> datetime | None:
        """When they were written."""
        return moment(self.metadata.get("generated_at"))

    @property
    def began_at(self) -> datetime | None:
        """When the invocation began, as far as it is known: then it is the same whenever it is asked for."""
        stated = moment(self.metadata.get("invocation_started_at"))
        times = [start for each in self.nodes if (start := times_of(each)[0])]
        return stated or min(times, default=None) or self.generated_at

    @property
    def runs_nodes(self) -> bool:
        """Whether the command was one that runs nodes; before dbt 1.4 it is not said."""
        which = self.arguments.get("which")
        return not isinstance(which, str) or which in RUNS_NODES


def read_results(path: Path) -> Results:
    """Read `run_results.json`.

    Raises:
        StreamtError: E506; it cannot be read, is cut short, or is not JSON.
    """
    content = read_artifact(path)
    listed = content.get("results")
    nodes = tuple(each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return Results(_dict(content.get("metadata")), _dict(content.get("args")), nodes)


def is_of_this_run(results: Results, started_at: datetime) -> bool:
    """Report whether results were written by an invocation that began at `started_at`, and not by an older one (E7)."""
    written = results.generated_at
    return results.runs_nodes and written is not None and written >= started_at


def where_of(
    manifest: Manifest, profile: Profile | None, given: DatasetRef | None, note: Note, *, databricks: str = "databricks"
) -> Where | None:
    """Return where a project's relations are; None where they have no name that is known, which is noted (E13).

    Args:
        manifest: names the adapter.
        profile: names the system.
        given: the connection that the user gave instead of a profile.
        note: takes what the user should know.
        databricks: how tables on Databricks are named.
    """
    name = manifest.adapter or (profile.adapter if profile else "")
    adapter = adapter_named(name)
    if adapter is None:
        note(f"datasets are left out: the relations of dbt's adapter `{name[:40]}` have no name that is known")
        return None
    if given is not None:
        return Where(adapter, given.system, given.known, {}, Path())
    system = databricks if adapter.system == "databricks" else adapter.system
    if profile is None:
        if adapter.keys:
            note("datasets are left out: without dbt's profile it is not known where they are")
            return None
        return Where(adapter, system, {}, {}, Path())
    found = {part: _first(profile.values, keys) for part, keys in adapter.keys.items()}
    derived = adapter.derive(profile.values) if adapter.derive else {}
    parts = {key: value for key, value in {**found, **derived}.items() if value}
    return Where(adapter, system, parts, profile.files, profile.folder)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One invocation of dbt, ready to be told.

    Attributes:
        run: the run of the invocation.
        manifest: what it knew.
        where: where its relations are; None where datasets are not told.
        with_sql: whether the compiled SQL is told; it may quote data.
        deferred: the manifest of the environment that the invocation defers to.
    """

    run: Run
    manifest: Manifest
    where: Where | None
    with_sql: bool = False
    deferred: Manifest | None = None

    def told(self, results: Results, note: Note) -> Iterator[Told]:
        """Give the events of the nodes, in the order in which things happened."""
        ran = {str(each.get("unique_id")) for each in results.nodes}
        defers = results.arguments.get("defer") is True
        timed = [(*times_of(each), each) for each in results.nodes]
        moments: list[tuple[datetime, int, Told]] = []
        for start, end, each in timed:
            moments += self._of_node(each, start or results.began_at, end, ran if defers else None, note)
        for _, _, told in sorted(moments, key=lambda item: (item[0], item[1])):
            yield told

    def _of_node(
        self,
        result: Mapping[str, Any],
        start: datetime | None,
        end: datetime | None,
        deferring: set[str] | None,
        note: Note,
    ) -> Iterator[tuple[datetime, int, Told]]:
        outcome = OUTCOMES.get(str(result.get("status")).lower())
        unique_id = result.get("unique_id")
        node = self.manifest.nodes.get(unique_id) if isinstance(unique_id, str) else None
        if outcome is None or start is None or not isinstance(unique_id, str):
            return
        task = self._task(unique_id, node, deferring, note)
        message = str(result.get("message") or result.get("status")) if outcome == "FAIL" else ""
        yield start, 0, Told(task, "START", start)
        ended = max(end or start, start)
        yield ended, 1, Told(task, outcome, ended, message)

    def _task(self, unique_id: str, node: Node | None, deferring: set[str] | None, note: Note) -> Task:
        task = Task(run=self.run, name=unique_id)
        if node is None:
            return task
        inputs, outputs = self.datasets(node, deferring, note)
        return replace(task, inputs=inputs, outputs=outputs, sql=node.sql if self.with_sql else None)

    def datasets(
        self, node: Node, deferring: set[str] | None, note: Note
    ) -> tuple[tuple[DatasetRef, ...], tuple[DatasetRef, ...]]:
        """Return what a node reads and what it writes.

        Args:
            node: the node.
            deferring: what ran, where the invocation defers to another environment: everything else may be taken there.
            note: takes what the user should know.
        """
        where = self.where
        if where is None:
            return (), ()
        inputs = [
            where.dataset(parent, note, None if deferring is None else self._instead(node, parent, deferring))
            for parent in self.manifest.inputs(node)
        ]
        written = self.manifest.output(node)
        outputs = [where.dataset(written, note)] if written else []
        return tuple(each for each in inputs if each), tuple(each for each in outputs if each)

    def _instead(self, node: Node, parent: Node, ran: set[str]) -> Mapping[str, Any] | None:
        """Return the other environment's relation, where a node read that: by its compiled SQL, else by what ran.

        dbt does not always write `defer_relation` into its manifest; the other environment's own manifest has it.
        """
        there = self.deferred.nodes.get(parent.unique_id) if self.deferred else None
        other = parent.values.get("defer_relation") or (there.values if there else None)
        if not isinstance(other, Mapping) or parent.unique_id in ran:
            return None
        own, theirs = parent.values.get("relation_name"), other.get("relation_name")
        if node.sql and isinstance(own, str) and isinstance(theirs, str):
            return other if theirs in node.sql or own not in node.sql else None
        return other


def design_time(
    invocation: Invocation, note: Note
) -> Sequence[tuple[str, tuple[DatasetRef, ...], tuple[DatasetRef, ...]]]:
    """Return the name, inputs and outputs of each node of a manifest, without a run."""
    nodes = sorted(invocation.manifest.nodes.values(), key=lambda node: node.unique_id)
    told = [(node.unique_id, *invocation.datasets(node, None, note)) for node in nodes if node.kind != "source"]
    return [each for each in told if each[1] or each[2]]


def times_of(result: Mapping[str, Any]) -> tuple[datetime | None, datetime | None]:
    """Return when a node's work began and ended."""
    timing = result.get("timing")
    steps = [step for step in timing if isinstance(step, dict)] if isinstance(timing, list) else []
    starts = [start for step in steps if (start := moment(step.get("started_at")))]
    ends = [end for step in steps if (end := moment(step.get("completed_at")))]
    return min(starts, default=None), max(ends, default=None)


def moment(value: object) -> datetime | None:
    """Read a time of dbt's: ISO 8601, in UTC where no offset stands."""
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return read if read.utcoffset() is not None else read.replace(tzinfo=UTC)


def read_deferred(results: Results, folder: Path) -> Manifest | None:
    """Return the manifest of the environment that an invocation deferred to, if it did and it is there.

    Args:
        results: what the invocation did.
        folder: where its relative paths begin.

    Raises:
        StreamtError: E506; the manifest cannot be read.
    """
    stated = results.arguments.get("defer_state") or results.arguments.get("state")
    if results.arguments.get("defer") is not True or not isinstance(stated, str):
        return None
    file = folder / stated / "manifest.json"
    return read_manifest(file) if file.exists() else None


def _first(values: Mapping[str, str], keys: tuple[str, ...]) -> str:
    return next((values[key] for key in keys if values.get(key)), "")


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
