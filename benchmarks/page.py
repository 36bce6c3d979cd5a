"""How soon the catalog's page has drawn 500 nodes in headless Chromium, from the change of its address on.

    python -m benchmarks.page

Best of five: whatever else the machine does can only make it slower. Exits non-zero above the bound.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.page.catalog_server import serving
from tests.page.worlds import fill_layers

BOUND_SECONDS = 2.0
ROUNDS = 5
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# Counts the frames that are drawn meanwhile: what answers the keyboard.
_MEASURE = """
([place, count]) => new Promise((done) => {
  const start = performance.now();
  let frames = 0, longest = 0, last = start;
  location.hash = place;
  const look = (now) => {
    frames += 1;
    longest = Math.max(longest, now - last);
    last = now;
    const graph = document.querySelector('section.graph');
    if (graph && graph.dataset.drawn === String(count)) done({took: performance.now() - start, frames, longest});
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})
"""


def main() -> int:
    """Print the figures; return 1 above the bound."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("this benchmark needs Chromium: install the package chromium")
        return 2
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), os.environ) as server:
        first, count = fill_layers(server, layers=19, width=26, edges=956)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
            rounds = []
            for _ in range(ROUNDS):
                page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
                page.goto(server.url)
                page.get_by_label("Token").fill(server.token)
                page.keyboard.press("Enter")
                page.get_by_role("checkbox", name="jobs").uncheck()
                rounds.append(page.evaluate(_MEASURE, [f"node={first}&downstream=20", count]))
                page.close()
            browser.close()
    best = min(rounds, key=lambda one: one["took"])
    seconds = best["took"] / 1000
    print(
        f"{count} nodes, 956 edges: {seconds:.2f} s (bound {BOUND_SECONDS} s), best of {ROUNDS}; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    print(f"frames meanwhile: {best['frames']}, the longest {best['longest']:.0f} ms")
    return int(seconds > BOUND_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
