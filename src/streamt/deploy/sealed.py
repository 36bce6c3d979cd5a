"""Files that are read exactly as they were written, or not at all: plans, states and the records of journals.

A sealed document is canonical JSON with a digest over everything but the digest itself. Whatever changes one of its
bytes (an editor, a merge, a disk) is told by name, before anything is believed.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

MIB = 1024 * 1024


class SealError(ValueError):
    """Says why a document is not believed, as the rest of a sentence about it: `is cut short`."""


def canonical(data: Mapping[str, Any]) -> bytes:
    """Return plain data as JSON of one spelling: sorted keys, no spaces, UTF-8.

    Raises:
        ValueError: it holds a number that JSON does not have, or text that is not Unicode.
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest_of(data: Mapping[str, Any]) -> str:
    """Return `sha256:` and the hexadecimal SHA-256 of the canonical JSON of plain data."""
    return "sha256:" + hashlib.sha256(canonical(data)).hexdigest()


def seal(data: Mapping[str, Any], key: str) -> bytes:
    """Return one line without its newline: `data` with its digest under `key`."""
    return canonical({**data, key: digest_of(data)})


def unseal(content: bytes, *, form: str, key: str, limit: int) -> dict[str, Any]:
    """Return what was sealed.

    Args:
        content: one line without its newline.
        form: the format that is understood, such as `streamt.state/1`.
        key: where the digest stands.
        limit: bytes that are read at most.

    Raises:
        SealError: it is too large, no JSON, of another format, or changed since it was sealed.
    """
    data = parse(content, limit)
    if not isinstance(data, dict):
        raise SealError("is not a JSON object")
    _check_form(data.get("format"), form)
    sealed = data.pop(key, None)
    if sealed != digest_of(data):
        raise SealError(f"was changed after it was written: its `{key}` does not match")
    if seal(data, key) != content:
        raise SealError("was changed after it was written: it is not in canonical form")
    return data


def parse(content: bytes, limit: int) -> Any:
    """Return JSON data.

    Raises:
        SealError: it is too large, not UTF-8, no JSON, or has a key twice.
    """
    if len(content) > limit:
        raise SealError(f"is larger than {limit // MIB} MiB")
    try:
        text = content.decode()
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        what = "is cut short" if error.pos >= len(text.rstrip()) else f"is not valid JSON (character {error.pos + 1})"
        raise SealError(what) from None
    except UnicodeDecodeError:
        raise SealError("is not UTF-8") from None
    except RecursionError:
        raise SealError("is nested too deeply") from None
    except SealError:
        raise
    except ValueError:  # a number of thousands of digits
        raise SealError("holds a number that is too long") from None


def is_cut_short(content: bytes) -> bool:
    """Report whether `content` is the beginning of a JSON text whose rest is missing."""
    try:
        json.loads(content)
    except json.JSONDecodeError as error:
        return error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    except (UnicodeDecodeError, RecursionError):
        return True  # cut inside a character
    except ValueError:
        return False
    return False


def _check_form(found: object, form: str) -> None:
    name, version = form.split("/")
    match = re.fullmatch(rf"{re.escape(name)}/([1-9][0-9]{{0,8}})", found) if isinstance(found, str) else None
    if match is None:
        raise SealError(f"is not of the format `{form}`")
    if int(match[1]) > int(version):
        raise SealError(f"is of the format `{found}`, which only a newer streamt understands")
    if found != form:
        raise SealError(f"is of the format `{found}`, which is no longer understood")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in data if keys.count(key) > 1)
        raise SealError(f"has the key `{twice[:80]}` twice")
    return data


def _refuse_constant(name: str) -> object:
    raise SealError(f"holds `{name}`, which JSON does not have")
