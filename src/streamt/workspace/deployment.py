"""A project's environment as the engine of deployments sees it: what is desired, who provides it, where state is."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from streamt.compiler.artifacts import CompiledProject
from streamt.compiler.compile import Compilation
from streamt.compiler.lineage import Lineage
from streamt.compiler.selection import select, tags_of
from streamt.deploy import DeployProject
from streamt.deploy.artifact import Address, Part, ResourceKind
from streamt.deploy.artifacts import deploy_project
from streamt.deploy.backend import Providers
from streamt.deploy.plan import AffectedExposure, Exposed, Reach, Scope, Selection
from streamt.deploy.policy import Policy
from streamt.deploy.providers import kafka_provider, registry_provider
from streamt.deploy.recover import refuse_moved
from streamt.deploy.state import LocalStore, PostgresStore, StateFiles, Store, state_address
from streamt.deploy.status import External
from streamt.diagnostics import Code, Diagnostic, Option, ProjectPath, StreamtError, did_you_mean
from streamt.project import Project
from streamt.project.language import DeploymentState, Kafka, Source
from streamt.project.language.fields import Secret
from streamt.project.language.runtime import SchemaRegistry
from streamt.testing.durations import seconds

if TYPE_CHECKING:
    from streamt.net import HttpClient

LOCK_WAIT = 30.0
_KIND = "kind:"


@dataclass(frozen=True)
class Deployment:
    """One environment of a project.

    Attributes:
        project: what the user declared.
        compilation: what it means.
    """

    project: Project
    compilation: Compilation

    @property
    def compiled(self) -> CompiledProject:
        """What it means, as all commands see it."""
        return self.compilation.project

    @cached_property
    def desired(self) -> DeployProject:
        """What is desired."""
        return deploy_project(self.project, self.compilation)

    @cached_property
    def store(self) -> Store:
        """Where the state is.

        Raises:
            StreamtError: E502, the address of the database is not set; E551, there is none.
        """
        declared, root = self._state, self.project.root
        name = self.project.document.project.name
        address = state_address(declared.namespace, name, self.project.environment)
        return make_store(declared, root, self.project.environment, address)

    @property
    def _state(self) -> DeploymentState:
        return self.project.document.deployment_state or DeploymentState()

    @property
    def remembers_secrets(self) -> bool:
        """Report whether a new state remembers HMACs of secrets."""
        return self._state.secret_memory != "off"  # noqa: S105 - a switch, not a secret

    def lock_wait(self, given: float | None) -> float:
        """Return the seconds to wait for the lock: as given, as declared, or the default."""
        if given is not None:
            return given
        declared = self._state.lock_wait
        return float(seconds(declared)) if declared is not None else LOCK_WAIT

    @cached_property
    def policy(self) -> Policy:
        """What the environment demands."""
        safety, protected = self.project.safety, self.project.protected
        age = safety.plan_max_age
        return Policy(
            protected=protected,
            confirm=protected or bool(safety.confirm_apply),
            reviewed=protected or bool(safety.require_reviewed_plan),
            allow_destructive=safety.allow_destructive,
            deletable=frozenset(map(ResourceKind, safety.deletable)),
            plan_max_age=timedelta(seconds=float(seconds(age))) if age is not None else None,
            remote_state=safety.require_remote_state,
        )

    @cached_property
    def providers(self) -> Providers:
        """The kinds that can be deployed."""
        runtime = self.project.document.runtime
        kafka = runtime.kafka if runtime else None
        registry = runtime.schema_registry if runtime else None
        found = {ResourceKind.TOPIC: kafka_provider(self._kafka_settings(kafka), self.desired.secrets)}
        if registry is not None:
            clients = registry_clients(registry, self.project.root)
            found[ResourceKind.SCHEMA] = registry_provider(clients, tuple(secret_values(registry)))
        return found

    @cached_property
    def secrets(self) -> frozenset[str]:
        """Every value that must not be seen, as far as its variable is set."""
        document = self.project.document
        return frozenset([*self.desired.secrets, *secret_values(document)])

    def _kafka_settings(self, kafka: Kafka | None) -> Callable[[], Mapping[str, str]]:
        def settings() -> Mapping[str, str]:
            from streamt.clusters.kafka_settings import MissingFileError, kafka_settings

            if kafka is None:
                hint = "add `runtime.kafka` with `bootstrap_servers`"
                raise _environment_error("the Kafka cluster is not declared", ProjectPath(("runtime",)), hint)
            try:
                return kafka_settings(kafka, self.project.root)
            except MissingFileError as error:
                raise _environment_error("the file does not exist", error.location, None) from None

        return settings

    def scope(
        self,
        *,
        selectors: tuple[str, ...] | None = None,
        offline: bool = False,
        refresh_only: bool = False,
        with_readers: bool = True,
    ) -> Scope:
        """Return what a plan is made of.

        Args:
            selectors: what it is limited to; None for everything.
            offline: whether no provider is asked.
            refresh_only: whether only drift is taken into state.
            with_readers: whether consumer groups are looked at.

        Raises:
            StreamtError: E500, a selector means nothing; E550 or E551, the state cannot be read.
        """
        runtime = self.project.document.runtime
        cluster_id = runtime.kafka.cluster_id if runtime and runtime.kafka else None
        snapshot = self.store.read()
        refuse_moved(snapshot)
        return Scope(
            project=self.desired,
            policy=self.policy,
            snapshot=snapshot,
            providers=self.providers,
            reach=self.reach,
            selection=self.selection(selectors),
            offline=offline,
            refresh_only=refresh_only,
            with_readers=with_readers,
            cluster_ids={ResourceKind.TOPIC: cluster_id} if cluster_id else {},
        )

    def selection(self, selectors: tuple[str, ...] | None) -> Selection | None:
        """Return what selectors mean; `kind:topic` narrows what the others, or no others, select.

        Raises:
            StreamtError: E500, one of them means nothing.
        """
        if not selectors:
            return None
        kinds = [each.removeprefix(_KIND) for each in selectors if each.startswith(_KIND)]
        names = tuple(each for each in selectors if not each.startswith(_KIND))
        known = [kind.value for kind in ResourceKind]
        for kind in kinds:
            if kind not in known:
                hint = did_you_mean(kind, known) or f"the kinds are {', '.join(known)}"
                raise _usage(f"unknown kind `{kind}`", "select", hint)
        document = self.project.document
        graph = Lineage.of(document, self.compiled.nodes).graph
        known_names = frozenset(node.name for node in self.compiled.nodes)
        return Selection(
            selectors=selectors,
            names=select(names, graph, tags_of(document)) & known_names if names else known_names,
            kinds=frozenset(map(ResourceKind, kinds)) if kinds else None,
        )

    @cached_property
    def reach(self) -> Reach:
        """Who is affected by what."""
        readers: dict[str, set[str]] = {}
        for node in self.compiled.nodes:
            for name in node.dependencies:
                readers.setdefault(name, set()).add(node.name)
        return Reach(
            readers={name: frozenset(found) for name, found in readers.items()},
            owners={node.name: node.owner for node in self.compiled.nodes if node.owner},
            exposures=tuple(self._exposures()),
        )

    def _exposures(self) -> Iterator[Exposed]:
        for each in self.project.document.exposures:
            reads = {reference.name for reference in (*each.consumes, *each.depends_on)}
            shown = AffectedExposure(name=each.name, owner=each.owner, group=each.consumer_group)
            yield Exposed(exposure=shown, reads=frozenset(reads))

    @property
    def externals(self) -> tuple[External, ...]:
        """The topics of sources that are not ours."""
        ours = {each.address for each in self.desired.artifacts}
        found = (External(address=self.address("topic", each.name), name=each.topic) for each in self._sources)
        return tuple(each for each in found if each.address not in ours)

    @property
    def _sources(self) -> Iterable[Source]:
        return self.project.document.sources

    def address(self, kind: str, name: str) -> Address:
        """Return the address of a resource of this environment.

        Args:
            kind: as in addresses, or its plural: `topic`, `topics`.
            name: the logical name; a schema's with `/value` or `/key` behind it.

        Raises:
            StreamtError: E500, there is no such kind.
        """
        known = [each.value for each in ResourceKind]
        word = kind.removesuffix("s")
        if word not in known:
            raise _usage(f"unknown kind `{kind}`", "kind", did_you_mean(kind, known) or f"one of {', '.join(known)}")
        project, environment = self.desired.project, self.desired.environment
        found = ResourceKind(word)
        if found is not ResourceKind.SCHEMA:
            return Address(project=project, environment=environment, kind=found, name=name)
        base, _, part = name.rpartition("/")
        if part not in ("key", "value"):
            base, part = name, "value"
        of: Part = "key" if part == "key" else "value"
        return Address(project=project, environment=environment, kind=found, name=base, part=of)

    def in_project(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic whose place, given by a name (`/models/orders`), has become one by index."""
        place = diagnostic.location
        if not isinstance(place, ProjectPath) or len(place.parts) < 2 or not isinstance(place.parts[1], str):
            return diagnostic
        section, name, *rest = place.parts
        if section not in ("models", "sources"):
            return diagnostic
        declared = self.project.document.models if section == "models" else self.project.document.sources
        names = [each.name for each in declared]
        if name not in names:
            return replace(diagnostic, location=None)
        return replace(diagnostic, location=ProjectPath((section, names.index(str(name)), *rest)))


