"""Which places of a project hold secrets: what the models type as one, by its path."""

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
