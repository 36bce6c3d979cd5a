"""`python -m benchmarks`: run every benchmark that needs no server of its own, and fail where a bound was missed."""

import subprocess
import sys

PARTS = ("benchmarks.startup", "benchmarks.commands", "benchmarks.artifacts", "benchmarks.sample", "benchmarks.journal")


def main() -> int:
    """Run the parts one after the other; each is told in full, whatever became of the one before."""
    failed = []
    for part in PARTS:
        print(f"\n== {part}", flush=True)
        if subprocess.run([sys.executable, "-m", part], check=False).returncode:
            failed.append(part)
    if failed:
        print(f"\na bound was missed in {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
