"""Which certificates are trusted, and what a TLS connection must be."""

import os
import ssl
from collections.abc import Iterable
from pathlib import Path

from streamt.files import read_file

_LARGEST_PEM = 16 * 1024 * 1024


class CertificateFileError(OSError):
    """A file that does not hold certificates in PEM.

    Attributes:
        path: the file.
        variable: the environment variable that names it; None where a setting does.
    """

    def __init__(self, path: Path, variable: str | None) -> None:
        super().__init__("not a PEM file with certificates")
        self.path = path
        self.variable = variable


def client_context(ca_files: Iterable[Path]) -> ssl.SSLContext:
    """Make what a client needs for TLS 1.2 or newer, with certificate and host name checked.

    Trusted are the system's certificates, those that SSL_CERT_FILE and SSL_CERT_DIR add, and `ca_files`. Python's own
    default is not used: it would write the session's keys to the file that SSLKEYLOGFILE names, and wait for ever for a
    pipe.

    Args:
        ca_files: PEM files with more certificates.

    Raises:
        CertificateFileError: one of the files is no regular file, cannot be read, or holds no certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _trust_system(context)
    variable = ssl.get_default_verify_paths().openssl_cafile_env
    if named := os.environ.get(variable):
        _trust(context, Path(named), variable)
    for path in ca_files:
        _trust(context, path, None)
    return context


def _trust_system(context: ssl.SSLContext) -> None:
    paths = ssl.get_default_verify_paths()
    folder = os.environ.get(paths.openssl_capath_env) or paths.openssl_capath
    if Path(paths.openssl_cafile).is_file():
        context.load_verify_locations(cafile=paths.openssl_cafile)
    if Path(folder).is_dir():
        context.load_verify_locations(capath=folder)


def _trust(context: ssl.SSLContext, path: Path, variable: str | None) -> None:
    try:
        context.load_verify_locations(cadata=read_file(path, limit=_LARGEST_PEM).decode("ascii", "replace"))
    except (OSError, ValueError):
        raise CertificateFileError(path, variable) from None
