"""Every text of the program that a user can read, found in its source: whatever has a space and is no docstring."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "streamt"
# Made by a generator, or not written for people.
LEFT_OUT = ("openlineage/models.py", "openlineage/received.py", "docs/schemas/", "catalog/store/migrations/")


def messages(source: Path = SOURCE) -> Iterator[str]:
    """Yield a heading for each module, and below it each of its texts, sorted; `{...}` stands for what is filled in."""
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).as_posix()
        if not name.startswith(LEFT_OUT):
            texts = sorted(set(texts_of(path.read_text(encoding="utf-8"))))
            yield from [f"## {name}", *texts, ""] if texts else []


def texts_of(code: str) -> Iterator[str]:
    """Yield the texts of one module."""
    tree = ast.parse(code)
    passed_over = {id(node) for each in ast.walk(tree) for node in _passed_over(each)}
    for node in ast.walk(tree):
        if id(node) in passed_over:
            continue
        text = _text(node)
        if text is not None and _is_for_people(text):
            yield text.strip().replace("\\", "\\\\").replace("\n", "\\n")


def _passed_over(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is no text by itself: docstrings, the parts of f-strings, what a noqa or an annotation holds."""
    if isinstance(node, ast.JoinedStr):
        yield from node.values
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    annotations = [getattr(node, name, None) for name in ("annotation", "returns")]
    for annotation in filter(None, annotations):
        if not isinstance(node, ast.AnnAssign) or not _is_field(annotation):
            yield from (each for each in ast.walk(annotation) if isinstance(each, ast.Constant))


def _is_field(annotation: ast.AST) -> bool:
    """Tell an annotation that holds the description of a field."""
    return any(isinstance(each, ast.Call) for each in ast.walk(annotation))


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (each.value if isinstance(each, ast.Constant) else "{...}" for each in node.values)
        return "".join(map(str, parts))
    return None


def _is_for_people(text: str) -> bool:
    """Tell a text from a name, a pattern or a piece of one: it has two words."""
    words = text.replace("{...}", " ").split()
    return len(words) > 1 and any(word.isalpha() and len(word) > 1 for word in words)
