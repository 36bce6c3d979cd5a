"""A project of two topics behind a proxy, for each test that drives the program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.scenarios.program import Project, Unique
from tests.stack.fixtures import KafkaServers
from tests.stack.proxy import kafka_proxy


@pytest.fixture
def project(kafka: KafkaServers, tmp_path: Path, unique: Unique) -> Iterator[Project]:
    with kafka_proxy(kafka.bootstrap) as proxy:
        one = Project(tmp_path / "project", proxy, kafka.bootstrap, (unique("paid"), unique("sent")))
        one.folder.mkdir()
        one.write()
        yield one
