"""The servers that tests share."""

from collections.abc import Iterator

import pytest

from tests.e2e.broker import Broker, any_broker


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A broker that all tests of this process share; each makes topics of its own."""
    with any_broker() as running:
        yield running
