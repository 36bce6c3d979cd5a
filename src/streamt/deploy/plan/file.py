"""Saved plans: private, whole or untouched, free of secrets, and read exactly as they were written."""

import base64
import json
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

from streamt.deploy.plan.data import FORMAT, plan_data, read_plan
from streamt.deploy.plan.model import Plan
from streamt.deploy.sealed import MIB, SealError, digest_of, seal, unseal
from streamt.diagnostics import Code, Diagnostic, FilePlace, Option, StreamtError
from streamt.files import atomic_replace, open_file

LIMIT = 16 * MIB
_SHORTEST_SECRET = 4
"""Characters: a shorter value stands in any text by chance, and is no secret."""


def plan_digest(plan: Plan) -> str:
    """Return the digest of everything that the plan says."""
    return digest_of(plan_data(plan))


def save_plan(path: Path, plan: Plan, secrets: Iterable[str]) -> None:
    """Write `plan` to `path`, readable by its owner alone.

    Args:
        path: a new file, or one that holds a plan of ours.
        plan: the plan.
        secrets: every value that must not be in it, in any encoding.

    Raises:
        StreamtError: E540, the file is somebody else's, cannot be written, or would hold a secret.
    """
    content = seal(plan_data(plan), "digest") + b"\n"
    if len(content) > LIMIT:
        message = f"the plan is larger than {LIMIT // MIB} MiB"
        raise _refused(message, "plan fewer resources at once with `--select`")
    if any(_holds(content, secret) for secret in secrets if not _is_public(secret, plan)):
        message = "the plan was not saved: it would hold the value of a secret"
        raise _refused(message, "report this; no plan should hold one")
    _check_target(path)
    try:
        atomic_replace(path, [content], mode=stat.S_IRUSR | stat.S_IWUSR)
    except OSError as error:
        raise _refused(f"the plan cannot be written: {error.strerror or type(error).__name__}", None) from None


def load_plan(path: Path) -> Plan:
    """Return the plan that was saved at `path`.

    Raises:
        StreamtError: E540, it cannot be read, is of another format, or was changed.
    """
    place = FilePlace(str(path))
    try:
        with open_file(path) as file:
            return _read(file.read(LIMIT + 1))
    except OSError as error:
        message = f"the plan cannot be read: {error.strerror or type(error).__name__}"
        raise StreamtError(Diagnostic(code=Code.PLAN_INVALID, message=message, location=place)) from None
    except SealError as error:
        hint = "make it anew with `streamt plan --out FILE`"
        message = f"the plan {error}; nothing was changed"
        raise StreamtError(Diagnostic(code=Code.PLAN_INVALID, message=message, location=place, hint=hint)) from None


def _read(content: bytes) -> Plan:
    if not content.endswith(b"\n") and len(content) <= LIMIT:
        raise SealError("is cut short")
    return read_plan(unseal(content.removesuffix(b"\n"), form=FORMAT, key="digest", limit=LIMIT))


def secret_forms(secret: str) -> Iterator[bytes]:
    """Yield each usual encoding of a secret; none for one that is too short to be told from other text."""
    if len(secret) < _SHORTEST_SECRET:
        return
    raw = secret.encode(errors="surrogatepass")
    yield raw
    for is_ascii in (True, False):  # as a value, and inside a value that is JSON itself
        once = json.dumps(secret, ensure_ascii=is_ascii)[1:-1]
        yield once.encode(errors="surrogatepass")
        yield json.dumps(once, ensure_ascii=is_ascii)[1:-1].encode(errors="surrogatepass")
    yield quote(raw, safe="").encode()
    yield quote_plus(raw).encode()
    yield from _base64_forms(raw)


def _base64_forms(raw: bytes) -> Iterator[bytes]:
    """Yield base64 at each of the three alignments that the secret can have inside a longer text."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        whole = encoded[(shift * 4 + 2) // 3 : len(encoded) - 4 if len(raw) + shift > 3 else None]
        if len(whole) >= _SHORTEST_SECRET:
            yield whole
            yield whole.replace(b"+", b"-").replace(b"/", b"_")


def _holds(content: bytes, secret: str) -> bool:
    return any(form in content for form in secret_forms(secret))


def _is_public(secret: str, plan: Plan) -> bool:
    """Report whether a secret is part of a name that the plan shows anyway: a user `shop` of project `shop`."""
    names = (plan.project, plan.environment, "streamt", FORMAT, *(each.name for each in plan.actions))
    return any(secret in name for name in names)


def _check_target(path: Path) -> None:
    """Refuse to replace what is no plan of ours."""
    try:
        with open_file(path) as file:
            content = file.read(LIMIT + 1)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _refused(f"the plan cannot be written: {error.strerror or type(error).__name__}", None) from None
    if f'"format":"{FORMAT}"'.encode() not in content[:LIMIT] or not content.startswith(b'{"actions":['):
        raise _refused("the file exists and is not a plan of streamt; it was left unchanged", "give another path")


def _refused(message: str, hint: str | None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.PLAN_INVALID, message=message, location=Option("out"), hint=hint))
