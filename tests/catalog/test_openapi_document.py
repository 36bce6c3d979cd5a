"""The catalog's OpenAPI document is committed, so that its page and its readers build on what is served."""

import json
from pathlib import Path

from streamt.catalog.http import create_app
from streamt.catalog.service import Catalog
from streamt.catalog.store.engine import migrate

DOCUMENT = Path(__file__).parents[2] / "web" / "openapi.json"


def served(folder: Path) -> str:
    """Return the document that is served, in the committed form."""
    store = f"sqlite:///{folder / 'catalog.db'}"
    migrate(store)
    catalog = Catalog.open(store)
    try:
        return json.dumps(create_app(catalog).openapi(), indent=1, sort_keys=True) + "\n"
    finally:
        catalog.close()


def test_the_committed_document_is_the_one_that_is_served(tmp_path: Path) -> None:
    assert DOCUMENT.read_text() == served(tmp_path), "run `make openapi`, and read the difference"


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        DOCUMENT.write_text(served(Path(folder)))
