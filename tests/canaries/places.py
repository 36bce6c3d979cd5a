"""A project, a dbt project and an environment with a secret of its own in each place that may hold one."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.emitter.dbt.capture import CAPTURED, copy_project

MARK = "zqcanary"
# `$S` becomes a secret that is written out, `$V` one that a variable supplies.
ROOT = """\
apiVersion: streamt.dev/v1alpha1
project: {name: shop}
sources: [{name: s, topic: t.v1, columns: [{name: a, type: INT}]}]
tests:
  - {name: declared, source: s, type: schema, assertions: [{not_null: {columns: [a]}}]}
  - {name: jobs, source: s, type: continuous, flink_cluster: f0}
exposures: [{name: board, type: dashboard, consumes: [{ref: paid}]}]
"""
RUNTIME = """\
runtime:
  kafka: {bootstrap_servers: "127.0.0.1:1", sasl_username: $S, sasl_password: $V}
  schema_registry: {url: "http://127.0.0.1:1", username: $V, password: $S}
  flink:
    default: f0
    clusters:
      f0: {rest_url: "http://127.0.0.1:1", api_key: $S, api_secret: $V, kafka_properties: {PROPERTIES}}
      f1: {sql_gateway_url: "http://127.0.0.1:1", api_key: $V, api_secret: $S, kafka_properties: {PROPERTIES}}
  connect:
    default: c0
    clusters:
      c0: {rest_url: "http://127.0.0.1:1", username: $S, password: $V}
      c1: {rest_url: "http://127.0.0.1:1", username: $V, password: $S}
  conduktor:
    gateway: {proxy_bootstrap: "127.0.0.1:1", username: $V, password: $S}
    console: {url: "http://127.0.0.1:1", api_key: $V}
"""
PROPERTIES = (
    'sasl.jaas.config: \'X required username="u" password="$S";\', ssl.key.password: $V, ssl.keystore.password: $S, '
    "ssl.truststore.password: $V, ssl.keystore.key: $S, basic.auth.user.info: 'u:$V'"
)
STATE = 'deployment_state: {backend: postgres, url: "postgresql://u:$S@127.0.0.1:1/shop?password=$V"}\n'
CONFIG = (
    "connection.url: 'jdbc:postgresql://db/shop?password=$S', connection.user: $V, connection.password: $S, "
    "aws.access.key.id: $V, aws.secret.access.key: $S, database.password: $V, "
    "value.converter.basic.auth.user.info: 'u:$S', ssl.keystore.password: $V, ssl.key.password: $S, "
    "sasl.jaas.config: 'X required password=\"$V\";', snowflake.private.key: $S, "
    "headers: 'Authorization: Bearer $S', http.url: 'https://u:$S@api/x'"
)
TOPICS = """\
models:
  - name: paid
    columns: [{name: a, type: INT}]
    topic: {name: paid.v1, config: {confluent.secret.setting: $V}}
  - {name: sent, columns: [{name: a, type: INT}], topic: {name: sent.v1}, sql: 'SELECT * FROM {{ ref("paid") }}'}
"""
SINKS = "models:\n" + "".join(
    f"  - {{name: sink{number}, from: s, sink: {{connector: jdbc-sink, config: {{{CONFIG}}}}}}}\n"
    for number in range(8)
)
LINEAGE = """\
lineage: {enabled: true, url: "URL/api/v1/lineage", namespace: n, api_key: $S, timeout: 2}
"""
SETTINGS = """\
transport: {type: http, url: URL, endpoint: api/v1/lineage, auth: {type: api_key, api_key: $S}}
"""
PROFILES = """\
shop:
  target: dev
  outputs:
    dev: {type: postgres, host: db, port: 5432, dbname: shop, schema: main, user: u, password: $S, sslrootcert: $S}
