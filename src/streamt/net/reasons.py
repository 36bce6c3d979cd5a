"""Why a request failed: every exception of sockets, TLS and HTTP in words of ours.

What an exception itself says is never passed on: it may hold an address, a header or an answer.
"""

import http.client
import socket
import ssl
from collections.abc import Mapping
from enum import StrEnum

_EXPIRED = 10  # OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED
_OTHER_HOST = frozenset({62, 64})  # X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH


class Reason(StrEnum):
    """Why a request failed; the value says it in words, as the end of a sentence."""

    TIMED_OUT = "timed out"
    UNRESOLVED = "the host name could not be resolved"
    REFUSED = "connection refused"
    UNREACHABLE = "the host cannot be reached"
    BROKEN = "the connection was cut"
    NOT_HTTP = "the answer is not HTTP"
    TOO_LARGE = "the answer is too large"
    TLS_FAILED = "the TLS connection failed"
    CERTIFICATE_UNTRUSTED = "the server's certificate is not trusted"
    CERTIFICATE_OF_OTHER_HOST = "the server's certificate is for another host"
    CERTIFICATE_EXPIRED = "the server's certificate has expired"
    FAILED = "the request failed"


REASONS: Mapping[type[BaseException], Reason] = {
    socket.gaierror: Reason.UNRESOLVED,
    ConnectionRefusedError: Reason.REFUSED,
    ssl.SSLCertVerificationError: Reason.CERTIFICATE_UNTRUSTED,
    ssl.SSLEOFError: Reason.BROKEN,
    ssl.SSLZeroReturnError: Reason.BROKEN,
    ssl.SSLError: Reason.TLS_FAILED,
    TimeoutError: Reason.TIMED_OUT,
    ConnectionError: Reason.BROKEN,
    http.client.IncompleteRead: Reason.BROKEN,
    http.client.HTTPException: Reason.NOT_HTTP,
    OSError: Reason.UNREACHABLE,
    ValueError: Reason.NOT_HTTP,
}
"""From the special to the general: the first that fits is the answer. A ValueError is a number that is none."""


def reason_of(error: Exception) -> Reason:
    """Return why `error` ended a request."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate(error)
    return next((reason for kind, reason in REASONS.items() if isinstance(error, kind)), Reason.FAILED)


def _certificate(error: ssl.SSLCertVerificationError) -> Reason:
    if error.verify_code in _OTHER_HOST:
        return Reason.CERTIFICATE_OF_OTHER_HOST
    return Reason.CERTIFICATE_EXPIRED if error.verify_code == _EXPIRED else Reason.CERTIFICATE_UNTRUSTED
