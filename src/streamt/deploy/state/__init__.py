"""State: what an environment owns, and the durable operations that change it."""

from streamt.deploy.state.document import StateDocument, StateVersion, state_address
from streamt.deploy.state.durable import ActionResult, DurableOperation, Finished, Intention
from streamt.deploy.state.folder import StateFiles
from streamt.deploy.state.journal import Record, Word
from streamt.deploy.state.local import LocalStore
from streamt.deploy.state.operation import IntendedAction, Operation, RecordedStep
from streamt.deploy.state.postgres import PostgresStore
from streamt.deploy.state.store import Holder, Session, Snapshot, Store

__all__ = [
    "ActionResult",
    "DurableOperation",
    "Finished",
    "Holder",
    "IntendedAction",
    "Intention",
    "LocalStore",
    "Operation",
    "PostgresStore",
    "Record",
    "RecordedStep",
    "Session",
    "Snapshot",
    "StateDocument",
    "StateFiles",
    "StateVersion",
    "Store",
    "Word",
    "state_address",
]
