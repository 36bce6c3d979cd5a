"""Catalogs to try, on both stores, real ones."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.catalog.desk import Desk
from tests.deploy.postgres_server import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with postgres_server(tmp_path_factory.mktemp("catalog-postgres")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/catalog.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.make_database(f"catalog_{uuid4().hex}")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that `Desk.open` set up once, to be copied: migrating costs more than most tests."""
    folder = tmp_path_factory.mktemp("template")
    Desk.open(f"sqlite:///{folder}/catalog.db").catalog.close()
    return folder / "catalog.db"


@pytest.fixture(scope="session")
def postgres_template(postgres: PostgresServer) -> str:
    """A database that `Desk.open` set up once, to be copied."""
    Desk.open(postgres.make_database("template_of_catalogs")).catalog.close()
    return "template_of_catalogs"


@pytest.fixture(params=["sqlite", "postgres"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """A catalog with an admin, a connection, and tables a, b, c in datastore 1, d in datastore 2."""
    if request.param == "sqlite":
        url = copied(request.getfixturevalue("sqlite_template"), tmp_path / "desk.db")
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        name = f"catalog_{uuid4().hex}"
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE {request.getfixturevalue("postgres_template")}')
        url = server.url(name)
    one = Desk.again(url)
    yield one
    one.catalog.close()


@pytest.fixture
def sqlite_desk(sqlite_template: Path, tmp_path: Path) -> Iterator[Desk]:
    one = Desk.again(copied(sqlite_template, tmp_path / "desk.db"))
    yield one
    one.catalog.close()


def copied(template: Path, path: Path) -> str:
    """Copy a store and return the copy's URL."""
    shutil.copy(template, path)
    return f"sqlite:///{path}"
