"""The rules, as data: one table for each consumer, with the version that they were read from or tried on.

`tried` means that the consumer's own program was given our events; `read` that its code or its documentation was read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

Event = Mapping[str, Any]
Applies = Callable[[Event, int], bool]
"""Whether a rule speaks of an event; the number is its length in bytes."""


class Verdict(StrEnum):
    """What becomes of an event, or of a part of it."""

    REFUSES = "refuses"
    IGNORES = "ignores"
    LOSES = "loses"


class Change(StrEnum):
    """A change of form that `--for` makes; the values are unchanged."""

    EMPTY_LISTS = "inputs and outputs are always there, empty lists included"
    PROCESSING_ENGINE = "the run facet processing_engine names streamt and its version"
    UUID7 = "run ids are UUIDs of version 7, made of the run's first event and its id"
    DATASETS_LAST = "datasets stand after the jobs"


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a consumer does.

    Attributes:
        verdict: what becomes of the event.
        message: what, and why.
        applies: whether it speaks of an event.
        change: the change of form that mends it, if one does.
        hint: what else to do.
    """

    verdict: Verdict
    message: str
    applies: Applies
    change: Change | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Consumer:
    """One consumer.

    Attributes:
        name: as the options take it.
        title: as its makers write it.
        version: what was tried or read.
        source: `tried` or `read`, and what.
        rules: what it does.
        loses_descriptions: whether a later event that only names a dataset takes away its description.
    """

    name: str
    title: str
    version: str
    source: str
    rules: tuple[Rule, ...]
    loses_descriptions: bool = False

    @property
    def changes(self) -> frozenset[Change]:
        """The changes of form that it asks for."""
        own = {rule.change for rule in self.rules if rule.change is not None}
        return frozenset(own | ({Change.DATASETS_LAST} if self.loses_descriptions else set()))


def _is_static(event: Event, _length: int) -> bool:
    return "run" not in event


def _is_dataset_event(event: Event, _length: int) -> bool:
    return "dataset" in event


def _is_run(event: Event, _length: int) -> bool:
    return "run" in event


def _lacks_lists(event: Event, _length: int) -> bool:
    return "run" in event and not {"inputs", "outputs"} <= event.keys()


def _lacks_engine(event: Event, _length: int) -> bool:
    return "run" in event and "processing_engine" not in event["run"].get("facets", {})


def _is_not_uuid7(event: Event, _length: int) -> bool:
    return "run" in event and str(event["run"]["runId"])[14:15] != "7"


def _is_one_sided(event: Event, _length: int) -> bool:
    return "run" in event and not (event.get("inputs") and event.get("outputs"))


def _is_not_complete(event: Event, _length: int) -> bool:
    return "run" in event and event.get("eventType") != "COMPLETE"


def _is_failure(event: Event, _length: int) -> bool:
    return "run" in event and event.get("eventType") in ("FAIL", "ABORT")


def _names_nothing(event: Event, _length: int) -> bool:
    return event.get("eventType") == "COMPLETE" and not event.get("inputs") and not event.get("outputs")


def _has_ipv6(event: Event, _length: int) -> bool:
    return any("[" in dataset["namespace"] for dataset in datasets_of(event))


def _is_topic(event: Event, _length: int) -> bool:
    return any("datasetType" in dataset.get("facets", {}) for dataset in datasets_of(event))


def _has_many_links(event: Event, _length: int) -> bool:
    return len(event.get("inputs", ())) * len(event.get("outputs", ())) > 1000


def _has_long_names(event: Event, _length: int) -> bool:
    return any(len(dataset["namespace"]) + len(dataset["name"]) > 4000 for dataset in datasets_of(event))


def _longer_than(limit: int) -> Applies:
    return lambda _event, length: length > limit


def datasets_of(event: Event) -> Sequence[Event]:
    """Return every dataset that an event names."""
    own = [event["dataset"]] if "dataset" in event else []
    return [*own, *event.get("inputs", ()), *event.get("outputs", ())]


_R, _I, _L = Verdict.REFUSES, Verdict.IGNORES, Verdict.LOSES
_RUNS_ONLY = "DatasetEvent and JobEvent: it knows runs only"
_SEND_RUNS = "send the run events of `streamt test`, `apply`, `run` or `dbt`"

