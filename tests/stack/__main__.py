"""The command line: `python -m tests.stack up kafka registry`."""

import argparse
import json
import signal
import sys

from tests.stack import runtime
from tests.stack.home import StackError, folder_of, say
from tests.stack.install import install
from tests.stack.services import SERVICES


def main() -> int:
    """Run one command and return its exit status: 0 done, 1 not, 2 wrong use, 130 interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = _parser().parse_args()
    try:
        runtime.reap()
        _run(options)
    except StackError as error:
        say(f"stack: {error}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.stack", description="Real streaming servers on loopback.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    commands.add_parser("install", help="fetch what is missing; `up` does it too")
    up = commands.add_parser("up", help="start services, wait until they answer, and print their addresses as JSON")
    up.add_argument("services", nargs="+", choices=list(SERVICES), metavar="SERVICE", help=", ".join(SERVICES))
    up.add_argument("--name", default="default", help="which stack (default: %(default)s)")
    down = commands.add_parser("down", help="end a stack and remove its files")
    down.add_argument("--name", default="default", help="which stack (default: %(default)s)")
    commands.add_parser("status", help="list all stacks and their processes")
    watch = commands.add_parser("watch", help="wait for the end of the test run that owns a stack, then end the stack")
    watch.add_argument("name")
    return parser


def _run(options: argparse.Namespace) -> None:
    match options.command:
        case "install":
            say(str(install()))
        case "up":
            sys.stdout.write(json.dumps(runtime.up(options.name, *options.services), indent=2) + "\n")
        case "down":
            runtime.down(options.name)
        case "watch":
            runtime.wait_for_owner(options.name)
        case _:
            for name in runtime.names():
                sys.stdout.write(f"{name} in {folder_of(name)}\n")
                for process, one in runtime.running(name).items():
                    sys.stdout.write(f"  {process:<20}{one.pid:>8}\n")


if __name__ == "__main__":
    sys.exit(main())
