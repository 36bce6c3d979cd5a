"""`streamt catalog`: serve the catalog, and everything around it."""

import ipaddress
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.catalog_client import export, job, send, sync
from streamt.cli.catalog_consume import consume, sweep
from streamt.cli.catalog_options import default_store, store_option, token_file
from streamt.cli.catalog_people import grant, team, token, user
from streamt.cli.global_options import global_options
from streamt.cli.options import help_when_bare, reporting
from streamt.cli.output import Result, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from streamt.catalog.service import Catalog


@click.group(invoke_without_command=True)
@global_options
@click.pass_context
def catalog(context: click.Context) -> None:
    """Receive OpenLineage events from anyone, keep the evidence, serve the lineage graph."""
    help_when_bare(context)


@catalog.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8091, show_default=True, help="The port; 0 for any.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes; PostgreSQL only.")
@click.option("--tls-cert", type=click.Path(path_type=Path), help="A certificate chain, PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="Its key, PEM.")
@click.option("--behind-tls-proxy", is_flag=True, help="Something before this server speaks TLS.")
@click.option("--plain-http", is_flag=True, help="Serve without TLS on an address that others reach.")
@click.option("--rate", type=float, default=2000.0, show_default=True, help="Requests a second per token; 0: no limit.")
@reporting
def serve(
    *,
    store: str | None,
    host: str,
    port: int,
    workers: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    behind_tls_proxy: bool,
    plain_http: bool,
    rate: float,
) -> Result:
    """Serve the catalog; with no option at once, on this machine, with its data in your data folder."""
    from streamt.catalog.http import Settings
    from streamt.catalog.server import Listening, run

    url = store or default_store()
    _check_address(host, tls=tls_cert is not None, allowed=behind_tls_proxy or plain_http)
    if workers > 1 and url.startswith("sqlite:"):
        message = "an SQLite store has one writer, so one process serves it"
        raise StreamtError(
            Diagnostic(code=Code.CATALOG_STORE, message=message, location=Option("workers"), hint="use PostgreSQL")
        )
    first_token = _first_admin(url)
    if first_token is not None:
        click.echo(f"An admin token was made: {first_token}", err=True)
    listening = Listening(host, port, workers, tls_cert, tls_key)
    settings = Settings(rate=rate, behind_tls=behind_tls_proxy)
    with suppress(KeyboardInterrupt, SystemExit):  # told to stop, it has stopped in order: that is no failure
        run(url, listening, settings, lambda address: click.echo(f"The catalog is served at {address}", err=True))
    return Result()


def _check_address(host: str, *, tls: bool, allowed: bool) -> None:
    """Refuse to send tokens in the clear over a network."""
    if tls or allowed or _is_loopback(host):
        return
    raise StreamtError(
        Diagnostic(
            code=Code.CATALOG_REFUSED,
            message=f"`{host}` can be reached by others, and tokens would be sent to it in the clear",
            location=Option("host"),
            hint="give --tls-cert and --tls-key, or --behind-tls-proxy, or --plain-http if you mean it",
        )
    )


def _is_loopback(host: str) -> bool:
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(str(address).partition("%")[0]).is_loopback for address in found)


def _first_admin(url: str) -> Path | None:
    """Make the first user and their token, in a file that only its owner can read; None if there are users already."""
    from streamt.catalog.service import Catalog

    opened = Catalog.open(url)
    try:
        return _make_first(opened)
    finally:
        opened.close()


def _make_first(opened: "Catalog") -> Path | None:
    from streamt.catalog.access import Role
    from streamt.catalog.store import people

    path = token_file()

    def work(tools: "object") -> str | None:
        conn, now = tools.conn, tools.now  # type: ignore[attr-defined]
        if people.has_accounts(conn):
            return None
        number = people.make_account(conn, "admin", Role.ADMIN, now)
        if number is None:
            return None
        _, text = people.make_token(conn, people.NewToken(number, "first"), now)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text + "\n")
        return text

    return path if opened.change(work) is not None else None


@catalog.command()
@store_option
@reporting
def migrate(*, store: str | None) -> Result:
    """Bring the store to the version that this program works with."""
    from streamt.catalog.store.engine import migrate as bring

    before, now = bring(store or default_store())
    done = "already at" if before == now else "now at"
    return Result(data=encode({"before": before, "now": now}), summary=f"the store is {done} version {now}")


for command in (consume, export, grant, job, send, sweep, sync, team, token, user):
    catalog.add_command(command)
