"""The page of a study in a browser: drawn, quiet and readable by everybody."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ViewportSize

from howdah.session.study.studies import read, run
from support.browsing import Scheme, Visitor
from support.studies import SIMULATED, Nobody


@pytest.fixture(scope="session")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a simulated study, written once."""
    place = tmp_path_factory.mktemp("study")
    (place / "study.yaml").write_text(SIMULATED)
    return run(read(place / "study.yaml"), place / "blocks", Nobody()).paper.page


def test_the_page_is_drawn_and_quiet(page_path: Path, visit: Visitor) -> None:
    visiting = visit()
    page = visiting.open(page_path)
    assert visiting.said == []
    assert visiting.asked == [page_path.as_uri()]
    # The conclusion is the page's title, and the question it answers stands above it.
    assert page.locator(".question").inner_text() == "Do larger blocks sort faster?"
    assert "terasort" in page.locator("h1").inner_text()
    # A point for each run of each cell.
    assert page.locator("#live-scaling .data_marks path").count() == 8
    assert page.locator("#live-2-over-time-0 .mark-line path").count() >= 2


@pytest.mark.parametrize(("scheme", "width"), [("dark", 390), ("light", 1200)])
def test_axe_finds_no_violation(scheme: Scheme, width: int, page_path: Path, visit: Visitor) -> None:
    page = visit(color_scheme=scheme, viewport=ViewportSize(width=width, height=800)).open(page_path)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    results = Axe().run(page)
    found = {one["id"]: [node["html"] for node in one["nodes"]] for one in results.response["violations"]}
    assert found == {}
