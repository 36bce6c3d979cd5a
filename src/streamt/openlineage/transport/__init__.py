"""Delivery of run events: to a local file, or over HTTP; configured as OpenLineage's own client is."""

from streamt.diagnostics import StreamtError, Variable
from streamt.openlineage.transport.failures import DeliveryError, Transport
from streamt.openlineage.transport.settings import (
    FileSettings,
    HttpSettings,
    TransportSettings,
    transport_from_environ,
)
from streamt.openlineage.transport.sources import problem

__all__ = [
    "DeliveryError",
    "FileSettings",
    "HttpSettings",
    "Transport",
    "TransportSettings",
    "open_transport",
    "transport_from_environ",
]


def open_transport(settings: TransportSettings) -> Transport:
    """Make the transport, and find out all that can be known before the first event; nothing is sent or written.

    Args:
        settings: from `transport_from_environ`.

    Raises:
        StreamtError: E506: the file cannot be appended to, or `SSL_CERT_FILE` holds no certificates.
    """
    return _open_file(settings) if isinstance(settings, FileSettings) else _open_http(settings)


def _open_file(settings: FileSettings) -> Transport:
    from streamt.openlineage.transport.file import FileTransport, why

    try:
        return FileTransport(settings)
    except OSError as error:
        message = f"the file that `log_file_path` names cannot be appended to: {why(error)}"
        hint = "choose a regular file in a folder that you may write"
        raise StreamtError(problem(settings.place, message, hint)) from None


def _open_http(settings: HttpSettings) -> Transport:
    from streamt.net import CertificateFileError
    from streamt.openlineage.transport.http import HttpTransport

    try:
        return HttpTransport(settings)
    except CertificateFileError:
        message = "SSL_CERT_FILE does not name a PEM file with certificates"
        raise StreamtError(problem(Variable("SSL_CERT_FILE"), message, "fix it, or unset it")) from None
