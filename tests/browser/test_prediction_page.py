"""The pages of predictions in a browser: drawn, quiet and readable, whatever their numbers are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from howdah.report.prediction.changes import changes
from howdah.report.prediction.growth import growth
from howdah.report.prediction.predicted import predicted
from howdah.report.prediction.scored import scored
from howdah.report.write import write_document
from howdah.simulation.calibrations import load_calibration
from support.browsing import Scheme, Visitor
from support.inspecting import Inspector
from support.predicted import small_prediction
from support.varied import changed, effect, grown, point
from support.varied import predicted as forecast
from support.varied import scored as score

pytestmark = pytest.mark.xdist_group("pages")

HOSTILE = "</script><script>window.caught=1</script><img src=x onerror='window.caught=2'>'\"$page`${1}"
LOOKS: list[Any] = [
    ("prediction", "light"),
    ("what-if", "dark"),
    ("sweep", "light"),
    ("score", "dark"),
    *(
        pytest.param(*look, marks=pytest.mark.exam("pages"))
        for look in (("prediction", "dark"), ("what-if", "light"), ("sweep", "dark"), ("score", "light"))
    ),
]
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
    return {said.name: write_document(said, tmp_path_factory.mktemp(said.name)) for said in some}


every_look = pytest.mark.parametrize(("name", "scheme"), LOOKS)


@every_look
def test_a_page_is_drawn_and_quiet(
    name: str, scheme: Scheme, pages: dict[str, Path], inspect: Inspector
) -> None:
    page = inspect(pages[name], scheme)
    assert page.messages == []
    assert page.requests == [pages[name].as_uri()]
    figure, marks = DRAWN[name]
    assert page.marks[f"live-{figure}"] >= marks


@every_look
def test_axe_finds_no_violation(
    name: str, scheme: Scheme, pages: dict[str, Path], inspect: Inspector
) -> None:
    page = inspect(pages[name], scheme)
    assert page.violations == {}
    assert page.too_wide == {}
    assert page.leftovers == []
    assert scheme == "light" or page.clipped == []


def test_a_plan_s_and_a_run_s_names_stay_text(visit: Visitor, tmp_path: Path) -> None:
    suite = small_prediction().suite.model_copy(update={"name": HOSTILE})
    made = small_prediction().model_copy(update={"suite": suite, "id": HOSTILE, "calibration": HOSTILE})
    scores = [score(HOSTILE, forecast(HOSTILE, 100), 105), score(HOSTILE, forecast("teragen", 60), 80)]
    visiting = visit()
    page = visiting.open(write_document(scored(made, scores, scores), tmp_path))
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still)").count() == 0
    assert "window.caught=1" in page.locator("h1").inner_text()
    assert visiting.said == []
