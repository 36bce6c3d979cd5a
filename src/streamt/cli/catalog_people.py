"""`streamt catalog token|user|team|grant`: who may do what, written to the store itself."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

import click

from streamt.cli.catalog_options import default_store, store_option
from streamt.cli.options import help_when_bare, reporting
from streamt.cli.output import Result, encode, table
from streamt.diagnostics import Code, Diagnostic, StreamtError

if TYPE_CHECKING:
    from streamt.catalog.changes import Tools

T = TypeVar("T")
RIGHTS = ("read", "send", "edit")


def _change(store: str | None, work: "Callable[[Tools], T]") -> T:
    """Do something in a transaction of the store."""
    import time

    from streamt.catalog.changes import Tools
    from streamt.catalog.store.engine import open_store
    from streamt.catalog.store.ids import Ids

    opened = open_store(store or default_store(), size=1)
    try:
        return opened.write(lambda conn: work(Tools(conn, Ids().begin(), time.time_ns())))
    finally:
        opened.close()


def _note(tools: "Tools", action: str, subject: str, **detail: object) -> None:
    """Add a line to the audit.

    The store cannot know which of its users sits at the shell, so the line names the operating system's.
    """
    import getpass

    from streamt.catalog.store import people

    try:
        who = getpass.getuser()
    except (OSError, KeyError):  # a container may run as a number without a name
        who = str(os.getuid())
    people.note(tools.conn, None, people.Deed(action, subject, {**detail, "shell_user": who}), tools.now)


def _missing(what: str, name: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=f"unknown {what} `{name}`"))


def _taken(what: str, name: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=f"duplicate {what} `{name}`"))


@click.group(invoke_without_command=True)
@click.pass_context
def token(context: click.Context) -> None:
    """Make, list and revoke tokens."""
    help_when_bare(context)


@token.command("create")
@click.argument("name")
@click.option("--user", default="admin", show_default=True, help="Whose token it is.")
@click.option("--right", "rights", type=click.Choice(RIGHTS), multiple=True, help="Only these; may be given again.")
@click.option("--team", help="The one team whose permissions it has.")
@click.option("--days", type=click.IntRange(1, 36500), help="After how many days it ends; else never.")
@store_option
@reporting
def create_token(
    *, name: str, user: str, rights: tuple[str, ...], team: str | None, days: int | None, store: str | None
) -> Result:
    """Make a token; it is shown this once, and only its hash is kept."""
    from streamt.catalog.access import ALL_RIGHTS, Right
    from streamt.catalog.store import people

    ends = None if days is None else int((datetime.now(UTC) + timedelta(days=days)).timestamp()) * 1_000_000_000

    def work(tools: "Tools") -> tuple[int, str]:
        owner = people.find_account(tools.conn, user)
        if owner is None:
            raise _missing("user", user)
        number = people.find_team(tools.conn, team) if team else None
        if team and (number is None or not people.is_member(tools.conn, number, owner.id)):
            raise _missing("team of this user", team)
        held = frozenset(Right(one) for one in rights) or ALL_RIGHTS
        made = people.make_token(tools.conn, people.NewToken(owner.id, name, held, number, ends), tools.now)
        _note(tools, "token.create", f"token {made[0]}", user=user, rights=sorted(held))
        return made

    number, text = _change(store, work)
    return Result(text=[f"{text}\n".encode()], data=encode({"id": number, "token": text}))


@token.command("list")
@store_option
@reporting
def list_tokens(*, store: str | None) -> Result:
    """List the tokens, without themselves."""
    from sqlalchemy import select

    from streamt.catalog.store import tables

    def work(tools: "Tools") -> list[tuple[int, str, str, str, bool]]:
        query = select(tables.token, tables.account.c.name.label("owner")).join(tables.account)
        return [
            (row.id, row.name, row.owner, row.rights, row.revoked_at is not None)
            for row in tools.conn.execute(query.order_by(tables.token.c.id))
        ]

    rows = _change(store, work)
    shown = [(str(one), name, owner, rights, "revoked" if gone else "") for one, name, owner, rights, gone in rows]
    keys = ("id", "name", "user", "rights", "revoked")
    return Result(
        text=[f"{line}\n".encode() for line in table(shown)] if shown else (),
        data=encode([dict(zip(keys, row, strict=True)) for row in rows]),
    )


@token.command("revoke")
@click.argument("number", type=int)
@store_option
@reporting
def revoke_token(*, number: int, store: str | None) -> Result:
    """Revoke a token by its number."""
    from streamt.catalog.store import people

    def work(tools: "Tools") -> None:
        if not people.revoke_token(tools.conn, number, tools.now):
            raise _missing("token", str(number))
        _note(tools, "token.revoke", f"token {number}")

    _change(store, work)
    return Result(summary=f"token {number} is revoked")


@click.group(invoke_without_command=True)
@click.pass_context
def user(context: click.Context) -> None:
    """Make and delete users."""
    help_when_bare(context)


@user.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice(["admin", "manager", "member"]), default="member", show_default=True)
@store_option
@reporting
def create_user(*, name: str, role: str, store: str | None) -> Result:
    """Make a user."""
    from streamt.catalog.access import Role
    from streamt.catalog.store import people

    def work(tools: "Tools") -> int:
        made = people.make_account(tools.conn, name, Role(role), tools.now)
        if made is None:
            raise _taken("user", name)
        _note(tools, "user.create", name, role=role)
        return made

    number = _change(store, work)
    return Result(data=encode({"id": number}), summary=f"user `{name}` has the number {number}")


@user.command("delete")
@click.argument("name")
@store_option
@reporting
def delete_user(*, name: str, store: str | None) -> Result:
    """Delete a user: their tokens end, and their events are not replayed."""
    from streamt.catalog.store import people

    def work(tools: "Tools") -> None:
        found = people.find_account(tools.conn, name)
        if found is None:
            raise _missing("user", name)
        people.delete_account(tools.conn, found.id, tools.now)
        _note(tools, "user.delete", f"user {found.id}")

    _change(store, work)
    return Result(summary=f"user `{name}` is deleted")


@click.group(invoke_without_command=True)
@click.pass_context
def team(context: click.Context) -> None:
    """Make teams and say who is in them."""
    help_when_bare(context)


@team.command("create")
@click.argument("name")
@store_option
@reporting
def create_team(*, name: str, store: str | None) -> Result:
    """Make a team."""
    from streamt.catalog.store import people

    def work(tools: "Tools") -> int:
        made = people.make_team(tools.conn, name)
        if made is None:
            raise _taken("team", name)
        _note(tools, "team.create", name)
        return made

    number = _change(store, work)
    return Result(data=encode({"id": number}), summary=f"team `{name}` has the number {number}")


@team.command("add")
@click.argument("name")
@click.argument("member")
@store_option
@reporting
def add_member(*, name: str, member: str, store: str | None) -> Result:
    """Add a user to a team."""
    _set_member(store, name, member, is_member=True)
    return Result(summary=f"`{member}` is in team `{name}`")


@team.command("remove")
@click.argument("name")
@click.argument("member")
@store_option
@reporting
def remove_member(*, name: str, member: str, store: str | None) -> Result:
    """Take a user out of a team."""
    _set_member(store, name, member, is_member=False)
    return Result(summary=f"`{member}` is not in team `{name}`")


def _set_member(store: str | None, name: str, member: str, *, is_member: bool) -> None:
    from streamt.catalog.store import people

    def work(tools: "Tools") -> None:
        number, found = people.find_team(tools.conn, name), people.find_account(tools.conn, member)
        if number is None:
            raise _missing("team", name)
        if found is None:
            raise _missing("user", member)
        people.set_member(tools.conn, number, found.id, member=is_member)
        _note(tools, "team.add" if is_member else "team.remove", f"team {number}", user=found.id)

    _change(store, work)


@click.command()
@click.argument("team_name", metavar="TEAM")
@click.argument("datastore", type=int)
@click.argument("permission", type=click.Choice(["viewer", "editor", "none"]))
@store_option
@reporting
def grant(*, team_name: str, datastore: int, permission: str, store: str | None) -> Result:
    """Give a team a permission on a datastore, or take it away with `none`."""
    from streamt.catalog.access import Permission
    from streamt.catalog.store import people, registering

    def work(tools: "Tools") -> None:
        number = people.find_team(tools.conn, team_name)
        if number is None:
            raise _missing("team", team_name)
        if registering.place_of(tools.conn, datastore) is None:
            raise _missing("datastore", str(datastore))
        given = None if permission == "none" else Permission(permission)
        people.set_grant(tools.conn, number, datastore, given)
        _note(tools, "team.grant", f"team {number}", datastore=datastore, permission=given and given.value)

    _change(store, work)
    return Result(summary=f"team `{team_name}` has {permission} on datastore {datastore}")
