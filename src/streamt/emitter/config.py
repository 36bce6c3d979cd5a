"""The `lineage` block: from YAML, a mapping or variables to a checked, frozen value. Off unless it says otherwise."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamt.diagnostics import (
    Code,
    Diagnostic,
    FilePlace,
    Location,
    ProjectPath,
    StreamtError,
    Variable,
    did_you_mean,
    quote,
)

if TYPE_CHECKING:
    from streamt.net import Address

PREFIX = "STREAMT_LINEAGE_"
CONFIG_VARIABLE = "STREAMT_LINEAGE_CONFIG"
KEY = "lineage"

LARGEST_FILE = 1 << 20
MOST_QUEUED = 1_000_000
LONGEST_TIMEOUT_S = 60.0
LONGEST_CLOSE_S = 600.0


class TransportKind(StrEnum):
    """Where events go."""

    HTTP = "http"
    CONSOLE = "console"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageConfig:
    """How to tell of runs.

    Attributes:
        enabled: the master switch.
        transport: where events go.
        address: the full endpoint, of `http`.
        path: the file, of `file`.
        api_key: sent as a bearer token; kept out of `repr`.
        namespace: the namespace of jobs that name none.
        emit_dbt_datasets: whether dbt's nodes are told with what they read and write.
        databricks: how dbt's tables on Databricks are named: `databricks` or `unitycatalog`.
        timeout: seconds for one request, from the name look-up to the last byte.
        queue: how many events wait at most.
        close: seconds for which the end of the process waits for what is still queued.
    """

    enabled: bool = False
    transport: TransportKind = TransportKind.HTTP
    address: "Address | None" = field(default=None, repr=False)
    path: Path | None = None
    api_key: str | None = field(default=None, repr=False)
    namespace: str = "default"
    emit_dbt_datasets: bool = True
    databricks: str = "databricks"
    timeout: float = 5.0
    queue: int = 1000
    close: float = 2.0


KEYS = (
    "enabled",
    "transport",
    "url",
    "path",
    "api_key",
    "allow_insecure_http",
    "namespace",
    "emit_dbt_datasets",
    "databricks",
    "timeout",
    "queue",
    "close",
)
"""The keys of the block; each is a variable, too: `STREAMT_LINEAGE_URL`."""

OFFICIAL = {
    "url": "OPENLINEAGE_URL",
    "api_key": "OPENLINEAGE_API_KEY",
    "namespace": "OPENLINEAGE_NAMESPACE",
    "enabled": "OPENLINEAGE_DISABLED",
}
"""Variables of OpenLineage's own clients, which count where the block has no such key (E10)."""

ENDPOINT = "OPENLINEAGE_ENDPOINT"
DEFAULT_ENDPOINT = "api/v1/lineage"


@dataclass(frozen=True, slots=True)
class Setting:
    """One value, and where it stands.

    Attributes:
        value: as it was given.
        location: for messages.
        spelled: whether it is a text from a variable, which may mean a number or a boolean.
    """

    value: Any = field(repr=False)
    location: Location | None
    spelled: bool = False


def read_config(
    environ: Mapping[str, str],
    *,
    block: Mapping[str, object] | None = None,
    file: Path | None = None,
    enabled_by_destination: bool = False,
) -> LineageConfig:
    """Read the configuration: variables win over the block, the block over OpenLineage's own variables.

    Args:
        environ: the process's environment.
        block: the `lineage` block of a scheduler's own configuration.
        file: a YAML file with a key `lineage`; other keys are not looked at.
        enabled_by_destination: whether a `url` or a `path` switches it on, where nothing says otherwise.

    Raises:
        StreamtError: E506, with everything that is unknown, missing or malformed, each with its place.
    """
    problems: list[Diagnostic] = []
    settings = {**_official(environ), **_of_block(block, {}, problems), **_of_file(file, problems)}
    settings |= _of_variables(environ, problems)
    config = _Reader(settings, environ, problems, by_destination=enabled_by_destination).read()
    if problems:
        raise StreamtError(*problems)
    return config


