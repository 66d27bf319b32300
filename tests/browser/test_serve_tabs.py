"""Many pages of one browser, which shares a few connections among them all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from support import records
from support.browsing import Visit
from support.served import Started, started
from support.stored import write_run

pytestmark = [pytest.mark.xdist_group("served pages"), pytest.mark.exam("pages")]

TABS = 8
HIDDEN = """hidden => {
  Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SHOWS = "document.querySelectorAll('.runs tbody tr').length"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Started]:
    write_run(tmp_path / "runs", records.pi())
    with started(tmp_path) as one:
        yield one


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context()
    yield context
    context.close()


def test_eight_tabs_load_and_show_what_happens(
    server: Started, context: BrowserContext, tmp_path: Path
) -> None:
    visits = [Visit(context.new_page()) for _ in range(TABS)]
    for visit in visits:
        visit.go(server.address)
        expect(visit.page.locator(".runs tbody tr")).to_have_count(1)
    write_run(tmp_path / "runs", records.failed())
    for visit in visits:
        expect(visit.page.locator(".runs tbody tr")).to_have_count(2)
    # Whatever streams are open, a page gets an answer to what it asks itself.
    for visit in visits:
        known = visit.page.evaluate("async () => (await (await fetch('api/v1/runs')).json()).known")
        assert known == 2
    assert not [said for visit in visits for said in visit.said if said.startswith("error")]


def test_a_page_that_is_hidden_has_no_stream_until_it_is_seen_again(
    server: Started, context: BrowserContext, tmp_path: Path
) -> None:
    visit = Visit(context.new_page())
    page = visit.go(server.address)
    page.wait_for_function("async () => (await navigator.locks.query()).held.length === 1")
    # Playwright makes pages believe that they are seen, whichever tab is in front.
    page.evaluate(HIDDEN, True)
    page.wait_for_function("async () => (await navigator.locks.query()).held.length === 0", polling=100)
    write_run(tmp_path / "runs", records.failed())
    page.wait_for_timeout(2500)
    assert page.evaluate(SHOWS) == 1
    page.evaluate(HIDDEN, False)
    expect(page.locator(".runs tbody tr")).to_have_count(2)
    assert page.locator("#away").is_hidden()
