"""A long run's page stays quick: 100,000 samples and 10,000 tasks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.reported import Counters
from howdah.model.tables import RunData
from howdah.report.run import run_report
from howdah.report.write import write_document
from support.browsing import Visitor
from support.building import RunBuilder, Stage, Tasks, kind
from support.machine import raw_limits

pytestmark = [pytest.mark.xdist_group("pages"), pytest.mark.exam("pages")]

ROWS = 1_000_000_000


def _long() -> RunData:
    run = RunBuilder(cpus=2, interval_s=0.9, wobble=0.2)
    size = 100 * ROWS
    tasks = Tasks("map", 5_000, 40, input_bytes=size, output_bytes=size, jitter=0.3)
    merge = Tasks("reduce", 5_000, 40, input_bytes=size, output_bytes=size, jitter=0.3)
    run.workload(
        kind("terasort", ROWS, maps=5_000, reduces=5_000),
        [
            Stage("map-shuffle", 1_500, read=size, write=size, tasks=tasks),
            Stage("reduce-merge", 1_500, read=size, write=size, tasks=merge),
        ],
        Counters(input_rows=ROWS, output_rows=ROWS, read_bytes=size, written_bytes=size),
    )
    return run.build(limits=raw_limits())


@pytest.fixture(scope="module")
def long_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    run = _long()
    assert run.samples.num_rows > 100_000
    assert run.tasks.num_rows == 10_000
    analysis = analyse(run)
    start = time.monotonic()
    path = write_document(run_report(run, analysis), tmp_path_factory.mktemp("long"))
    return path, time.monotonic() - start


def test_the_page_is_written_quickly_and_stays_small(long_page: tuple[Path, float]) -> None:
    path, seconds = long_page
    assert seconds < 15
    assert path.stat().st_size < 8_000_000


def test_the_page_draws_and_answers_quickly(long_page: tuple[Path, float], visit: Visitor) -> None:
    path, _ = long_page
    start = time.monotonic()
    visiting = visit()
    page = visiting.open(path)
    assert time.monotonic() - start < 20
    assert visiting.said == []
    start = time.monotonic()
    page.locator("#cpu").get_by_role("button", name="user", exact=True).press("Space")
    page.wait_for_function("document.querySelectorAll('#live-cpu .data_marks path').length === 3")
    assert time.monotonic() - start < 3
    assert "10,000 task attempts" in page.locator("#caption-tasks").inner_text()
