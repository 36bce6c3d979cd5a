"""The exports and artifacts of the examples, and `python -m tests.update_golden`, which writes them as golden files.

Both the tests and this command drive the real program, so a golden file is always what a user would get.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
GOLDEN = ROOT / "tests" / "golden"

# 2025-01-31T08:00:00Z, the time of every event in a golden file.
FROZEN_EPOCH = "1738310400"

_PAYMENTS = ("--project-dir", "examples/payments", "--job-namespace", "payments-demo")

# The arguments of `streamt` behind each golden file.
EXPORTS: dict[str, tuple[str, ...]] = {
    "payments.jsonl": ("docs", "openlineage", *_PAYMENTS),
    "payments.envelope.json": ("--output", "json", "docs", "openlineage", *_PAYMENTS),
    "ecommerce-dev.jsonl": (
        *("docs", "openlineage", "--project-dir", "examples/ecommerce", "--env", "dev"),
        *("--job-namespace", "shop-dev"),
    ),
    "ecommerce-prod.jsonl": (
        *("docs", "openlineage", "--project-dir", "examples/ecommerce", "--env", "prod"),
        *("--job-namespace", "shop-prod", "--kafka-namespace", "kafka://kafka.shop.example.com:9093"),
    ),
    "iot.jsonl": (*("docs", "openlineage", "--project-dir", "examples/iot", "--job-namespace", "plant-7"),),
}

# The projects and environments whose artifacts are kept, each in a folder of `golden/artifacts`.
ARTIFACTS: dict[str, tuple[str, ...]] = {
    "payments": ("build", "--project-dir", "examples/payments"),
    "ecommerce-dev": ("build", "--project-dir", "examples/ecommerce", "--env", "dev"),
    "ecommerce-prod": ("build", "--project-dir", "examples/ecommerce", "--env", "prod"),
    "iot": ("build", "--project-dir", "examples/iot"),
}


def run_streamt(arguments: Sequence[str], cwd: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    """Run the real program, in an environment that holds no variable of the caller's but the path."""
    environ = {"PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": FROZEN_EPOCH}
    command = [sys.executable, "-m", "streamt", *arguments]
    return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, check=False)


def main() -> int:
    """Write every golden file anew."""
    GOLDEN.mkdir(exist_ok=True)
    for name, arguments in EXPORTS.items():
        result = run_streamt(arguments)
        if result.returncode != 0:
            sys.stderr.buffer.write(result.stdout + result.stderr)
            return result.returncode
        (GOLDEN / name).write_bytes(result.stdout)
    for name, arguments in ARTIFACTS.items():
        result = run_streamt([*arguments, "--output-dir", str(GOLDEN / "artifacts" / name)])
        if result.returncode != 0:
            sys.stderr.buffer.write(result.stdout + result.stderr)
            return result.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
