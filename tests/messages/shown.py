"""What is wrong with each project of the tests' tables, as a user sees it."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from streamt.diagnostics import StreamtError, resolve
from streamt.project import load_project
from streamt.project.constructs import CONSTRUCTS
from streamt.yaml import read_yaml
from tests.builder import ROOT_FILE, write_files
from tests.project import test_constructs, test_language
from tests.yaml import test_reader


def shown() -> Iterator[str]:
    """Yield each input, and below it all that is said of it."""
    for content, *_ in test_reader.BAD:
        if len(content) < 200:
            yield f"# {content!r}"
            yield from map(str, resolve(read_yaml(content, "f.yml").diagnostics))
            yield ""
    for text in _projects():
        yield f"# {text!r}" if len(text) < 400 else f"# {text[:400]!r}..."
        yield from _said(text)
        yield ""


def _projects() -> Iterator[str]:
    for bad in test_language.BAD:
        yield bad[0]
    for limit in test_language.LIMITS:
        yield limit[0]
    for construct in CONSTRUCTS:
        yield test_constructs.project(construct)


def _said(text: str) -> Iterator[str]:
    with TemporaryDirectory() as folder:
        try:
            load_project(write_files(Path(folder), {ROOT_FILE: text}))
        except StreamtError as error:
            yield str(error)
