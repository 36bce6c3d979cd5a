"""A project over real servers: what it declares, how it is planned and applied, and what the servers say."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer

from streamt.clusters.kafka_admin import KafkaAdmin, Topic
from streamt.clusters.registry_admin import RegistryAdmin
from streamt.deploy.apply import Report, Request, apply
from streamt.deploy.artifact import Address, Artifact, Content, Declaration, ResourceKind
from streamt.deploy.gate import Allowance, Permissions
from streamt.deploy.plan import Action, Plan, Scope, make_plan
from streamt.deploy.policy import Policy
from streamt.deploy.project import DeployProject, Removed, Secrets
from streamt.deploy.providers import kafka_provider, registry_provider
from streamt.deploy.state import LocalStore, StateFiles, Store, state_address
from streamt.net import HttpClient, parse_address
from tests.deploy.shop import Log, Never
from tests.stack.waiting import until


def address(name: str, kind: ResourceKind = ResourceKind.TOPIC) -> Address:
    part: Any = "value" if kind is ResourceKind.SCHEMA else None
    return Address(project="shop", environment="prod", kind=kind, name=name, part=part)


def topic(
    name: str,
    partitions: int = 1,
    *,
    replication: int = 1,
    keyed: bool = False,
    config: Mapping[str, Content] | None = None,
    logical: str = "",
    **more: Any,
) -> Artifact:
    """Return a topic with a physical name; its logical one is the same."""
    content: dict[str, Content] = {
        "name": name,
        "partitions": partitions,
        "replication_factor": replication,
        "config": config or {},
        "keyed": keyed,
    }
    declaration = Declaration(kind="model", name=logical or name)
    return Artifact(address=address(logical or name), name=name, content=content, declaration=declaration, **more)


def schema(subject: str, body: Content, *, references: Sequence[tuple[str, str]] = (), **more: Content) -> Artifact:
    """Return an Avro schema; references are pairs of a name and a subject."""
    named: list[Content] = [{"name": name, "subject": of, "version": None} for name, of in references]
    content: dict[str, Content] = {"subject": subject, "type": "AVRO", "schema": body, "references": named, **more}
    return Artifact(
        address=address(subject, ResourceKind.SCHEMA),
        name=subject,
        content=content,
        declaration=Declaration(kind="model", name=subject),
        depends_on=tuple(address(of, ResourceKind.SCHEMA) for _, of in references),
    )


def record(*fields: Mapping[str, Any], name: str = "Order", **more: Content) -> dict[str, Content]:
    return {"type": "record", "name": name, "namespace": "shop", "fields": list(fields), **more}


def end_of(artifact: Artifact, *, delete: bool = True) -> Removed:
    return Removed(address=artifact.address, name=artifact.name, delete=delete)


@dataclass
class World:
    """The servers, the state, and what is asked of them.

    Attributes:
        bootstrap: of Kafka.
        registry: address of the registry; empty for none.
        store: where the state is.
        policy: what the environment demands.
        secrets: the values behind references.
        login: more settings of the Kafka client that plans and applies.
    """

    bootstrap: str
    registry: str
    store: Store
    policy: Policy
    secrets: Secrets
    login: Mapping[str, str] = field(default_factory=dict)

    @property
    def admin(self) -> KafkaAdmin:
        return KafkaAdmin({"bootstrap.servers": self.bootstrap})

    @property
    def subjects(self) -> RegistryAdmin:
        return RegistryAdmin(self._clients())

    def _clients(self) -> list[HttpClient]:
        return [HttpClient(address=parse_address(self.registry), timeout_s=30)]

    def _settings(self) -> Mapping[str, str]:
        return {"bootstrap.servers": self.bootstrap, **self.login}

    def scope(self, *artifacts: Artifact, removed: Sequence[Removed] = (), **more: Any) -> Scope:
        project = DeployProject(
            project="shop",
            environment="prod",
            artifacts=tuple(sorted(artifacts, key=lambda each: str(each.address))),
            removed=tuple(removed),
            secrets=self.secrets,
        )
        providers = {ResourceKind.TOPIC: kafka_provider(self._settings, self.secrets)}
        if self.registry:
            providers[ResourceKind.SCHEMA] = registry_provider(self._clients)
        return Scope(project=project, policy=self.policy, snapshot=self.store.read(), providers=providers, **more)

    def plan(self, *artifacts: Artifact, **more: Any) -> Plan:
        return make_plan(self.scope(*artifacts, **more)).plan

    def apply(
        self,
        *artifacts: Artifact,
        allow: Sequence[str] = (),
        saved: Plan | None = None,
        confirmed: str | None = None,
        **more: Any,
    ) -> Report:
        """Apply; `allow` is what the command line would give."""
        allowances = tuple(map(Allowance.parse, allow))
        permissions = Permissions(allowances=allowances, confirmed=confirmed, is_reviewed=saved is not None)
        request = Request(
            scope=self.scope(*artifacts, **more), store=self.store, permissions=permissions, saved=saved, wait=5.0
        )
        return apply(request, Log(), Never())

    def topic(self, name: str, ready: Callable[[Topic], bool] = lambda _: True) -> Topic:
        """Return a topic once the cluster shows it as expected."""

        def found() -> Topic | None:
            described = self.admin.describe([name])[name]
            return described if isinstance(described, Topic) and ready(described) else None

        return until(found)

    def own_settings(self, name: str) -> dict[str, str | None]:
        found = self.topic(name).settings.items()
        return {key: each.value for key, each in found if each.source == "topic"}

    def produce(self, name: str, *values: str) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap, "log_level": 0})
        for value in values:
            producer.produce(name, value)
        assert producer.flush(60) == 0

    def member(self, name: str, group: str) -> Consumer:
        """Read one record as a member of a group, commit it, and stay."""
        settings = {"bootstrap.servers": self.bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
        member = Consumer({**settings, "enable.auto.commit": False, "log_level": 0})
        member.subscribe([name])
        read = until(lambda: _record(member.poll(1.0)))
        member.commit(message=read, asynchronous=False)
        return member


def _record(polled: Any) -> Any:
    return polled if polled is not None and not polled.error() else None


def make_world(folder: Path, bootstrap: str, registry: str = "", **policy: Any) -> World:
    store = LocalStore(StateFiles(folder, "prod"), state_address("default", "shop", "prod"))
    return World(bootstrap, registry, store, Policy(**policy), Secrets({}))


def only(plan: Plan) -> Action:
    """Return the one action of a plan."""
    (action,) = plan.actions
    return action


def codes(plan: Plan) -> list[str]:
    return [blocker.code for action in plan.actions for blocker in action.blockers]


def fields_of(world: World, subject: str) -> list[str]:
    latest = world.subjects.latest(subject)
    assert latest
    return [each["name"] for each in json.loads(latest.schema.text)["fields"]]
