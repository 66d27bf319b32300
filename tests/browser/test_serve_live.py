"""Pages that are open while something happens: a run grows, is stopped, killed, removed; the server goes."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from support.browsing import Visitor
from support.command import ForkedCommand
from support.patience import PATIENCE_S
from support.served import Started, started
from support.studies import SIMULATED

pytestmark = pytest.mark.xdist_group("served pages")

ASKED = ("ycsb", "--records", "20k", "--operations", "2M", "--target", "5k", "--sample-interval", "0.5")
"""It goes on for minutes, and leaves the machine to others meanwhile."""


class UnderWay(NamedTuple):
    """A run that goes on, and the process that makes it."""

    path: Path
    process: ForkedCommand


@contextmanager
def under_way(folder: Path) -> Iterator[UnderWay]:
    """Start a run of this machine's own store, and kill it at the end if it is still there."""
    known = set((folder / "runs").glob("2*"))
    process = ForkedCommand("run", *ASKED, "--quiet", cwd=folder)
    try:
        while not (fresh := set((folder / "runs").glob("2*")) - known):
            assert process.poll() is None, "the run has made no record"
            time.sleep(0.05)
        yield UnderWay(fresh.pop(), process)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("live")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Started]:
    with started(folder) as one:
        yield one


def opened(visit: Visitor, server: Started, run: UnderWay, *, token: bool = False) -> Page:
    """The page of a run under way, once its figures have begun to grow."""
    page = visit().go(f"{server.address}runs/{run.path.name}/{f'#token={server.token}' if token else ''}")
    expect(page.locator("#headline")).to_contain_text("into the run")
    return page


def test_a_run_appears_grows_and_is_stopped_from_its_page(
    visit: Visitor, server: Started, folder: Path
) -> None:
    visiting = visit()
    runs = visiting.go(server.address)
    expect(runs.locator("#list")).to_contain_text("make one with")
    with under_way(folder) as run:
        row = runs.locator(f"tr[data-id='{run.path.name}']")
        expect(row.locator(".running")).to_be_visible()
        watching = visit()
        page = watching.go(f"{server.address}runs/{run.path.name}/#token={server.token}")
        # The token does not stay in the address, which a history would keep.
        assert server.token not in page.url
        expect(page.locator("#headline")).to_contain_text("into the run")
        expect(page.locator("#log")).to_contain_text("begins")
        expect(page.locator("#advance")).to_contain_text("% of the work")
        line = page.locator("#live-disks .mark-line path").first
        # The figure is drawn again with every sample, at times with fewer digits: its length need not grow.
        expect(line).not_to_have_attribute("d", line.get_attribute("d") or "")
        assert Axe().run(page).response["violations"] == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.once("dialog", lambda dialog: dialog.accept())
        page.locator("#stop").click()
        expect(page.locator("h1")).to_contain_text("stopped")
        assert run.process.wait(PATIENCE_S) == 130
        expect(row.locator(".aborted")).to_be_visible()
    assert (visiting.said, watching.said) == ([], [])


def test_a_run_that_is_killed_says_so_on_its_open_page(visit: Visitor, server: Started, folder: Path) -> None:
    with under_way(folder) as run:
        page = opened(visit, server, run)
        run.process.kill()
        expect(page.locator("h1")).to_contain_text("cut off")
        expect(page.locator("h1")).to_contain_text("process")
        # What it had measured is in its report.
        expect(page.locator("figure").first).to_be_visible()


@pytest.mark.exam("pages")
def test_a_run_that_is_removed_while_its_page_is_open_is_gone(
    visit: Visitor, server: Started, folder: Path
) -> None:
    visiting = visit()
    runs = visiting.go(server.address)
    with under_way(folder) as run:
        page = opened(visit, server, run)
        shutil.rmtree(run.path)
        expect(page.locator("#headline")).to_contain_text("gone")
        expect(page.locator("#lead")).to_contain_text("removed")
        expect(runs.locator(f"tr[data-id='{run.path.name}']")).to_have_count(0)
    assert visiting.said == []


@pytest.mark.exam("pages")
def test_a_record_that_is_cut_in_half_while_its_page_is_open_says_why(
    visit: Visitor, server: Started, folder: Path
) -> None:
    with under_way(folder) as run:
        page = opened(visit, server, run)
        run.process.send_signal(signal.SIGKILL)
        run.process.wait()
        record = run.path / "run.json"
        record.write_bytes(record.read_bytes()[:200])
        expect(page.locator("h1")).to_contain_text("unreadable")
        expect(page.locator("#lead")).to_contain_text("incomplete JSON")


@pytest.mark.exam("pages")
def test_a_page_says_that_its_server_is_away_and_goes_on_when_it_is_back(
    visit: Visitor, tmp_path: Path
) -> None:
    with under_way(tmp_path) as run:
        with started(tmp_path) as first:
            port = first.address.rstrip("/").rpartition(":")[2]
            page = visit().go(f"{first.address}runs/{run.path.name}/")
            first.process.kill()
            expect(page.locator("#away")).to_contain_text("does not answer")
        # The run goes on, whatever becomes of who watched it.
        assert run.process.poll() is None
        with started(tmp_path, "--port", port):
            expect(page.locator("#away")).to_be_hidden()
            expect(page.locator("#headline")).to_contain_text("into the run")


@pytest.mark.exam("pages")
def test_the_matrix_of_a_study_fills_while_it_runs(visit: Visitor, server: Started, folder: Path) -> None:
    (folder / "study.yaml").write_text(SIMULATED)
    process = ForkedCommand("study", "study.yaml", "--quiet", cwd=folder)
    try:
        while not (folder / "study" / "blocks" / "study.yaml").exists():
            assert process.poll() is None, "the study has not begun"
            time.sleep(0.02)
        visiting = visit()
        page = visiting.go(f"{server.address}studies/blocks/")
        expect(page.locator(".matrix .dot.succeeded")).to_have_count(8)
        expect(page.locator(".lead")).to_contain_text("8 runs done, 0 left")
        page.get_by_role("link", name="The paper").click()
        page.wait_for_selector("html[data-ready=yes]")
        assert page.locator(".question").inner_text() == "Do larger blocks sort faster?"
        assert visiting.said == []
    finally:
        process.kill()
        process.wait()
