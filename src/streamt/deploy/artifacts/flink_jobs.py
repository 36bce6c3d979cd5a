"""Flink jobs: one for each model that a query fills, with its tables, its query and its settings."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

from streamt.compiler.artifacts import ProcessKind
from streamt.compiler.model import CompiledModel
from streamt.compiler.templates import Reference, TemplateError, references_of, render, with_names
from streamt.deploy.artifact import Address, Artifact, Content, ResourceKind, SecretRef, encoded
from streamt.deploy.artifacts.kafka_clients import client_problems
from streamt.deploy.artifacts.site import Site, wrong
from streamt.deploy.artifacts.table_options import (
    common_options,
    connector_of,
    is_moment,
    reading_options,
    schema_problem,
    writing_options,
)
from streamt.deploy.artifacts.tables import Stream, Streams
from streamt.deploy.artifacts.watermarks import watermark_of
from streamt.diagnostics import Diagnostic, Supplied, quote
from streamt.project.language.models import FlinkSettings
from streamt.project.language.topics import config_text
from streamt.sql import Shape, SqlError, read_query

# Settings that streamt sets itself, or by which a job would get an identity or a state that nobody knows of.
_OWN_SETTINGS = (
    "pipeline.name", "parallelism.default", "execution.checkpointing.interval", "table.exec.state.ttl",
    "state.backend.type", "state.backend", "execution.runtime-mode", "table.dml-sync", "pipeline.global-job-parameters",
)  # fmt: skip
_FOREIGN_SETTINGS = ("table.exec.uid.", "$internal.", "execution.state-recovery.", "execution.savepoint")
_SECRET_WORD = re.compile(r"streamt_secret_(\d+)x")


def flink_job(model: CompiledModel, site: Site, streams: Streams) -> Iterator[Artifact | Diagnostic]:
    """Yield the job that fills a model's topic, or everything that keeps it from being deployed."""
    if model.node.process is not ProcessKind.FLINK_JOB:
        return
    cluster, problems = _cluster(model, site)
    sink = streams[model.node.name]
    inputs = [streams[name] for name in model.node.dependencies]
    problems += [*client_problems(site, cluster), *_stream_problems(sink, inputs, site)]
    problems += _setting_problems(model, inputs)
    query = _query(model, site)
    if problems or isinstance(query, Diagnostic):
        yield from problems
        yield from [query] if isinstance(query, Diagnostic) else []
        return
    content = _content(model, site, streams, cluster) | {"query": query}
    yield site.artifact(model, ResourceKind.FLINK_JOB, content, *_depends_on(model, site))


def _content(model: CompiledModel, site: Site, streams: Streams, cluster: str | None) -> dict[str, Content]:
    flink = _settings(model)
    sink = streams[model.node.name]
    project, environment = map(encoded, site.names)
    group = f"streamt.{project}.{environment}.{encoded(model.node.name)}"
    name = f"streamt/{project}/{environment}/models/{encoded(model.node.name)}"
    keeps_state = _keeps_state(model)
    stateless = "offsets" if keeps_state == "no" and sink.changelog == "append" else "savepoint"
    tables = [_source_table(streams[each], site, cluster, group, flink.start) for each in model.node.dependencies]
    return {
        "job_name": name,
        "cluster": cluster,
        "group_id": group,
        "settings": _flink_settings(model, site, name),
        "changelog": sink.changelog,
        "keeps_state": keeps_state,
        "start": flink.start,
        "upgrade": flink.upgrade or stateless,
        "delivery": flink.delivery,
        "tables": [*tables, _sink_table(sink, site, cluster, flink.delivery, group)],
    }


def _settings(model: CompiledModel) -> FlinkSettings:
    advanced = model.declaration.advanced
    return advanced.flink if advanced and advanced.flink else _default_settings()


@cache
def _default_settings() -> FlinkSettings:
    return FlinkSettings.model_construct()


def _keeps_state(model: CompiledModel) -> str:
    """Report whether the job must remember records: `yes`, `no`, or `unknown` where the SQL could not be read."""
    if model.query is None:
        return "no"
    facts = model.query.facts
    if facts is None:
        return "unknown"
    return "yes" if facts.shape is Shape.STATEFUL or facts.updates else "no"


