"""Write docs/figures/workbench.png: the page of a server over the world graph, in Chromium.

.venv-browser/bin/python docs/picture.py     (after `make test-browser`, which makes the environment)
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks")]

from playwright.sync_api import sync_playwright  # noqa: E402
from rich.console import Console  # noqa: E402

from graphbrick.cli.demo import learned_world  # noqa: E402
from server_process import running  # noqa: E402

QUESTION = "What currencies do I need in the countries that border the one with the capital Maputo?"
SYSTEM = Path("/usr/bin/chromium")


def main() -> None:
    """Ask, choose an answer, go to the second hop of its path, and take the picture."""
    world = learned_world(Console(stderr=True))
    with running(f"world={world.path}") as server, sync_playwright() as playwright:
        found = {"executable_path": str(SYSTEM)} if SYSTEM.exists() else {}
        page = playwright.chromium.launch(args=["--no-sandbox"], **found).new_page(
            viewport={"width": 1280, "height": 860}, device_scale_factor=1, color_scheme="light"
        )
        page.goto(f"http://{server.host}:{server.port}/#/ask?{urlencode({'q': QUESTION})}")
        page.get_by_role("button", name="South African rand", exact=False).first.click()
        page.get_by_role("button", name="To the start").click()
        for _ in range(2):
            page.get_by_role("button", name="One hop forward").click()
        page.wait_for_timeout(1500)
        page.screenshot(path=ROOT / "docs" / "figures" / "workbench.png")


if __name__ == "__main__":
    main()
