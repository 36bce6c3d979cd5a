"""What every change of the catalog shares: the means of its transaction, and the reasons to refuse it."""

from dataclasses import dataclass

from sqlalchemy import Connection

from streamt.catalog.store.ids import PendingIds


class DeniedError(Exception):
    """The caller may not do this."""


class MissingError(Exception):
    """There is nothing of this name or number that the caller may see."""


class TakenError(Exception):
    """The name is in use."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a change works with, inside its transaction."""

    conn: Connection
    ids: PendingIds
    now: int