def _official(environ: Mapping[str, str]) -> dict[str, Setting]:
    settings = {
        key: Setting(environ[variable], Variable(variable), spelled=True)
        for key, variable in OFFICIAL.items()
        if environ.get(variable) and key not in {"enabled", "url"}
    }
    if base := environ.get("OPENLINEAGE_URL"):
        endpoint = environ.get(ENDPOINT) or DEFAULT_ENDPOINT
        whole = f"{base.rstrip('/')}/{endpoint.lstrip('/')}"
        settings["url"] = Setting(whole, Variable("OPENLINEAGE_URL"), spelled=True)
    return settings


def _of_block(block: object, places: Mapping[str, Location], problems: list[Diagnostic]) -> dict[str, Setting]:
    settings: dict[str, Setting] = {}
    if block is None:
        return settings
    if not isinstance(block, Mapping):
        problems.append(_problem(f"`{KEY}` must be a mapping", places.get("", ProjectPath((KEY,), dotted=True))))
        return settings
    for key, value in block.items():
        place = places.get(str(key), ProjectPath((KEY, str(key)), dotted=True))
        if key not in KEYS:
            message = f"unknown key {quote(str(key))} in `{KEY}`"
            problems.append(_problem(message, place, did_you_mean(str(key), KEYS)))
        elif value is not None:
            settings[str(key)] = Setting(value, place)
    return settings


def _of_file(file: Path | None, problems: list[Diagnostic]) -> dict[str, Setting]:
    if file is None:
        return {}
    from streamt.emitter.config_file import read_block

    try:
        block, places = read_block(file)
    except StreamtError as error:
        problems.extend(error.diagnostics)
        return {}
    return _of_block(block, places, problems)


def _of_variables(environ: Mapping[str, str], problems: list[Diagnostic]) -> dict[str, Setting]:
    settings = {}
    for name in sorted(environ):
        key = name.removeprefix(PREFIX).lower()
        if not name.startswith(PREFIX) or name == CONFIG_VARIABLE or not environ[name]:
            continue
        if key in KEYS:
            settings[key] = Setting(environ[name], Variable(name), spelled=True)
        else:
            hint = did_you_mean(key, KEYS)
            problems.append(_problem(f"unknown variable {quote(name)}", Variable(name[:80]), hint))
    return settings


