"""A headless Chromium and reports to look at."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from howdah.analysis import analyse
from howdah.report import write_report
from support.reports import RUNS

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The installed Chromium; its absence is a failure, since the page would go unproven."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("Chromium is not installed; install it with: sudo apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of one of the runs, written once."""
    written: dict[str, Path] = {}

    def page_of(name: str) -> Path:
        if name not in written:
            run = RUNS[name]()
            written[name] = write_report(run, analyse(run), tmp_path_factory.mktemp(name))
        return written[name]

    return page_of


class Visit:
    """An opened page with everything it said on its console and everything it asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path) -> Page:
        """Load the page and wait until every figure is drawn."""
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=30_000)
        return self.page


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages in contexts of their own; keyword arguments are Playwright's for a context."""
    contexts = []

    def opened(**settings: object) -> Visit:
        settings.setdefault("viewport", {"width": 1200, "height": 900})
        context = chromium.new_context(**settings)  # type: ignore[arg-type]
        contexts.append(context)
        return Visit(context.new_page())

    yield opened
    for context in contexts:
        context.close()
