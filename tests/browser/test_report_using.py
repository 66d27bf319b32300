"""What a reader can do with a figure: hide a series, read values, save it."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page

from support.browsing import ReportOf, Visitor, attribute_of, box_of

pytestmark = pytest.mark.xdist_group("pages")

LINES = "#live-storage .data_marks path"


def test_a_button_hides_and_shows_a_series(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    assert page.locator(LINES).count() == 2
    button = page.locator("#storage").get_by_role("button", name="read", exact=True)
    button.focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"document.querySelectorAll('{LINES}').length === 1")
    assert button.get_attribute("aria-pressed") == "false"
    page.keyboard.press("Space")
    page.wait_for_function(f"document.querySelectorAll('{LINES}').length === 2")
    assert button.get_attribute("aria-pressed") == "true"


def test_a_click_on_a_line_s_name_hides_it_too(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    page.locator("#live-storage svg text", has_text="write").last.click()
    page.wait_for_function(f"document.querySelectorAll('{LINES}').length === 1")
    button = page.locator("#storage").get_by_role("button", name="write", exact=True)
    assert button.get_attribute("aria-pressed") == "false"


def test_hiding_a_kind_of_task_removes_its_bars(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    bars = "#live-tasks .data_marks path"
    every = page.locator(bars).count()
    page.locator("#tasks").get_by_role("button", name="reduce", exact=True).click()
    page.wait_for_function(f"document.querySelectorAll('{bars}').length < {every}")
    assert page.locator(bars).count() > 0


def test_hovering_shows_values(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    page.locator("#live-cpu").scroll_into_view_if_needed()
    box = box_of(page.locator("#live-cpu"))
    page.mouse.move(box["x"] + 300, box["y"] + 120)
    page.mouse.move(box["x"] + 305, box["y"] + 122)
    page.wait_for_selector("#vg-tooltip-element.visible")
    text = page.locator("#vg-tooltip-element").inner_text()
    for name in ("user", "system", "I/O wait", "steal"):
        assert f"{name} (% of all CPUs)" in text


def _saved(page: Page, figure: str, kind: str) -> tuple[str, bytes]:
    page.locator(f"#{figure} .menu summary").click()
    with page.expect_download() as started:
        page.locator(f"#{figure}").get_by_role("button", name=f"Save as {kind.upper()}").click()
    return started.value.suggested_filename, Path(started.value.path()).read_bytes()


def test_one_menu_at_a_time_is_open_and_escape_closes_it(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    menus = page.locator("figure > .menu")
    assert menus.count() == page.locator("figure").count()
    for place in (0, 1):
        menus.nth(place).locator("summary").click()
        assert page.locator(".menu[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".menu[open]").count() == 0
    assert menus.nth(1).locator("summary").evaluate("(place) => place === document.activeElement")


@pytest.mark.parametrize(("width", "named"), [(1280, True), (390, False)])
def test_a_figure_has_one_legend(report: ReportOf, visit: Visitor, width: int, named: bool) -> None:
    """Its names are in the plot where there is room, and on buttons below it elsewhere."""
    page = visit(viewport={"width": width, "height": 900}).open(report("terasuite"))
    keys = page.locator("#storage .keys")
    in_plot = page.locator("#live-storage svg text", has_text="write").last
    assert (box_of(keys)["width"] > 1) is not named
    assert (in_plot.evaluate("(name) => getComputedStyle(name).opacity") != "0") is named
    # Tasks have no names in the plot: their buttons are the legend at every width.
    assert box_of(page.locator("#tasks .keys"))["width"] > 1


def test_every_figure_can_be_saved_as_svg(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    for figure in page.locator("figure").all():
        id_ = attribute_of(figure, "id")
        name, content = _saved(page, id_, "svg")
        assert name == f"20261120-1714-terasuite-{id_}.svg"
        document = ET.fromstring(content)
        assert document.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(document.iter("{http://www.w3.org/2000/svg}path"))) > 1


def test_every_figure_can_be_saved_as_png(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    for figure in page.locator("figure").all():
        id_ = attribute_of(figure, "id")
        name, content = _saved(page, id_, "png")
        assert name == f"20261120-1714-terasuite-{id_}.png"
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", content[16:24])
        box = box_of(page.locator(f"#live-{id_} svg"))
        assert width >= 2 * box["width"]
        assert height >= 2 * box["height"]


def test_saving_says_nothing_and_asks_nobody(report: ReportOf, visit: Visitor) -> None:
    visiting = visit()
    path = report("terasuite")
    page = visiting.open(path)
    for kind in ("svg", "png"):
        _saved(page, "cpu", kind)
    assert visiting.said == []
    assert [url for url in visiting.asked if not url.startswith(("data:", "blob:"))] == [path.as_uri()]
