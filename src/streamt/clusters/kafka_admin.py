"""What streamt asks of Kafka's admin API, typed: `KafkaReader` changes nothing, `KafkaAdmin` can.

Requests go out in batches, so that their number grows with batches and not with topics.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, TypeVar

from streamt.clusters.failure import ClusterError, Failure
from streamt.clusters.kafka_client import KafkaClient, batches
from streamt.clusters.kafka_failures import failure_of

T = TypeVar("T")

_DYNAMIC_TOPIC_CONFIG, _STATIC_SOURCES = 1, {4, 5}


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSetting:
    """One setting of a topic.

    Attributes:
        value: as text; None where the broker does not show it.
        source: `topic` if it is set on the topic itself, `broker` if a broker or the cluster sets it, else `default`.
    """

    value: str | None
    source: Literal["topic", "broker", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic as the cluster describes it.

    Attributes:
        name: its name.
        id: its UUID as Kafka's tools print it, in base64.
        partitions: how many.
        replication_factor: replicas of each partition; of the first, where they differ.
        settings: by name.
        operations: what the user may do with it, such as `ALTER_CONFIGS`; None if the broker does not say.
    """

    name: str
    id: str
    partitions: int
    replication_factor: int
    settings: Mapping[str, TopicSetting] = field(default_factory=dict)
    operations: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTopicSpec:
    """A topic to create; None leaves the number to the broker."""

    name: str
    partitions: int | None = None
    replication_factor: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """Settings of one topic to set, and to give back to the broker's default; all others stay."""

    topic: str
    set: Mapping[str, str] = field(default_factory=dict)
    delete: frozenset[str] = frozenset()


class KafkaReader(KafkaClient):
    """Asks a Kafka cluster, and changes nothing."""

    def cluster_id(self) -> str:
        """Return the cluster's own identity.

        Raises:
            ClusterError: it cannot be asked.
        """
        return str(self.one(self.client.describe_cluster(**self.limits)).cluster_id)

    def topic_names(self) -> frozenset[str]:
        """Return the names of all topics that the user may see, Kafka's own included.

        Raises:
            ClusterError: they cannot be listed.
        """
        from confluent_kafka import KafkaException

        self.cluster_id()  # a refused login is heard there, and not by a call that blocks
        try:
            return frozenset(self.client.list_topics(timeout=self._seconds).topics)
        except KafkaException as error:
            raise ClusterError(failure_of(error.args[0], self._secrets)) from None

    def describe(self, names: Collection[str]) -> Mapping[str, Topic | Failure]:
        """Return each topic, or why it alone cannot be seen; one that does not exist is ABSENT.

        Raises:
            ClusterError: nothing can be asked.
        """
        found = dict(self._describe(names))
        present = [name for name, answer in found.items() if isinstance(answer, Topic)]
        for name, settings in self._describe_settings(present).items():
            topic = found[name]
            assert isinstance(topic, Topic)
            found[name] = settings if isinstance(settings, Failure) else replace(topic, settings=settings)
        return found

    def _describe(self, names: Collection[str]) -> Mapping[str, Topic | Failure]:
        from confluent_kafka import TopicCollection

        def send(batch: Sequence[str]) -> Mapping[str, "Future[Any]"]:
            wanted = TopicCollection(list(batch))
            return self.client.describe_topics(wanted, include_authorized_operations=True, **self.limits)

        return self.each(_sent(names, send), _topic)

    def _describe_settings(self, names: Collection[str]) -> Mapping[str, Mapping[str, TopicSetting] | Failure]:
        def send(batch: Sequence[str]) -> Mapping[str, "Future[Any]"]:
            asked = self.client.describe_configs([_resource(name) for name in batch], **self.limits)
            return {each.name: future for each, future in asked.items()}

        return self.each(_sent(names, send), _topic_settings)

    def inherited(self) -> Mapping[str, str]:
        """Return what topics without settings of their own get, of those settings whose change can lose records.

        Empty where the user may not see a broker's settings.

        Raises:
            ClusterError: nothing can be asked.
        """
        cluster = self.one(self.client.describe_cluster(**self.limits))
        resource = _resource(str(cluster.nodes[0].id), kind="BROKER")
        asked = self.client.describe_configs([resource], **self.limits)
        (found,) = self.each({"": asked[resource]}, _topic_settings).values()
        return {} if isinstance(found, Failure) else _inherited(found)

    def check_create(self, topics: Collection[NewTopicSpec]) -> Mapping[str, Failure]:
        """Return which topics the cluster would not create, and why; nothing is created.

        Raises:
            ClusterError: nothing can be asked.
        """
        return self._create(topics, validate_only=True)

    def check_grow(self, partitions: Mapping[str, int]) -> Mapping[str, Failure]:
        """Return which topics would not get so many partitions, and why; nothing is changed.

        Raises:
            ClusterError: nothing can be asked.
        """
        return self._grow(partitions, validate_only=True)

    def check_alter(self, changes: Collection[ConfigChange]) -> Mapping[str, Failure]:
        """Return which topics' settings would not be changed, and why; nothing is changed.

        Raises:
            ClusterError: nothing can be asked.
        """
        return self._alter(changes, validate_only=True)

    def _create(self, topics: Collection[NewTopicSpec], *, validate_only: bool) -> Mapping[str, Failure]:
        from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined] # its stubs forget this one

        def new(spec: NewTopicSpec) -> Any:
            return NewTopic(spec.name, spec.partitions or -1, spec.replication_factor or -1, config=dict(spec.config))

        def send(batch: Sequence[NewTopicSpec]) -> Mapping[str, "Future[None]"]:
            return self.client.create_topics([new(spec) for spec in batch], validate_only=validate_only, **self.limits)

        return self._failures(topics, send)

    def _grow(self, partitions: Mapping[str, int], *, validate_only: bool) -> Mapping[str, Failure]:
        from confluent_kafka.admin import NewPartitions  # type: ignore[attr-defined] # its stubs forget this one

        def send(batch: Sequence[tuple[str, int]]) -> Mapping[str, "Future[None]"]:
            wanted = [NewPartitions(name, count) for name, count in batch]
            return self.client.create_partitions(wanted, validate_only=validate_only, **self.limits)

        return self._failures(partitions.items(), send)

    def _alter(self, changes: Collection[ConfigChange], *, validate_only: bool) -> Mapping[str, Failure]:
        def send(batch: Sequence[ConfigChange]) -> Mapping[str, "Future[None]"]:
            resources = [_altered(change) for change in batch]
            asked = self.client.incremental_alter_configs(resources, validate_only=validate_only, **self.limits)
            return {resource.name: future for resource, future in asked.items()}

        return self._failures(changes, send)

    def _failures(
        self, wanted: Collection[T], send: Callable[[Sequence[T]], Mapping[str, "Future[None]"]]
    ) -> Mapping[str, Failure]:
        """Send batches, and return what failed by name."""
        answers = self.each(_sent(wanted, send), lambda _: None)
        return {name: answer for name, answer in answers.items() if answer is not None}


