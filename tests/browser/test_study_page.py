"""The page of a study in a browser: drawn, quiet and readable by everybody."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.session.studies import read, run
from support.browsing import Scheme, Visitor
from support.inspecting import Inspector
from support.studies import SIMULATED, Nobody

pytestmark = pytest.mark.xdist_group("pages")


@pytest.fixture(scope="session")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a simulated study, written once."""
    place = tmp_path_factory.mktemp("study")
    (place / "study.yaml").write_text(SIMULATED)
    return run(read(place / "study.yaml"), place / "blocks", Nobody()).paper.page


every_scheme = pytest.mark.parametrize(
    "scheme", ["dark", pytest.param("light", marks=pytest.mark.exam("pages"))]
)


@every_scheme
def test_the_page_is_drawn_and_quiet(scheme: Scheme, page_path: Path, inspect: Inspector) -> None:
    page = inspect(page_path, scheme)
    assert page.messages == []
    assert page.requests == [page_path.as_uri()]
    # The conclusion is the page's title.
    assert "cannot be distinguished from block size" in page.heading
    # A point for each run of each cell.
    assert page.marks["live-scaling"] == 8
    assert page.marks["live-2-over-time-0"] >= 2


@every_scheme
def test_axe_finds_no_violation(scheme: Scheme, page_path: Path, inspect: Inspector) -> None:
    page = inspect(page_path, scheme)
    assert page.violations == {}
    assert page.too_wide == {}
    assert page.leftovers == []
    assert scheme == "light" or page.clipped == []


def test_the_question_stands_above_its_answer(page_path: Path, visit: Visitor) -> None:
    page = visit().open(page_path)
    assert page.locator(".question").inner_text() == "Do larger blocks sort faster?"
