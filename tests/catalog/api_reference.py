"""Makes docs/catalog-api.md from the OpenAPI document: `python -m tests.catalog.api_reference`."""

from pathlib import Path
from typing import Any

from streamt.catalog.http.app import document

PAGE = Path(__file__).parents[2] / "docs" / "catalog-api.md"
_HEAD = """\
# The catalog's API

Made from the OpenAPI document, which every server has at `/api/v1/openapi.json`;
`python -m tests.catalog.api_reference` writes this page.

A token is sent as `Authorization: Bearer TOKEN`. Errors are `application/problem+json` (RFC 9457); for events and
requests that are wrong, `errors` has a JSON pointer and a reason for each place. Lists have `items` and `next`, the
`cursor` of the next page. Numbers that name things are opaque.
"""


def page() -> str:
    """Return the text of the page."""
    found: dict[str, list[str]] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            found.setdefault(operation["tags"][0], []).append(_operation(path, method, operation))
    return _HEAD + "".join(f"\n## {tag.capitalize()}\n{''.join(parts)}" for tag, parts in found.items())


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    lines = [f"\n### `{method.upper()} {path}`\n\n{operation.get('description') or operation['summary']}\n"]
    parameters = [f"`{one['name']}`" for one in operation.get("parameters", ()) if one["in"] == "query"]
    if parameters:
        lines.append(f"\nParameters: {', '.join(parameters)}.\n")
    answers = ", ".join(sorted(operation["responses"]))
    lines.append(f"\nAnswers: {answers}.\n")
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
