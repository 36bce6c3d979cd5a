"""What each package lets others import is pinned: `python -m tests.test_faces` writes `faces.txt` anew."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import streamt

FACES = Path(__file__).with_name("faces.txt")
# The generated models are used by the package itself, and `docs` holds data.
FACELESS = frozenset({"docs", "docs.schemas"})


def packages(root: Path = Path(streamt.__file__).parent) -> Iterator[str]:
    """Yield the packages, by their path below `streamt`."""
    for init in sorted(root.rglob("__init__.py")):
        name = ".".join(init.parent.relative_to(root).parts)
        if name and name not in FACELESS and "migrations" not in name:
            yield name


def faces() -> Iterator[str]:
    """Yield each package with the names of its face, one a line."""
    for name in packages():
        module = import_module(f"streamt.{name}")
        yield name
        yield from (f"    {each}" for each in sorted(getattr(module, "__all__", ())))


def test_the_face_of_each_package_is_pinned() -> None:
    assert FACES.read_text(encoding="utf-8").splitlines() == list(faces()), "python -m tests.test_faces"


def test_every_name_of_a_face_is_there() -> None:
    for name in packages():
        module = import_module(f"streamt.{name}")
        assert [each for each in getattr(module, "__all__", ()) if not hasattr(module, each)] == [], name


if __name__ == "__main__":
    FACES.write_text("\n".join(faces()) + "\n", encoding="utf-8")
