"""What others take from `streamt.testing`, and what its worker process does not load."""

import subprocess
import sys

import streamt.testing


def test_the_face_is_what_is_promised() -> None:
    assert streamt.testing.__all__ == [
        "AssertionResult",
        "Counts",
        "Covered",
        "Listener",
        "RecordPosition",
        "RunObserver",
        "Selected",
        "Status",
        "TestResult",
        "Verdict",
        "consumed_topics",
        "continuous_job_name",
        "coverage",
        "diagnose",
        "run_observed",
        "run_tests",
        "select_tests",
    ]
    assert all(getattr(streamt.testing, name).__name__ == name for name in streamt.testing.__all__)
    assert not hasattr(streamt.testing, "nothing")


def test_the_worker_loads_nothing_that_only_the_command_needs() -> None:
    script = "import sys, streamt.testing.sampling.child; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"pydantic", "sqlglot", "yaml", "jsonschema", "duckdb", "confluent_kafka", "click", "streamt.project"}
    assert heavy.isdisjoint(loaded)
    assert "streamt.compiler" not in loaded
