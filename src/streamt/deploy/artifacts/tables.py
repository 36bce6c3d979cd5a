"""The tables of a Flink job: what stands for each topic that the job reads or writes.

The rules are T1 to T7 of the deployment's contract; each was tried on a real Flink.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from streamt.compiler.artifacts import OutputKind
from streamt.compiler.model import CompiledModel
from streamt.deploy.artifact import Content
from streamt.deploy.artifacts.site import Site, wrong
from streamt.diagnostics import Diagnostic, ProjectPath, quote
from streamt.project.language import Column, EventTime, Source
from streamt.sql import FlinkType, known_type

Changelog = Literal["append", "upsert"]


@dataclass(frozen=True)
class Stream:
    """The records of one source or model, as a job sees them.

    Attributes:
        name: the logical name, and the table's.
        who: the declaration, for messages.
        path: where it is declared.
        topic: the topic's name.
        is_virtual: whether only the Gateway shows the topic.
        columns: the declared columns.
        columns_path: where they are declared.
        changelog: whether records replace each other by key.
        key: the columns of the key, as far as the records have one that a job must know.
        event_time: which column tells when something happened, with its place.
        format: `json`, `avro` or `protobuf`.
        is_registered: whether the records have the registry's framing.
        has_schema: whether the declaration says how records are written.
    """

    name: str
    who: str
    path: ProjectPath
    topic: str
    is_virtual: bool
    columns: tuple[Column, ...]
    columns_path: ProjectPath
    changelog: Changelog
    key: tuple[str, ...]
    event_time: EventTime | None
    event_time_path: ProjectPath
    format: str
    is_registered: bool
    has_schema: bool

    @cached_property
    def types(self) -> Mapping[str, FlinkType | None]:
        """The types of the columns, by name."""
        return {column.name: known_type(column.type) for column in self.columns}

    @cached_property
    def read_columns(self) -> Sequence[Mapping[str, Content]]:
        """The columns of a table that reads the records."""
        return [self._column(each) for each in self.columns]

    @cached_property
    def written_columns(self) -> Sequence[Mapping[str, Content]]:
        """The columns of a table that writes the records."""
        return [self._column(each) for each in self.columns if not each.proctime]

    @cached_property
    def problems(self) -> Sequence[Diagnostic]:
        """Why no job can read or write the records as they are declared."""
        return tuple(_problems(self))

    @cached_property
    def reading_problems(self) -> Sequence[Diagnostic]:
        """Why no job can read the records."""
        return (*self.problems, *_time_problems(self))

    def _column(self, column: Column) -> Mapping[str, Content]:
        if column.proctime:
            return {"name": column.name, "as": "PROCTIME()"}
        flink, text = self.types[column.name], (column.type or "").strip()
        is_nullable = flink is not None and flink.nullable
        return {"name": column.name, "type": f"{text} NOT NULL" if is_nullable and self.is_required(column) else text}

    def is_required(self, column: Column) -> bool:
        """Report whether every record has a value in a column."""
        return column.nullable is False or column.name in self.key


class Streams:
    """The streams of a project, each made when it is asked for."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._known: dict[str, Stream] = {}
        self._changelogs: dict[str, Changelog] = {}

    def __getitem__(self, name: str) -> Stream:
        if name not in self._known:
            model = self._site.models.get(name)
            self._known[name] = self._of_model(model) if model else self._of_source(*self._site.sources[name])
        return self._known[name]

    def changelog(self, name: str) -> Changelog:
        """Return whether the records of a source or model replace each other by key."""
        waiting = [name]
        while waiting:
            each = waiting[-1]
            if each in self._changelogs:
                waiting.pop()
                continue
            missing = [below for below in self._inputs(each) if below not in self._changelogs]
            if missing:
                waiting += missing
            else:
                self._changelogs[waiting.pop()] = self._own_changelog(each)
        return self._changelogs[name]

    def _inputs(self, name: str) -> Sequence[str]:
        """Return the inputs on whose changes the changes of a model rest."""
        model = self._site.models.get(name)
        if model is None or model.node.process is None:
            return ()
        facts = model.query.facts if model.query else None
        versioned = {model.query.name_of(table) for table in facts.versioned} if model.query and facts else set()
        return [each for each in model.node.dependencies if each not in versioned]

    def _own_changelog(self, name: str) -> Changelog:
        model = self._site.models.get(name)
        if model is None:
            _, source = self._site.sources[name]
            return source.advanced.changelog if source.advanced else "append"
        flink = model.declaration.advanced.flink if model.declaration.advanced else None
        if flink is not None and flink.changelog is not None:
            return flink.changelog
        facts = model.query.facts if model.query else None
        below = any(self._changelogs[each] == "upsert" for each in self._inputs(name))
        return "upsert" if below or (facts is not None and facts.updates) else "append"

    def _of_source(self, index: int, source: Source) -> Stream:
        path = ProjectPath(("sources", index))
        schema = source.schema_
        changelog = self.changelog(source.name)
        in_advanced = source.advanced is not None and source.advanced.event_time is not None
        kind = (schema.format if schema else None) or "json"
        # The registry frames what has a subject there; Avro is framed wherever there is a registry.
        named = schema is not None and (schema.subject is not None or schema.registry is not None)
        return Stream(
            name=source.name,
            who=f"source {quote(source.name)}",
            path=path,
            topic=source.topic,
            is_virtual=False,
            columns=source.columns,
            columns_path=path / "columns",
            changelog=changelog,
            # A documented key must not change results: only an upsert topic is read by it.
            key=tuple(column.name for column in source.columns if column.primary_key) if changelog == "upsert" else (),
            event_time=source.effective_event_time,
            event_time_path=path / "advanced" / "event_time" if in_advanced else path / "event_time",
            format=kind,
            is_registered=named or (kind == "avro" and self._site.runtime.schema_registry is not None),
            has_schema=schema is not None,
        )

    def _of_model(self, model: CompiledModel) -> Stream:
        declaration, output = model.declaration, model.output
        assert output is not None  # nothing reads a sink
        columns, place = declaration.selected_columns
        declared = (declaration.key,) if isinstance(declaration.key, str) else declaration.key or ()
        key = tuple(declared) or tuple(column.name for column in columns if column.primary_key)
        schema = declaration.schema_
        kind = schema.format if schema else self._format_below(model) if self._is_rule(model) else "json"
        registered = schema is not None and (kind != "avro" or self._site.runtime.schema_registry is not None)
        if self._is_rule(model) and schema is None:
            registered = self[model.node.dependencies[0]].is_registered
        return Stream(
            name=model.node.name,
            who=f"model {quote(model.node.name)}",
            path=model.path,
            topic=output.name,
            is_virtual=output.kind is OutputKind.VIRTUAL_TOPIC,
            columns=columns,
            columns_path=ProjectPath((*model.path.parts, *place)),
            changelog=self.changelog(model.node.name),
            key=key if declared or self.changelog(model.node.name) == "upsert" else (),
            event_time=declaration.event_time,
            event_time_path=model.path / "advanced" / "event_time",
            format=kind,
            is_registered=registered,
            has_schema=schema is not None,
        )

    def _is_rule(self, model: CompiledModel) -> bool:
        return model.output is not None and model.output.kind is OutputKind.VIRTUAL_TOPIC

    def _format_below(self, model: CompiledModel) -> str:
        """Return the format of what a virtual topic shows: the Gateway does not change it."""
        return self[model.node.dependencies[0]].format


