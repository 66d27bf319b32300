"""The page can be read by keyboard and screen reader."""

from __future__ import annotations

import pytest

from support.browsing import ReportOf, Visitor, attribute_of

pytestmark = pytest.mark.xdist_group("pages")


def test_every_figure_has_a_name_a_description_and_its_numbers(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    for figure in page.locator("figure").all():
        picture = figure.get_by_role("img")
        assert picture.count() == 1
        title = figure.locator("h2, h3").inner_text()
        described = attribute_of(picture, "aria-describedby")
        assert page.get_by_role("img", name=title, exact=True).count() >= 1
        assert len(page.locator(f"#{described}").inner_text()) > 10
        assert figure.locator("details table tbody tr").count() > 0
        assert attribute_of(figure.locator(".still"), "alt").startswith(title)


def test_the_keyboard_reaches_everything_that_can_be_used(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    # The buttons of a menu are reached once it is open.
    everything = "main button:not(.menu button), main summary"
    wanted = page.locator(everything).count()
    assert wanted > 20
    reached = set()
    for _ in range(3 * wanted):
        page.keyboard.press("Tab")
        place, visible = page.evaluate(
            """(everything) => {
              const all = [...document.querySelectorAll(everything)];
              const here = document.activeElement;
              return [all.indexOf(here), getComputedStyle(here).outlineStyle !== 'none'];
            }""",
            everything,
        )
        if place >= 0:
            reached.add(place)
            assert visible
    assert len(reached) == wanted


def test_the_keyboard_opens_a_figure_s_numbers(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    summary = page.locator("#cpu .under summary")
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("#cpu .under table").is_visible()


def test_every_section_link_leads_to_its_section(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
    links = page.get_by_role("navigation").get_by_role("link").all()
    assert len(links) >= 5
    for link in links:
        assert page.locator(f"section{attribute_of(link, 'href')}").count() == 1