CONSUMERS: Mapping[str, Consumer] = MappingProxyType(
    {
        consumer.name: consumer
        for consumer in (
            Consumer(
                "marquez",
                "Marquez",
                "main of 2025-03-27",
                "tried: the whole server",
                (
                    Rule(
                        _R,
                        "an IPv6 address in a dataset's namespace: 400 for runs and jobs; a dataset is taken, and makes"
                        " the list of namespaces answer 500",
                        _has_ipv6,
                        hint="name the broker by a host name, with --kafka-namespace",
                    ),
                    Rule(_L, "the type of a topic: it is shown as a table", _is_topic),
                    Rule(
                        _L,
                        "the job's arrows: a run that ends without datasets takes them away",
                        _names_nothing,
                        hint="give the run a job of its own",
                    ),
                ),
                loses_descriptions=True,
            ),
            Consumer(
                "openmetadata",
                "OpenMetadata, HTTP endpoint",
                "(code read in 2026)",
                "read: the server's code",
                (
                    Rule(_R, f"{_RUNS_ONLY} (400)", _is_static, hint=_SEND_RUNS),
                    Rule(
                        _I,
                        "every event but COMPLETE",
                        _is_not_complete,
                        hint="widen `eventTypeFilter` in its OpenLineage settings",
                    ),
                    Rule(_I, "an event without inputs or without outputs: it draws nothing of it", _is_one_sided),
                ),
            ),
            Consumer(
                "openmetadata-kafka",
                "OpenMetadata, Kafka source of its ingestion",
                "2.0.7.0",
                "tried: its Kafka source",
                (
                    Rule(_I, _RUNS_ONLY, _is_static, hint=_SEND_RUNS),
                    Rule(_R, "an event without the keys `inputs` and `outputs`", _lacks_lists, Change.EMPTY_LISTS),
                    Rule(_I, "FAIL and ABORT", _is_failure),
                ),
            ),
            Consumer(
                "datahub",
                "DataHub",
                "(code read in 2026)",
                "read: the code of its metadata service",
                (
                    Rule(_R, f"{_RUNS_ONLY} (500)", _is_static, hint=_SEND_RUNS),
                    Rule(
                        _R,
                        "an event of a producer that it does not know, unless a `processing_engine` names one (500)",
                        _lacks_engine,
                        Change.PROCESSING_ENGINE,
                        "or set DATAHUB_OPENLINEAGE_ORCHESTRATOR on the server",
                    ),
                ),
            ),
            Consumer(
                "gravitino",
                "Gravitino",
                "1.0 to 1.3, main of 2026-08-22",
                "tried: its REST resource and filter",
                (
                    Rule(
                        _I,
                        "DatasetEvent: its HTTP sink drops it without a word",
                        _is_dataset_event,
                        hint="send datasets to the server behind it",
                    ),
                ),
            ),
            Consumer(
                "data-rentgen",
                "Data.Rentgen",
                "0.7.2",
                "tried: its models and database",
                (
                    Rule(_R, _RUNS_ONLY, _is_static, hint=_SEND_RUNS),
                    Rule(_R, "a run id that is not a UUID of version 7", _is_not_uuid7, Change.UUID7),
                ),
            ),
            Consumer(
                "google",
                "Google Cloud, Data Lineage API",
                "(documentation of 2026)",
                "read: limitations of ProcessOpenLineageRunEvent",
                (
                    Rule(_R, _RUNS_ONLY, _is_static, hint=_SEND_RUNS),
                    Rule(_R, "a message of more than 5 MB", _longer_than(5_000_000), hint="leave out schema facets"),
                    Rule(_R, "a dataset with a name of more than 4,000 characters", _has_long_names),
                    Rule(_R, "an event of more than 1,000 links between inputs and outputs", _has_many_links),
                ),
            ),
            Consumer(
                "aws",
                "Amazon DataZone and SageMaker, PostLineageEvent",
                "(API of 2018-05-10)",
                "read: the reference of the API",
                (
                    Rule(_R, _RUNS_ONLY, _is_static, hint=_SEND_RUNS),
                    Rule(
                        _R, "an event of more than 300,000 bytes", _longer_than(300_000), hint="leave out schema facets"
                    ),
                ),
            ),
        )
    }
)
"""By their names; what is not here takes whatever the specification allows, as far as is known."""
