"""The page of a cluster's run: values under the pointer, series to hide, narrow windows, and 640 workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from howdah.analysis.analyse import analyse
from howdah.report.run import run_report
from howdah.report.write import write_document
from support.browsing import ReportOf, Visitor, box_of
from support.large_cluster import large_cluster

pytestmark = pytest.mark.xdist_group("pages")


def _pointed_at(page: Page, figure: str, right: float, down: float) -> str:
    """The words that appear where one points, ``right`` and ``down`` as shares of the picture."""
    place = page.locator(f"#live-{figure}")
    place.scroll_into_view_if_needed()
    box = box_of(place)
    x, y = box["x"] + right * box["width"], box["y"] + down * box["height"]
    page.mouse.move(x - 3, y - 1)
    page.mouse.move(x, y)
    page.wait_for_selector("#vg-tooltip-element.visible")
    return page.locator("#vg-tooltip-element").inner_text()


def test_pointing_at_a_small_chart_tells_the_machine_and_its_values(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("lossy"))
    upper = _pointed_at(page, "storage-machines", 0.4, 0.25)
    assert "h1-1" in upper
    assert "write (MB/s)" in upper
    lower = _pointed_at(page, "storage-machines", 0.4, 0.78)
    assert "h2-2" in lower


def test_pointing_at_a_stream_tells_its_bytes_theory_and_who_counted(
    report: ReportOf, visit: Visitor
) -> None:
    page = visit().open(report("lossy"))
    stream = page.locator("#live-flow-terasort .data_marks path").first
    box = box_of(stream)
    page.locator("#live-flow-terasort").scroll_into_view_if_needed()
    box = box_of(stream)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
    page.wait_for_selector("#vg-tooltip-element.visible")
    told = page.locator("#vg-tooltip-element").inner_text()
    assert "expected in theory" in told
    assert "counted by" in told


def test_hiding_a_series_hides_it_in_every_machine_s_chart(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("lossy"))
    lines = "#live-network-machines .data_marks path"
    assert page.locator(lines).count() == 8
    page.locator("#network-machines").get_by_role("button", name="sent", exact=True).press("Space")
    page.wait_for_function(f"document.querySelectorAll('{lines}').length === 4")


def test_hiding_system_time_leaves_user_time_on_the_ground(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("lossy"))
    areas = "#live-cpu-machines .data_marks path"
    before = page.locator(areas).count()
    page.locator("#cpu-machines").get_by_role("button", name="user", exact=True).press("Space")
    page.wait_for_function(f"document.querySelectorAll('{areas}').length < {before}")
    assert page.locator(areas).count() == before / 2


@pytest.mark.exam("pages")
def test_paper_shows_every_figure_of_a_cluster(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("laboratory"))
    page.emulate_media(media="print")
    stills = page.locator(".still").all()
    assert len(stills) == page.locator("figure").count() > 10
    for still in stills:
        still.scroll_into_view_if_needed()
        assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.exam("pages")
def test_640_workers_and_20000_tasks_make_a_page_that_can_be_read(tmp_path: Path, visit: Visitor) -> None:
    run = large_cluster()
    path = write_document(run_report(run, analyse(run)), tmp_path)
    assert path.stat().st_size < 10_000_000
    visiting = visit()
    page = visiting.open(path)
    assert visiting.said == []
    caption = page.locator("#caption-tasks").inner_text()
    assert "20,000 task attempts on 640 workers" in caption
    assert "600 more are not drawn" in caption
    assert "32 hosts with 640 workers" in page.locator("#caption-topology").inner_text()
