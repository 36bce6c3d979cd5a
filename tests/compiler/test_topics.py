"""Settings of topics that no record survives."""

import pytest

from tests.compiler.projects import SOURCES, problems

MODEL = SOURCES + "models:\n  - {name: m, sql: 'SELECT a FROM {{ source(\"raw\") }}', key: a, materialized: topic%s}\n"
DEFAULTS = "defaults: {topic: {replication_factor: %s, config: {min.insync.replicas: %s}}}\n"


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        (MODEL % ", topic: {config: {min.insync.replicas: 2}}", "/models/0/topic/config/min.insync.replicas"),
        (
            MODEL % ", advanced: {topic: {replication_factor: 2, config: {min.insync.replicas: 3}}}",
            "/models/0/advanced/topic/config/min.insync.replicas",
        ),
        (DEFAULTS % (2, 3) + MODEL % "", "/models/0"),
    ],
)
def test_more_replicas_in_sync_than_there_are_are_refused(yaml: str, line: str) -> None:
    (found,) = (each for each in problems(yaml) if "min.insync.replicas" in each.message)
    assert (found.code.value[:4], found.location) == ("E510", line)


@pytest.mark.parametrize(
    "yaml", [DEFAULTS % (2, 2) + MODEL % "", MODEL % "", DEFAULTS % (1, 2) + MODEL % ", topic: {replication_factor: 3}"]
)
def test_enough_replicas_are_no_problem(yaml: str) -> None:
    assert [each for each in problems(yaml) if "min.insync.replicas" in each.message] == []
