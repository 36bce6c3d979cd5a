"""The page of `streamt lineage --format html`, in a real browser and without a network."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.cli.program import MINIMAL, streamt, write_project
from tests.page.conftest import Visit
from tests.page.test_page import AXE

pytestmark = [pytest.mark.page, pytest.mark.xdist_group("page")]

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", '" onfocus=alert(1) x="']
SHOP = (
    MINIMAL
    + """\
  - {name: late, topic: {name: l.v1}, sql: 'SELECT id FROM {{ ref("paid") }}', owner: ops, columns: [{name: id}]}
  - {name: lonely, topic: {name: lonely}, columns: [{name: id}]}
exposures:
"""
    + "".join(f"  - {{name: {json.dumps(name)}, type: api, consumes: [{{ref: late}}]}}\n" for name in HOSTILE)
)


@pytest.fixture
def page(visit: Visit, tmp_path: Path) -> Page:
    file = tmp_path / "lineage.html"
    folder = write_project(tmp_path / "project", SHOP)
    assert streamt("lineage", "--format", "html", "--output-file", file, "-p", folder).status == 0
    visit.page.goto(file.as_uri())
    return visit.page


def shown(page: Page) -> list[str]:
    """Return the names of the nodes that are not dimmed."""
    return page.locator(".node:not(.dim) b").all_text_contents()


def test_it_breaks_no_policy_asks_no_host_and_runs_no_name(page: Page, visit: Visit) -> None:
    page.locator(".node").nth(4).click()
    assert (visit.errors, visit.violations(), visit.hosts) == ([], [], {""})
    assert page.locator(".node b").all_text_contents()[-3:] == HOSTILE


def test_a_node_shows_what_feeds_it_and_what_it_feeds(page: Page) -> None:
    page.get_by_role("button", name="paid").click()
    assert shown(page) == ["orders", "paid", "late", *HOSTILE]
    details = page.get_by_label("Details")
    expect(details.get_by_role("heading")).to_have_text("paid")
    expect(details).to_contain_text("1 upstream, 4 downstream")
    details.get_by_role("button", name="late").click()
    expect(details.get_by_role("heading")).to_have_text("late")
    expect(details).to_contain_text("ops")
    assert page.url.endswith("#late")


def test_a_link_opens_the_page_at_its_node(page: Page) -> None:
    page.goto(f"{page.url}#paid")
    page.reload()
    expect(page.get_by_label("Details").get_by_role("heading")).to_have_text("paid")


def test_search_finds_names_topics_and_owners(page: Page) -> None:
    page.get_by_label("Search").fill("OPS")
    assert shown(page) == ["late"]
    expect(page.get_by_role("status")).to_have_text("1 of 7 match")
    page.get_by_label("Search").fill("lonely")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Details").get_by_role("heading")).to_have_text("lonely")
    page.keyboard.press("Escape")
    assert len(shown(page)) == 7


def test_the_keyboard_follows_edges(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("orders")
    page.keyboard.press("Enter")
    heading = page.get_by_label("Details").get_by_role("heading")
    for key, name in [("ArrowRight", "paid"), ("ArrowRight", "late"), ("ArrowLeft", "paid"), ("ArrowLeft", "orders")]:
        page.keyboard.press(key)
        expect(heading).to_have_text(name)
    assert page.evaluate("document.activeElement.querySelector('b').textContent") == "orders"


def test_the_table_says_the_same_without_a_picture(page: Page) -> None:
    page.locator("summary").click()
    rows = page.locator("tbody tr")
    assert rows.count() == 7
    assert rows.nth(3).locator("td").all_text_contents() == ["late", "model", "flink", "l.v1", "ops", "", "paid"]


@pytest.mark.parametrize("visit", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True, ids=str)
def test_it_is_accessible_by_the_rules_of_axe_in_light_and_in_dark(page: Page, visit: Visit) -> None:
    page.get_by_role("button", name="paid").click()
    page.keyboard.press("Escape")
    page.locator("summary").click()
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


def test_three_hundred_models_are_drawn_without_an_overlap(visit: Visit, tmp_path: Path) -> None:
    models = []
    for index in range(300):
        sql = f'SELECT id FROM {{{{ ref("{f"m{index // 2}" if index else "paid"}") }}}}'
        models.append(f"  - {{name: m{index}, topic: {{name: t{index}}}, sql: '{sql}', columns: [{{name: id}}]}}\n")
    file = tmp_path / "lineage.html"
    folder = write_project(tmp_path / "project", MINIMAL + "".join(models))
    assert streamt("lineage", "--format", "html", "--output-file", file, "-p", folder).status == 0
    visit.page.goto(file.as_uri())
    assert visit.page.locator(".node").count() == 302
    assert visit.page.evaluate(_OVERLAPS) == 0
    visit.page.get_by_label("Search").fill("m299")
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator(".node[aria-pressed=true]")).to_be_in_viewport()


_OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll(".node")].map((node) => node.getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const met = (box, index) => boxes.slice(index + 1).filter((other) => !apart(box, other)).length;
  return boxes.reduce((count, box, index) => count + met(box, index), 0);
}"""
