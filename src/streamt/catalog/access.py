"""Who may see and edit what: pure; tokens are made and compared here, never kept.

Source: catalog.md, "What a caller may see", C16, C23; lineage-ingestion, "Several Matches" and "Who Asserted".
"""

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from streamt.catalog.values import ALL, Scope

TOKEN_PREFIX = "streamt_"  # noqa: S105 - what every token begins with, so that scanners for leaked ones know it
_TOKEN_BYTES = 32


class Role(StrEnum):
    """What a user may do everywhere."""

    ADMIN = "admin"
    MANAGER = "manager"
    MEMBER = "member"


class Permission(StrEnum):
    """What a team may do on a datastore."""

    VIEWER = "viewer"
    EDITOR = "editor"


class Right(StrEnum):
    """What a token may be used for."""

    READ = "read"
    SEND = "send"
    EDIT = "edit"


ALL_RIGHTS = frozenset(Right)


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks.

    Attributes:
        user: the user's number.
        name: the user's name.
        role: what they may do everywhere.
        permissions: what their teams, or the one team that the token is restricted to, may do, by datastore.
        rights: what the token may be used for.
        token: the token's number, for limits; 0 inside the program.
    """

    user: int
    name: str
    role: Role
    permissions: Mapping[int, Permission] = field(default_factory=dict)
    rights: frozenset[Right] = ALL_RIGHTS
    token: int = 0

    @property
    def is_admin(self) -> bool:
        """Report whether everything is allowed."""
        return self.role is Role.ADMIN

    @property
    def viewable(self) -> Scope:
        """Return the datastores whose containers the caller may see."""
        return ALL if self.is_admin else Scope(frozenset(self.permissions))

    @property
    def editable(self) -> Scope:
        """Return the datastores that the caller may edit: the scope of an event that is sent now."""
        if self.is_admin:
            return ALL
        editors = (number for number, permission in self.permissions.items() if permission is Permission.EDITOR)
        return Scope(frozenset(editors))

    def sees_edge(self, datastores: Iterable[int | None]) -> bool:
        """Report whether an edge may be shown: Viewer on at least one of its containers (C23)."""
        return any(self.viewable.covers([one]) for one in datastores if one is not None)

    def sees_details(self, datastores: Iterable[int | None]) -> bool:
        """Report whether job, run, submitter and code may be shown: Viewer on every container it touches."""
        return self.viewable.covers([one for one in datastores if one is not None])


def strongest(grants: Iterable[tuple[int, Permission]]) -> dict[int, Permission]:
    """Return the strongest permission of several teams, by datastore."""
    found: dict[int, Permission] = {}
    for datastore, permission in grants:
        if found.get(datastore) is not Permission.EDITOR:
            found[datastore] = permission
    return found


def new_token() -> str:
    """Return a token that nobody can guess; it is shown once and stored only as `token_hash`."""
    return TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


def token_hash(token: str) -> bytes:
    """Return what is stored of a token; it is random, so a fast hash tells nothing."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
