"""The page about topics and schemas names every blocker of their backends, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
CODE = re.compile(r'"((?:kafka|schema)_[a-z_]+|vanished_outside)"')


def test_every_blocker_is_on_the_page() -> None:
    sources = [path.read_text() for path in (ROOT / "src" / "streamt" / "deploy" / "backends").glob("*.py")]
    page = (ROOT / "docs" / "topics-and-schemas.md").read_text(encoding="utf-8")
    used = {code for source in sources for code in CODE.findall(source)} - {"schema_registry"}
    assert used == set(re.findall(r"\| `((?:kafka|schema|vanished)_[a-z_]+)` \|", page))
