"""Records with words of ten thousand letters are shown on every page, and widen none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from howdah.model.tables import Progress
from howdah.store.writer import ProgressFile, RunWriter
from support import cluster_reports, records, reports
from support.browsing import Visitor
from support.comparing import stored_runs
from support.hostile import LONG, long_texts
from support.served import Started, started
from support.stored import as_begun, task_rows, write_run
from support.studies import SIMULATED

pytestmark = pytest.mark.xdist_group("served pages")

WIDTHS = (360, 390, 900, 1400)
RUNS = {
    "local": records.with_warnings,
    "failed": records.failed,
    "laboratory": cluster_reports.laboratory,
    "cluster": reports.PAGES["simulated_cluster"],
    "ycsb": reports.PAGES["ycsb"],
}
PAIR = ("20261121-1001-hostile", "20261121-1002-hostile")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hostile records only, and a study that is as bad."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, made in RUNS.items():
        write_run(folder / "runs", long_texts(made(), _named(name)))
    for name, data in zip(PAIR, stored_runs(1), strict=True):
        write_run(folder / "runs", long_texts(data, name))
    study = folder / "study" / "blocks"
    study.mkdir(parents=True)
    many = "[10GB, 20GB, 30GB, 40GB, 50GB, 60GB, 70GB, 80GB]"
    asked = SIMULATED.replace("larger blocks", f"larger {LONG}").replace("[10GB, 20GB]", many)
    (study / "study.yaml").write_text(asked)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Started]:
    with started(folder) as one:
        yield one


def _named(name: str) -> str:
    return f"20261121-0900-{name}"


@pytest.mark.parametrize(
    "address",
    [
        "",
        *(
            pytest.param(address, marks=pytest.mark.exam("pages"))
            for address in (
                f"?search={'x' * 200}",
                f"?suite={'x' * 100}",
                *(f"runs/{_named(name)}/" for name in RUNS),
                f"compare/{','.join(PAIR)}/",
                "studies/",
                "studies/blocks/",
                f"compare/{','.join(['20261121-none'] * 9)}/",
            )
        ),
    ],
)
def test_no_page_is_wider_than_its_window(address: str, visit: Visitor, server: Started) -> None:
    page = visit().go(server.address + address)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.locator("h1").first.inner_text()
    assert page.evaluate("document.body.innerText.length") < 100_000
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, f"{width} px: {beyond} px beyond the edge"


def test_no_column_is_pushed_off_the_list(visit: Visitor, server: Started) -> None:
    page = visit().go(server.address)
    page.set_viewport_size({"width": 1400, "height": 900})
    list_width, room = page.evaluate(
        "[document.querySelector('.runs').scrollWidth, document.querySelector('#list .scroll').clientWidth]"
    )
    assert list_width <= room
    # Each run has one line, on a narrow screen two and its error: nothing is broken within a word.
    for width, most in ((1400, 40), (390, 80)):
        page.set_viewport_size({"width": width, "height": 900})
        heights = page.evaluate(
            "[...document.querySelectorAll('.runs tbody tr')].map((row) => row.offsetHeight)"
        )
        assert len(heights) == len(RUNS) + len(PAIR)
        assert max(heights) <= most, (width, heights)
    assert page.evaluate(
        """() => [...document.querySelectorAll(".runs td[data-c]:not(:empty)")].every((cell) =>
              cell.title || cell.querySelector("[title]") || cell.scrollWidth <= cell.clientWidth)"""
    )


def test_a_run_under_way_names_what_it_does_and_widens_nothing(
    visit: Visitor, server: Started, folder: Path
) -> None:
    data = long_texts(records.failed(), "20261121-1100-under-way")
    with RunWriter(folder / "runs", as_begun(data.record)) as writer:
        writer.tasks(task_rows(data.tasks))
        # Between two phases there is none.
        ProgressFile(writer.path).keep(Progress("limits", "", 1, 4, "B", 0.5))
        page = visit().go(f"{server.address}runs/{data.record.id}/")
        said = re.compile(r"^limits, [\d.]+ .*into the run$")
        expect(page.locator("#headline")).to_have_text(said)
        expect(page.locator("#tasks tr")).not_to_have_count(0)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width
