"""A headless Chromium and reports to look at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from howdah.analysis.analyse import analyse
from howdah.report.run import run_report
from howdah.report.write import write_document
from support.browsing import ReportOf, Visitor
from support.inspecting import Inspector
from support.patience import PATIENCE_MS
from support.reports import PAGES

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Pages are open too briefly to gain from optimized code, whose compilation takes a tenth of the CPU time.
    "--js-flags=--no-opt",
)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The installed Chromium; its absence is a failure, since the page would go unproven.

    It ends with this folder's tests: as long as Playwright runs, its event loop is this thread's running
    one, and no test of another folder can start a loop.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("Chromium is not installed; install it with: sudo apt-get install chromium")
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
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
            written[name] = write_document(run_report(run, analyse(run)), tmp_path_factory.mktemp(name))
        return written[name]

    return page_of


@pytest.fixture(scope="package")
def visitor(chromium: Browser) -> Visitor:
    """The tab that all tests share."""
    return Visitor(chromium)


@pytest.fixture
def visit(visitor: Visitor) -> Iterator[Visitor]:
    """Open pages, which are left after the test."""
    yield visitor
    visitor.end()


@pytest.fixture(scope="package")
def inspect(visitor: Visitor) -> Inspector:
    """Look at a page once for all tests that only look."""
    return Inspector(visitor)
