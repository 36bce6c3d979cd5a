"""Users, teams, grants, tokens, the audit; and signing in with a token."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, Field
from sqlalchemy import desc, select

from streamt.catalog.access import ALL_RIGHTS, Caller, Permission, Right, Role
from streamt.catalog.changes import MissingError, TakenError
from streamt.catalog.http import answers
from streamt.catalog.http.callers import COOKIE, Admin, Callers, Editor, Reader, Service
from streamt.catalog.http.lineage_reading import MISSING, Cursor, Id, Limit
from streamt.catalog.http.problems import responses
from streamt.catalog.store import people
from streamt.catalog.store.reading import Page, iso, paged, parse_cursor
from streamt.catalog.store.tables import account, audit, datastore, grant, membership, team, token

router = APIRouter(tags=["people"], responses=responses(401, 403, 422, 429, 503))
TAKEN = responses(409)
Name = Annotated[str, Field(min_length=1, max_length=200)]
_SECOND = 1_000_000_000


class NewUser(BaseModel):
    """A user to make."""

    name: Name
    role: Role = Role.MEMBER


class NewTeam(BaseModel):
    """A team to make."""

    name: Name


class Grant(BaseModel):
    """What a team may do on a datastore; null takes it away."""

    team: Id
    datastore: Id
    permission: Permission | None


class TokenRequest(BaseModel):
    """A token to make; for another user only by an admin."""

    name: Name
    user: Annotated[str | None, Field(max_length=200)] = None
    rights: list[Right] = sorted(ALL_RIGHTS)
    team: Annotated[int | None, Field(ge=1, lt=2**63, description="The one team whose permissions it has.")] = None
    expires_at: AwareDatetime | None = None


class Login(BaseModel):
    """A token to sign in with."""

    token: Annotated[str, Field(min_length=1, max_length=500)]


def _forget(request: Request) -> None:
    callers: Callers = request.app.state.callers
    callers.forget()


@router.post("/session", response_model=answers.SessionAnswer)
def post_session(login: Login, request: Request, response: Response, service: Service) -> Any:
    """Sign in with a token: a session for browsers, in a cookie that scripts cannot read."""
    callers: Callers = request.app.state.callers
    caller = callers.of_token(login.token.strip())
    if caller is None:
        raise HTTPException(401, "unknown, expired or revoked token")
    secret, csrf = service.change(lambda tools: people.open_session(tools.conn, caller.token, tools.now))
    secure = request.url.scheme == "https" or request.app.state.settings.behind_tls
    response.set_cookie(
        COOKIE, secret, max_age=people.SESSION_SECONDS, httponly=True, samesite="strict", secure=secure, path="/"
    )
    return _session(caller, csrf)


def _session(caller: Caller, csrf: str | None) -> dict[str, Any]:
    return {"user": caller.name, "role": caller.role.value, "rights": sorted(caller.rights), "csrf": csrf}


@router.get("/session", response_model=answers.SessionAnswer)
def get_session(request: Request, caller: Reader, service: Service) -> Any:
    """Return who is signed in."""
    secret = request.cookies.get(COOKIE)
    csrf = None
    if secret and "authorization" not in request.headers:
        with service.reading() as conn:
            found = people.caller_of_session(conn, secret, service.clock())
        csrf = found[1] if found else None
    return _session(caller, csrf)


@router.delete("/session", status_code=204, response_class=Response)
def delete_session(request: Request, response: Response, caller: Reader, service: Service) -> None:
    """Sign out."""
    del caller
    secret = request.cookies.get(COOKIE)
    if secret:
        service.change(lambda tools: people.close_session(tools.conn, secret))
    response.delete_cookie(COOKIE, path="/")


@router.get("/users", response_model=answers.Listed[answers.UserAnswer])
def get_users(caller: Admin, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return the users."""
    del caller
    page = parse_cursor(cursor, limit)
    query = select(account).where(account.c.deleted_at.is_(None), account.c.id > (page.after[0] if page.after else 0))
    with service.reading() as conn:
        rows = conn.execute(query.order_by(account.c.id).limit(limit + 1)).all()
        items = []
        for row in rows:
            teams = select(team.c.name).join(membership).where(membership.c.account_id == row.id).order_by(team.c.name)
            items.append({"id": row.id, "name": row.name, "role": row.role, "teams": list(conn.scalars(teams))})
    return paged(rows, page, items)


