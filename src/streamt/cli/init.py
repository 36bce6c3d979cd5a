"""`streamt init`: a small project that works, or the sources of topics that are there already."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from streamt.cli.options import reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, quote

_ROOT = """\
apiVersion: streamt.dev/v1alpha1

project:
  name: {name}

runtime:
  kafka:
    bootstrap_servers: ${{KAFKA_BOOTSTRAP_SERVERS:-localhost:9092}}
"""
_SOURCES = """\
sources:
  - name: orders
    topic: shop.orders.v1
    description: One record for every order, as the shop sends it.
    owner: shop
    columns:
      - {name: order_id, type: STRING}
      - {name: status, type: STRING}
      - {name: amount, type: 'DECIMAL(12, 2)'}
      - {name: ordered_at, type: TIMESTAMP_LTZ(3)}
"""
_MODELS = """\
models:
  - name: paid_orders
    description: The orders that were paid.
    owner: finance
    topic:
      name: shop.paid-orders.v1
    sql: |
      SELECT order_id, amount, ordered_at
      FROM {{ source("orders") }}
      WHERE status = 'PAID'
    columns:
      - {name: order_id, type: STRING}
      - {name: amount, type: 'DECIMAL(12, 2)'}
      - {name: ordered_at, type: TIMESTAMP_LTZ(3)}
"""
_TESTS = """\
tests:
  - name: paid_orders_are_sound
    type: sample
    model: paid_orders
    assertions:
      - not_null: {columns: [order_id, amount]}
"""
_GITIGNORE = ".gitignore"
# What streamt writes into a project's folder.
_LONGEST_LIST = 4 * 1024 * 1024
_IGNORED = "build/\ngenerated/\n.streamt/\n.env\n"


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--name", metavar="NAME", help="The project's name; else the folder's.")
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="A topic to read from; may be given again.")
@click.option(
    "--topics-file",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="A file with one topic on each line; - is stdin.",
)
@reporting
def init(*, directory: Path, name: str | None, topics: tuple[str, ...], topics_file: Path | None) -> Result:
    """Start a project: a small one that works, or one with the sources of topics that are there."""
    listed = [*topics, *(_lines(topics_file) if topics_file else ())]
    files = _files(name or directory.resolve().name or "project", list(dict.fromkeys(listed)))
    _check(files)
    written = _write(directory, files)
    names = [each.relative_to(directory).as_posix() for each in written]
    where = "" if directory == Path() else f" --project-dir {directory}"
    return Result(
        data=encode({"directory": str(directory), "files": names}),
        text=(f"{each}\n".encode(errors="backslashreplace") for each in written),
        summary=f"wrote {counted(len(written), 'file')}; next: streamt validate{where}",
    )


def _lines(path: Path) -> list[str]:
    """Return the topics of a list; a line that begins with `#` is none.

    Raises:
        StreamtError: E500, it is no file that can be read.
    """
    from streamt.files import read_file

    try:
        content = _from_stdin() if path == Path("-") else read_file(path, limit=_LONGEST_LIST)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        message, hint = f"the list of topics cannot be read: {reason}", "give a file, or - and a list on stdin"
        place = Option("topics_file")
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=place, hint=hint)) from None
    text = content.decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _from_stdin() -> bytes:
    with open(0, "rb", closefd=False) as file:  # `sys.stdin` is None where it is closed
        return file.read(_LONGEST_LIST)


def _files(name: str, topics: Sequence[str]) -> dict[str, str]:
    files = {"stream_project.yml": _ROOT.format(name=_text(name)), _GITIGNORE: _IGNORED}
    if topics:
        sources = "".join(f"  - name: {_text(each)}\n    topic: {_text(each)}\n" for each in topics)
        return files | {"sources/topics.yml": f"sources:\n{sources}"}
    return files | {"sources/orders.yml": _SOURCES, "models/paid_orders.yml": _MODELS, "tests/paid_orders.yml": _TESTS}


def _text(value: str) -> str:
    """Return a text as YAML: plain where it is one for sure, else quoted; a variable's form stays text."""
    return (
        value
        if re.fullmatch(r"[A-Za-z][A-Za-z_.-]*[A-Za-z]", value) and value.lower() not in _WORDS
        else _quoted(value)
    )


_WORDS = ("true", "false", "null", "yes", "no", "on", "off")


def _quoted(value: str) -> str:
    return json.dumps(value.replace("$", "$$"), ensure_ascii=False)


def _check(files: Mapping[str, str]) -> None:
    """Load what is to be written, elsewhere.

    Raises:
        StreamtError: E500, a name or a topic cannot be one.
    """
    from streamt.project import load_project

    with tempfile.TemporaryDirectory() as scratch:
        list(_fill(Path(scratch), files))
        try:
            load_project(Path(scratch))
        except StreamtError as error:
            found = [
                Diagnostic(code=Code.USAGE_ERROR, message=each.message, hint=each.hint) for each in error.diagnostics
            ]
            raise StreamtError(*found) from None


def _write(directory: Path, files: Mapping[str, str]) -> list[Path]:
    """Write the files, none of which is there yet, or none of them; only what git ignores may be said already.

    Raises:
        StreamtError: E505, one is there, or cannot be written.
    """
    written: list[Path] = []
    try:
        there = [each for each in files if (directory / each).exists()]
        if taken := [each for each in there if each != _GITIGNORE]:
            message = f"{quote(str(directory / taken[0]))} exists"
            raise StreamtError(_refused(message, "choose another folder: nothing is overwritten"))
        for path in _fill(directory, {each: text for each, text in files.items() if each not in there}):
            written.append(path)  # noqa: PERF402 - what was written is undone where a later one fails
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise StreamtError(_refused(f"the project cannot be written: {error.strerror}", None)) from error
    return written


def _fill(directory: Path, files: Mapping[str, str]) -> Iterator[Path]:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        yield path


def _refused(message: str, hint: str | None) -> Diagnostic:
    return Diagnostic(code=Code.OUTPUT_FAILED, message=message, hint=hint)
