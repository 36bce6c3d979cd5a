"""Where requests go: an address, checked by its letters before anything else reads it."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlsplit

_PRINTABLE = re.compile(r"[!-~]+")
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?")
_PATH = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*")
_EXAMPLE = "write it like `https://host.example.com:8443`"


class AddressError(ValueError):
    """An address that cannot be used.

    Attributes:
        message: what is wrong, to stand after the setting's name; not a letter of the address.
        hint: what to write.
        holds_credentials: whether a user name or a password stands in it.
    """

    def __init__(self, message: str, hint: str, *, holds_credentials: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.holds_credentials = holds_credentials


@dataclass(frozen=True, slots=True)
class Address:
    """An `http` or `https` address.

    Attributes:
        secure: whether it is `https`.
        host: a name or an IP address, the latter without brackets.
        port: 1 to 65535.
        path: what stands before every path that is asked for; begins with `/`.
    """

    secure: bool
    host: str
    port: int
    path: str = "/"

    @property
    def is_loopback(self) -> bool:
        """Whether the address cannot leave this machine, by its letters and not by a look-up."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def origin(self) -> str:
        """The address without its path: `https://host:443`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def target(self, path: str) -> str:
        """Return the path to ask for: `path` below this address, or, where it begins with `/`, below the root."""
        return path if path.startswith("/") else f"{self.path.removesuffix('/')}/{path}"


def parse_address(text: str) -> Address:
    """Read a base address.

    Raises:
        AddressError: it is no address, or holds what a base address must not: user information, a query, a
            fragment, a path with `.`, `..` or an empty part.
    """
    if not _PRINTABLE.fullmatch(text):
        raise AddressError("must be an address of printable ASCII without spaces", _EXAMPLE)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise AddressError("is not an address", _EXAMPLE) from None
    _check_parts(text, parts)
    if not _is_host(parts.hostname or "", bracketed="[" in parts.netloc) or port == 0:
        raise AddressError("must hold a host name or an IP address, and a port from 1 to 65535", _EXAMPLE)
    check_path(parts.path)
    secure = parts.scheme == "https"
    return Address(secure, parts.hostname or "", port or (443 if secure else 80), parts.path or "/")


def _check_parts(text: str, parts: SplitResult) -> None:
    if parts.scheme not in {"http", "https"}:
        raise AddressError("must begin with `https://` or `http://`", _EXAMPLE)
    if "@" in parts.netloc:
        hint = "remove it, and use the settings for credentials"
        raise AddressError("must not hold a user name or a password", hint, holds_credentials=True)
    if "?" in text or "#" in text:
        raise AddressError("must not hold a query or a fragment", "remove everything from `?` or `#` on")


def check_path(path: str) -> None:
    """Check a path that is escaped already.

    Raises:
        AddressError: it holds what no path holds, a query, an empty part, `.` or `..`.
    """
    inner = path.removeprefix("/").removesuffix("/")
    if not _PATH.fullmatch(path) or {".", ".."} & set(inner.split("/")) or "//" in path:
        hint = "write it like `api/v1/lineage`; escape other letters with `%`"
        raise AddressError("must be a plain path without query, fragment, `.`, `..` and `//`", hint)


def segments(*parts: str) -> str:
    """Join the segments of a path, each escaped: `segments("subjects", "a/b")` is `subjects/a%2Fb`."""
    return "/".join(quote(part, safe="") for part in parts)


def _is_host(host: str, *, bracketed: bool) -> bool:
    if not bracketed:
        return bool(_HOST.fullmatch(host)) and len(host) <= 253
    try:
        return ip_address(host).version == 6
    except ValueError:
        return False
