"""Delivery of run events: to a local file, or over HTTP; configured as OpenLineage's own client is."""

from streamt.diagnostics import StreamtError
from streamt.openlineage.transport.config import (
    FileConfig,
    HttpConfig,
    TransportConfig,
    transport_from_environ,
)
from streamt.openlineage.transport.delivery import DeliveryError, Transport
from streamt.openlineage.transport.tree import Place

__all__ = [
    "DeliveryError",
    "FileConfig",
    "HttpConfig",
    "Transport",
    "TransportConfig",
    "open_transport",
    "transport_from_environ",
]


def open_transport(config: TransportConfig) -> Transport:
    """Make the transport, and find out all that can be known before the first event; nothing is sent or written.

    Args:
        config: from `transport_from_environ`.

    Raises:
        StreamtError: E506: the file cannot be appended to, the HTTP library is not installed, or `SSL_CERT_FILE`
            holds no certificates.
    """
    return _open_file(config) if isinstance(config, FileConfig) else _open_http(config)


def _open_file(config: FileConfig) -> Transport:
    from streamt.openlineage.transport.file import FileTransport, why

    try:
        return FileTransport(config)
    except OSError as error:
        message = f"the file that `log_file_path` names cannot be appended to: {why(error)}"
        raise StreamtError(
            config.place.problem(message, "choose a regular file in a folder that you may write")
        ) from None


def _open_http(config: HttpConfig) -> Transport:
    try:
        from streamt.openlineage.transport.http import HttpTransport
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "urllib3":
            raise
        place = Place("OPENLINEAGE__TRANSPORT__TYPE")
        hint = "install streamt with its extra `http`, or urllib3 itself, or write `type: file`"
        raise StreamtError(place.problem("the `http` transport needs urllib3, which is not installed", hint)) from None
    try:
        return HttpTransport(config)
    except OSError:
        message = "SSL_CERT_FILE does not name a PEM file with certificates"
        raise StreamtError(Place("SSL_CERT_FILE").problem(message, "mend it, or unset it")) from None
