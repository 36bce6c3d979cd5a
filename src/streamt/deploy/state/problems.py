"""The errors of stores, each made in one place."""

from streamt.deploy.sealed import SealError
from streamt.deploy.state.store import Holder
from streamt.diagnostics import Code, Diagnostic, FilePlace, Location, ProjectPath, StreamtError

STATE_URL = ProjectPath(("deployment_state", "url"))
_RECOVER = "run `streamt state recover`: it asks the providers what happened, and closes the operation"


def invalid(what: str, error: SealError, location: Location, hint: str) -> StreamtError:
    """Return E550 for a state or journal that is not believed."""
    message = f"{what} {error}; nothing was changed"
    return StreamtError(Diagnostic(code=Code.STATE_INVALID, message=message, location=location, hint=hint))


def unavailable(message: str, location: Location, hint: str | None = None) -> StreamtError:
    """Return E551 for a store that cannot be used."""
    return StreamtError(Diagnostic(code=Code.STATE_UNAVAILABLE, message=message, location=location, hint=hint))


def file_unavailable(path: str, error: OSError) -> StreamtError:
    """Return E551 for a file that the system refuses."""
    return unavailable(f"`{path}` cannot be used: {error.strerror or type(error).__name__}", FilePlace(path))


def locked(holder: Holder | None, waited: float) -> StreamtError:
    """Return E552 for a lock that somebody else has."""
    by = holder.description if holder else "another process"
    message = f"the state is locked by {by}; waited {waited:g} s"
    hint = "wait until it has finished, or give more time with `--lock-wait SECONDS`"
    return StreamtError(Diagnostic(code=Code.STATE_LOCKED, message=message, hint=hint))


def lock_lost(reason: str) -> StreamtError:
    """Return E553 for a lock that is no longer ours."""
    message = f"the lock of the state was lost: {reason}; no provider was called after that"
    return StreamtError(Diagnostic(code=Code.LOCK_LOST, message=message, hint=_RECOVER))


def conflict(message: str) -> StreamtError:
    """Return E554 for a state that is not the one that was read."""
    hint = "look at `streamt state status`, then plan again"
    return StreamtError(Diagnostic(code=Code.STATE_CONFLICT, message=message, hint=hint))


def outcome_unknown(message: str) -> StreamtError:
    """Return E556 for a commit of which nobody can say whether it happened."""
    return StreamtError(Diagnostic(code=Code.OUTCOME_UNKNOWN, message=message, hint=_RECOVER))


def not_released(reason: str) -> StreamtError:
    """Return E557 for a lock that cannot be given back."""
    message = f"the lock of the state could not be given back: {reason}; the state itself is as it should be"
    hint = "look at `streamt state status`; if the lock lingers, run `streamt state unlock LOCK-ID`"
    return StreamtError(Diagnostic(code=Code.RELEASE_FAILED, message=message, hint=hint))
