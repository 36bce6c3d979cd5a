"""The transport's settings: from a YAML file and variables to a checked, frozen value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from streamt.diagnostics import Diagnostic, StreamtError
from streamt.openlineage.transport import vocabulary
from streamt.openlineage.transport.address import Address, AddressError, check_path, parse_address
from streamt.openlineage.transport.settings import Settings, merged_settings
from streamt.openlineage.transport.tree import Leaf, Place

MAX_TIMEOUT_S = 5.0
"""The official client's default; a server's own address never has one."""


@dataclass(frozen=True, slots=True)
class FileConfig:
    """Events go to a local file.

    Attributes:
        path: the file, which need not exist yet; relative to the current folder.
        place: where the setting stands, for what is found out later.
    """

    path: Path
    place: Place = field(default=Place("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpConfig:
    """Events go to an HTTP endpoint.

    Attributes:
        address: the base address, kept out of `repr` with all that could identify an account.
        endpoint: the path below it.
        timeout_s: seconds by the wall clock for one try, from the name look-up to the last byte; at most 5.
        retries: how often a failed delivery is tried again, 0 or 1.
        api_key: sent as `Authorization: Bearer ...`, to the letter.
        gzip: whether events are compressed.
        ca_file: a PEM file with certificates to trust beside the system's (`SSL_CERT_FILE`).
    """

    address: Address = field(repr=False)
    endpoint: str = field(repr=False)
    timeout_s: float = MAX_TIMEOUT_S
    retries: int = 1
    api_key: str | None = field(default=None, repr=False)
    gzip: bool = False
    ca_file: Path | None = None


TransportConfig = FileConfig | HttpConfig


def transport_from_environ(environ: Mapping[str, str]) -> TransportConfig:
    """Read the transport from `OPENLINEAGE_CONFIG` and `OPENLINEAGE__TRANSPORT__...`.

    A variable overrides the file's same key by being there. Every value is the exact string that was given.

    Args:
        environ: the process's environment.

    Raises:
        StreamtError: E506 for every setting that is missing, unknown, in conflict, refused or malformed, each
            with its variable, and with file, line and column where it stands in the file. No value is named.
    """
    problems: list[Diagnostic] = []
    settings = merged_settings(environ, problems)
    config = _Builder(settings, environ, problems).build()
    if problems or config is None:
        raise StreamtError(*problems)
    return config


class _Builder:
    """Checks the settings one by one, and collects what is wrong."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], problems: list[Diagnostic]) -> None:
        self._settings = settings
        self._environ = environ
        self._problems = problems

    def build(self) -> TransportConfig | None:
        """Give the transport, or None beside at least one problem."""
        kind = self._leaf("type")
        match kind.text if kind else None:
            case "file":
                self._refuse_keys_of("http", vocabulary.HTTP_KEYS)
                return self._file()
            case "http":
                self._refuse_keys_of("file", vocabulary.FILE_KEYS)
                return self._http()
        if kind:
            self._refuse_type(kind)
        elif "type" not in self._settings:
            self._missing_type()
        return None

    def _missing_type(self) -> None:
        if self._settings:
            self._missing("type", "write `file` or `http`")
            return
        hint = (
            "set OPENLINEAGE__TRANSPORT__TYPE=file and OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=events.jsonl, or "
            "OPENLINEAGE__TRANSPORT__TYPE=http, OPENLINEAGE__TRANSPORT__URL=https://... and "
            "OPENLINEAGE__TRANSPORT__ENDPOINT=... (as the backend's page says, api/v1/lineage for Marquez), or set "
            "OPENLINEAGE_CONFIG to a YAML file that holds `transport:`"
        )
        message = "run events have nowhere to go: no OpenLineage transport is set up"
        self._problems.append(Place("OPENLINEAGE__TRANSPORT__TYPE").problem(message, hint))

    def _refuse_type(self, kind: Leaf) -> None:
        known = vocabulary.find(kind.text, vocabulary.REFUSED_TYPES)
        meant = vocabulary.nearest(kind.text, ("file", "http"))
        if known:
            message, hint = f"the transport `{known}` is not supported", vocabulary.REFUSED_TYPES[known]
        else:
            message = "`type` must be `file` or `http`"
            hint = f"did you mean `{meant}`?" if meant else "write one of the two"
        self._problems.append(kind.place.problem(message, hint))

    def _refuse_keys_of(self, other: str, keys: tuple[str, ...]) -> None:
        for name, leaf in self._settings.items():
            if leaf and name.split(".")[0] in keys:
                message = f"`{name}` is a setting of the `{other}` transport, and `type` says otherwise"
                self._problems.append(leaf.place.problem(message, "leave it out, or change `type`"))

    def _file(self) -> FileConfig | None:
        if self._flag("append") is False:
            self._refuse("append", "`append` must be `true`, for no file is ever started anew", "leave it out")
        path = self._required("log_file_path", "write the path of a file, such as `events.jsonl`")
        leaf = self._leaf("log_file_path")
        if path is None or leaf is None:
            return None
        if not path.strip() or "\0" in path or "://" in path:
            self._refuse("log_file_path", "`log_file_path` must be a local path", "write it like `events.jsonl`")
        return FileConfig(Path(path), leaf.place)

    def _http(self) -> HttpConfig | None:
        address = self._address()
        api_key = self._api_key()
        self._check_clear_text(address, api_key)
        self._check_verify()
        settings = HttpConfig(
            address=address or Address(secure=True, host="", port=443, path="/"),
            endpoint=self._endpoint(),
            timeout_s=self._timeout(),
            retries=self._retries(),
            api_key=api_key,
            gzip=self._gzip(),
            ca_file=self._ca_file(address),
        )
        return settings if address else None

    def _address(self) -> Address | None:
        text = self._required("url", "write the address of a backend, such as `https://lineage.example.com`")
        if text is None:
            return None
        try:
            return parse_address(text)
        except AddressError as error:
            self._refuse("url", f"`url` {error.message}", error.hint)
            return None

    def _endpoint(self) -> str:
        hint = "write the path below `url` as the backend's page says, `api/v1/lineage` for Marquez"
        text = self._required("endpoint", hint)
        if text is None:
            return ""
        if not text:
            self._refuse("endpoint", "`endpoint` is empty", hint)
            return ""
        try:
            check_path(text)
        except AddressError as error:
            self._refuse("endpoint", f"`endpoint` {error.message}", error.hint)
        return text

    def _timeout(self) -> float:
        text = self._leaf_text("timeout")
        if text is None:
            return MAX_TIMEOUT_S
        seconds = float(text) if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text) else 0.0
        if not 0 < seconds <= MAX_TIMEOUT_S:
            message = f"`timeout` must be a number of seconds above 0 and at most {MAX_TIMEOUT_S:g}"
            self._refuse("timeout", message, "write it like `2.5`")
        return seconds

    def _retries(self) -> int:
        text = self._leaf_text("retry.total")
        if text not in {None, "0", "1"}:
            self._refuse("retry.total", "`retry.total` must be 0 or 1", "an event is tried twice at the most")
        return 0 if text == "0" else 1

    def _gzip(self) -> bool:
        text = self._text("compression")
        if text not in {None, "gzip"}:
            self._refuse("compression", "`compression` must be `gzip`", "leave it out to send events as they are")
        return text == "gzip"

    def _check_verify(self) -> None:
        text = self._leaf_text("verify")
        if text is not None and text.lower() != "true":
            hint = "leave it out; to trust a CA of your own, set SSL_CERT_FILE to its PEM file"
            self._refuse("verify", "`verify` must be `true`: certificates are always checked", hint)

    def _api_key(self) -> str | None:
        if not any(name.startswith("auth.") for name in self._settings):
            return None
        kind = self._required("auth.type", "write `api_key`")
        if kind is not None and kind != "api_key":
            named = vocabulary.find(kind, vocabulary.REFUSED_AUTH_TYPES)
            message = f"`auth.type` `{named}` is not supported" if named else "`auth.type` must be `api_key`"
            self._refuse("auth.type", message, "write `api_key`, with a token in `auth.apiKey`")
        key = self._required("auth.apiKey", "write the key or token of the backend")
        if key is not None and not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", key):
            message = "`auth.apiKey` must be printable ASCII without spaces around it, and not empty"
            self._refuse("auth.apiKey", message, "look for a line break or a space that was copied with it")
        return key

    def _check_clear_text(self, address: Address | None, api_key: str | None) -> None:
        allowed = self._flag("allow_insecure_http")
        if address is None or address.secure or address.is_loopback:
            return
        if not allowed:
            hint = "write `https://`, or `allow_insecure_http: true` if everybody on the way may read the events"
            self._refuse("url", "`url` is plain `http://` to another machine", hint)
        if api_key is not None:
            hint = "write `https://` in `url`, or leave out `auth`"
            self._refuse("auth.apiKey", "an API key never goes over plain `http://` to another machine", hint)

    def _ca_file(self, address: Address | None) -> Path | None:
        path = self._environ.get("SSL_CERT_FILE")
        return Path(path) if path and address and address.secure else None

    def _flag(self, name: str) -> bool | None:
        text = self._leaf_text(name)
        if text is None:
            return None
        if text.lower() not in {"true", "false"}:
            self._refuse(name, f"`{name}` must be `true` or `false`")
            return None
        return text.lower() == "true"

    def _required(self, name: str, hint: str) -> str | None:
        if name not in self._settings:
            self._missing(name, hint)
        return self._text(name)

    def _text(self, name: str) -> str | None:
        leaf = self._leaf(name)
        if leaf and not leaf.is_text:
            self._refuse(name, f"`{name}` must be a JSON string", "put it in quotes")
            return None
        return leaf.text if leaf else None

    def _leaf_text(self, name: str) -> str | None:
        leaf = self._leaf(name)
        return leaf.text if leaf else None

    def _leaf(self, name: str) -> Leaf | None:
        return self._settings.get(name)

    def _missing(self, name: str, hint: str) -> None:
        """Report a setting that should stand beside the ones that are there."""
        beside = next((leaf.place for leaf in self._settings.values() if leaf), None)
        if beside is None or beside.file is None:
            spelled = name.replace("apiKey", "api_key").replace(".", "__").upper()
            place = Place(f"OPENLINEAGE__TRANSPORT__{spelled}")
        else:
            place = Place(beside.variable, beside.file)
        self._problems.append(place.problem(f"`{name}` is missing", hint))

    def _refuse(self, name: str, message: str, hint: str | None = None) -> None:
        leaf = self._leaf(name)
        if leaf:
            self._problems.append(leaf.place.problem(message, hint))
