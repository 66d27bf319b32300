"""The page of a comparison in a browser: drawn, quiet, readable, and safe whatever records hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ViewportSize

from howdah.analysis.comparing import compare, figures_of, group_repeats
from howdah.analysis.comparing.courses import courses
from howdah.model.comparison import Comparison, RunFigures
from howdah.report.comparing.draw import Followed
from howdah.report.comparing.page import write_page
from support.browsing import Scheme, Visitor
from support.comparing import stored_runs

HOSTILE = "</script><script>window.caught=1</script><img src=x onerror='window.caught=2'>'\"$page`${1}"

Made = tuple[Comparison, Followed]


@pytest.fixture(scope="session")
def made() -> Made:
    """Two configurations of three repeats each, with what resources did."""
    runs = stored_runs(3)
    comparison = compare(group_repeats([figures_of(run) for run in runs]))
    names = [group.name for group in comparison.groups]
    return comparison, Followed(
        "terasort",
        {name: courses(run, "terasort") for name, run in zip(names, (runs[0], runs[3]), strict=True)},
    )


@pytest.fixture(scope="session")
def page_path(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, written once."""
    return write_page(*made, tmp_path_factory.mktemp("comparison"))


def test_a_table_that_goes_on_beyond_the_edge_says_so(page_path: Path, visit: Visitor) -> None:
    page = visit(viewport={"width": 390, "height": 800}).open(page_path)
    table = page.locator(".scroll:has(table):visible").first
    assert table.evaluate("place => place.scrollWidth > place.clientWidth")
    # Covers move with the content, shadows stay at the edges.
    shown = table.evaluate("place => getComputedStyle(place).backgroundAttachment")
    assert shown == "local, local, scroll, scroll"


def test_the_page_is_drawn_and_quiet(page_path: Path, visit: Visitor) -> None:
    visiting = visit()
    page = visiting.open(page_path)
    assert visiting.said == []
    assert visiting.asked == [page_path.as_uri()]
    # A point for each workload and phase that is compared: three, and two phases of the sort.
    assert page.locator("#live-ratios .data_marks path").count() == 5
    assert page.locator("#live-repeats-1 .data_marks path").count() == 6
    assert page.locator("#live-over-time-0 .mark-line path").count() >= 2


@pytest.mark.parametrize(("scheme", "width"), [("dark", 390), ("light", 1200)])
def test_axe_finds_no_violation(scheme: Scheme, width: int, page_path: Path, visit: Visitor) -> None:
    page = visit(color_scheme=scheme, viewport=ViewportSize(width=width, height=800)).open(page_path)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    results = Axe().run(page)
    found = {one["id"]: [node["html"] for node in one["nodes"]] for one in results.response["violations"]}
    assert found == {}
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_group_is_switched_off(page_path: Path, visit: Visitor) -> None:
    page = visit().open(page_path)
    lines = page.locator("#live-over-time-0 .mark-line path")
    before = lines.count()
    page.locator(".key[data-figure='over-time-0']").first.click()
    page.wait_for_function(
        "before => document.querySelectorAll('#live-over-time-0 .mark-line path').length < before", arg=before
    )


def test_a_record_s_text_stays_text(made: Made, visit: Visitor, tmp_path: Path) -> None:
    comparison, followed = made

    def spoilt(run: RunFigures) -> RunFigures:
        return run.model_copy(update={"run": f"{run.run}{HOSTILE}", "remarks": (HOSTILE,)})

    runs = [run for group in comparison.groups for run in group.runs]
    groups = group_repeats([spoilt(run) for run in runs])
    names = {group.name: f"{place}{HOSTILE}" for place, group in enumerate(groups)}
    hostile = compare([group.model_copy(update={"name": names[group.name]}) for group in groups])
    path = write_page(
        hostile,
        followed._replace(courses={names[name]: some for name, some in followed.courses.items()}),
        tmp_path,
    )
    visiting = visit()
    page = visiting.open(path)
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still)").count() == 0
    assert "window.caught=1" in page.locator("h1").inner_text()
    assert visiting.said == []
    assert visiting.asked == [path.as_uri()]
