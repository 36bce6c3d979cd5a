"""One model, compiled: what it reads, what it becomes, and its SQL."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache as memoized
from typing import TYPE_CHECKING

from streamt.cache import NO_CACHE, Cache
from streamt.compiler.artifacts import Materialization, Node, Output
from streamt.compiler.templates import Reference, Rendered, length, readable, with_names
from streamt.diagnostics import Code, Diagnostic, ProjectPath, quote
from streamt.project.language import Model, TopicSettings
from streamt.sql import HINT, ParsedQuery, QueryFacts, read_query

if TYPE_CHECKING:
    from streamt.project import Project


@dataclass(frozen=True, slots=True)
class CompileContext:
    """What all models of a project share while they are compiled.

    Attributes:
        project: what is compiled.
        has_gateway: whether the project has a Gateway that can hold virtual topics.
        parsed: gives the same parsed query for equal texts. Markers are numbered in each model by itself, so models
            that differ only in what they read, or in a literal, have one query here.
        cache: what was read before.
    """

    project: "Project"
    has_gateway: bool
    cache: Cache = NO_CACHE
    parsed: Callable[[str], ParsedQuery] = field(default_factory=lambda: memoized(ParsedQuery))

    @classmethod
    def of(cls, project: "Project", cache: Cache = NO_CACHE) -> "CompileContext":
        """Return the context of a project."""
        conduktor = project.document.runtime.conduktor if project.document.runtime else None
        return cls(project, conduktor is not None and conduktor.gateway is not None, cache)


@dataclass(frozen=True, slots=True)
class Read:
    """One input of a model.

    Attributes:
        name: what is read.
        kind: `source`, `ref`, or `any`, for a model's or else a source's name.
        place: where the project says so.
    """

    name: str
    kind: str
    place: ProjectPath


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """The one query of a model's SQL.

    Attributes:
        rendered: the SQL as the template gives it, with numbered references.
        text: the query in it, without comments.
        facts: what its tree tells; None where the Flink dialect cannot read it.
        references: what the query reads, each once, by its first place.
    """

    rendered: Rendered
    text: str
    facts: QueryFacts | None
    references: tuple[Reference, ...]

    @property
    def length(self) -> int:
        """How many characters the SQL has, with the names in it and its comments."""
        return length(self.rendered)

    def name_of(self, table: str) -> str:
        """Return the name of a source or model for a table of the facts; a table that is none stays as it is."""
        return readable(table, self.rendered)

    def with_names(self, name_of: Callable[[Reference], str]) -> str:
        """Return the query, with its hints, and with `name_of(reference)` in the place of each table."""
        sql = self.rendered.sql
        text = read_query(sql, with_hints=True).text if HINT in sql else self.text
        return with_names(text, self.rendered, name_of)

    def parsed(self) -> ParsedQuery:
        """Return the query as it is written, to ask for places in it."""
        return ParsedQuery(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What one model comes to, before the models around it are looked at.

    Attributes:
        model: the declaration.
        path: where it stands.
        declared: what the model is by its declaration alone; None if the SQL is too wrong to tell.
        materialization: the effective one: an environment without a Gateway makes Flink jobs of virtual topics.
        explicit: whether the project says it in words.
        query: the SQL's query; None without SQL, or if it is wrong.
        reads: its inputs, each name and kind once, in order.
        hides: whether a macro may have made parts of the SQL of what a variable supplied, so that no message shows any.
        diagnostics: everything that is wrong with it alone, and the warnings.
    """

    model: Model
    path: ProjectPath
    declared: Materialization | None = None
    materialization: Materialization | None = None
    explicit: bool = False
    query: CompiledQuery | None = None
    reads: tuple[Read, ...] = ()
    hides: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def sql_path(self) -> ProjectPath:
        """Where the SQL is declared."""
        return self.path / ("macro" if self.model.macro is not None else "sql")

    def error(self, message: str, place: ProjectPath | None = None, hint: str | None = None) -> Diagnostic:
        """Return a compile error of this model."""
        return compile_error(f"model {quote(self.model.name)}: {message}", place or self.path, hint)

    def shown(self, text: str) -> str:
        """Return a text of the SQL for a message."""
        return "`…`" if self.hides else quote(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledModel:
    """One model, compiled.

    Attributes:
        declaration: as it was declared; it may hold secrets.
        path: where it stands.
        node: what the rest of the program sees of it: its name, materialization, output and dependencies.
        explicit: whether the project says the materialization in words.
        query: the SQL's query, if it has SQL.
        reads: its inputs, each name and kind once, in order.
        topic: the settings of the topic that it makes, defaults filled in; None if it makes none.
    """

    declaration: Model
    path: ProjectPath
    node: Node
    explicit: bool
    query: CompiledQuery | None
    reads: tuple[Read, ...]
    topic: TopicSettings | None

    @property
    def output(self) -> Output | None:
        """Where its records are, if they are anywhere that can be named."""
        return self.node.output


def compile_error(message: str, place: ProjectPath, hint: str | None = None) -> Diagnostic:
    """Return a compile error."""
    return Diagnostic(code=Code.COMPILE_ERROR, message=message, location=place, hint=hint)
