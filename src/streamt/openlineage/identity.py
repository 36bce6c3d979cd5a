"""The namespaces and names of streamt's own datasets and jobs, made by `naming`.

Source: the specification's sections "Static export command" (precedence), "Dataset identity" and "Stable job identity".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from streamt.diagnostics import Code, Diagnostic, Location, Option, ProjectPath, StreamtError, Variable
from streamt.openlineage.own_names import Identity, is_clean_text, job_segment, kafka_namespace

__all__ = [
    "GATEWAY_VARIABLE",
    "JOB_VARIABLE",
    "KAFKA_VARIABLE",
    "Bootstrap",
    "Identity",
    "NamespaceOptions",
    "NamespaceSource",
    "Namespaces",
    "command_job_name",
    "dataset_namespace",
    "is_clean_text",
    "job_namespace",
    "model_job_name",
    "resolve_namespaces",
]

JOB_VARIABLE = "OPENLINEAGE_NAMESPACE"
KAFKA_VARIABLE = "STREAMT_OPENLINEAGE_KAFKA_NAMESPACE"
GATEWAY_VARIABLE = "STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE"

_SCHEME = kafka_namespace("")
_ENDPOINT = re.compile(
    r"(?P<host>\[(?P<v6>[0-9A-Fa-f:.]+)\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?):(?P<port>[0-9]+)"
)


@dataclass(frozen=True, slots=True)
class Namespaces:
    """The resolved namespaces; one that no dataset needs is None."""

    job: str
    kafka: str | None = None
    gateway: str | None = None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """An address that a namespace may be derived from.

    Attributes:
        servers: as declared, a string with commas or a list; None when the project declares none.
        location: where it stands, such as `runtime.kafka.bootstrap_servers`.
        needed: whether any dataset of the project lives there.
        hidden: whether a variable supplied it, so that no message may repeat any of it.
    """

    servers: str | Sequence[str] | None
    location: ProjectPath
    needed: bool = True
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class NamespaceSource:
    """Where one namespace may come from, in the order of precedence.

    Attributes:
        location: the option's name, for messages: `kafka_namespace`.
        option: the option's value; None when it was not given.
        variable: the environment variable that stands in for the option.
        environ: the process's environment.
    """

    location: str
    option: str | None
    variable: str
    environ: Mapping[str, str]

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.location.replace("_", "-")

    def given(self) -> tuple[str, Location] | None:
        """Return the value with the place it came from; an empty variable counts as none, as in a shell."""
        if self.option is not None:
            return self.option, Option(self.location)
        value = self.environ.get(self.variable)
        return (value, Variable(self.variable)) if value else None


@dataclass(frozen=True, slots=True)
class NamespaceOptions:
    """The three namespace options of a command, each None when it was not given.

    Attributes:
        prefix: what stands before the options' names: `openlineage_` for commands that emit run events.
    """

    job: str | None
    kafka: str | None
    gateway: str | None
    prefix: str = ""

    def sources(self, environ: Mapping[str, str]) -> tuple[NamespaceSource, NamespaceSource, NamespaceSource]:
        """Pair the options with the variables that stand in for them: job, Kafka, Gateway."""
        return (
            NamespaceSource(f"{self.prefix}job_namespace", self.job, JOB_VARIABLE, environ),
            NamespaceSource(f"{self.prefix}kafka_namespace", self.kafka, KAFKA_VARIABLE, environ),
            NamespaceSource(f"{self.prefix}gateway_namespace", self.gateway, GATEWAY_VARIABLE, environ),
        )


def resolve_namespaces(
    options: NamespaceOptions, environ: Mapping[str, str], *, kafka: Bootstrap, gateway: Bootstrap
) -> Namespaces:
    """Resolve all namespaces of a command.

    Args:
        options: what the command line gave.
        environ: the process's environment.
        kafka: the address of the Kafka cluster.
        gateway: the address of the Gateway's Kafka proxy.

    Raises:
        StreamtError: E506, with everything that is missing, ambiguous or malformed.
    """
    job_source, kafka_source, gateway_source = options.sources(environ)
    problems: list[Diagnostic] = []

    def attempt(resolve: Callable[[], str | None]) -> str | None:
        try:
            return resolve()
        except StreamtError as error:
            problems.extend(error.diagnostics)
            return None

    resolved = Namespaces(
        job=attempt(lambda: job_namespace(job_source)) or "",
        kafka=attempt(lambda: dataset_namespace(kafka_source, kafka)),
        gateway=attempt(lambda: dataset_namespace(gateway_source, gateway)),
    )
    if problems:
        raise StreamtError(*problems)
    return resolved


def job_namespace(source: NamespaceSource) -> str:
    """Resolve the job namespace, which has no default.

    Returns:
        The exact value given.

    Raises:
        StreamtError: E506, when none is given, or it is blank or no text.
    """
    given = source.given()
    if given is None:
        raise _error(
            Option(source.location),
            "a job namespace is required; it has no default",
            f"give {source.flag} NAMESPACE, or set {source.variable}",
        )
    value, location = given
    if not value.strip():
        raise _error(location, "the job namespace is blank", f"give {source.flag} NAMESPACE, such as payments-prod")
    if not is_clean_text(value):
        raise _error(location, "the job namespace holds control characters or bytes that are not UTF-8")
    return value


def dataset_namespace(source: NamespaceSource, bootstrap: Bootstrap) -> str | None:
    """Resolve the namespace of Kafka or Gateway datasets: option, variable, or one unambiguous endpoint.

    Returns:
        A namespace such as `kafka://broker:9092`, one that was given in its exact spelling; None when none is given
        and no dataset needs it.

    Raises:
        StreamtError: E506, when what is given is no such namespace (though none be needed), or nothing says which.
    """
    given = source.given()
    if given is None:
        return _derive(source, bootstrap) if bootstrap.needed else None
    value, location = given
    problem = _namespace_problem(value)
    if problem is None:
        return value
    raise _error(location, problem, f"write {source.flag} {_suggestion(value)}")


def model_job_name(project: str, model: str) -> str:
    """Name the job of a model: `streamt/{project-segment}/models/{model-segment}`."""
    return f"streamt/{job_segment(project)}/models/{job_segment(model)}"


def command_job_name(project: str, command: str) -> str:
    """Name the job of one of our commands (`test`): `streamt/{project-segment}/commands/{command}`."""
    return f"streamt/{job_segment(project)}/commands/{job_segment(command)}"


def _derive(source: NamespaceSource, bootstrap: Bootstrap) -> str:
    endpoints = _endpoints(bootstrap.servers)
    hint = f"give {source.flag} {_SCHEME}HOST:PORT, or set {source.variable}"
    if not endpoints:
        raise _error(bootstrap.location, "no address to derive a dataset namespace from", hint)
    if len(endpoints) > 1:
        message = f"{len(endpoints)} addresses name no single cluster, so no dataset namespace can be derived from them"
        raise _error(bootstrap.location, message, hint)
    problem = _endpoint_problem(endpoints[0])
    if problem is not None:
        wanted = f"{_SCHEME}HOST:PORT" if bootstrap.hidden else _suggestion(endpoints[0])
        hint = f"give {source.flag} {wanted}, or set {source.variable}"
        raise _error(bootstrap.location, f"no dataset namespace can be derived from this address: {problem}", hint)
    return kafka_namespace(endpoints[0])


def _endpoints(servers: str | Sequence[str] | None) -> list[str]:
    """Split on commas; as in Kafka's own clients, an empty entry (`b1:9092,`) is none."""
    parts = [servers] if isinstance(servers, str) else servers or ()
    return [entry.strip() for part in parts for entry in part.split(",") if entry.strip()]


