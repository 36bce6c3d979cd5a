"""What is there and not declared, as sources that a project could declare."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from streamt.deploy.artifact import Address, ResourceKind
from streamt.deploy.backend import Presence, Providers, Target
from streamt.deploy.plan.look import Look
from streamt.diagnostics import Code, Diagnostic, StreamtError

_FORMATS = {"AVRO": "avro", "JSON": "json", "PROTOBUF": "protobuf"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSource:
    """A source as a project could declare it.

    Attributes:
        name: its logical name: the topic's.
        topic: its topic.
        subject: the subject of its values, if it was found by that.
        format: the format of that subject.
    """

    name: str
    topic: str
    subject: str | None = None
    format: str | None = None

    def as_data(self) -> dict[str, object]:
        """Return it as the project language writes it."""
        schema = {"subject": self.subject, "format": self.format} if self.subject else None
        return {"name": self.name, "topic": self.topic, **({"schema": schema} if schema else {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which names are wanted.

    Attributes:
        include: patterns as a shell's; everything if there is none.
        exclude: patterns of what is not wanted all the same.
        declared: names that the project has already.
    """

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    declared: frozenset[str] = frozenset()

    def holds(self, name: str) -> bool:
        """Report whether a name is wanted."""
        is_included = not self.include or any(fnmatchcase(name, each) for each in self.include)
        return is_included and name not in self.declared and not any(fnmatchcase(name, each) for each in self.exclude)


def import_topics(providers: Providers, wanted: Wanted) -> tuple[ImportedSource, ...]:
    """Return the topics that are there and not declared, sorted by name.

    Raises:
        StreamtError: E560 or E561, they cannot be listed.
    """
    names = _names(providers, ResourceKind.TOPIC)
    return tuple(ImportedSource(name=name, topic=name) for name in names if wanted.holds(name))


def import_schemas(
    providers: Providers, wanted: Wanted, address: Callable[[str], Address]
) -> tuple[ImportedSource, ...]:
    """Return the subjects of values that are there, by the names that Confluent's default strategy gives them.

    Args:
        providers: are asked.
        wanted: which subjects.
        address: gives the address that a subject's source would have.

    Raises:
        StreamtError: E560 or E561, they cannot be listed.
    """
    if ResourceKind.SCHEMA not in providers:
        hint = "add `runtime.schema_registry` with the registry's `url`"
        message = "the project names no schema registry"
        raise StreamtError(Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, hint=hint))
    found = [name for name in _names(providers, ResourceKind.SCHEMA) if name.endswith("-value") and wanted.holds(name)]
    return tuple(_with_formats(providers, found, address))


def _names(providers: Providers, kind: ResourceKind) -> tuple[str, ...]:
    with Look(providers, {}) as look:
        return look.observer((kind, None)).list_names()


def _with_formats(
    providers: Providers, subjects: Sequence[str], address: Callable[[str], Address]
) -> Iterator[ImportedSource]:
    targets = [Target(address=address(each.removesuffix("-value")), name=each) for each in subjects]
    with Look(providers, {}) as look:
        lives = look.observer((ResourceKind.SCHEMA, None)).observe(targets) if targets else {}
    for target in targets:
        live = lives[target.address]
        kind = str(live.fields.get("/type", "AVRO")).upper()
        if live.presence is Presence.PRESENT:
            topic = target.name.removesuffix("-value")
            yield ImportedSource(name=topic, topic=topic, subject=target.name, format=_FORMATS.get(kind, "avro"))
