"""Clusters that something names: each must be one of the environment's."""

from collections.abc import Iterator, Mapping

from streamt.compiler.model import compile_error
from streamt.diagnostics import Diagnostic, ProjectPath, did_you_mean, quote
from streamt.project.language import Document

_Named = tuple[str | None, ProjectPath]


def check_clusters(document: Document) -> Iterator[Diagnostic]:
    """Find names of Flink and Connect clusters that `runtime` does not have."""
    runtime = document.runtime
    flink = runtime.flink if runtime else None
    connect = runtime.connect if runtime else None
    if flink is not None:
        yield from _unknown((flink.default, ProjectPath(("runtime", "flink", "default"))), "Flink", flink.clusters)
    if connect is not None:
        place = ProjectPath(("runtime", "connect", "default"))
        yield from _unknown((connect.default, place), "Connect", connect.clusters)
    for named in _flink_names(document):
        yield from _unknown(named, "Flink", flink.clusters if flink else {})
    for index, model in enumerate(document.models):
        name = model.advanced.connect_cluster if model.advanced else None
        place = ProjectPath(("models", index, "advanced", "connect_cluster"))
        yield from _unknown((name, place), "Connect", connect.clusters if connect else {})


def _flink_names(document: Document) -> Iterator[_Named]:
    defaults = document.defaults
    for key in ("models", "tests"):
        part = getattr(defaults, key)
        yield part.flink_cluster if part else None, ProjectPath(("defaults", key, "flink_cluster"))
    for index, model in enumerate(document.models):
        name = model.advanced.flink_cluster if model.advanced else None
        yield name, ProjectPath(("models", index, "advanced", "flink_cluster"))
    for index, test in enumerate(document.tests):
        yield test.flink_cluster, ProjectPath(("tests", index, "flink_cluster"))


def _unknown(named: _Named, kind: str, clusters: Mapping[str, object]) -> Iterator[Diagnostic]:
    name, place = named
    if name is not None and name not in clusters:
        hint = did_you_mean(name, clusters) or f"declare it in `runtime.{kind.lower()}.clusters`"
        yield compile_error(f"unknown {kind} cluster {quote(name)}", place, hint)
