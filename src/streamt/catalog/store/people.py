"""Users, teams, grants, tokens, sessions and the audit, as they are stored."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Connection, Row, bindparam, delete, or_, select, update

from streamt.catalog.access import ALL_RIGHTS, Caller, Permission, Right, Role, new_token, strongest, token_hash
from streamt.catalog.store.ids import insert
from streamt.catalog.store.statements import selecting
from streamt.catalog.store.tables import account, audit, grant, membership, session, team, token
from streamt.catalog.values import ALL, Scope

SESSION_SECONDS = 12 * 3600


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that is asked for.

    Attributes:
        account: whose it is.
        name: what it is called.
        rights: what it may be used for.
        team: the one team whose permissions it has; None for all of the user's.
        expires_at: when it ends; None for never.
    """

    account: int
    name: str
    rights: frozenset[Right] = ALL_RIGHTS
    team: int | None = None
    expires_at: int | None = None


def make_account(conn: Connection, name: str, role: Role, now: int) -> int | None:
    """Make a user; None if the name is taken."""
    values = {"name": name, "role": role.value, "created_at": now}
    statement = insert(conn, account).values(values).on_conflict_do_nothing().returning(account.c.id)
    return cast("int | None", conn.scalar(statement))


def make_token(conn: Connection, wanted: NewToken, now: int) -> tuple[int, str]:
    """Make a token; return its number and the token, which is not kept."""
    text = new_token()
    values = {
        "account_id": wanted.account,
        "name": wanted.name,
        "hash": token_hash(text),
        "rights": ",".join(sorted(wanted.rights)),
        "team_id": wanted.team,
        "created_at": now,
        "expires_at": wanted.expires_at,
    }
    number = conn.scalar(insert(conn, token).values(values).returning(token.c.id))
    assert number is not None
    return number, text


def caller_of(conn: Connection, text: str, now: int) -> Caller | None:
    """Return who sends a token; None if it is unknown, revoked or over, or its user was deleted."""
    return _caller(conn, token.c.hash == token_hash(text), now)


def _caller(conn: Connection, which: Any, now: int) -> Caller | None:
    query = select(token.c.id, token.c.rights, token.c.team_id, account.c.id, account.c.name, account.c.role).join(
        account
    )
    alive = or_(token.c.expires_at.is_(None), token.c.expires_at > now)
    row = conn.execute(query.where(which, alive, token.c.revoked_at.is_(None), account.c.deleted_at.is_(None))).first()
    if row is None:
        return None
    number, rights, team_id, user, name, role = row
    held = frozenset(Right(one) for one in rights.split(",") if one)
    return Caller(user, name, Role(role), permissions_of(conn, user, team_id), held, number)


def caller_for(conn: Connection, user: int) -> Caller | None:
    """Return a user as a caller without a token, for what works on the store itself."""
    row = conn.execute(select(account).where(account.c.id == user, account.c.deleted_at.is_(None))).first()
    return Caller(user, row.name, Role(row.role), permissions_of(conn, user)) if row else None


def permissions_of(conn: Connection, user: int, only_team: int | None = None) -> dict[int, Permission]:
    """Return a user's permissions by datastore, through all teams or through one."""
    query = (
        select(grant.c.datastore_id, grant.c.permission)
        .join(membership, membership.c.team_id == grant.c.team_id)
        .where(membership.c.account_id == user)
    )
    if only_team is not None:
        query = query.where(membership.c.team_id == only_team)
    return strongest((number, Permission(text)) for number, text in conn.execute(query))


def rights_of(conn: Connection, user: int) -> Scope:
    """Return what a user may edit at present; nothing for one who was deleted."""
    role = _ROLE.scalar(conn, user=user)
    if role == Role.ADMIN.value:
        return ALL
    caller = caller_for(conn, user) if role else None
    return caller.editable if caller else Scope.of()


_ROLE = selecting(select(account.c.role).where(account.c.id == bindparam("user"), account.c.deleted_at.is_(None)))


def open_session(conn: Connection, token_number: int, now: int) -> tuple[str, str]:
    """Open a session for a browser; return its secret and the one that changes must repeat."""
    secret, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    expires = now + SESSION_SECONDS * 1_000_000_000
    conn.execute(delete(session).where(session.c.expires_at < now))
    values = {"hash": token_hash(secret), "token_id": token_number, "csrf": csrf, "expires_at": expires}
    conn.execute(insert(conn, session).values(values))
    return secret, csrf


