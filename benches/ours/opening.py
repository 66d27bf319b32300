"""A page opened in a headless browser until every figure is drawn.

``python -m benches.ours.opening PAGE [CHROMIUM]`` prints as JSON the seconds from asking for the page to its
last figure, and those of CPU that the page's own thread took. The browser is up before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright


def _open(page_path: Path, browser_path: str | None) -> dict[str, float]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        start_ns = time.monotonic_ns()
        page.goto(page_path.as_uri(), timeout=300_000)
        page.wait_for_selector("html[data-ready=yes]", timeout=300_000)
        seconds = (time.monotonic_ns() - start_ns) / 1e9
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        browser.close()
    return {"seconds": seconds, "cpu_s": float(metrics["TaskDuration"])}


if __name__ == "__main__":
    print(json.dumps(_open(Path(sys.argv[1]).resolve(), next(iter(sys.argv[2:]), None))))
