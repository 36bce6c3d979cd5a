"""Rewrite the tables of the documents that are made from the code: `python -m tests.update_docs`."""

from pathlib import Path

from streamt.diagnostics import Code
from streamt.project.constructs import CONSTRUCTS

DOCS = Path(__file__).parents[1] / "docs"


def code_rows() -> list[list[str]]:
    """Return each code with when it is given and the exit status of a command that ends with it."""
    stopped = {Code.STOPPED: "128 + the signal's number"}
    return [[code.value, code.meaning, stopped.get(code, str(code.exit_status))] for code in Code]


def replace_table(page: str, after: str, rows: list[str]) -> None:
    """Put `rows` in the place of those of the first table after a sentence."""
    path = DOCS / page
    head, sentence, tail = path.read_text(encoding="utf-8").partition(after)
    gap, table, rest = tail.split("\n\n", 2)[0], tail.split("\n\n", 2)[1], tail.split("\n\n", 2)[2]
    title = table.splitlines()[:2]
    path.write_text(f"{head}{sentence}{gap}\n\n" + "\n".join([*title, *rows]) + f"\n\n{rest}", encoding="utf-8")


def main() -> None:
    """Rewrite all of them."""
    rows = [f"| `{code}` | {meaning} | {status} |" for code, meaning, status in code_rows()]
    replace_table("command-line.md", "A code never changes its meaning.", rows)
    rows = [f"| `{each.written}` | {each.hint} |" for each in CONSTRUCTS]
    replace_table("coming-from-another-streamt.md", "examples meet:", rows)


if __name__ == "__main__":
    main()
