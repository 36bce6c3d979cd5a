"""What the commands of the catalog share: where its store, its server and its token are."""

import os
from pathlib import Path

import click

STORE_VARIABLE = "STREAMT_CATALOG_STORE"
URL_VARIABLE = "STREAMT_CATALOG_URL"
TOKEN_VARIABLE = "STREAMT_CATALOG_TOKEN"  # noqa: S105 - a variable's name
TOKEN_FILE_VARIABLE = "STREAMT_CATALOG_TOKEN_FILE"  # noqa: S105 - a variable's name
DEFAULT_URL = "http://127.0.0.1:8091"

store_option = click.option(
    "--store",
    envvar=STORE_VARIABLE,
    metavar="URL",
    help="sqlite:///PATH or postgresql://USER@HOST/DATABASE; else a file in your data folder.",
)


def data_folder() -> Path:
    """Return the folder of the catalog's own data: below XDG_DATA_HOME, else ~/.local/share."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "streamt"


def default_store() -> str:
    """Return the store that is used when none is named."""
    return f"sqlite:///{data_folder() / 'catalog.db'}"


def token_file() -> Path:
    """Return where the first admin's token is kept."""
    named = os.environ.get(TOKEN_FILE_VARIABLE)
    return Path(named) if named else data_folder() / "catalog-admin-token"
