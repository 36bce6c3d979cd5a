"""Every YAML block of the language's reference is a file that loads, and together they show every key."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from streamt.project import Project
from streamt.project.language import language_schema
from streamt.yaml import read_yaml

PAGE = Path(__file__).parents[2] / "docs" / "project-language.md"
BLOCKS = re.findall(r"```yaml\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
ROOT = "apiVersion: streamt.dev/v1alpha1\nproject: {name: docs}\n"


def test_every_block_says_which_file_it_is() -> None:
    assert len(BLOCKS) == PAGE.read_text(encoding="utf-8").count("```yaml")


@pytest.mark.parametrize(("file", "text"), BLOCKS)
def test_every_block_loads_without_a_warning(load: Callable[..., Project], file: str, text: str) -> None:
    named = dict.fromkeys(re.findall(r"sql_file: (\S+)", text), "SELECT 1")
    assert load({"stream_project.yml": ROOT} | named | {file: text}).warnings == ()


@pytest.mark.parametrize(("file", "text"), BLOCKS)
def test_every_block_fits_the_schema(file: str, text: str) -> None:
    jsonschema.Draft202012Validator(language_schema()).validate(read_yaml(text.encode(), file).data)


def keys(data: Any) -> Iterator[str]:
    for key, value in data.items() if isinstance(data, dict) else ():
        yield key
        yield from keys(value)
    for item in data if isinstance(data, list) else ():
        yield from keys(item)


def test_the_page_names_every_key_of_the_language() -> None:
    schema = language_schema()
    known = {key for each in (schema, *schema["$defs"].values()) for key in each.get("properties", {})}
    shown = {key for file, text in BLOCKS for key in keys(read_yaml(text.encode(), file).data)}
    words = set(re.findall(r"\w+", PAGE.read_text(encoding="utf-8")))
    assert known - shown - words == set()
