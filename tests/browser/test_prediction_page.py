"""The pages of predictions in a browser: drawn, quiet and readable, whatever their numbers are."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ViewportSize

from howdah.report.prediction.changes import changes
from howdah.report.prediction.growth import growth
from howdah.report.prediction.page import write_page
from howdah.report.prediction.predicted import predicted
from howdah.report.prediction.scored import scored
from howdah.simulation.calibrations import load_calibration
from support.browsing import Scheme, Visitor
from support.predicted import small_prediction
from support.varied import changed, effect, grown, point
from support.varied import predicted as forecast
from support.varied import scored as score

HOSTILE = "</script><script>window.caught=1</script><img src=x onerror='window.caught=2'>'\"$page`${1}"
PAGES = ("prediction", "what-if", "sweep", "score")
DRAWN = {"prediction": ("times", 5), "what-if": ("changes", 3), "sweep": ("growth", 8), "score": ("times", 2)}


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every kind of page, written once."""
    known = load_calibration("published")
    made = small_prediction()
    scores = [score("one", forecast("terasort", 100), 105), score("one", forecast("teragen", 60), 80)]
    effects = [effect("disks", "5", 0.6), effect("hosts", "20", -0.4), effect("nics", "4", -0.02)]
    some = (
        predicted(made, known),
        changes(changed(*effects, impossible=("memory=1: too small",)), known),
        growth(grown(point(10, 0.1, 0.5), point(50, 0.2, 1.0, 700)), known),
        scored(made, scores, scores),
    )
    return {said.name: write_page(said, tmp_path_factory.mktemp(said.name)) for said in some}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_and_quiet(name: str, pages: dict[str, Path], visit: Visitor) -> None:
    visiting = visit()
    page = visiting.open(pages[name])
    assert visiting.said == []
    assert visiting.asked == [pages[name].as_uri()]
    figure, marks = DRAWN[name]
    assert page.locator(f"#live-{figure} .data_marks path").count() >= marks


@pytest.mark.parametrize(("scheme", "width"), [("dark", 390), ("light", 1200)])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(
    name: str, scheme: Scheme, width: int, pages: dict[str, Path], visit: Visitor
) -> None:
    page = visit(color_scheme=scheme, viewport=ViewportSize(width=width, height=800)).open(pages[name])
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    results = Axe().run(page)
    found = {one["id"]: [node["html"] for node in one["nodes"]] for one in results.response["violations"]}
    assert found == {}
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_plan_s_and_a_run_s_names_stay_text(visit: Visitor, tmp_path: Path) -> None:
    suite = small_prediction().suite.model_copy(update={"name": HOSTILE})
    made = small_prediction().model_copy(update={"suite": suite, "id": HOSTILE, "calibration": HOSTILE})
    scores = [score(HOSTILE, forecast(HOSTILE, 100), 105), score(HOSTILE, forecast("teragen", 60), 80)]
    visiting = visit()
    page = visiting.open(write_page(scored(made, scores, scores), tmp_path))
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still)").count() == 0
    assert "window.caught=1" in page.locator("h1").inner_text()
    assert visiting.said == []
