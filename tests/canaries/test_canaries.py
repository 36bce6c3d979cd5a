"""Two hundred secrets are planted, every command is run, well and badly, and nothing that leaves has one of them."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click
import pytest

from streamt.cli.app import app
from tests.canaries.conftest import Zygote
from tests.canaries.places import MARK, Planted, plant

APPLY = ["-p", "@/shop", "-e", "dev", "--confirm-env", "dev"]
CONSUME = ["--bootstrap-servers", "127.0.0.1:1", "--topic", "t", "--group", "g"]
# Each command with arguments that let it do its work; `@` is the folder of everything, `@@` a server that repeats what
# it is told.
COMMANDS: dict[str, list[str]] = {
    "adopt": ["topic", "paid", "-p", "@/shop", "-e", "dev", "--confirm", "streamt://shop/dev/topic/paid"],
    "apply": [*APPLY, "--emit-openlineage", "--openlineage-job-namespace", "j"],
    "build": ["-p", "@/sinks", "--output-dir", "@/built"],
    "catalog consume": [*CONSUME, "--config", "@/kafka.properties"],
    "catalog export": ["--url", "@@"],
    "catalog grant": ["team", "1", "viewer"],
    "catalog job end": ["n", "j", "--url", "@@"],
    "catalog migrate": [],
    "catalog send": ["@/events.jsonl", "--url", "@@"],
    "catalog serve": ["--port", "0"],
    "catalog sweep": [],
    "catalog sync dbt": ["@/dbt/target/manifest.json", "--host", "h", "--url", "@@", "--token-file", "@/token"],
    "catalog sync events": ["--url", "@@"],
    "catalog sync files": ["@/dbt", "--url", "@@"],
    "catalog sync postgres": [f"postgresql://u:{MARK}@127.0.0.1:1/d?password={MARK}", "--url", "@@"],
    "catalog sync project": ["-p", "@/sinks", "--url", "@@"],
    "catalog team add": ["team", "ann"],
    "catalog team create": ["team"],
    "catalog team remove": ["team", "ann"],
    "catalog token create": ["t"],
    "catalog token list": [],
    "catalog token revoke": ["1"],
    "catalog user create": ["ann"],
    "catalog user delete": ["ann"],
    "compile": ["-p", "@/sinks", "--output-dir", "@/compiled"],
    "dbt emit": ["--manifest", "@/dbt/target/manifest.json", "--project-dir", "@/dbt", "--profiles-dir", "@/dbt"],
    "dbt invoke": ["--project-dir", "@/dbt", "--dbt", "true", "--config", "@/lineage.yml", "--", "run"],
    "diff": ["-p", "@/shop", "-e", "dev", "--all-fields"],
    "docs openlineage": ["-p", "@/sinks", "--job-namespace", "j", "--output-file", "@/exported.jsonl"],
    "envs list": ["-p", "@/shop"],
    "envs show": ["dev", "-p", "@/shop"],
    "import": ["topics", "-p", "@/shop", "-e", "dev", "--output-file", "@/shop/sources/found.yml"],
    "init": ["@/new", "--topics-file", "@/topics.txt"],
    "lineage": ["-p", "@/sinks", "--format", "html", "--output-file", "@/lineage.html"],
    "list": ["-p", "@/sinks"],
    "plan": ["-p", "@/shop", "-e", "dev", "--out", "@/saved.plan"],
    "run": ["--job", "nightly", "--config", "@/lineage.yml", "--drain", "0.1", "--", "true"],
    "schema": [],
    "show-plan": ["@/saved.plan"],
    "state export": ["@/state.json", "-p", "@/shop", "-e", "dev"],
    "state forget": ["streamt://shop/dev/topic/sent", "-p", "@/shop", "-e", "dev"],
    "state init": ["-p", "@/shop", "-e", "dev"],
    "state list": ["-p", "@/shop", "-e", "dev"],
    "state migrate": ["--from", "postgres", "--from-url-variable", "OLD_STATE", "-p", "@/shop", "-e", "dev"],
    "state move": ["streamt://shop/dev/topic/sent", "streamt://shop/dev/topic/gone", "-p", "@/shop", "-e", "dev"],
    "state recover": ["-p", "@/shop", "-e", "dev", "--yes"],
    "state show": ["streamt://shop/dev/topic/paid", "-p", "@/shop", "-e", "dev"],
    "state status": ["-p", "@/shop", "-e", "dev"],
    "state unlock": ["x", "-p", "@/shop", "-e", "dev"],
    "status": ["-p", "@/shop", "-e", "dev"],
    "test": ["-p", "@/sinks", "--type", "schema", "--emit-openlineage", "--openlineage-job-namespace", "j"],
    "validate": ["-p", "@/sinks", "--strict"],
}
FIRST = ("state init", "plan", "apply")
"""What others need the results of."""


def leaves(command: click.Command, name: str = "") -> Iterator[str]:
    """Yield the names of all commands that are no groups."""
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for each in command.list_commands(context):
        inner = command.get_command(context, each)
        assert inner is not None
        yield from leaves(inner, f"{name} {each}".strip())


def test_every_command_is_run() -> None:
    assert sorted(COMMANDS) == sorted(leaves(app))


@dataclass
class Program:
    """The program, beside what was planted for it."""

    planted: Planted
    zygote: Zygote
    url: str

    bodies: list[bytes]

    def run(self, arguments: list[str], **more: str) -> bytes:
        """Run the program, and return all that it said, to the server, too, but for the headers.

        Args:
            arguments: what follows the program's name.
            more: variables; where one is a file of transport settings, no other variable holds such.
        """
        known = {"@@": self.url}
        folder = self.planted.folder
        arguments = [known.get(each, each.replace("@/", f"{folder}/")) for each in arguments]
        environ = {
            name: value
            for name, value in self.planted.environ.items()
            if not ("OPENLINEAGE_CONFIG" in more and name.startswith("OPENLINEAGE__"))
        }
        self.bodies.clear()
        ended = self.zygote.run(arguments, environ | more | {"STREAMT_DEBUG": "1"}, folder)
        assert ended.status in (0, 1, 2, 3, 4), (arguments, ended)
        said = ended.stdout + ended.stderr.encode()
        assert b"E599" not in said, ended
        return b"\n".join([said, *self.bodies])


class Echo(BaseHTTPRequestHandler):
    """Refuses everything, and repeats all that it was told."""

    bodies: list[bytes] = []  # noqa: RUF012 - one server, whose bodies are looked at

    def handle_one(self) -> None:
        """Answer with the request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.bodies.append(body)
        told = json.dumps({"detail": f"{self.path} {self.headers} {body!r}"}).encode()
        self.send_response(403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST = do_PUT = do_DELETE = handle_one  # noqa: N815 - the names of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Iterator[Program]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    yield Program(plant(tmp_path_factory.mktemp("planted"), url), zygote, url, Echo.bodies)
    server.shutdown()
    server.server_close()


def test_two_hundred_secrets_are_planted(program: Program) -> None:
    assert program.planted.secrets >= 200


@pytest.mark.parametrize("output", ["text", "json"])
def test_no_secret_leaves_by_any_command(program: Program, output: str) -> None:
    for name in sorted(COMMANDS, key=lambda name: (name not in FIRST, FIRST.index(name) if name in FIRST else 0, name)):
        takes_json = not name.startswith(("run", "dbt"))
        said = program.run([*name.split(), *(["--output", output] if takes_json else []), *COMMANDS[name]])
        assert program.planted.leaks(said) == [], name


@pytest.mark.parametrize("name", [name for name in COMMANDS if "@/shop" in COMMANDS[name]])
def test_no_secret_leaves_where_the_state_cannot_be_reached(program: Program, name: str) -> None:
    remote = [{"dev": "remote"}.get(each, each) for each in COMMANDS[name]]
    assert program.planted.leaks(program.run([*name.split(), *remote])) == []


TELLING = {
    "test": COMMANDS["test"],
    "run": ["--job", "nightly", "--config", "@/lineage.yml", "--", "true"],
    "dbt emit": [*COMMANDS["dbt emit"], "--config", "@/lineage.yml"],
    "catalog sync project": COMMANDS["catalog sync project"],
}


@pytest.mark.parametrize("name", TELLING)
def test_no_secret_leaves_in_what_a_server_is_told(program: Program, name: str) -> None:
    said = program.run([*name.split(), *TELLING[name]])
    assert program.bodies
    assert program.planted.leaks(said) == []


SETTINGS: dict[str, Callable[[str], str]] = {
    "right": lambda text: text,
    "a brace is missing": lambda text: text.replace("auth: ", "auth: {", 1),
    "a key is misspelt": lambda text: text.replace("api_key: ", "apikeys: "),
    "a secret is a list": lambda text: text.replace("api_key: ", "api_key: [").replace("}", "]}", 1),
    "an address holds secrets": lambda text: text.replace("url: http://", "url: http://u:zqcanary@"),
    "a variable of a secret": lambda text: text.replace(', api_key: "', ', api_key: "${UNSET_').replace('"}', '}"}', 1),
}


@pytest.mark.parametrize("how", SETTINGS)
def test_no_secret_leaves_from_a_file_of_settings(program: Program, how: str) -> None:
    file = program.planted.folder / "openlineage.yml"
    right = file.read_text()
    text = SETTINGS[how](right)
    assert (text == right) == (how == "right")
    file.write_text(text)
    try:
        for name in ("apply", "test"):
            said = program.run([*name.split(), *COMMANDS[name]], OPENLINEAGE_CONFIG=str(file))
            assert program.planted.leaks(said) == [], name
    finally:
        file.write_text(right)


Break = Callable[[str], str]
BREAKS: dict[str, Break] = {
    "a bracket is missing": lambda text: text.replace("sasl_password: ", "sasl_password: [", 1),
    "a brace is missing": lambda text: text.replace("sasl_password: ", "sasl_password: {", 1),
    "a quote is missing": lambda text: text.replace('sasl_password: "', 'sasl_password: "" "', 1),
    "a key is misspelt": lambda text: text.replace("password:", "pasword:").replace("api_secret:", "api_secrets:"),
    "a secret is a list": lambda text: text.replace("sasl_password: ", "sasl_password: &x [*x, ", 1),
    "a secret is given twice": lambda text: text.replace("api_key: ", "api_key: zqcanary, api_key: "),
    "a secret is a mapping": lambda text: text.replace("username: ", "username: {zqcanary: zqcanary}, usernames: "),
    "addresses hold secrets": lambda text: text.replace(
        "127.0.0.1:1", "zqcanary:zqcanary@h:1/zqcanary?k=zqcanary#zqcanary"
    ),
    "a server has no scheme": lambda text: text.replace("http://", "zqcanary:"),
    "a variable is malformed": lambda text: text.replace("${", "${zqcanary-"),
    "a variable is not set": lambda text: text.replace("${", "${UNSET_"),
    "a control character": lambda text: text.replace(MARK, "\x01" + MARK),
    "a secret is in the place of a number": lambda text: text + f"defaults: {{topic: {{partitions: {MARK}}}}}\n",
}
READING = ("validate", "list", "docs openlineage", "test", "compile", "lineage")


@pytest.mark.parametrize("broken", BREAKS)
def test_no_secret_leaves_when_a_project_is_wrong(program: Program, broken: str) -> None:
    project = program.planted.folder / "sinks" / "stream_project.yml"
    right = project.read_text()
    project.write_text(BREAKS[broken](right))
    assert project.read_text() != right
    try:
        for name in READING:
            for output in ("text", "json"):
                said = program.run([*name.split(), "--output", output, *COMMANDS[name]])
                assert program.planted.leaks(said) == [], name
        for arguments in (["envs", "show"], ["envs", "list"], ["plan"], ["status"]):
            assert program.planted.leaks(program.run([*arguments, "-p", "@/sinks"])) == [], arguments
    finally:
        project.write_text(right)