# Tables


def _source_table(stream: Stream, site: Site, cluster: str | None, group: str, start: str) -> Mapping[str, Content]:
    options = common_options(stream, site, cluster) | reading_options(stream, group, start)
    return _table(stream, "source", options, watermark_of(stream.event_time))


def _sink_table(stream: Stream, site: Site, cluster: str | None, delivery: str, prefix: str) -> Mapping[str, Content]:
    options = common_options(stream, site, cluster) | writing_options(delivery, prefix)
    return _table(stream, "sink", options, None)


def _table(stream: Stream, role: str, options: Mapping[str, Content], watermark: str | None) -> dict[str, Content]:
    return {
        "name": stream.name,
        "role": role,
        "connector": connector_of(stream),
        "topic": stream.topic,
        "format": options.get("format", options.get("value.format")),
        "columns": stream.read_columns if role == "source" else stream.written_columns,
        "primary_key": list(stream.key) if stream.changelog == "upsert" else [],
        "watermark": watermark,
        "options": dict(options),
    }


def _depends_on(model: CompiledModel, site: Site) -> Iterator[Address]:
    for name in model.node.dependencies:
        yield site.address(ResourceKind.TOPIC, name)
        yield site.address(ResourceKind.GATEWAY_RULE, name)
    yield site.address(ResourceKind.TOPIC, model.node.name)
    for name in (*model.node.dependencies, model.node.name):
        for part in ("value", "key"):
            if (name, part) in site.schemas:
                yield site.schemas[name, part].address


# Settings


def _flink_settings(model: CompiledModel, site: Site, name: str) -> dict[str, Content]:
    flink = _settings(model)
    path = ("models", model.node.name, "advanced", "flink", "options")
    found: dict[str, Content] = {
        key: site.book.shown(config_text(value), *path, key) for key, value in flink.options.items()
    }
    found |= {"pipeline.name": name, "execution.runtime-mode": "streaming", "table.dml-sync": "false"}
    if flink.parallelism is not None:
        found["parallelism.default"] = str(flink.parallelism)
    if flink.checkpoint_interval_ms is not None:
        found["execution.checkpointing.interval"] = f"{flink.checkpoint_interval_ms} ms"
    if flink.state_ttl_ms is not None:
        found["table.exec.state.ttl"] = f"{flink.state_ttl_ms} ms"
    if flink.state_backend is not None:
        found["state.backend.type"] = site.book.shown(flink.state_backend, *path[:-1], "state_backend")
    return dict(sorted(found.items()))


def _setting_problems(model: CompiledModel, inputs: list[Stream]) -> Iterator[Diagnostic]:
    flink, place = _settings(model), model.path / "advanced" / "flink"
    who = f"model {quote(model.node.name)}"
    for key in flink.options:
        if key in _OWN_SETTINGS or key.startswith(_FOREIGN_SETTINGS):
            message = f"{who}: the Flink setting {quote(key)} is streamt's own"
            yield wrong(
                message, (place / "options" / key).key(), "remove it; the keys of `advanced.flink` say the same"
            )
    if flink.delivery == "exactly_once" and flink.checkpoint_interval_ms is None:
        message = f"{who}: delivery exactly once needs checkpoints"
        yield wrong(message, place / "delivery", "set `checkpoint_interval_ms`")
    if not is_moment(flink.start):
        yield wrong(f"{who}: `start` is a time that does not exist", place / "start", None)
    by_key = next((each for each in inputs if each.changelog == "upsert"), None)
    if flink.start != "earliest" and by_key is not None:
        message = f"{who}: {by_key.who} is read by key, and that only from its beginning"
        yield wrong(message, place / "start", "remove `start`")


def _stream_problems(sink: Stream, inputs: list[Stream], site: Site) -> Iterator[Diagnostic]:
    for stream in inputs:
        yield from stream.reading_problems
    yield from sink.problems
    unlike = schema_problem(sink, site)
    if unlike is not None:
        message = f"{sink.who}: the declared schema cannot be written: {unlike}"
        yield wrong(message, sink.path / "schema" / "definition", "let the columns and the schema say the same")


