"""Where HTTP events go: the base address, checked by its letters before anything else reads it."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

_PRINTABLE = re.compile(r"[!-~]+")
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?")
_SEGMENTS = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*")
_EXAMPLE = "write it like `https://lineage.example.com:443`"


class AddressError(ValueError):
    """An address that cannot be used.

    Attributes:
        message: what is wrong, without a letter of the address.
        hint: what to write.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Address:
    """An `http` or `https` address.

    Attributes:
        secure: whether it is `https`.
        host: a name or an IP address, the latter without brackets.
        port: 1 to 65535.
        path: begins and ends with `/`.
    """

    secure: bool
    host: str
    port: int
    path: str

    @property
    def is_loopback(self) -> bool:
        """Tell whether the address cannot leave this machine, by its letters and not by a look-up."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def target(self, endpoint: str) -> str:
        """Give the path to post to: `endpoint` under our path, or, where it begins with `/`, under the root."""
        return endpoint if endpoint.startswith("/") else self.path + endpoint


def parse_address(text: str) -> Address:
    """Read a base address.

    Raises:
        AddressError: it is no address, or holds what a base address must not: user information, a query, a
            fragment, a path that does not end in `/` (of which two readings exist).
    """
    if not _PRINTABLE.fullmatch(text):
        raise AddressError("must be an address of printable ASCII without spaces", _EXAMPLE)
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise AddressError("is no address", _EXAMPLE) from None
    if parts.scheme not in {"http", "https"}:
        raise AddressError("must begin with `https://` or `http://`", _EXAMPLE)
    if "@" in parts.netloc:
        instead = "take it out, and write `auth: {type: api_key, apiKey: ...}`"
        raise AddressError("must not hold a user name or a password", instead)
    if "?" in text or "#" in text:
        raise AddressError("must not hold a query or a fragment", "take out all from `?` or `#` on")
    if not _is_host(host, bracketed="[" in parts.netloc) or port == 0:
        raise AddressError("must hold a host name or an IP address, and a port from 1 to 65535", _EXAMPLE)
    check_path(parts.path)
    if parts.path and not parts.path.endswith("/"):
        raise AddressError("must end with `/` when it has a path", "add the `/`, or move the path to `endpoint`")
    return Address(parts.scheme == "https", host, port or (443 if parts.scheme == "https" else 80), parts.path or "/")


def check_path(path: str) -> None:
    """Check a path, or an endpoint.

    Raises:
        AddressError: it holds what no path holds, a query, an empty part, `.` or `..`.
    """
    inner = path.removeprefix("/").removesuffix("/")
    if not _SEGMENTS.fullmatch(path) or {".", ".."} & set(inner.split("/")) or "//" in path:
        hint = "write it like `api/v1/lineage`; escape other letters with `%`"
        raise AddressError("must be a plain path without query, fragment, `.`, `..` and `//`", hint)


def _is_host(host: str, *, bracketed: bool) -> bool:
    if not bracketed:
        return bool(_HOST.fullmatch(host)) and len(host) <= 253
    try:
        return ip_address(host).version == 6
    except ValueError:
        return False
