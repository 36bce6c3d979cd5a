"""Requests over HTTP that are bounded in time and in bytes, and whose failures are values.

One `HttpClient` stands for one server. `send` returns an `Outcome`, and never raises for what the network or the
server does:

- `Answered`: the final status line arrived. `status` decides; the body may still be cut short (`cut` says why).
- `NotSent`: no byte of the request left: sending it again cannot do anything twice.
- `Unknown`: the request went out, at least in part, and no status came back: it may have been done, or not.

A `Reason` says why, in words that hold no address, no header and nothing of an answer.
"""

from streamt.net.address import Address, AddressError, parse_address, segments
from streamt.net.client import Answered, Basic, Bearer, Body, HttpClient, NotSent, Outcome, Unknown
from streamt.net.deadline import Deadline
from streamt.net.reasons import Reason
from streamt.net.tls import CertificateFileError

__all__ = [
    "Address",
    "AddressError",
    "Answered",
    "Basic",
    "Bearer",
    "Body",
    "CertificateFileError",
    "Deadline",
    "HttpClient",
    "NotSent",
    "Outcome",
    "Reason",
    "Unknown",
    "parse_address",
    "segments",
]
