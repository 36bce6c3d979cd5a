"""Take a picture of the catalog's page with a headless browser."""

import shutil
from pathlib import Path

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def take_picture(url: str, token: str, place: str, label: str, path: Path) -> bool:
    """Sign in, show a part of the graph, and write what is seen as a PNG.

    Args:
        url: the catalog's address.
        token: who looks.
        place: what the address names, such as `node=3&downstream=4`.
        label: the beginning of the name of a dataset whose edges are opened.
        path: the file to write.

    Returns:
        False where there is no Chromium.
    """
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        return False
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 640}, reduced_motion="reduce")
        page.set_default_timeout(60_000)
        page.goto(f"{url}/#{place}")
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        page.locator(f".react-flow__node [aria-label^='{label}']").press("e")
        page.get_by_role("heading", name="Who asserts it").first.wait_for()
        page.get_by_role("button", name="Fit View").click()
        page.locator(".badge.dot").first.wait_for()
        path.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=path)
        browser.close()
    return True