class KafkaAdmin(KafkaReader):
    """Asks and changes a Kafka cluster; every change names what it changes and leaves all else alone."""

    def create(self, topics: Collection[NewTopicSpec]) -> Mapping[str, Failure]:
        """Create topics, and return which were not created, and why.

        Raises:
            ClusterError: nothing was sent.
        """
        return self._create(topics, validate_only=False)

    def grow(self, partitions: Mapping[str, int]) -> Mapping[str, Failure]:
        """Give topics more partitions, and return which did not get them, and why.

        Raises:
            ClusterError: nothing was sent.
        """
        return self._grow(partitions, validate_only=False)

    def alter(self, changes: Collection[ConfigChange]) -> Mapping[str, Failure]:
        """Change settings of topics, and return which were not changed, and why.

        Raises:
            ClusterError: nothing was sent.
        """
        return self._alter(changes, validate_only=False)

    def delete(self, names: Collection[str]) -> Mapping[str, Failure]:
        """Delete topics, and return which were not deleted, and why.

        Raises:
            ClusterError: nothing was sent.
        """

        def send(batch: Sequence[str]) -> Mapping[str, "Future[None]"]:
            return self.client.delete_topics(list(batch), **self.limits)

        return self._failures(names, send)


def _sent(
    items: Collection[T], send: Callable[[Sequence[T]], Mapping[str, "Future[Any]"]]
) -> Mapping[str, "Future[Any]"]:
    """Send all batches, one behind the other, and return what is waited for by name."""
    return {name: future for batch in batches(items) for name, future in send(batch).items()}


def _topic(described: Any) -> Topic:
    replicas = [len(partition.replicas) for partition in described.partitions]
    operations = described.authorized_operations
    return Topic(
        name=described.name,
        id=str(described.topic_id).translate(str.maketrans("+/", "-_")),
        partitions=len(replicas),
        replication_factor=replicas[0] if replicas else 0,
        operations=frozenset(each.name for each in operations) if operations is not None else None,
    )


def _topic_settings(entries: Mapping[str, Any]) -> Mapping[str, TopicSetting]:
    return {name: _setting(entry.value, entry.source) for name, entry in entries.items()}


@lru_cache(maxsize=10_000)  # thousands of topics share a few defaults
def _setting(value: str | None, source: int) -> TopicSetting:
    if source == _DYNAMIC_TOPIC_CONFIG:
        return TopicSetting(value=value, source="topic")
    return TopicSetting(value=value, source="default" if source in _STATIC_SOURCES else "broker")


def _inherited(broker: Mapping[str, TopicSetting]) -> Mapping[str, str]:
    """Return topics' defaults by the broker's settings (https://kafka.apache.org/documentation/#topicconfigs)."""
    values = {name: setting.value for name, setting in broker.items() if setting.value is not None}
    milliseconds = values.get("log.retention.ms")
    for name, factor in (("log.retention.minutes", 60_000), ("log.retention.hours", 3_600_000)):
        if milliseconds is None and name in values:
            milliseconds = str(int(values[name]) * factor) if int(values[name]) >= 0 else "-1"
    names = {
        "retention.bytes": "log.retention.bytes",
        "cleanup.policy": "log.cleanup.policy",
        "max.message.bytes": "message.max.bytes",
    }
    found = {name: values[broker_name] for name, broker_name in names.items() if broker_name in values}
    return found | ({"retention.ms": milliseconds} if milliseconds is not None else {})


def _resource(name: str, *, kind: str = "TOPIC", **changes: Any) -> Any:
    from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined] # its stubs forget this one

    return ConfigResource(ConfigResource.Type[kind], name, **changes)


def _altered(change: ConfigChange) -> Any:
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry  # type: ignore[attr-defined] # its stubs forget this one

    entries = [
        ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET) for key, value in change.set.items()
    ]
    entries += [ConfigEntry(key, None, incremental_operation=AlterConfigOpType.DELETE) for key in sorted(change.delete)]
    return _resource(change.topic, incremental_configs=entries)
