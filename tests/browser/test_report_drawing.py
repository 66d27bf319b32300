"""Every figure is drawn, in every kind of run, with nothing on the console and nothing from the network."""

from __future__ import annotations

import pytest
from playwright.sync_api import ViewportSize

from support.browsing import ReportOf, Scheme, Visitor, box_of
from support.reports import PAGES

DRAWN = """place => {
  const canvas = place.querySelector("canvas");
  if (canvas) {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(pixels.buffer)).size - 1;
  }
  return [...place.querySelectorAll(".data_marks path")].filter((mark) => {
    const box = mark.getBoundingClientRect();
    return box.width > 0.2 && box.height >= 0;
  }).length;
}"""


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in PAGES), ("terasuite", "dark"), ("laboratory", "dark")]
)
def test_every_figure_is_drawn_quietly(name: str, scheme: Scheme, report: ReportOf, visit: Visitor) -> None:
    visiting = visit(color_scheme=scheme)
    path = report(name)
    page = visiting.open(path)
    places = page.locator(".live").all()
    assert len(places) == page.locator("figure").count() > 0
    for place in places:
        assert place.get_attribute("data-drawn") == "yes"
        assert place.evaluate(DRAWN) > 0, place.get_attribute("id")
    assert visiting.said == []
    assert visiting.asked == [path.as_uri()]


def test_dark_and_light_differ_in_page_and_charts(report: ReportOf, visit: Visitor) -> None:
    colours = []
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        page = visit(color_scheme=scheme).open(report("terasuite"))
        colours.append(
            page.evaluate(
                """() => [getComputedStyle(document.body).backgroundColor,
                          document.querySelector('#live-cpu svg').style.backgroundColor
                          || document.querySelector('#live-cpu svg rect').getAttribute('fill')]"""
            )
        )
    (light_page, light_chart), (dark_page, dark_chart) = colours
    assert light_page == "rgb(255, 255, 255)"
    assert dark_page != light_page
    assert dark_chart != light_chart


def test_charts_follow_a_change_of_theme_and_keep_what_is_hidden(report: ReportOf, visit: Visitor) -> None:
    page = visit(color_scheme="light").open(report("terasuite"))
    page.get_by_role("button", name="read", exact=True).first.click()
    before = page.locator("#live-storage svg").inner_html()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "before => document.querySelector('#live-storage svg')?.innerHTML !== before", arg=before
    )
    page.wait_for_function(
        "document.querySelectorAll('#live-storage .mark-line.role-mark path').length === 1"
    )


@pytest.mark.parametrize(
    ("name", "width"),
    [
        *((name, width) for name in ("terasuite", "ycsb") for width in (360, 768, 2200)),
        ("storage", 390),
        ("failed", 360),
    ],
)
def test_no_width_needs_sideways_scrolling(name: str, width: int, report: ReportOf, visit: Visitor) -> None:
    page = visit(viewport=ViewportSize(width=width, height=800)).open(report(name))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for place in page.locator(".live").all():
        outer, inner = box_of(place), box_of(place.locator("svg, canvas").first)
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1


def test_what_servers_did_can_be_hidden(report: ReportOf, visit: Visitor) -> None:
    """Marks below the lines are as much a series as these are."""
    page = visit().open(report("ycsb"))
    pauses = "#live-tail .mark-rect.role-mark path[stroke]"
    before = page.locator(pauses).count()
    assert before > 100
    page.get_by_role("button", name="collections", exact=True).first.click()
    page.wait_for_function(
        "([pauses, before]) => document.querySelectorAll(pauses).length < before - 100", arg=[pauses, before]
    )


def test_charts_follow_the_window(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    wide = box_of(page.locator("#live-cpu svg"))["width"]
    page.set_viewport_size({"width": 600, "height": 800})
    page.wait_for_function(
        "wide => document.querySelector('#live-cpu svg').getBoundingClientRect().width < wide - 300", arg=wide
    )


def test_paper_shows_still_pictures_in_light_colours(report: ReportOf, visit: Visitor) -> None:
    page = visit(color_scheme="dark").open(report("terasuite"))
    page.emulate_media(media="print", color_scheme="dark")
    stills = page.locator(".still").all()
    assert len(stills) == page.locator("figure").count()
    for still in stills:
        # Pictures that are not shown are not looked at, so that the page opens sooner.
        still.scroll_into_view_if_needed()
        assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert not any(live.is_visible() for live in page.locator(".live").all())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_javascript_the_still_pictures_stand_in(report: ReportOf, visit: Visitor) -> None:
    visiting = visit(java_script_enabled=False, color_scheme="dark")
    visiting.page.goto(report("terasuite").as_uri())
    stills = visiting.page.locator(".still").all()
    assert len(stills) == visiting.page.locator("figure").count() > 0
    for still in stills:
        box = box_of(still)
        assert box["width"] > 200
        assert box["height"] > 80
    assert visiting.said == []
