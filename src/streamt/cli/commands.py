"""The program's commands, each imported only when it is called: `--help` and `--version` import none of them."""

from importlib import import_module
from typing import NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is.

    Attributes:
        module: below `streamt.cli`.
        attribute: the command's name in the module.
        help: what it says of itself, up to the first blank line.
    """

    module: str
    attribute: str
    help: str


COMMANDS = {
    "adopt": Entry(
        "adopt",
        "adopt",
        "Take a live resource into state as it is; the next plan shows what differs. The provider is not touched.",
    ),
    "apply": Entry("apply", "apply", "Bring the environment to what the project declares, or execute a saved plan."),
    "build": Entry("compile", "build", "Write what the whole project becomes, with checksums, as one folder to keep."),
    "catalog": Entry(
        "catalog",
        "catalog",
        "Receive OpenLineage events from anyone, keep the evidence, serve the lineage graph.",
    ),
    "compile": Entry(
        "compile",
        "compile_artifacts",
        "Write what each model becomes: topics, schemas, Flink SQL, connectors and rules of the Gateway.",
    ),
    "dbt": Entry(
        "dbt", "dbt", "Run dbt and tell an OpenLineage catalog of it: streamt dbt [OPTIONS] -- run --select ..."
    ),
    "diff": Entry("diff", "diff", "Show where the project, what was applied and what is there differ."),
    "docs": Entry("docs", "docs", "Tell catalogs what the project declares."),
    "envs": Entry("envs", "envs", "Show the environments of the project."),
    "import": Entry(
        "import_",
        "import_resources",
        "Write what is there and not declared as sources of the project language; nothing becomes ours by that.",
    ),
    "init": Entry(
        "init", "init", "Start a project: a small one that works, or one with the sources of topics that are there."
    ),
    "lineage": Entry("lineage", "lineage", "Show what feeds what, from the sources to the exposures."),
    "list": Entry("list", "list_declarations", "List sources, models, tests and exposures."),
    "plan": Entry(
        "plan",
        "plan",
        "Show what apply would do: each change, its risk, who it reaches, and what apply will ask for.",
    ),
    "run": Entry(
        "run",
        "run",
        "Run a command and tell an OpenLineage catalog of it: when, how it ended, what it reads and writes.",
    ),
    "schema": Entry("schema", "schema", "Print the JSON Schema of the project language, for editors."),
    "show-plan": Entry("plan", "show_plan", "Show a saved plan."),
    "state": Entry("state", "state", "Look at the state of an environment, and repair it."),
    "status": Entry("status", "status", "Show how each resource of the environment is: state against what is there."),
    "test": Entry("test", "test", "Run the project's tests: on declarations, on records of now, and on running jobs."),
    "validate": Entry(
        "validate", "validate", "Check the project: its language, its SQL, its references and its rules."
    ),
}


class LazyCommands(click.Group):
    """A group that knows its commands by name, and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click passes it
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - Click passes it
        """Import the command of that name; None where there is none."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(import_module(f"streamt.cli.{entry.module}"), entry.attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name.

        Raises:
            click.UsageError: there is none; a name that is near is suggested.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from streamt.diagnostics import nearest

            near = None if args[0].startswith("-") else nearest(args[0], COMMANDS)
            if near is None:
                raise
            raise click.UsageError(f"No such command '{args[0]}'. Did you mean '{near}'?", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with all that the table says of it: Click would cut what is longer than a line."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])
