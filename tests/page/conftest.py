"""One Chromium, one filled catalog, and a signed-in page for each test."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from tests.page.catalog_server import CatalogServer, serving
from tests.page.worlds import fill_shop

# A busy machine may take its time; what never comes fails all the same.
expect.set_options(timeout=60_000)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Told to the page before any script of its own runs.
_WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium of the system."""
    assert _CHROMIUM, "these tests need Chromium: install the package `chromium`, then `make test-page`"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass(frozen=True, slots=True)
class Shop:
    """A catalog with the small chain of `fill_shop`."""

    server: CatalogServer
    numbers: dict[str, int]


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Return a filled catalog; tests may edit descriptions in it, and nothing else."""
    with serving(tmp_path_factory.mktemp("shop"), os.environ) as server:
        yield Shop(server, fill_shop(server))


@dataclass
class Visit:
    """A page, and what went on in it.

    Attributes:
        page: the page.
        hosts: the hosts that were asked.
        errors: exceptions that no code of the page caught, and dialogs.
    """

    page: Page
    hosts: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def open(self, server: CatalogServer, place: str = "", token: str | None = None) -> Page:
        """Sign in, with the admin's token by default, and go to a place such as `node=3`."""
        self.page.goto(f"{server.url}/#{place}")
        self.page.get_by_label("Token").fill(token or server.token)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_label("Search names").wait_for()
        return self.page

    def refuse(self, dialog: Dialog) -> None:
        """Close a dialog, which no name may ever open."""
        self.errors.append(dialog.message)
        dialog.dismiss()

    def violations(self) -> list[str]:
        """Return what the page did against its Content-Security-Policy."""
        found = self.page.evaluate("window.violations")
        return [str(one) for one in found]


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Return a new page; `pytest.param` may name the options of its context."""
    options = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | getattr(request, "param", {})
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)
    context.add_init_script(_WATCH)
    visited = Visit(context.new_page())
    visited.page.on("request", lambda sent: visited.hosts.add(sent.url.split("/")[2]))
    visited.page.on("pageerror", lambda error: visited.errors.append(str(error)))
    visited.page.on("dialog", visited.refuse)
    yield visited
    context.close()