def _problems(stream: Stream) -> Iterator[Diagnostic]:
    if not stream.columns:
        hint = "declare the columns, each with a type: a guessed one would corrupt quietly"
        yield wrong(f"{stream.who}: a Flink job needs its columns", stream.path, hint)
    if "`" in stream.name:
        yield wrong(f"{stream.who}: a name with a backtick cannot be a table's", stream.path / "name", "rename it")
    for index, column in enumerate(stream.columns):
        yield from _column_problems(stream, column, index)
    if stream.changelog == "upsert" and not stream.key:
        hint = "declare `key`, or `primary_key: true` on the columns that tell records apart"
        yield wrong(f"{stream.who}: its records replace each other, so they need a key", stream.path, hint)
    yield from _format_problems(stream)


def _column_problems(stream: Stream, column: Column, index: int) -> Iterator[Diagnostic]:
    def found(message: str, hint: str, *at: str) -> Diagnostic:
        place = ProjectPath((*stream.columns_path.parts, index, *at))
        return wrong(f"{stream.who}: column {quote(column.name)}: {message}", place, hint)

    if "`" in column.name:
        yield found("a name with a backtick cannot be a column's", "rename it", "name")
    if column.proctime:
        return
    flink = stream.types[column.name]
    if flink is None:
        yield found("a Flink job needs its type", "add `type`")
    elif flink.name.startswith("INTERVAL"):
        yield found("a table's column cannot be an interval", "use BIGINT, say", "type")
    elif stream.format == "avro" and flink.name == "TIMESTAMP_LTZ":
        yield found("Flink's Avro has no TIMESTAMP_LTZ", "use TIMESTAMP(3), and CAST in the query", "type")


def _format_problems(stream: Stream) -> Iterator[Diagnostic]:
    place = stream.path / "schema" if stream.has_schema else stream.path
    if stream.format == "protobuf":
        message = f"{stream.who}: Flink reads and writes Protobuf only by classes of its own"
        yield wrong(message, place, "use `format: avro` or `json` for what a Flink job reads or writes")
    elif stream.format == "json" and stream.is_registered:
        message = f"{stream.who}: Flink has no format for JSON with the registry's framing"
        yield wrong(message, place, "use `format: avro`, or JSON without a schema in the registry")


def _time_problems(stream: Stream) -> Iterator[Diagnostic]:
    event_time = stream.event_time
    if event_time is None:
        return
    if event_time.allowed_lateness_ms is not None:
        message = f"{stream.who}: Flink SQL has no allowed lateness"
        hint = "remove it, and let the watermark wait longer: `max_out_of_orderness_ms`"
        yield wrong(message, stream.event_time_path / "allowed_lateness_ms", hint)
    if event_time.column is None:
        yield wrong(f"{stream.who}: `event_time` needs its `column`", stream.event_time_path, "add `column`")
        return
    flink = stream.types.get(event_time.column)
    if flink is not None and not (flink.name in ("TIMESTAMP", "TIMESTAMP_LTZ") and flink.sizes[0] <= 3):
        message = f"{stream.who}: the event time {quote(event_time.column)} is a {flink}"
        hint = "it must be a TIMESTAMP(3) or TIMESTAMP_LTZ(3), or less precise"
        yield wrong(message, stream.event_time_path / "column", hint)
