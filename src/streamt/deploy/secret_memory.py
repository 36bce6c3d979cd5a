"""What state remembers of secrets: enough to say that one changed, and nothing to read it from."""

import hmac
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256

from streamt.deploy.artifact import Artifact, SecretRef
from streamt.deploy.backend import Applied, SecretState
from streamt.deploy.project import Secrets


def remember(artifact: Artifact, secrets: Secrets, key: str | None) -> dict[str, str]:
    """Return an HMAC-SHA-256 of each secret of an artifact, by its place; empty if nothing is to be remembered.

    Args:
        artifact: what is being put at a provider.
        secrets: the values.
        key: the store's own key, hexadecimal; None if secrets are not remembered.
    """
    if key is None:
        return {}
    found: dict[str, str] = {}
    for place, ref in artifact.secrets.items():
        with suppress(KeyError):
            found[place] = _hmac(secrets, ref, key)
    return found


def compare(
    artifact: Artifact, applied: Applied | None, secrets: Secrets, key: str | None
) -> Mapping[str, SecretState]:
    """Return, for each secret of an artifact, whether it is the one that was last sent."""
    return {place: _compared(place, ref, applied, secrets, key) for place, ref in artifact.secrets.items()}


def _compared(place: str, ref: SecretRef, applied: Applied | None, secrets: Secrets, key: str | None) -> SecretState:
    remembered = applied.secrets.get(place) if applied else None
    if key is None or remembered is None:
        return SecretState.UNKNOWN
    try:
        is_same = hmac.compare_digest(remembered, _hmac(secrets, ref, key))
    except KeyError:
        return SecretState.UNKNOWN
    return SecretState.SAME if is_same else SecretState.CHANGED


def _hmac(secrets: Secrets, ref: SecretRef, key: str) -> str:
    value = secrets.reveal(ref).encode(errors="surrogatepass")
    return "hmac-sha256:" + hmac.new(bytes.fromhex(key), value, sha256).hexdigest()
