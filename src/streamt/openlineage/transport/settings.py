"""The transport's settings: what there is to set, and from the variables and the file to a checked, frozen value."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError
from pydantic.fields import FieldInfo

from streamt.diagnostics import Diagnostic, FilePlace, StreamtError, Variable
from streamt.net import Address, AddressError, parse_address
from streamt.net.address import check_path
from streamt.openlineage.transport.refused import REFUSED_AUTH_TYPES, REFUSED_TYPES
from streamt.openlineage.transport.sources import Leaf, Reader, Table, find, nearest, problem, spelled

MAX_TIMEOUT_S = 5.0
"""The official client's default; a server's own address never has one."""

PREFIX = "OPENLINEAGE__TRANSPORT__"


class RefusedError(ValueError):
    """A value that a setting does not take.

    Attributes:
        message: what it must be, to stand after the setting's name; never the value.
        hint: what to write.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def _text(value: Any) -> str:
    """Take a text; a JSON number may not stand for one, since its zeros would be lost elsewhere."""
    if isinstance(value, Leaf) and not value.is_text:
        raise RefusedError("must be a JSON string", "put it in quotes")
    return _any_text(value)


def _any_text(value: Any) -> str:
    return value.text if isinstance(value, Leaf) else str(value)


def _flag(value: Any) -> bool:
    text = _any_text(value).lower()
    if text not in {"true", "false"}:
        raise RefusedError("must be `true` or `false`")
    return text == "true"


def _append(value: Any) -> Literal[True]:
    if not _flag(value):
        raise RefusedError("must be `true`, for no file is ever started anew", "leave it out")
    return True


def _verify(value: Any) -> Literal[True]:
    if _any_text(value).lower() != "true":
        hint = "leave it out; to trust a CA of your own, set SSL_CERT_FILE to its PEM file"
        raise RefusedError("must be `true`: certificates are always checked", hint)
    return True


def _local_path(value: Any) -> Path:
    text = _text(value)
    if not text.strip() or "\0" in text or "://" in text:
        raise RefusedError("must be a local path", "write it like `events.jsonl`")
    return Path(text)


def _base_url(value: Any) -> Address:
    if isinstance(value, Address):
        return value
    text = _text(value)
    try:
        address = parse_address(text)
    except AddressError as error:
        hint = "remove it, and write `auth: {type: api_key, apiKey: ...}`" if error.holds_credentials else error.hint
        raise RefusedError(error.message, hint) from None
    if not address.path.endswith("/"):  # two readings of it exist
        raise RefusedError("must end with `/` when it has a path", "add the `/`, or move the path to `endpoint`")
    return address


_ENDPOINT = "write the path below `url` as the backend's page says, `api/v1/lineage` for Marquez"


def _endpoint(value: Any) -> str:
    text = _text(value)
    if not text:
        raise RefusedError("is empty", _ENDPOINT)
    try:
        check_path(text)
    except AddressError as error:
        raise RefusedError(error.message, error.hint) from None
    return text


def _timeout(value: Any) -> float:
    text = _any_text(value)
    seconds = float(text) if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text) else 0.0
    if not 0 < seconds <= MAX_TIMEOUT_S:
        message = f"must be a number of seconds above 0 and at most {MAX_TIMEOUT_S:g}"
        raise RefusedError(message, "write it like `2.5`")
    return seconds


def _retries(value: Any) -> int:
    text = _any_text(value)
    if text not in {"0", "1"}:
        raise RefusedError("must be 0 or 1", "an event is tried twice at the most")
    return int(text)


def _compression(value: Any) -> Literal["gzip"]:
    if _text(value) != "gzip":
        raise RefusedError("must be `gzip`", "leave it out to send events as they are")
    return "gzip"


def _auth_type(value: Any) -> Literal["api_key"]:
    text = _text(value)
    if text != "api_key":
        named = find(text, REFUSED_AUTH_TYPES)
        message = f"`{named}` is not supported" if named else "must be `api_key`"
        raise RefusedError(message, "write `api_key`, with a token in `auth.apiKey`")
    return "api_key"


def _api_key(value: Any) -> str:
    text = _text(value)
    if not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", text):
        message = "must be printable ASCII without spaces around it, and not empty"
        raise RefusedError(message, "look for a line break or a space that was copied with it")
    return text


