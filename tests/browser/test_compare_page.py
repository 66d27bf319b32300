"""The page of a comparison in a browser: drawn, quiet, readable, and safe whatever records hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.analysis.comparing.compare import compare, group_repeats
from howdah.analysis.comparing.figures import courses, figures_of
from howdah.model.comparison import Comparison, RunFigures
from howdah.report.comparing.content import document
from howdah.report.comparing.draw import Followed, draw
from howdah.report.write import write_document
from support.browsing import Scheme, Visitor
from support.comparing import stored_runs
from support.inspecting import Inspector

pytestmark = pytest.mark.xdist_group("pages")

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
    comparison, followed = made
    page = document(comparison, draw(comparison, followed))
    return write_document(page, tmp_path_factory.mktemp("comparison"))


def test_a_table_that_goes_on_beyond_the_edge_says_so(page_path: Path, visit: Visitor) -> None:
    page = visit(viewport={"width": 390, "height": 800}).open(page_path)
    table = page.locator(".scroll:has(table):visible").first
    assert table.evaluate("place => place.scrollWidth > place.clientWidth")
    # Covers move with the content, shadows stay at the edges.
    shown = table.evaluate("place => getComputedStyle(place).backgroundAttachment")
    assert shown == "local, local, scroll, scroll"


every_scheme = pytest.mark.parametrize(
    "scheme", ["light", pytest.param("dark", marks=pytest.mark.exam("pages"))]
)


@every_scheme
def test_the_page_is_drawn_and_quiet(scheme: Scheme, page_path: Path, inspect: Inspector) -> None:
    page = inspect(page_path, scheme)
    assert page.messages == []
    assert page.requests == [page_path.as_uri()]
    # A point for each workload and phase that is compared: three, and two phases of the sort.
    assert page.marks["live-ratios"] == 5
    assert page.marks["live-repeats-1"] == 6
    assert page.marks["live-over-time-0"] >= 2


@every_scheme
def test_axe_finds_no_violation(scheme: Scheme, page_path: Path, inspect: Inspector) -> None:
    page = inspect(page_path, scheme)
    assert page.violations == {}
    assert page.too_wide == {}
    assert page.leftovers == []
    assert scheme == "light" or page.clipped == []


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
    renamed = followed._replace(courses={names[name]: some for name, some in followed.courses.items()})
    path = write_document(document(hostile, draw(hostile, renamed)), tmp_path)
    visiting = visit()
    page = visiting.open(path)
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still)").count() == 0
    assert "window.caught=1" in page.locator("h1").inner_text()
    assert visiting.said == []
    assert visiting.asked == [path.as_uri()]
