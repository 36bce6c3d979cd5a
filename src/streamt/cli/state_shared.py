"""What the commands of `streamt state` share."""

import sys
from typing import TYPE_CHECKING

import click

from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from streamt.deploy.artifact import Address
    from streamt.workspace.deployment import Deployment

lock_wait_option = click.option(
    "--lock-wait", type=click.FloatRange(min=0), help="Seconds to wait for another deployment."
)
confirm_env_option = click.option(
    "--confirm-env", metavar="NAME", help="The environment's name, where it must be confirmed."
)


def parse_address(text: str) -> "Address":
    """Return the address that `text` is.

    Raises:
        StreamtError: E500, it is none.
    """
    from streamt.deploy.artifact import Address

    found = Address.parse(text)
    if found is None:
        raise usage(f"`{text}` is not an address", "address", "copy it from `streamt state list`")
    return found


def address_in_state(deployment: "Deployment", text: str) -> "Address":
    """Return the address that `text` is, which must be in state.

    Raises:
        StreamtError: E500, it is none, or not in state.
    """
    from streamt.deploy.edit import check_in_state

    found = parse_address(text)
    check_in_state(deployment.store.read(), found)
    return found


def confirm_environment(deployment: "Deployment", given: str | None) -> None:
    """Ask for the environment's name where its changes must be confirmed.

    Raises:
        StreamtError: E544.
    """
    name = deployment.desired.environment
    if given is None and deployment.policy.confirm and is_terminal():
        given = click.prompt("Type the environment's name", default="", show_default=False, err=True)
    if given != name and (given is not None or deployment.policy.confirm):
        message = f"a change of the environment `{name}` must be confirmed with its name"
        hint = f"give `--confirm-env {name}`"
        place = Option("confirm_env")
        raise StreamtError(Diagnostic(code=Code.CONFIRMATION_REQUIRED, message=message, location=place, hint=hint))


def is_terminal() -> bool:
    """Report whether somebody can be asked."""
    return all(each is not None and each.isatty() for each in (sys.stdin, sys.stdout))


def usage(message: str, option: str, hint: str | None = None) -> StreamtError:
    """Return E500 about an option or an argument."""
    return StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option(option), hint=hint))
