"""The providers of one environment: what the engine is given, made from what `runtime` says."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from streamt.deploy.artifact import digest
from streamt.deploy.backend import Adapter, Observer, Provider, ReadersObserver
from streamt.deploy.backends.kafka import TopicBackend, reader_blockers
from streamt.deploy.backends.registry import SchemaBackend
from streamt.deploy.project import Secrets
from streamt.net import HttpClient


def kafka_provider(settings: Callable[[], Mapping[str, str]], secrets: Secrets) -> Provider:
    """Return the provider of topics.

    Args:
        settings: gives librdkafka's settings, with the brokers and the login; asked when a connection is opened.
        secrets: the values behind the artifacts' secret references.
    """

    @contextmanager
    def observer(_: str | None) -> Iterator[Observer]:
        from streamt.clusters.kafka_admin import KafkaReader
        from streamt.deploy.backends.kafka_cluster import KafkaObserver

        yield KafkaObserver(KafkaReader(settings()), secrets)

    @contextmanager
    def adapter(_: str | None) -> Iterator[Adapter]:
        from streamt.clusters.kafka_admin import KafkaAdmin
        from streamt.deploy.backends.kafka_cluster import KafkaAdapter

        yield KafkaAdapter(KafkaAdmin(settings()), secrets)

    @contextmanager
    def readers() -> Iterator[ReadersObserver]:
        from streamt.clusters.kafka_groups import KafkaGroups
        from streamt.deploy.backends.kafka_cluster import KafkaReadersObserver

        yield KafkaReadersObserver(KafkaGroups(settings()))

    return Provider(
        backend=TopicBackend(), observer=observer, adapter=adapter, readers=readers, reader_blockers=reader_blockers
    )


def registry_provider(clients: Callable[[], Sequence[HttpClient]], passwords: Sequence[str] = ()) -> Provider:
    """Return the provider of schemas.

    Args:
        clients: gives one client for each address of the registry; asked when a connection is opened.
        passwords: values that must not appear in the registry's words.
    """

    @contextmanager
    def observer(_: str | None) -> Iterator[Observer]:
        from streamt.clusters.registry_admin import RegistryReader
        from streamt.deploy.backends.registry_cluster import RegistryObserver

        found = clients()
        yield RegistryObserver(RegistryReader(found, passwords), _address_identity(found))

    @contextmanager
    def adapter(_: str | None) -> Iterator[Adapter]:
        from streamt.clusters.registry_admin import RegistryAdmin
        from streamt.deploy.backends.registry_cluster import RegistryAdapter

        found = clients()
        yield RegistryAdapter(RegistryAdmin(found, passwords), _address_identity(found))

    return Provider(backend=SchemaBackend(), observer=observer, adapter=adapter)


def _address_identity(clients: Sequence[HttpClient]) -> str:
    """Return what stands for a registry that tells no identity: the digest of its addresses."""
    return digest(sorted(f"{client.address.origin}{client.address.path.rstrip('/')}" for client in clients))
