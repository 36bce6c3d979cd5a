"""The parent of a run, handed from process to process in variables: OPENLINEAGE_CONTEXT and the two older ones.

Source: E1 and E.4. Read: the context first, then the others, each of exactly three parts; without a root the parent is
the root. Written: all three, in place of those that were inherited; where a name holds a slash, only the context, since
the older ones could not be read again.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from streamt.emitter.values import Parent, RunRef

CONTEXT = "OPENLINEAGE_CONTEXT"
PARENT = "OPENLINEAGE_PARENT_ID"
ROOT = "OPENLINEAGE_ROOT_PARENT_ID"

_LONGEST = 64 * 1024


def read_parent(environ: Mapping[str, str], note: Callable[[str], None] = lambda _: None) -> Parent | None:
    """Return the parent that the environment names, if it names one.

    Args:
        environ: the process's environment.
        note: takes what is wrong with a variable; it repeats nothing of its value.
    """
    if text := environ.get(CONTEXT):
        parent = _of_context(text)
        if parent is not None:
            return parent
        note(f"{CONTEXT} does not name a run, so it is passed over")
    if text := environ.get(PARENT):
        run = run_of_text(text)
        if run is None:
            note(f"{PARENT} is not NAMESPACE/JOB/RUN-ID, so it is passed over")
            return None
        root = run_of_text(environ.get(ROOT, ""))
        return Parent(run, root or run)
    return None


def variables_for(run: RunRef, root: RunRef) -> dict[str, str | None]:
    """Return the variables of a child of `run`; None for one that the child must not inherit."""
    context = {"parent": {**_entry(run), "root": _entry(root)}}
    older = {PARENT: run, ROOT: root}
    plain = not any("/" in text for each in older.values() for text in (each.namespace, each.job))
    return {
        CONTEXT: json.dumps(context, separators=(",", ":")),
        **{name: f"{each.namespace}/{each.job}/{each.run_id}" if plain else None for name, each in older.items()},
    }


def environment_for(environ: Mapping[str, str], run: RunRef, root: RunRef) -> dict[str, str]:
    """Return the environment of a child of `run`."""
    variables = variables_for(run, root)
    inherited = {name: value for name, value in environ.items() if name not in variables}
    return inherited | {name: value for name, value in variables.items() if value is not None}


def run_of_text(text: str) -> RunRef | None:
    """Read `NAMESPACE/JOB/RUN-ID`; None where it is something else."""
    parts = text.split("/")
    if len(parts) != 3 or not all(part.strip() for part in parts):
        return None
    try:
        return RunRef(parts[0], parts[1], UUID(parts[2]))
    except ValueError:
        return None


def _of_context(text: str) -> Parent | None:
    try:
        parent = json.loads(text)["parent"] if len(text) <= _LONGEST else None
        run = _run_of(parent)
        root = parent.get("root") if isinstance(parent, dict) else None
        return Parent(run, _run_of(root) if root else run)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _run_of(entry: Any) -> RunRef:
    namespace, name = entry["job"]["namespace"], entry["job"]["name"]
    if not isinstance(namespace, str) or not isinstance(name, str) or not namespace.strip() or not name.strip():
        raise ValueError("a job without a name")
    return RunRef(namespace, name, UUID(entry["run"]["runId"]))


def _entry(run: RunRef) -> dict[str, dict[str, str]]:
    return {"run": {"runId": str(run.run_id)}, "job": {"namespace": run.namespace, "name": run.job}}