def caller_of_session(conn: Connection, secret: str, now: int) -> tuple[Caller, str] | None:
    """Return who has a session, and the secret that changes must repeat."""
    query = select(session.c.token_id, session.c.csrf).where(
        session.c.hash == token_hash(secret), session.c.expires_at > now
    )
    row = conn.execute(query).first()
    caller = _caller(conn, token.c.id == row.token_id, now) if row else None
    return (caller, row.csrf) if row and caller else None


def close_session(conn: Connection, secret: str) -> None:
    """End a session."""
    conn.execute(delete(session).where(session.c.hash == token_hash(secret)))


@dataclass(frozen=True, slots=True)
class Deed:
    """A change by a person.

    Attributes:
        action: what was done, such as `edge.delete`.
        subject: to what.
        detail: the rest, never a secret.
    """

    action: str
    subject: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def note(conn: Connection, user: int | None, deed: Deed, now: int) -> None:
    """Add a line to the audit: who changed what."""
    text = json.dumps(deed.detail, ensure_ascii=False, sort_keys=True)
    values = {"at": now, "account_id": user, "action": deed.action, "subject": deed.subject, "detail": text}
    conn.execute(insert(conn, audit).values(values))


def find_account(conn: Connection, name: str) -> Row[Any] | None:
    """Return a user by name, deleted ones not."""
    query = select(account).where(account.c.name == name, account.c.deleted_at.is_(None))
    return conn.execute(query).first()


def find_team(conn: Connection, name: str) -> int | None:
    """Return a team's number by its name."""
    return conn.scalar(select(team.c.id).where(team.c.name == name))


def has_team(conn: Connection, number: int) -> bool:
    """Report whether there is a team of this number."""
    return conn.scalar(select(team.c.id).where(team.c.id == number)) is not None


def make_team(conn: Connection, name: str) -> int | None:
    """Make a team; None if the name is taken."""
    statement = insert(conn, team).values(name=name).on_conflict_do_nothing().returning(team.c.id)
    return cast("int | None", conn.scalar(statement))


def set_grant(conn: Connection, team_number: int, datastore_number: int, permission: Permission | None) -> None:
    """Give a team a permission on a datastore, or take it away."""
    conn.execute(delete(grant).where(grant.c.team_id == team_number, grant.c.datastore_id == datastore_number))
    if permission is not None:
        values = {"team_id": team_number, "datastore_id": datastore_number, "permission": permission.value}
        conn.execute(insert(conn, grant).values(values))


def set_member(conn: Connection, team_number: int, user: int, *, member: bool) -> None:
    """Add a user to a team, or take them out."""
    if member:
        statement = insert(conn, membership).values(team_id=team_number, account_id=user)
        conn.execute(statement.on_conflict_do_nothing())
    else:
        conn.execute(delete(membership).where(membership.c.team_id == team_number, membership.c.account_id == user))


def revoke_token(conn: Connection, number: int, now: int, *, owner: int | None = None) -> bool:
    """Revoke a token; report whether there was one to revoke (of this owner, if one is named)."""
    query = update(token).where(token.c.id == number, token.c.revoked_at.is_(None))
    if owner is not None:
        query = query.where(token.c.account_id == owner)
    gone = conn.execute(query.values(revoked_at=now)).rowcount > 0
    conn.execute(delete(session).where(session.c.token_id == number))
    return gone


def delete_account(conn: Connection, number: int, now: int) -> bool:
    """Delete a user: their tokens end, their events are not replayed; what they did keeps their name."""
    query = update(account).where(account.c.id == number, account.c.deleted_at.is_(None))
    gone = conn.execute(query.values(deleted_at=now)).rowcount > 0
    conn.execute(delete(membership).where(membership.c.account_id == number))
    for one in conn.scalars(select(token.c.id).where(token.c.account_id == number, token.c.revoked_at.is_(None))).all():
        revoke_token(conn, one, now)
    return gone


def is_member(conn: Connection, team_number: int | None, user: int) -> bool:
    """Report whether a user is in a team."""
    query = select(membership.c.team_id).where(membership.c.team_id == team_number, membership.c.account_id == user)
    return conn.scalar(query) is not None


def has_accounts(conn: Connection) -> bool:
    """Report whether anybody was ever made a user."""
    return conn.scalar(select(account.c.id).limit(1)) is not None
