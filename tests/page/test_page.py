"""The catalog's page in a real browser: finding, walking, reading who asserted what."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.page.catalog_server import CatalogServer
from tests.page.conftest import Shop, Visit
from tests.page.worlds import HOSTILE

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"

pytestmark = [pytest.mark.page, pytest.mark.xdist_group("page")]


def _box(page: Page, number: int) -> str:
    return f"#box-d{number}"


def test_a_wrong_token_is_refused_in_words(visit: Visit, shop: Shop) -> None:
    visit.page.goto(shop.server.url)
    visit.page.get_by_label("Token").fill("wrong")
    visit.page.keyboard.press("Enter")
    expect(visit.page.get_by_role("alert")).to_have_text("unknown, expired or revoked token")


def test_signing_out_ends_the_session(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()
    page.reload()
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_session_outlives_a_reload(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server)
    page.reload()
    expect(page.get_by_label("Search names")).to_be_visible()


def test_searching_leads_to_the_chain_from_topic_to_table(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server)
    page.get_by_label("Search names").fill("ORDERS_cl")
    page.get_by_role("option", name="orders_clean").click()
    for name in ("orders", "orders_clean", "fct_orders"):
        expect(page.locator(_box(page, shop.numbers[name]))).to_be_visible()
    expect(page.get_by_label("clean_orders, job")).to_be_visible()
    expect(page.get_by_label("load_orders, job")).to_be_visible()


def test_hovering_a_line_shows_who_asserts_it(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.locator(".badge").first.hover()
    shown = page.locator(".hovered")
    expect(shown).to_contain_text("orders → orders_clean")
    expect(shown).to_contain_text("clean_orders")
    expect(shown).to_contain_text("through admin")


def test_what_was_asserted_once_is_shown_dashed_on_demand(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['fct_orders']}")
    page.locator(_box(page, shop.numbers["orders_clean"])).wait_for()
    assert page.locator(".react-flow__edge.retired").count() == 0
    page.get_by_role("checkbox", name="retired").check()
    expect(page.locator(".react-flow__edge.retired")).to_have_count(1)


def test_a_container_shows_the_source_of_its_description(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['fct_orders']}")
    page.locator(_box(page, shop.numbers["fct_orders"])).click()
    panel = page.get_by_label("Details", exact=True)
    expect(panel).to_contain_text("One row for each order.")
    panel.locator("summary", has_text="from OpenLineage").click()
    expect(panel.locator(".sources li")).to_contain_text("OpenLineage shown")


def test_a_persons_description_is_kept_and_can_be_handed_back(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['fct_orders']}")
    page.locator(_box(page, shop.numbers["fct_orders"])).click()
    panel = page.get_by_label("Details", exact=True)
    panel.get_by_role("button", name="Edit: Description", exact=True).click()
    panel.get_by_role("textbox", name="Description").fill("Orders that were paid.")
    panel.get_by_role("button", name="Save").click()
    expect(panel.locator(".description").first).to_contain_text("Orders that were paid.")
    panel.get_by_role("button", name="Edit: Description", exact=True).click()
    panel.get_by_role("textbox", name="Description").fill("")
    panel.get_by_role("button", name="Save").click()
    expect(panel.locator(".description").first).to_contain_text("One row for each order.")


def test_a_field_is_followed_to_where_it_comes_from(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    box = page.locator(f".react-flow__node[data-id='d{shop.numbers['orders_clean']}']")
    box.locator(".fold").click()
    page.get_by_title("Follow order_id").click()
    expect(page.locator(".react-flow__edge.of-fields")).to_have_count(2)


def test_an_asset_outside_says_how_to_register_it(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['fct_orders']}")
    page.get_by_label("customers.csv").click()
    expect(page.get_by_label("Details", exact=True)).to_contain_text("streamt catalog sync")


def test_the_keyboard_alone_walks_and_reads(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.locator(_box(page, shop.numbers["fct_orders"])).wait_for()
    page.get_by_label("Search names").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == f"box-d{shop.numbers['orders_clean']}":
            break
    keys = {"ArrowRight": "load_orders", "ArrowLeft": "orders_clean", "ArrowUp": "orders_clean"}
    for key, label in keys.items():
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_attribute("aria-label", _starting(label))
    page.keyboard.press("Space")
    expect(page.locator(":focus")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name="Edges of orders_clean")).to_be_focused()
    expect(page.get_by_label("Details", exact=True).locator(".evidence").first).to_contain_text("Submitted by")
    page.keyboard.press("Escape")
    expect(page.locator(_box(page, shop.numbers["orders_clean"]))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Details", exact=True).get_by_role("heading", name="orders_clean")).to_be_focused()


def _starting(text: str) -> re.Pattern[str]:
    return re.compile(f"^{re.escape(text)}\\b")


def test_the_keyboard_shows_more_and_says_how_much(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    box = page.locator(_box(page, shop.numbers["fct_orders"]))
    box.focus()
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("footer [role=status]")).to_have_text("1 node added, 4 in all")


def test_the_graph_is_one_tab_stop(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.locator(_box(page, shop.numbers["fct_orders"])).wait_for()
    assert page.locator(".react-flow__nodes [tabindex='0']").count() == 1


def test_the_list_says_what_the_graph_draws(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.get_by_role("button", name="List", exact=True).click()
    outline = page.get_by_role("navigation", name="Lineage as a list")
    expect(outline.get_by_role("button", name="by load_orders")).to_be_visible()
    expect(outline.get_by_role("button", name="fct_orders")).to_be_visible()


def test_hostile_names_are_shown_as_text(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['hostile']}")
    box = page.locator(_box(page, shop.numbers["hostile"]))
    expect(box).to_contain_text(HOSTILE)
    expect(box).to_contain_text("\\u202egnp")
    box.click()
    expect(page.get_by_label("Details", exact=True)).to_contain_text(HOSTILE)
    assert page.locator("main img, aside img").count() == 0
    assert visit.errors == []


def test_no_view_breaks_the_policy_or_asks_another_server(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.locator(_box(page, shop.numbers["fct_orders"])).click()
    page.get_by_label("Details", exact=True).get_by_text("Timeline").wait_for()
    page.get_by_label("load_orders, job").click()
    page.get_by_role("heading", name="Runs").wait_for()
    page.locator(_box(page, shop.numbers["orders_clean"])).press("e")
    page.get_by_text("Who asserts it").first.wait_for()
    page.get_by_role("button", name="List", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()
    assert visit.violations() == []
    assert visit.hosts == {shop.server.url.removeprefix("http://")}
    assert visit.errors == []


@pytest.mark.parametrize("view", ["graph", "list"])
def test_the_page_is_accessible_by_the_rules_of_axe(visit: Visit, shop: Shop, view: str) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.locator(_box(page, shop.numbers["fct_orders"])).click()
    page.get_by_label("Details", exact=True).get_by_text("Timeline").wait_for()
    page.get_by_role("button", name=view.title(), exact=True).click()
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []


def test_who_may_not_view_a_table_sees_its_name_alone(visit: Visit, shop: Shop) -> None:
    server = shop.server
    token = _viewer_of_kafka(server)
    page = visit.open(server, f"node={shop.numbers['orders_clean']}", token)
    page.locator(_box(page, shop.numbers["fct_orders"])).click()
    panel = page.get_by_label("Details", exact=True)
    expect(panel).to_contain_text("You may see that this dataset is there, and no more")
    expect(panel).not_to_contain_text("One row for each order.")
    assert page.get_by_label("load_orders, job").count() == 0
    expect(page.get_by_label("clean_orders, job")).to_be_visible()


def _viewer_of_kafka(server: CatalogServer) -> str:
    user = server.ask("POST", "users", {"name": "reader"})["id"]
    team = server.ask("POST", "teams", {"name": "readers"})["id"]
    server.ask("PUT", f"teams/{team}/members/{user}")
    server.ask("PUT", "permissions", {"team": team, "datastore": 1, "permission": "viewer"})
    return str(server.ask("POST", "tokens", {"name": "t", "user": "reader", "rights": ["read"]})["token"])


@pytest.mark.parametrize("visit", [{"viewport": {"width": 360, "height": 640}, "has_touch": True}], indirect=True)
def test_the_page_fits_a_phone(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server, f"node={shop.numbers['orders_clean']}")
    page.locator(_box(page, shop.numbers["orders_clean"])).tap()
    expect(page.get_by_role("heading", name="orders_clean", level=2).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("visit", [{"color_scheme": "dark"}], indirect=True)
def test_the_page_is_dark_for_who_likes_it_dark(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.server)
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert colour == "rgb(18, 24, 29)"
