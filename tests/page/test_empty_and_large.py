"""The page of a catalog that has nothing yet, and of one that has more than fits."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.page.catalog_server import serving
from tests.page.conftest import Visit
from tests.page.worlds import fill_layers

pytestmark = [pytest.mark.page, pytest.mark.xdist_group("page")]


def test_an_empty_catalog_says_what_to_do_next(visit: Visit, tmp_path: Path) -> None:
    with serving(tmp_path, os.environ) as server:
        page = visit.open(server)
        for words in ("Nothing to show yet", "streamt catalog sync events", "streamt catalog send"):
            expect(page.locator(".welcome")).to_contain_text(words)


def test_five_hundred_nodes_are_drawn_and_the_keyboard_answers_meanwhile(visit: Visit, tmp_path: Path) -> None:
    with serving(tmp_path, os.environ) as server:
        first, count = fill_layers(server, layers=19, width=26, edges=956)
        page = visit.open(server)
        page.evaluate(f"location.hash = 'node={first}&downstream=20'")
        page.get_by_label("Search names").fill("table_001")
        page.get_by_role("option", name="table_001").wait_for()
        page.get_by_role("checkbox", name="jobs").uncheck()
        expect(page.get_by_role("region", name="Lineage graph")).to_have_attribute("data-drawn", str(count))
        assert page.locator(".react-flow__nodes [tabindex='0']").count() == 1
