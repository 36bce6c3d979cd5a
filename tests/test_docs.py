"""What the documents show is true: each block of code in them is run, loaded or checked, and so are some tables.

A fenced block says by its first line what becomes of it:

- ```` ```console ````: what follows `$ `, with the lines after it that begin with `> `, is run by bash in the scratch
  folder and must succeed. Then comes the expected output, stdout and stderr together: `...` stands for any text in a
  line, and alone in a line for any lines.
- ```` ```LANGUAGE title=PATH ````: a file, written into the scratch folder before the blocks that follow it.
- ```` ```yaml ````: a part of a project, which the language's own JSON Schema must accept.
- ```` ```sql+jinja ````: a template, which must parse.
- ```` ```sh shown ````: needs a network, a server or a fresh clone, so it is not run here; bash must be able to parse
  it, and each `make` target in it must exist.

A scratch folder holds a copy of `examples/`, and lives as long as its document.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import click
import jinja2
import jsonschema
import pytest

from streamt.cli.app import app
from streamt.diagnostics import ProjectPath, StreamtError
from streamt.openlineage.identity import Bootstrap, NamespaceSource, dataset_namespace, model_job_name
from streamt.yaml import read_yaml
from tests.update_docs import code_rows
from tests.update_golden import EXAMPLES, FROZEN_EPOCH, ROOT, run_streamt

# The documents with blocks that another test reads or runs: which language's blocks, and where.
COVERED_ELSEWHERE: dict[str, dict[str, str]] = {
    "docs/project-language.md": {"yaml": "tests/project/test_docs.py"},
    "docs/new-openlineage-release.md": {"": "tests/codegen/test_bump.py"},
    "docs/openlineage-backends.md": {"yaml": "tests/openlineage/transport/test_backends_guide.py"},
    "docs/tests.md": {"yaml": "tests/e2e/test_documentation.py", "json": "tests/e2e/test_documentation.py"},
}
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, what its first line says, and what it holds."""

    place: str
    language: str
    marker: str
    text: str


def blocks(document: str) -> Iterator[Block]:
    text = (ROOT / document).read_text(encoding="utf-8")
    for match in re.finditer(r"^( *)```([\w+]*) ?(.*)\n((?:.*\n)*?) *```$", text, re.MULTILINE):
        indent, language, marker, content = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        yield Block(f"{document}:{line}", language, marker, re.sub(f"^{indent}", "", content, flags=re.MULTILINE))


@pytest.mark.parametrize(
    ("document", "language", "test"),
    [(document, *pair) for document, tests in COVERED_ELSEWHERE.items() for pair in tests.items()],
)
def test_what_is_covered_elsewhere_is_known_there(document: str, language: str, test: str) -> None:
    code = (ROOT / test).read_text(encoding="utf-8")
    options = re.findall(r"--[a-z]+", "".join(block.text for block in blocks(document) if block.language == language))
    assert Path(document).name in code or (options and all(option in code for option in options))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_blocks_of_a_document_do_what_it_says(document: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    for block in blocks(document):
        if block.language in COVERED_ELSEWHERE.get(document, {}):
            continue
        kind = "file" if block.marker.startswith("title=") else f"{block.language} {block.marker}".strip()
        assert kind in HANDLERS, f"{block.place}: no rule for a block that begins with {kind or 'nothing'}"
        HANDLERS[kind](block, tmp_path)


def write_file(block: Block, scratch: Path) -> None:
    path = scratch / block.marker.removeprefix("title=")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def run_console(block: Block, scratch: Path) -> None:
    for command, expected in commands(block.text):
        result = run_bash(command, scratch)
        actual = result.stdout.decode()
        assert result.returncode == 0, f"{block.place}: `{command}` failed: {actual}"
        assert matches(expected, actual), f"{block.place}: `{command}` gives\n{actual}"


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Split a console block into commands, each with what it is expected to print."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *lines = part.splitlines(keepends=True)
        more = list(takewhile(lambda line: line.startswith("> "), lines))
        yield first + "".join(line.removeprefix("> ") for line in more), "".join(lines[len(more) :])


def run_bash(command: str, scratch: Path) -> subprocess.CompletedProcess[bytes]:
    environ = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SOURCE_DATE_EPOCH": FROZEN_EPOCH,
        "HOME": str(scratch),
        "LC_ALL": "C.UTF-8",
    }
    return subprocess.run(
        ["bash", "-c", command], cwd=scratch, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def matches(expected: str, actual: str) -> bool:
    pattern = re.escape(expected.rstrip("\n"))
    pattern = re.sub(r"^\\\.\\\.\\\.\n", "(?:.*\n)*", pattern.replace("\\\n", "\n"), flags=re.MULTILINE)
    pattern = re.sub(r"\n\\\.\\\.\\\.$", "(?:\n.*)*", pattern)
    return re.fullmatch(pattern.replace(r"\.\.\.", ".*"), actual.rstrip("\n")) is not None


def accept_yaml(block: Block, _scratch: Path) -> None:
    reading = read_yaml(block.text.encode(), block.place)
    assert reading.diagnostics == ()
    schema = json.loads(run_streamt(["schema"]).stdout)
    errors = [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(reading.data)]
    assert errors == [], block.place


def parse_shell(block: Block, _scratch: Path) -> None:
    result = subprocess.run(["bash", "-n"], input=block.text.encode(), capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b""), block.place
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([\w-]+)", block.text, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{block.place}: make {target}"


def parse_template(block: Block, _scratch: Path) -> None:
    assert jinja2.Environment(autoescape=False).parse(block.text).body


HANDLERS: dict[str, Callable[[Block, Path], None]] = {
    "file": write_file,
    "console": run_console,
    "yaml": accept_yaml,
    "sh shown": parse_shell,
    "sql+jinja": parse_template,
}


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a ... d\n", "a b c d\n", True),
        ("a ... d\n", "a b\nc d\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a\n...\n", "a\nb\n", True),
        ("...\nd\n", "a\nd\n", True),
        ("a.b\n", "axb\n", False),
        ("", "a\n", False),
    ],
)
def test_dots_stand_for_text_and_for_lines(expected: str, actual: str, *, same: bool) -> None:
    assert matches(expected, actual) is same


