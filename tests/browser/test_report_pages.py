"""The page of every kind of run: drawn, quiet, for every eye and every width."""

from __future__ import annotations

import re

import pytest

from support.browsing import ReportOf, Scheme
from support.inspecting import Inspector
from support.reports import PAGES

pytestmark = pytest.mark.xdist_group("pages")

EVERY_CHANGE: set[tuple[str, Scheme]] = {
    *((name, "light") for name in ("failed", "storage", "network", "ycsb")),
    ("laboratory", "dark"),
}
"""They have every kind of figure; the exam inspects the others."""
LOOKS: list[tuple[str, Scheme]] = [
    *((name, "light") for name in PAGES),
    *((name, "dark") for name in ("ycsb", "laboratory", "failed", "terasuite")),
]

every_look = pytest.mark.parametrize(
    ("name", "scheme"),
    [pytest.param(*look, marks=() if look in EVERY_CHANGE else pytest.mark.exam("pages")) for look in LOOKS],
)


@every_look
def test_every_figure_is_drawn_quietly(
    name: str, scheme: Scheme, report: ReportOf, inspect: Inspector
) -> None:
    path = report(name)
    page = inspect(path, scheme)
    assert len(page.marks) == page.figures > 0
    assert [figure for figure, marks in page.marks.items() if not marks] == []
    assert page.messages == []
    assert page.requests == [path.as_uri()]


@every_look
def test_axe_finds_no_violation(name: str, scheme: Scheme, report: ReportOf, inspect: Inspector) -> None:
    page = inspect(report(name), scheme)
    assert page.violations == {}
    assert page.passes > 20


@every_look
def test_no_width_needs_sideways_scrolling(
    name: str, scheme: Scheme, report: ReportOf, inspect: Inspector
) -> None:
    assert inspect(report(name), scheme).too_wide == {}


@every_look
def test_words_are_whole_and_for_readers(
    name: str, scheme: Scheme, report: ReportOf, inspect: Inspector
) -> None:
    page = inspect(report(name), scheme)
    assert page.leftovers == []
    # A phone looks at dark pages.
    assert scheme == "light" or page.clipped == []


@every_look
def test_headings_do_not_skip_a_level(
    name: str, scheme: Scheme, report: ReportOf, inspect: Inspector
) -> None:
    assert not inspect(report(name), scheme).skips_levels


@pytest.mark.exam("pages")
def test_every_change_inspects_every_kind_of_figure(report: ReportOf) -> None:
    kinds = {name: _kinds(report(name).read_text()) for name in PAGES}
    assert set().union(*(kinds[name] for name, _ in EVERY_CHANGE)) == set().union(*kinds.values())


def _kinds(text: str) -> set[str]:
    """Figures of a page, without the workloads, phases and disks that their names end with."""
    figures = re.findall(r'<figure[^>]* id="([a-z-]+)', text)
    assert figures
    return {figure if figure.endswith("-machines") else figure.partition("-")[0] for figure in figures}