@router.post("/users", status_code=201, response_model=answers.Made, responses=TAKEN)
def post_user(wanted: NewUser, caller: Admin, service: Service) -> Any:
    """Make a user."""

    def work(tools: Any) -> int:
        number = people.make_account(tools.conn, wanted.name, wanted.role, tools.now)
        if number is None:
            raise TakenError
        deed = people.Deed("user.create", wanted.name, {"role": wanted.role.value})
        people.note(tools.conn, caller.user, deed, tools.now)
        return number

    return {"id": service.change(work)}


@router.delete("/users/{number}", status_code=204, response_class=Response, responses=MISSING)
def delete_user(number: Id, request: Request, caller: Admin, service: Service) -> None:
    """Delete a user: their tokens end, and their events are not replayed."""
    if number == caller.user:
        raise HTTPException(403, "you cannot delete yourself")

    def work(tools: Any) -> None:
        if not people.delete_account(tools.conn, number, tools.now):
            raise MissingError
        people.note(tools.conn, caller.user, people.Deed("user.delete", f"user {number}"), tools.now)

    service.change(work)
    _forget(request)


@router.get("/teams", response_model=answers.Listed[answers.TeamAnswer])
def get_teams(caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return the teams: all for admins, else those that the caller is in."""
    page = parse_cursor(cursor, limit)
    query = select(team).where(team.c.id > (page.after[0] if page.after else 0))
    if not caller.is_admin:
        query = query.where(team.c.id.in_(select(membership.c.team_id).where(membership.c.account_id == caller.user)))
    with service.reading() as conn:
        rows = conn.execute(query.order_by(team.c.id).limit(limit + 1)).all()
        items = []
        for row in rows:
            members = select(account.c.name).join(membership).where(membership.c.team_id == row.id)
            found = list(conn.scalars(members.order_by(account.c.name)))
            items.append({"id": row.id, "name": row.name, "members": found})
    return paged(rows, page, items)


@router.post("/teams", status_code=201, response_model=answers.Made, responses=TAKEN)
def post_team(wanted: NewTeam, caller: Admin, service: Service) -> Any:
    """Make a team."""

    def work(tools: Any) -> int:
        number = people.make_team(tools.conn, wanted.name)
        if number is None:
            raise TakenError
        people.note(tools.conn, caller.user, people.Deed("team.create", wanted.name), tools.now)
        return number

    return {"id": service.change(work)}


@router.put("/teams/{number}/members/{user}", status_code=204, response_class=Response, responses=MISSING)
def put_member(number: Id, user: Id, request: Request, caller: Admin, service: Service) -> None:
    """Add a user to a team."""
    _member(service, caller, (number, user), member=True)
    _forget(request)


@router.delete("/teams/{number}/members/{user}", status_code=204, response_class=Response, responses=MISSING)
def delete_member(number: Id, user: Id, request: Request, caller: Admin, service: Service) -> None:
    """Take a user out of a team."""
    _member(service, caller, (number, user), member=False)
    _forget(request)


def _member(service: Service, caller: Caller, who: tuple[int, int], *, member: bool) -> None:
    number, user = who

    def work(tools: Any) -> None:
        known = select(account.c.id).where(account.c.id == user, account.c.deleted_at.is_(None))
        if tools.conn.scalar(select(team.c.id).where(team.c.id == number)) is None or tools.conn.scalar(known) is None:
            raise MissingError
        people.set_member(tools.conn, number, user, member=member)
        deed = people.Deed("team.add" if member else "team.remove", f"team {number}", {"user": user})
        people.note(tools.conn, caller.user, deed, tools.now)

    service.change(work)


@router.get("/permissions", response_model=answers.Listed[answers.GrantAnswer])
def get_permissions(caller: Admin, service: Service) -> Any:
    """Return what each team may do on each datastore."""
    del caller
    query = select(team.c.name, grant.c.datastore_id, grant.c.permission).join(team, team.c.id == grant.c.team_id)
    with service.reading() as conn:
        rows = conn.execute(query.order_by(team.c.id, grant.c.datastore_id)).all()
    return {"items": [{"team": one, "datastore": two, "permission": three} for one, two, three in rows], "next": None}


@router.put("/permissions", status_code=204, response_class=Response, responses=MISSING)
def put_permission(wanted: Grant, request: Request, caller: Admin, service: Service) -> None:
    """Give a team a permission on a datastore, or take it away."""

    def work(tools: Any) -> None:
        known = [
            tools.conn.scalar(select(table.c.id).where(table.c.id == number))
            for table, number in ((team, wanted.team), (datastore, wanted.datastore))
        ]
        if None in known:
            raise MissingError
        people.set_grant(tools.conn, wanted.team, wanted.datastore, wanted.permission)
        detail = {"datastore": wanted.datastore, "permission": wanted.permission and wanted.permission.value}
        people.note(tools.conn, caller.user, people.Deed("team.grant", f"team {wanted.team}", detail), tools.now)

    service.change(work)
    _forget(request)


@router.get("/tokens", response_model=answers.Listed[answers.TokenAnswer])
def get_tokens(caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return the tokens: all for admins, else the caller's own; never a token itself."""
    page = parse_cursor(cursor, limit)
    query = (
        select(token, account.c.name.label("owner"), team.c.name.label("of_team"))
        .join(account, account.c.id == token.c.account_id)
        .join(team, team.c.id == token.c.team_id, isouter=True)
        .where(token.c.id > (page.after[0] if page.after else 0))
    )
    if not caller.is_admin:
        query = query.where(token.c.account_id == caller.user)
    with service.reading() as conn:
        rows = conn.execute(query.order_by(token.c.id).limit(limit + 1)).all()
    items = [
        {
            "id": row.id,
            "name": row.name,
            "user": row.owner,
            "rights": row.rights.split(","),
            "team": row.of_team,
            "created_at": iso(row.created_at),
            "expires_at": iso(row.expires_at),
            "revoked": row.revoked_at is not None,
        }
        for row in rows
    ]
    return paged(rows, page, items)


@router.post("/tokens", status_code=201, response_model=answers.MadeToken, responses=MISSING)
def post_token(wanted: TokenRequest, caller: Editor, service: Service) -> Any:
    """Make a token; it is shown this once, and only its hash is kept."""
    if not caller.is_admin and wanted.user not in (None, caller.name):
        raise HTTPException(403, "only admins make tokens for others")
    if not caller.rights.issuperset(wanted.rights):
        raise HTTPException(403, "a token cannot make one with more rights than its own")

    def work(tools: Any) -> tuple[int, str]:
        owner = people.find_account(tools.conn, wanted.user or caller.name)
        if owner is None or (wanted.team is not None and not _may_use_team(tools, wanted.team, owner.id)):
            raise MissingError
        expires = _nanoseconds(wanted.expires_at) if wanted.expires_at else None
        new = people.NewToken(owner.id, wanted.name, frozenset(wanted.rights), wanted.team, expires)
        made = people.make_token(tools.conn, new, tools.now)
        deed = people.Deed("token.create", f"token {made[0]}", {"user": owner.name, "rights": sorted(wanted.rights)})
        people.note(tools.conn, caller.user, deed, tools.now)
        return made

    number, text = service.change(work)
    return {"id": number, "token": text}


def _may_use_team(tools: Any, number: int, user: int) -> bool:
    return people.is_member(tools.conn, number, user)


def _nanoseconds(moment: datetime) -> int:
    return max(-(2**63), min(int(moment.timestamp()) * _SECOND, 2**63 - 1))


@router.delete("/tokens/{number}", status_code=204, response_class=Response, responses=MISSING)
def delete_token(number: Id, request: Request, caller: Editor, service: Service) -> None:
    """Revoke a token; an admin's any, else one's own."""

    def work(tools: Any) -> None:
        if not people.revoke_token(tools.conn, number, tools.now, owner=None if caller.is_admin else caller.user):
            raise MissingError
        people.note(tools.conn, caller.user, people.Deed("token.revoke", f"token {number}"), tools.now)

    service.change(work)
    _forget(request)


@router.get("/audit", response_model=answers.Listed[answers.AuditItem])
def get_audit(
    caller: Admin, service: Service, limit: Annotated[int, Query(ge=1, le=1000)] = 100, cursor: Cursor = None
) -> Any:
    """Return who changed what, the latest first."""
    import json

    del caller
    page: Page = parse_cursor(cursor, limit)
    query = select(audit, account.c.name).join(account, account.c.id == audit.c.account_id, isouter=True)
    if page.after:
        query = query.where(audit.c.id < page.after[0])
    with service.reading() as conn:
        rows = conn.execute(query.order_by(desc(audit.c.id)).limit(limit + 1)).all()
    items = [
        {
            "id": row.id,
            "at": iso(row.at),
            "user": row.name,
            "action": row.action,
            "subject": row.subject,
            "detail": json.loads(row.detail),
        }
        for row in rows
    ]
    return paged(rows, page, items)
