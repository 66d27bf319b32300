"""A headless Chromium and reports to look at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from howdah.analysis import analyse
from howdah.report.write import write_report
from support.browsing import ReportOf, Visitor
from support.reports import PAGES

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The installed Chromium; its absence is a failure, since the page would go unproven.

    It ends with its module: as long as Playwright runs, its event loop is this thread's running
    one, and no test that comes after can start a loop of its own.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("Chromium is not installed; install it with: sudo apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> ReportOf:
    """The page of one of the runs, written once."""
    written: dict[str, Path] = {}

    def page_of(name: str) -> Path:
        if name not in written:
            run = PAGES[name]()
            written[name] = write_report(run, analyse(run), tmp_path_factory.mktemp(name))
        return written[name]

    return page_of


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visitor]:
    """Open pages in contexts of their own."""
    visitor = Visitor(chromium)
    yield visitor
    visitor.close()