"""
VARIABLES = {
    "OPENLINEAGE__TRANSPORT__TYPE": "http",
    "OPENLINEAGE__TRANSPORT__URL": "URL",
    "OPENLINEAGE__TRANSPORT__ENDPOINT": "api/v1/lineage",
    "OPENLINEAGE__TRANSPORT__AUTH__TYPE": "api_key",
    "OPENLINEAGE__TRANSPORT__AUTH__API_KEY": "$S",
    "STREAMT_CATALOG_TOKEN": "$S",
    "STREAMT_CATALOG_STORE": "postgresql://u:$S@127.0.0.1:1/catalog?password=$S",
    "STREAMT_CATALOG_SYNC_DSN": "postgresql://u:$S@127.0.0.1:1/shop?password=$S",
    "PGPASSWORD": "$S",
    "OLD_STATE": "postgresql://u:$S@127.0.0.1:1/shop",
    "HTTP_PROXY": "http://u:$S@127.0.0.1:1",
    "AWS_SECRET_ACCESS_KEY": "$S",
}


@dataclass
class Planted:
    """What was planted.

    Attributes:
        folder: everything is below it.
        environ: the variables of the process; half of those that files name, and the program's own.
        secrets: how many there are.
        inputs: the files that hold them.
    """

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    secrets: int = 0
    inputs: set[Path] = field(default_factory=set)
    _env_file: list[str] = field(default_factory=list)

    def plant(self, text: str) -> str:
        """Return `text` with a secret in each place."""
        text = re.sub(r"(?<=[ {\[])\$([SV])(?=[,}\n\]])", r'"$\1"', text)
        return re.sub(r"\$([SV])", lambda match: self._secret(supplied=match[1] == "V"), text)

    def _secret(self, *, supplied: bool) -> str:
        value = f"{MARK}{self.secrets}x"
        self.secrets += 1
        if not supplied:
            return value
        name = f"SECRET_{self.secrets}"
        if self.secrets % 2:
            self.environ[name] = value
        else:
            self._env_file.append(f"{name}={value}\n")
        return f"${{{name}}}"

    def write(self, path: str, text: str) -> None:
        """Write a file that holds secrets."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.plant(text))
        self.inputs.add(target)

    def write_env_file(self, project: str) -> None:
        """Write the other half of the variables."""
        (self.folder / project / ".env").write_text("".join(self._env_file))
        self.inputs.add(self.folder / project / ".env")

    def leaks(self, said: bytes) -> list[str]:
        """Return where a secret is: in what was said, or in a file that a command wrote."""
        found = [said[max(0, at - 80) : at + 40].decode(errors="replace") for at in _places(said)][:3]
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.inputs and MARK.encode() in path.read_bytes():
                content = path.read_bytes()
                at = content.index(MARK.encode())
                found.append(f"{path.name}: {content[max(0, at - 80) : at + 40].decode(errors='replace')}")
        return found


def _places(said: bytes) -> list[int]:
    return [match.start() for match in re.finditer(MARK.encode(), said)]


def plant(folder: Path, url: str) -> Planted:
    """Write everything below `folder`; `url` is that of a server for events."""
    planted = Planted(folder)
    runtime = RUNTIME.replace("PROPERTIES", PROPERTIES)
    planted.write("shop/stream_project.yml", ROOT)
    planted.write("shop/environments/dev.yml", runtime)
    planted.write("shop/environments/remote.yml", runtime + STATE)
    planted.write("shop/models/topics.yml", TOPICS)
    planted.write("sinks/stream_project.yml", ROOT.replace("{ref: paid}", "{source: s}") + runtime + SINKS)
    for project in ("shop", "sinks"):
        planted.write_env_file(project)
    planted.write("lineage.yml", LINEAGE.replace("URL", url))
    planted.write("openlineage.yml", SETTINGS.replace("URL", url))
    planted.write("token", "$S\n")
    planted.write("kafka.properties", 'sasl.password=$S\nsasl.jaas.config=X required password="$S";\n')
    dbt = copy_project(folder / "dbt")
    planted.write("dbt/profiles.yml", PROFILES)
    (dbt / "target").mkdir(exist_ok=True)
    for name in ("manifest", "run_results"):
        content = json.loads((CAPTURED / f"duckdb-1.11.{name}.json").read_text())
        (dbt / "target" / f"{name}.json").write_text(json.dumps(content))
    (folder / "events.jsonl").write_text('{"eventType": "START"}\n')
    (folder / "topics.txt").write_text("orders.v1\n")
    planted.environ |= {name: planted.plant(value.replace("URL", url)) for name, value in VARIABLES.items()}
    planted.environ |= {"HOME": str(folder / "home"), "STREAMT_CACHE_DIR": str(folder / "home" / "cache")}
    return planted
