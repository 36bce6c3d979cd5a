"""The table of commands says what the commands say."""

import inspect
import subprocess
import sys

import click
import pytest

from streamt.cli.app import app
from streamt.cli.commands import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_there_and_says_the_same_of_itself(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert command.name == name
    first, *_ = inspect.cleandoc(command.help or "").split("\n\n")
    assert " ".join(first.split()) == COMMANDS[name].help


@pytest.mark.parametrize("argument", ["--version", "--help", "-h"])
def test_version_and_help_import_no_command(argument: str) -> None:
    code = (
        "import sys\n"
        "from streamt.cli.app import run\n"
        f"run([{argument!r}])\n"
        "loaded = {name for name in sys.modules if name.startswith('streamt')}\n"
        "loaded -= {f'streamt.cli.{name}' for name in ('app', 'commands', 'global_options')}\n"
        "assert loaded == {'streamt', 'streamt.cli'}, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
