"""Which places of a project hold secrets: what the models type as one, by its path."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_RUNTIME_SECRETS = frozenset({"sasl_username", "sasl_password", "username", "password", "api_key", "api_secret"})


def is_secret(path: tuple[str | int, ...]) -> bool:
    """Report whether a secret stands at `path` of a merged project, or what would be a part of one."""
    return secret_length(path) is not None


def secret_length(path: tuple[str | int, ...]) -> int | None:
    """Return how many parts of `path` lead to the secret that stands there or above it; None where there is none."""
    if path[:1] == ("runtime",):
        return next((at + 1 for at, part in enumerate(path) if part in _RUNTIME_SECRETS), None)
    if path[:2] == ("deployment_state", "url"):
        return 2
    if path[:1] == ("models",) and path[2:3] in (("sink",), ("connector",)) and path[3:4] == ("config",):
        return 5 if len(path) > 4 else None
    return None


_VARIABLE_ALONE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-)?\}")


def written_secrets(data: Mapping[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each secret that a file writes out: of every value there but empty ones and `${NAME}`.

    Args:
        data: what the file says, variables not replaced.
    """
    for section in ("runtime", "deployment_state"):
        yield from _written(data.get(section), (section,))
    models = data.get("models")
    for index, model in enumerate(models if isinstance(models, list) else ()):
        for key in ("sink", "connector") if isinstance(model, dict) else ():
            if key in model:
                yield from _written(model[key], ("models", index, key))


def _written(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _written(each, (*path, key))
    elif is_secret(path) and not (value in (None, "") or _VARIABLE_ALONE.fullmatch(str(value))):
        yield path
