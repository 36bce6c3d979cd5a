"""Catalogs to try, on both stores, real ones."""

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


@pytest.fixture
def desk(store_url: str) -> Iterator[Desk]:
    """A catalog with an admin, a connection, and tables a, b, c in datastore 1, d in datastore 2."""
    one = Desk.open(store_url)
    yield one
    one.catalog.close()


@pytest.fixture
def sqlite_desk(tmp_path: Path) -> Iterator[Desk]:
    one = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    yield one
    one.catalog.close()
