"""What a failed request is called: every exception of the HTTP library, TLS and sockets in words of ours.

What the exception itself says is never passed on: it may hold an address, a header or an answer.
"""

import http.client
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

from urllib3 import exceptions as urllib3_errors

HOST_MISMATCH = frozenset({62, 64})
"""OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH."""

EXPIRED = 10
"""OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one try failed, and whether a second one could end differently."""

    reason: str
    may_retry: bool = False


_UNRESOLVED = Failure("the host name could not be resolved", may_retry=True)
_REFUSED = Failure("connection refused", may_retry=True)
_BROKEN = Failure("the connection broke off", may_retry=True)
_UNREACHABLE = Failure("the host cannot be reached", may_retry=True)
TIMED_OUT = Failure("timed out")
_NOT_HTTP = Failure("the answer is not HTTP")
_TLS = Failure("the TLS connection failed")
_UNUSABLE = Failure("the request could not be made")
_UNTRUSTED = Failure("the server's certificate is not trusted")

FAILURES: tuple[tuple[type[BaseException], Failure], ...] = (
    (socket.gaierror, _UNRESOLVED),
    (ConnectionRefusedError, _REFUSED),
    (ssl.SSLCertVerificationError, _UNTRUSTED),
    (ssl.SSLEOFError, _BROKEN),
    (ssl.SSLZeroReturnError, _BROKEN),
    (ssl.SSLError, _TLS),
    (TimeoutError, TIMED_OUT),
    (ConnectionError, _BROKEN),
    (http.client.IncompleteRead, _BROKEN),
    (http.client.ResponseNotReady, _BROKEN),
    (http.client.HTTPException, _NOT_HTTP),
    (OSError, _UNREACHABLE),
    (urllib3_errors.NameResolutionError, _UNRESOLVED),
    (urllib3_errors.NewConnectionError, _REFUSED),
    (urllib3_errors.TimeoutError, TIMED_OUT),
    (urllib3_errors.SSLError, _TLS),
    (urllib3_errors.DecodeError, _NOT_HTTP),
    (urllib3_errors.ResponseError, _NOT_HTTP),
    (urllib3_errors.HeaderParsingError, _NOT_HTTP),
    (urllib3_errors.BodyNotHttplibCompatible, _NOT_HTTP),
    (urllib3_errors.ResponseNotChunked, _NOT_HTTP),
    (urllib3_errors.ProtocolError, _BROKEN),
    (urllib3_errors.PoolError, _BROKEN),
    (urllib3_errors.ProxyError, _UNREACHABLE),
    (urllib3_errors.InvalidHeader, _NOT_HTTP),
    (urllib3_errors.LocationValueError, _UNUSABLE),
    (urllib3_errors.ProxySchemeUnsupported, _UNUSABLE),
    (urllib3_errors.TimeoutStateError, _UNUSABLE),
    (urllib3_errors.UnrewindableBodyError, _UNUSABLE),
)
"""From the cause to what wraps it, and from the special to the general: the first that fits is the answer."""


def failure_of(error: BaseException) -> Failure:
    """Translate `error`, or what caused it; a class that nobody foresaw is called by its name."""
    causes = list(_causes(error))
    for kind, failure in FAILURES:
        for cause in causes:
            if isinstance(cause, kind):
                return _certificate(cause) if isinstance(cause, ssl.SSLCertVerificationError) else failure
    return Failure(f"the request failed ({type(error).__name__})")


def failure_of_status(status: int) -> Failure | None:
    """Tell what an answer's status means: None for any 2xx."""
    if 200 <= status < 300:
        return None
    note = "; redirects are not followed" if 300 <= status < 400 else ""
    return Failure(f"HTTP {status}{note}", may_retry=status == 429 or status >= 500)


def _certificate(error: ssl.SSLCertVerificationError) -> Failure:
    if error.verify_code in HOST_MISMATCH:
        return Failure("the server's certificate is for another host")
    return Failure("the server's certificate has expired") if error.verify_code == EXPIRED else _UNTRUSTED


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give `error`, what it was raised from, and what it wraps as an argument (as urllib3 does)."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        cause = waiting.pop()
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [cause.__cause__, *cause.args, getattr(cause, "reason", None)]