# The cluster


def _cluster(model: CompiledModel, site: Site) -> tuple[str | None, list[Diagnostic]]:
    """Return the Flink cluster that runs a model's job, and what is wrong with the choice."""
    flink, document = site.runtime.flink, site.project.document
    advanced, defaults = model.declaration.advanced, document.defaults.models
    clusters = flink.clusters if flink else {}
    name = (advanced.flink_cluster if advanced else None) or (defaults.flink_cluster if defaults else None)
    name = name or (flink.default if flink else None) or (next(iter(clusters)) if len(clusters) == 1 else None)
    if name is None and clusters:
        message = f"model {quote(model.node.name)}: no Flink cluster is chosen out of {len(clusters)}"
        hint = "set `runtime.flink.default`, or `advanced.flink_cluster`"
        return None, [wrong(message, model.path, hint)]
    return name, []


# The query


def _query(model: CompiledModel, site: Site) -> Content | Diagnostic:
    """Return the query with the tables' names in it; parts that a variable supplied are references."""
    if model.query is None:
        return f"SELECT * FROM {_backticked(model.node.dependencies[0])}"  # noqa: S608 - Flink's, and checked
    text = _trimmed(model.query.with_names(lambda reference: _backticked(reference.name)))
    params = model.declaration.params
    supplied: dict[str, tuple[str, ...]] = {}
    marked = _marked(params, ("models", model.node.name, "params"), supplied)
    if model.declaration.macro is None or not supplied:
        return text
    return _split(model, site, text, marked, list(supplied.values()))


def _backticked(name: str) -> str:
    return f"`{name}`"


def _trimmed(text: str) -> str:
    """Return a query without blank lines around it, and without the blanks that comments left behind."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def _marked(value: Any, path: tuple[str, ...], supplied: dict[str, tuple[str, ...]]) -> Any:
    """Return a copy of `value` with a word in the place of each text that a variable supplied."""
    if isinstance(value, Mapping):
        return {key: _marked(each, (*path, str(key)), supplied) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_marked(each, (*path, str(index)), supplied) for index, each in enumerate(value)]
    if not isinstance(value, Supplied):
        return value
    word = f"streamt_secret_{len(supplied)}x"
    supplied[word] = path
    return word


def _split(
    model: CompiledModel, site: Site, text: str, marked: Mapping[str, Any], paths: list[tuple[str, ...]]
) -> Content | Diagnostic:
    """Return a query as parts: rendered with words for what variables supplied, it must say the same as with them."""
    macro = site.project.macros[model.declaration.macro or ""]
    values = [_found(model.declaration.params, path[3:]) for path in paths]
    try:
        rendered = render(macro.text, marked)
        query = read_query(rendered.sql, with_hints=True)
        references_of(query, rendered)
        shown = _trimmed(with_names(query.text, rendered, lambda reference: _backticked(_plain(reference, values))))
    except (TemplateError, SqlError):
        shown = ""
    if _SECRET_WORD.sub(lambda word: values[int(word[1])], shown) != text:
        message = f"model {quote(model.node.name)}: the SQL depends on what a variable supplied, and cannot be shown"
        hint = "let the macro only print the parameter, or write the value into the project"
        return wrong(message, model.path / "params", hint)
    parts: list[str | SecretRef] = []
    end = 0
    for word in _SECRET_WORD.finditer(shown):
        number = int(word[1])
        parts += [shown[end : word.start()], site.book.keep(paths[number], partial(values.__getitem__, number))]
        end = word.end()
    return [part for part in (*parts, shown[end:]) if part != ""]


def _plain(reference: Reference, values: list[str]) -> str:
    """Return a name that a variable supplied: the names of tables are no secrets."""
    return _SECRET_WORD.sub(lambda word: values[int(word[1])], reference.name)


def _found(params: Any, path: tuple[str, ...]) -> str:
    value = params
    for key in path:
        value = value[int(key)] if isinstance(value, (list, tuple)) else value[key]
    return str(value)