def secret_values(declared: object) -> Iterator[str]:
    """Yield the values of all secrets in a part of the project, but those whose variables are not set."""
    if isinstance(declared, Secret):
        with suppress(StreamtError):
            yield str(declared.get_secret_value())
    elif isinstance(declared, BaseModel):
        for _, value in declared:
            yield from secret_values(value)
    elif isinstance(declared, Mapping):
        for value in declared.values():
            yield from secret_values(value)
    elif isinstance(declared, tuple | list):
        for value in declared:
            yield from secret_values(value)


def make_store(declared: DeploymentState, root: Path, environment: str, address: str) -> Store:
    """Return the store that a project declares.

    Raises:
        StreamtError: E502, the address of the database is not set; E551, there is none.
    """
    if declared.backend == "local":
        return LocalStore(StateFiles(root, environment), address)
    if declared.url is None:
        place = ProjectPath(("deployment_state", "url"))
        message = "`deployment_state.url` is missing"
        hint = "give the database's address, best as a variable: `url: ${STATE_URL}`"
        raise StreamtError(Diagnostic(code=Code.STATE_UNAVAILABLE, message=message, location=place, hint=hint))
    return PostgresStore(declared.url.get_secret_value(), address)


def registry_clients(registry: SchemaRegistry, root: Path) -> Callable[[], "tuple[HttpClient, ...]"]:
    """Return what makes a client for each address of a registry, when it is needed."""

    def clients() -> "tuple[HttpClient, ...]":
        from streamt.net import AddressError, Basic, CertificateFileError, HttpClient, parse_address

        credentials = None
        if registry.username is not None:
            password = registry.password.get_secret_value() if registry.password else ""
            credentials = Basic(registry.username.get_secret_value(), password)
        urls = (registry.url,) if isinstance(registry.url, str) else registry.url
        ca_file = root / registry.ssl_ca_location if registry.ssl_ca_location else None
        place = ProjectPath(("runtime", "schema_registry", "url"))
        try:
            return tuple(
                HttpClient(address=parse_address(url), credentials=credentials, ca_file=ca_file) for url in urls
            )
        except AddressError as error:
            raise _environment_error(f"the address {error.message}", place, error.hint) from None
        except CertificateFileError as error:
            place = ProjectPath(("runtime", "schema_registry", "ssl_ca_location"))
            name = error.variable or replace(place, dotted=True)
            raise _environment_error(f"the file of {name} holds no certificates in PEM", place, None) from None

    return clients


def _environment_error(message: str, place: ProjectPath, hint: str | None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, location=place, hint=hint))


def _usage(message: str, option: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option(option), hint=hint))