class Settings(BaseModel):
    """What every group of settings is: frozen, closed, and silent about the values that it refuses."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True, hide_input_in_errors=True
    )


class FileSettings(Settings):
    """Events go to a local file.

    Attributes:
        log_file_path: the file, which need not exist yet; relative to the current folder.
        append: always; no file is ever started anew.
        place: where `log_file_path` is set, for what is found out later.
    """

    type: Literal["file"] = "file"
    log_file_path: Annotated[Path, PlainValidator(_local_path)] = Field(
        description="write the path of a file, such as `events.jsonl`"
    )
    append: Annotated[Literal[True], PlainValidator(_append)] = True
    place: Variable = Variable(f"{PREFIX}LOG_FILE_PATH")


class Retry(Settings):
    """How often a failed delivery is tried again, 0 or 1 times."""

    total: Annotated[int, PlainValidator(_retries)] = 1


class Auth(Settings):
    """Who sends: a key or token, to the letter."""

    type: Annotated[Literal["api_key"], PlainValidator(_auth_type)] = Field(description="write `api_key`")
    api_key: Annotated[str, PlainValidator(_api_key)] = Field(
        alias="apiKey", repr=False, description="write the key or token of the backend"
    )


class HttpSettings(Settings):
    """Events go to an HTTP endpoint.

    Attributes:
        url: the base address, kept out of `repr` with all that could identify an account.
        endpoint: the path below it.
        timeout: seconds by the wall clock for one try, from the name look-up to the last byte; at most 5.
        retry: how often a failed delivery is tried again.
        auth: sent as `Authorization: Bearer ...`.
        compression: whether events are compressed.
        verify: always; certificates are checked.
        allow_insecure_http: whether events may go over plain `http://` to another machine.
        ca_file: a PEM file with certificates to trust beside the system's (`SSL_CERT_FILE`).
    """

    type: Literal["http"] = "http"
    url: Annotated[Address, PlainValidator(_base_url)] = Field(
        repr=False, description="write the address of a backend, such as `https://lineage.example.com`"
    )
    endpoint: Annotated[str, PlainValidator(_endpoint)] = Field(repr=False, description=_ENDPOINT)
    timeout: Annotated[float, PlainValidator(_timeout)] = MAX_TIMEOUT_S
    retry: Retry = Retry()
    auth: Auth | None = None
    compression: Annotated[Literal["gzip"], PlainValidator(_compression)] | None = None
    verify: Annotated[Literal[True], PlainValidator(_verify)] = True
    allow_insecure_http: Annotated[bool, PlainValidator(_flag)] = False
    ca_file: Path | None = None


TransportSettings = FileSettings | HttpSettings

_KINDS: Mapping[str, type[FileSettings | HttpSettings]] = {"file": FileSettings, "http": HttpSettings}
_FOUND_LATER = frozenset({"place", "ca_file"})


def _keys(kind: type[Settings]) -> tuple[str, ...]:
    return tuple(_key(name, info) for name, info in kind.model_fields.items() if name not in _FOUND_LATER)


def _key(name: str, info: FieldInfo) -> str:
    return info.alias or name


KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("transport",),
    "transport": tuple(dict.fromkeys((*_keys(FileSettings), *_keys(HttpSettings)))),
    "retry": _keys(Retry),
    "auth": _keys(Auth),
}
"""The keys of each group; a key that is a group itself is a key of this mapping, too."""


def transport_from_environ(environ: Mapping[str, str]) -> TransportSettings:
    """Read the transport from `OPENLINEAGE_CONFIG` and `OPENLINEAGE__TRANSPORT__...`.

    A variable overrides the file's same key by being there. Every value is the exact string that was given.

    Args:
        environ: the process's environment.

    Raises:
        StreamtError: E506 for every setting that is missing, unknown, in conflict, refused or malformed, each
            with its variable, and with file, line and column where it stands in the file. No value is named.
    """
    problems: list[Diagnostic] = []
    table = Reader(KEYS, problems).read(environ)
    settings = _build(table, environ, problems)
    if problems or settings is None:
        raise StreamtError(*problems)
    return settings


def _build(table: Table, environ: Mapping[str, str], problems: list[Diagnostic]) -> TransportSettings | None:
    """Return the settings, or None beside at least one problem."""
    kind = table.get("type")
    if kind is None:
        problems += [] if "type" in table else [_missing_type(table)]
        return None
    if kind.text not in _KINDS:
        problems.append(_unknown_type(kind))
        return None
    problems += _of_other_kind(table, kind.text)
    known = {name: leaf for name, leaf in table.items() if name.split(".")[0] in _keys(_KINDS[kind.text])}
    try:
        settings = _KINDS[kind.text].model_validate(_nested(known))
    except ValidationError as error:
        problems += _refusals(error, known)
        return None
    if isinstance(settings, FileSettings):
        leaf = known["log_file_path"]
        return settings.model_copy(update={"place": leaf.place}) if leaf else None
    problems += _clear_text(settings, known)
    path = environ.get("SSL_CERT_FILE")
    return settings.model_copy(update={"ca_file": Path(path)}) if path and settings.url.secure else settings


def _missing_type(table: Table) -> Diagnostic:
    if table:
        return _missing(table, "type", "write `file` or `http`")
    hint = (
        "set OPENLINEAGE__TRANSPORT__TYPE=file and OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=events.jsonl, or "
        "OPENLINEAGE__TRANSPORT__TYPE=http, OPENLINEAGE__TRANSPORT__URL=https://... and "
        "OPENLINEAGE__TRANSPORT__ENDPOINT=... (as the backend's page says, api/v1/lineage for Marquez), or set "
        "OPENLINEAGE_CONFIG to a YAML file that holds `transport:`"
    )
    message = "run events have nowhere to go: no OpenLineage transport is set up"
    return problem(Variable(f"{PREFIX}TYPE"), message, hint)


def _unknown_type(kind: Leaf) -> Diagnostic:
    if known := find(kind.text, REFUSED_TYPES):
        return problem(kind.place, f"the transport `{known}` is not supported", REFUSED_TYPES[known])
    meant = nearest(kind.text, _KINDS)
    hint = f"did you mean `{meant}`?" if meant else "write one of the two"
    return problem(kind.place, "`type` must be `file` or `http`", hint)


def _of_other_kind(table: Table, kind: str) -> Iterator[Diagnostic]:
    other = "file" if kind == "http" else "http"
    for name, leaf in table.items():
        if leaf and name.split(".")[0] not in _keys(_KINDS[kind]):
            message = f"`{name}` is a setting of the `{other}` transport, and `type` says otherwise"
            yield problem(leaf.place, message, "leave it out, or change `type`")


def _nested(table: Table) -> dict[str, Any]:
    """Make the groups of the dotted names, without what was reported already."""
    nested: dict[str, Any] = {}
    for name, leaf in table.items():
        group, _, key = name.rpartition(".")
        place = nested.setdefault(group, {}) if group else nested
        if leaf is not None:
            place[key] = leaf.text if name == "type" else leaf
    return nested


def _refusals(error: ValidationError, table: Table) -> Iterator[Diagnostic]:
    for refused in error.errors(include_url=False):
        name = ".".join(map(str, refused["loc"]))
        leaf = table.get(name)
        if refused["type"] == "missing":
            if name not in table:
                yield _missing(table, name, _description(name))
        elif leaf is not None:
            refusal = refused["ctx"]["error"]
            yield problem(leaf.place, f"`{name}` {refusal.message}", refusal.hint)


def _description(name: str) -> str | None:
    group, _, key = name.rpartition(".")
    kinds: list[type[Settings]] = [Auth] if group else [FileSettings, HttpSettings]
    found = [info for kind in kinds for field, info in kind.model_fields.items() if _key(field, info) == key]
    return next((info.description for info in found if info.description), None)


def _missing(table: Table, name: str, hint: str | None) -> Diagnostic:
    """Report a setting that should stand beside the ones that are there."""
    beside = next((leaf.place for leaf in table.values() if leaf), None)
    if beside is None or beside.place is None:
        place = Variable(f"{PREFIX}{spelled(name)}")
    else:
        place = Variable(beside.name, FilePlace(beside.place.file))
    return problem(place, f"`{name}` is missing", hint)


def _clear_text(settings: HttpSettings, table: Table) -> Iterator[Diagnostic]:
    if settings.url.secure or settings.url.is_loopback:
        return
    url, key = table["url"], table.get("auth.apiKey")
    if url and not settings.allow_insecure_http:
        hint = "write `https://`, or `allow_insecure_http: true` if everybody on the way may read the events"
        yield problem(url.place, "`url` is plain `http://` to another machine", hint)
    if key:
        hint = "write `https://` in `url`, or leave out `auth`"
        yield problem(key.place, "an API key never goes over plain `http://` to another machine", hint)