def links(document: str) -> Iterator[str]:
    text = re.sub(r"^```.*?^```$", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return (target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_links_of_a_document_lead_somewhere(document: str) -> None:
    for target in links(document):
        path, _, anchor = target.partition("#")
        linked = (ROOT / document).parent / path if path else ROOT / document
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def table_after(document: str, sentence: str) -> Iterator[list[str]]:
    """Give the rows of the first table after `sentence`; a cell that is code comes without its backticks."""
    text = (ROOT / document).read_text(encoding="utf-8")
    table = text[text.index(sentence) :].split("\n\n")[1]
    for row in table.splitlines()[2:]:
        yield [re.sub(r"^`([^`]*)`$", r"\1", cell.strip()) for cell in row.strip("|").split("|")]


@pytest.mark.parametrize(
    ("declared", "result"), [*table_after("docs/openlineage-mapping.md", "What `bootstrap_servers` gives:")]
)
def test_an_address_gives_the_namespace_that_the_mapping_shows(declared: str, result: str) -> None:
    servers = json.loads(declared) if declared[0] in '["' else declared
    assert namespace_or_advice(servers) == result


def namespace_or_advice(servers: str | list[str]) -> str:
    """Give the namespace that `servers` become, or what the error says to give instead."""
    source = NamespaceSource("kafka_namespace", None, "VARIABLE", {})
    try:
        return str(dataset_namespace(source, Bootstrap(servers, ProjectPath())))
    except StreamtError as error:
        advice, _, _ = str(error.diagnostics[0].hint).partition(",")
        return "an error: " + advice.replace("give ", "give `") + "`"


@pytest.mark.parametrize(("project", "model", "name"), [*table_after("docs/openlineage-mapping.md", "Case is kept.")])
def test_names_give_the_job_name_that_the_mapping_shows(project: str, model: str, name: str) -> None:
    assert model_job_name(project, model) == name


def test_the_command_line_has_every_code_in_its_table() -> None:
    listed = list(table_after("docs/command-line.md", "A code never changes its meaning."))
    assert listed == code_rows(), "python -m tests.update_docs"


def all_commands(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for command in (group.get_command(context, each) for each in group.list_commands(context)):
        assert command is not None
        full_name = f"{name} {command.name}".strip()
        if isinstance(command, click.Group):
            yield from all_commands(command, full_name)
        else:
            yield full_name, command


@pytest.mark.parametrize(
    ("name", "command"), [*all_commands(app)], ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_command_line_has_every_option_of_a_command(name: str, command: click.Command) -> None:
    text = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    heading = name.split()[0] if name.startswith(("catalog", "envs", "state")) else name
    section = text[text.index(f"\n## {heading}\n") :].split("\n## ")[1]
    common = text[: text.index("\n## Streams")]
    options = [option for each in command.params if isinstance(each, click.Option) for option in each.opts]
    missing = [option for option in options if option not in section + common]
    assert missing == []