def _namespace_problem(value: str) -> str | None:
    if not value.startswith(_SCHEME):
        return f"a Kafka namespace starts with {_SCHEME}"
    return _endpoint_problem(value.removeprefix(_SCHEME))


def _endpoint_problem(endpoint: str) -> str | None:
    """Return why `endpoint` is not one `host:port`, without repeating it: it may hold a password."""
    if "@" in endpoint:
        return "it holds user information, which must never be part of an identity"
    if "://" in endpoint:
        return "it starts with a protocol"
    if re.search(r"[/?#]", endpoint):
        return "it has a path, a query or a fragment"
    match = _ENDPOINT.fullmatch(endpoint)
    if match is None:
        return "it is not one host:port (an IPv6 address stands in brackets)"
    if not 1 <= int(match["port"][:6]) <= 65535 or match["port"].startswith("0"):
        return "its port is not a number from 1 to 65535"
    if match["v6"] is not None and not _is_ipv6(match["v6"]):
        return "what stands in brackets is no IPv6 address"
    return None


def _is_ipv6(text: str) -> bool:
    from ipaddress import AddressValueError, IPv6Address

    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def _suggestion(value: str) -> str:
    """Show the namespace that `value` seems to mean, if that is certain, or else the form of one."""
    host = value.strip().rpartition("://")[2].rpartition("@")[2].rstrip("/")
    return _SCHEME + (host if _endpoint_problem(host) is None else "HOST:PORT")


def _error(location: Location, message: str, hint: str | None = None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=location, hint=hint))
