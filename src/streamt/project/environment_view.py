"""What an environment's file says, with nothing of a secret in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streamt.diagnostics import MASK
from streamt.project.environments import choose_environment
from streamt.project.files import Folder
from streamt.project.variables import is_template
from streamt.project.yaml_file import read_yaml_file

# Only what is known to be harmless is shown: a mistyped key must not show the secret that it holds.
_SECTIONS = frozenset(
    [
        "environment",
        "runtime",
        "kafka",
        "schema_registry",
        "flink",
        "connect",
        "clusters",
        "conduktor",
        "gateway",
        "console",
        "safety",
        "deployment_state",
    ]
)
PLAIN_KEYS = frozenset(
    [
        "name",
        "description",
        "protected",
        "security_protocol",
        "sasl_mechanism",
        "ssl_ca_location",
        "ssl_certificate_location",
        "ssl_key_location",
        "default",
        "type",
        "version",
        "virtual_cluster",
        "confirm_apply",
        "allow_destructive",
        "require_reviewed_plan",
        "plan_max_age",
        "require_remote_state",
        "deletable",
        "backend",
        "namespace",
        "lock_wait",
        "secret_memory",
        "cluster_id",
    ]
)
ADDRESS_KEYS = frozenset(
    [
        "bootstrap_servers",
        "bootstrap_servers_internal",
        "proxy_bootstrap",
        "rest_url",
        "sql_gateway_url",
        "admin_url",
        "url",
    ]
)


def environment_view(directory: Path, name: str | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what an environment's file says, as plain data, with `***` for secrets and for what a variable supplies.

    A variable is not looked up, so none needs to be set. Of an address the scheme, the host and the port are shown.

    Args:
        directory: the project's folder.
        name: the environment; by default the one that a command would take.
        environ: the process's variables, for `STREAMT_ENV`.

    Raises:
        StreamtError: E501 or E503, it does not exist or cannot be read.
    """
    folder = Folder(directory)
    name, file = choose_environment(folder, name, environ)
    data = read_yaml_file(folder, file or folder.root_file()).data
    shown = {key: data[key] for key in ("runtime", "safety", "deployment_state") if data.get(key) is not None}
    environment = data.get("environment")
    own = environment if isinstance(environment, dict) and file else {}
    return {"environment": {"name": name} | _masked(own, ("environment",))} | {
        key: _masked(value, (key,)) for key, value in shown.items()
    }


def _masked(value: Any, path: tuple[str, ...]) -> Any:
    """Copy plain data, with `***` in place of what must not be seen."""
    if isinstance(value, dict):
        known = path[-1] in _SECTIONS or path[-2:-1] == ("clusters",)
        return {key: _masked(each, (*path, key)) for key, each in value.items()} if known else MASK
    if isinstance(value, list):
        return [_masked(each, path) for each in value]
    if value is None or (path[-1] in PLAIN_KEYS and not is_template(value)):
        return value
    is_address = path[-1] in ADDRESS_KEYS and path[0] != "deployment_state" and isinstance(value, str)
    return _address(value) if is_address and not is_template(value) else MASK


def _address(value: str) -> str:
    """Return the schemes, hosts and ports of addresses between commas."""
    return ",".join(map(_one_address, value.split(",")))


def _one_address(text: str) -> str:
    scheme, separator, rest = text.strip().rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return MASK
    shown = f"[{host}]" if ":" in host else host
    exact = shown + (f":{port}" if port is not None else "")
    hidden = f"/{MASK}" if parts.path.strip("/") or parts.query or parts.fragment else ""
    user = f"{MASK}@" if "@" in parts.netloc else ""
    return f"{scheme}{separator}{user}{exact}{hidden}"
