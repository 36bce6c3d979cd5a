"""Secrets on their way into artifacts: each gets a reference, and its value stays here."""

import re
from collections.abc import Callable, Sequence

from streamt.deploy.artifact import Content, SecretRef
from streamt.deploy.project import Secrets
from streamt.diagnostics import StreamtError, Supplied, pointer
from streamt.project.language.fields import Secret

Scalar = str | bool | int | float

_SECRET_PARTS = (
    "password", "passphrase", "secret", "token", "credential", "jaas", "private", "api.key", "apikey", "access.key",
    "user.info", "basic.auth",
)  # fmt: skip
# A secret inside of another setting: a user or a parameter of an address, a pair, or what follows the name of a scheme.
_INSIDE = re.compile(
    r"://[^/\s]*@|://\S*\?|(?:password|passphrase|secret|token|credentials?|key)\s*[=:]|\b(?:bearer|basic)\s+\S",
    re.IGNORECASE,
)


class SecretBook:
    """Collects the secrets of one project."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._unset: dict[str, StreamtError] = {}

    def secrets(self) -> Secrets:
        """Return all that was collected."""
        return Secrets(self._values, self._unset)

    def keep(self, path: Sequence[str | int], make: Callable[[], str]) -> SecretRef:
        """Keep a secret.

        Args:
            path: the place of its declaration, with names for indexes.
            make: makes its text; if a variable is not set, the secret stays unknown until somebody needs it.
        """
        ref = SecretRef(pointer(*path))
        try:
            self._values[ref.pointer] = make()
        except StreamtError as error:
            self._unset[ref.pointer] = error
        return ref

    def shown(self, value: str, *path: str | int) -> Content:
        """Return a text as artifacts may show it: what a variable supplied is a secret."""
        return self.keep(path, lambda: str(value)) if isinstance(value, Supplied) else value

    def setting(self, key: str, value: Secret[Scalar], *path: str | int) -> Content:
        """Return a setting of a client or connector: plain, unless it is a variable's, or a secret by its name or form.

        A placeholder of a config provider of Kafka's, such as `${file:/run/secrets:password}`, is no secret itself.
        """
        if value.is_supplied:
            return self.keep(path, lambda: text_of(value))
        text = text_of(value)
        is_placeholder = text.startswith("${") and text.endswith("}") and text.count("${") == 1
        is_named = any(part in key.lower().replace("_", ".") for part in _SECRET_PARTS)
        is_secret = is_named or _INSIDE.search(text) is not None
        return self.keep(path, lambda: text) if is_secret and not is_placeholder else text


def text_of(value: Secret[Scalar] | Secret[str] | Scalar | None) -> str:
    """Return a setting's value as Kafka's clients take it; an absent one is empty.

    Raises:
        StreamtError: E502, the variable that should supply it is not set.
    """
    shown = value.get_secret_value() if isinstance(value, Secret) else value
    if shown is None:
        return ""
    return str(shown).lower() if isinstance(shown, bool) else str(shown)
