"""What the tests of deploying share: stores of both kinds."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from streamt.deploy.state import LocalStore, PostgresStore, StateFiles, Store, state_address
from tests.deploy.commands import Commands, make_commands
from tests.deploy.postgres_server import PostgresServer, postgres_server
from tests.deploy.shop import World, make_world

ADDRESS = state_address("default", "shop", "prod")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with postgres_server(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture
def postgres_store(postgres: PostgresServer) -> PostgresStore:
    store = PostgresStore(postgres.make_database(f"test_{uuid4().hex}"), ADDRESS)
    store.create_tables()
    return store


@pytest.fixture
def local_store(tmp_path: Path) -> LocalStore:
    return LocalStore(StateFiles(tmp_path, "prod"), ADDRESS)


@pytest.fixture(params=["local", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture
def sibling() -> Callable[[Store], Store]:
    """Return what makes the store of another environment in the same place."""

    def make(store: Store) -> Store:
        address = state_address("default", "shop", "staging")
        if isinstance(store, LocalStore):
            return LocalStore(StateFiles(store.files.root, "staging"), address)
        assert isinstance(store, PostgresStore)
        return PostgresStore(store.url, address)

    return make


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return make_commands(tmp_path)


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    return postgres.make_database(f"commands_{uuid4().hex}")