class _Reader:
    """Reads the settings one by one, and collects what is wrong."""

    def __init__(
        self,
        settings: Mapping[str, Setting],
        environ: Mapping[str, str],
        problems: list[Diagnostic],
        *,
        by_destination: bool,
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._problems = problems
        self._by_destination = by_destination

    def read(self) -> LineageConfig:
        transport = self._transport()
        default = LineageConfig()
        return LineageConfig(
            enabled=self._enabled(),
            transport=transport,
            address=self._address(transport),
            path=self._path(transport),
            api_key=self._api_key(),
            namespace=self._namespace(default.namespace),
            emit_dbt_datasets=self._boolean("emit_dbt_datasets", default=True),
            databricks=self._choice("databricks", ("databricks", "unitycatalog")),
            timeout=self._number("timeout", default.timeout, LONGEST_TIMEOUT_S),
            queue=int(self._number("queue", default.queue, MOST_QUEUED, whole=True)),
            close=self._number("close", default.close, LONGEST_CLOSE_S),
        )

    def _enabled(self) -> bool:
        if self._environ.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true":
            return False
        has_destination = bool({"url", "path", "transport"} & self._settings.keys())
        return self._boolean("enabled", default=self._by_destination and has_destination)

    def _transport(self) -> TransportKind:
        implied = "file" if "path" in self._settings and "url" not in self._settings else "http"
        return TransportKind(self._choice("transport", tuple(TransportKind), implied))

    def _address(self, transport: TransportKind) -> "Address | None":
        url = self._settings.get("url")
        if transport is not TransportKind.HTTP or not self._enabled_quietly():
            return None
        if url is None:
            hint = "write the full endpoint, such as `http://localhost:5000/api/v1/lineage`"
            self._problems.append(_problem("`url` is missing", _beside(self._settings, "url"), hint))
            return None
        return self._parsed(url)

    def _enabled_quietly(self) -> bool:
        before = len(self._problems)
        enabled = self._enabled()
        del self._problems[before:]
        return enabled

    def _parsed(self, url: Setting) -> "Address | None":
        from streamt.net import AddressError, parse_address

        if not isinstance(url.value, str):
            self._refuse(url, "`url` must be a text")
            return None
        try:
            address = parse_address(url.value)
        except AddressError as error:
            self._refuse(url, f"`url` {error.message}", error.hint)
            return None
        if address.path.strip("/") == "":
            hint = (
                "write the full endpoint, as `http://localhost:5000/api/v1/lineage` for Marquez or"
                " `http://localhost:8585/api/v1/openlineage/lineage` for OpenMetadata; or set OPENLINEAGE_URL to the"
                " server and OPENLINEAGE_ENDPOINT to the path"
            )
            self._refuse(url, "`url` has no path", hint)
        if not address.secure and not address.is_loopback and not self._boolean("allow_insecure_http", default=False):
            hint = "write `https://`, or `allow_insecure_http: true` if everybody on the way may read events and key"
            self._refuse(url, "`url` is plain `http://` to another machine", hint)
        return address

    def _path(self, transport: TransportKind) -> Path | None:
        setting = self._settings.get("path")
        if transport is not TransportKind.FILE:
            return None
        text = setting.value if setting else None
        if not isinstance(text, str) or not text.strip() or "\0" in text or "://" in text:
            where = setting.location if setting else _beside(self._settings, "path")
            message = "`path` must be a local file" if setting else "`path` is missing"
            self._problems.append(_problem(message, where, "write it like `events.jsonl`"))
            return None
        return Path(text)

    def _api_key(self) -> str | None:
        setting = self._settings.get("api_key")
        if setting is None or setting.value == "":
            return None
        if not isinstance(setting.value, str) or not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", setting.value):
            message = "`api_key` must be a text of printable ASCII without spaces around it"
            self._refuse(setting, message, "look for a line break or a space that was copied with it")
            return None
        return setting.value

    def _namespace(self, default: str) -> str:
        setting = self._settings.get("namespace")
        if setting is None:
            return default
        from streamt.openlineage.naming import is_clean_text

        if isinstance(setting.value, str) and setting.value.strip() and is_clean_text(setting.value):
            return setting.value
        self._refuse(setting, "`namespace` must be a text, not blank, without control characters")
        return default

    def _boolean(self, key: str, *, default: bool) -> bool:
        setting = self._settings.get(key)
        if setting is None or isinstance(setting.value, bool):
            return setting.value if setting else default
        if setting.spelled and str(setting.value).strip().lower() in {"true", "false"}:
            return str(setting.value).strip().lower() == "true"
        self._refuse(setting, f"`{key}` must be `true` or `false`")
        return default

    def _choice(self, key: str, choices: tuple[str, ...], default: str = "") -> str:
        setting = self._settings.get(key)
        if setting is None:
            return default or choices[0]
        if isinstance(setting.value, str) and setting.value in choices:
            return setting.value
        words = ", ".join(f"`{choice}`" for choice in choices)
        hint = did_you_mean(setting.value, choices) if isinstance(setting.value, str) else None
        self._refuse(setting, f"`{key}` must be one of {words}", hint)
        return default or choices[0]

    def _number(self, key: str, default: float, most: float, *, whole: bool = False) -> float:
        setting = self._settings.get(key)
        if setting is None:
            return default
        number = _as_number(setting, whole=whole)
        if number is None or not 0 < number <= most:
            kind = "a whole number" if whole else "a number of seconds"
            self._refuse(setting, f"`{key}` must be {kind} above 0 and at most {most:g}")
            return default
        return number

    def _refuse(self, setting: Setting, message: str, hint: str | None = None) -> None:
        self._problems.append(_problem(message, setting.location, hint))


def _as_number(setting: Setting, *, whole: bool) -> float | None:
    value = setting.value
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if not whole or isinstance(value, int) else None
    pattern = r"[0-9]{1,9}" if whole else r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s?"
    readable = isinstance(value, str) and re.fullmatch(pattern, value.strip())
    return float(value.strip().removesuffix("s")) if readable else None


def _beside(settings: Mapping[str, Setting], key: str) -> Location:
    """Return where a missing setting should stand: beside another one of the file, else in its variable."""
    place = next((each.location for each in settings.values() if isinstance(each.location, FilePlace)), None)
    return FilePlace(place.file, parts=(KEY,)) if place else Variable(f"{PREFIX}{key.upper()}")


def _problem(message: str, location: Location | None, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=location, hint=hint)
