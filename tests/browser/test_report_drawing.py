"""Charts in a browser follow the theme, the window and what a reader hides; paper has still pictures."""

from __future__ import annotations

from base64 import b64encode

import pytest

from support.browsing import ReportOf, Scheme, Visitor, box_of

pytestmark = pytest.mark.xdist_group("pages")


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
        visit.end()
    (light_page, light_chart), (dark_page, dark_chart) = colours
    assert light_page == "rgb(255, 255, 255)"
    assert dark_page != light_page
    assert dark_chart != light_chart


def test_charts_follow_a_change_of_theme_and_keep_what_is_hidden(report: ReportOf, visit: Visitor) -> None:
    page = visit(color_scheme="light").open(report("terasuite"))
    page.get_by_role("button", name="read", exact=True).first.press("Space")
    before = page.locator("#live-storage svg").inner_html()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "before => document.querySelector('#live-storage svg')?.innerHTML !== before", arg=before
    )
    page.wait_for_function(
        "document.querySelectorAll('#live-storage .mark-line.role-mark path').length === 1"
    )


def test_what_servers_did_can_be_hidden(report: ReportOf, visit: Visitor) -> None:
    """Marks below the lines are as much a series as these are."""
    page = visit().open(report("ycsb"))
    pauses = "#live-tail .mark-rect.role-mark path[stroke]"
    before = page.locator(pauses).count()
    assert before > 100
    page.get_by_role("button", name="collections", exact=True).first.press("Space")
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


def test_a_table_that_fits_has_no_shadow_at_its_edge(report: ReportOf, visit: Visitor) -> None:
    """The cover of the shadow is as high as whole pixels, the table is not: a dot stayed in a corner."""
    page = visit().open(report("laboratory"))
    fitting = [
        table
        for table in page.locator(".scroll:visible").all()
        if table.evaluate(
            "e => e.scrollWidth <= e.clientWidth && e.clientWidth - e.firstElementChild.offsetWidth > 20"
        )
    ]
    assert len(fitting) > 2
    for table in fitting:
        dark = page.evaluate(
            """async picture => {
                const image = new Image();
                image.src = "data:image/png;base64," + picture;
                await image.decode();
                const canvas = new OffscreenCanvas(image.width, image.height);
                const drawing = canvas.getContext("2d");
                drawing.drawImage(image, 0, 0);
                const edge = drawing.getImageData(image.width - 12, 0, 12, image.height).data;
                return edge.filter((value) => value < 254).length;
            }""",
            b64encode(table.screenshot()).decode(),
        )
        assert dark == 0
