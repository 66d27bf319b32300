"""Figures over time: where their axis begins, how phases are named, what an idle network and memory show."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.evidence.use import Series
from howdah.model.reported import Counters
from howdah.model.tables import RunData
from howdah.report.document import Figure
from howdah.report.figures import Figures, draw
from howdah.report.figures.steps import combined, common_grid, total
from howdah.report.figures.timeaxis import (
    LEAST_SHARE,
    MOST_ROWS,
    bands,
    end_of_run_s,
    left_out,
    placed,
    start_of_axis_s,
)
from support import records
from support.building import RunBuilder, Stage, kind
from support.figures import all_of, report_figures, source_of
from support.reports import RUNS


def _drawn(run: RunData) -> Figures:
    return draw(source_of(run))


def _figure(run: RunData, id_: str) -> Figure:
    return next(figure for figure in report_figures(run) if figure.id == id_)


def _texts(spec: dict[str, Any]) -> set[str]:
    """The names of phases and the labels of lines that a figure writes."""
    rows = [row for layer in spec["layer"] for row in layer.get("data", {}).get("values", [])]
    return {row[key] for row in rows for key in ("name", "series") if key in row}


def _prepared_for(seconds: float) -> RunData:
    """A second of work after so many seconds of preparation."""
    run = RunBuilder()
    run.prepare(Stage("measure-limits", seconds, read=1e12, busy=1.0))
    run.workload(
        kind("teravalidate", 10_000_000),
        [Stage("map", 1.0, read=1e9)],
        Counters(input_rows=10_000_000, read_bytes=10**9),
    )
    return run.build()


@pytest.mark.parametrize("name", ["terasuite", "spilled", "failed", "storage"])
def test_the_axis_begins_just_before_the_first_workload(name: str) -> None:
    source = source_of(RUNS[name]())
    first = source.evidence.workloads[0].start_s
    shown = end_of_run_s(source) - start_of_axis_s(source)
    assert 0 <= first - start_of_axis_s(source) <= 0.011 * shown
    assert bands(source)[0].start_s == first


@pytest.mark.parametrize("id_", ["cpu", "storage", "memory-process"])
def test_nothing_of_the_preparation_is_drawn(id_: str) -> None:
    start = source_of(records.terasuite()).evidence.workloads[0].start_s
    assert start > 1.5
    figure = _figure(records.terasuite(), id_)
    assert figure.spec["data"]["values"][0]["time"] == pytest.approx(start, abs=1e-3)


def test_peaks_are_those_of_the_workloads() -> None:
    assert "reading 1.00 GB/s" in _figure(_prepared_for(10.0), "storage").caption


def test_what_is_left_out_is_said_with_its_time() -> None:
    run = _prepared_for(10.0)
    said = left_out(source_of(run))
    assert said == "The 10.0 s of preparation before teravalidate are left out: measure limits 10.0 s."
    assert said in _drawn(run).not_shown


def test_a_run_that_ended_in_its_preparation_shows_that() -> None:
    run = _prepared_for(10.0)
    record = run.record.model_copy(update={"workloads": ()})
    source = source_of(RunData(record, run.tasks, run.samples))
    assert start_of_axis_s(source) == 0
    assert [band.phase for band in bands(source)] == ["measure-limits"]
    assert left_out(source) == ""


def test_a_step_that_the_axis_cuts_keeps_its_level() -> None:
    series = Series("host1", "disk", "vda", "read", "B/s", np.array([0.0, 2.0, 4.0]), np.array([10.0, 30.0]))
    grid = common_grid([series], 1.5)
    assert grid.tolist() == [1.5, 2.0, 4.0]
    assert combined([series], grid, total).tolist() == [10.0, 30.0]
    assert len(common_grid([series], 4.0)) == 0


def _for_seconds(seconds: float) -> RunData:
    run = RunBuilder(interval_s=seconds / 4)
    run.workload(kind("pi"), [Stage("map", seconds, user=1.0, iowait=0.0)])
    return run.build()


def test_cpu_time_is_drawn_in_steps_that_the_kernel_s_clock_can_fill() -> None:
    times = [row["time"] for row in _figure(_for_seconds(0.16), "cpu").spec["data"]["values"]]
    assert times == pytest.approx([0, 80, 160])
    ids = [figure.id for figure in report_figures(_for_seconds(0.08))]
    assert "cpu" not in ids


stretches = st.lists(
    st.tuples(st.sampled_from(["map", "map-shuffle", "teravalidate"]), st.floats(0.01, 5), st.floats(0, 1)),
    min_size=1,
    max_size=12,
)


@given(stretches, st.sampled_from([240.0, 800.0]))
def test_every_phase_that_can_be_seen_is_named(parts: list[tuple[str, float, float]], width: float) -> None:
    clock, every = 0.0, []
    for name, length, gap in parts:
        every.append((name, clock, clock + length))
        clock += length + gap
    names = placed(every, clock, width)
    starts = {one.start for one in names}
    for _, start, end in every:
        if end - start >= LEAST_SHARE * clock:
            assert start in starts
    for row in range(MOST_ROWS):
        held = [one for one in names if one.row == row]
        assert all(one.until == later.start for one, later in pairwise(held))
        assert all(one.until is None for one in held[-1:])
    assert max(one.row for one in names) < MOST_ROWS if names else True


def test_names_that_would_collide_are_staggered() -> None:
    close = placed([("map-shuffle", 0.0, 5.0), ("reduce-merge", 5.0, 10.0), ("map", 10.0, 100.0)], 100, 800)
    assert [one.row for one in close] == [0, 1, 0]
    apart = placed([("map-shuffle", 0.0, 50.0), ("reduce-merge", 50.0, 100.0)], 100, 800)
    assert [one.row for one in apart] == [0, 0]


@pytest.mark.parametrize("id_", ["cpu", "storage", "tasks"])
def test_workloads_and_phases_are_named_on_every_chart(id_: str) -> None:
    named = _texts(_figure(records.terasuite(), id_).spec)
    assert named >= {"teragen", "terasort", "teravalidate", "map-shuffle", "reduce-merge", "map"}


def test_an_idle_network_is_a_sentence() -> None:
    drawn = _drawn(records.terasuite())
    assert "network" not in [figure.id for figure in all_of(drawn)]
    (said,) = [text for text in drawn.not_shown if "network" in text]
    assert said.startswith("The network was idle: eth0 carried ")


def test_a_busy_network_is_a_figure() -> None:
    run = RunBuilder()
    run.workload(kind("terasort", 100), [Stage("map-shuffle", 4.0, extra={"nic/eth0/rx_bytes": 4e9})])
    drawn = _drawn(run.build())
    (figure,) = [figure for figure in all_of(drawn) if figure.id == "network"]
    assert "received 1.00 GB/s" in figure.caption
    assert not [text for text in drawn.not_shown if "network" in text]


def test_memory_is_held_against_its_budget() -> None:
    run = records.terasuite()
    named = _texts(_figure(run, "memory-process").spec)
    assert {"process", "budget 16 GiB", "peak 14.4 GiB"} <= named
    values = _figure(run, "memory-process").spec["data"]["values"]
    assert values[0]["process"] == pytest.approx(14.4, rel=0.05)


def test_the_page_cache_is_a_chart_of_its_own() -> None:
    run = RunBuilder()
    for _ in range(2):
        run.gauge("memory/cached_bytes", 3 * 2**30)
        run.gauge("memory/dirty_bytes", 2**30)
        run.pause(1.0)
    run.workload(kind("teragen", 100), [Stage("map", 2.0)])
    figure = _figure(run.build(), "memory-cache")
    assert {"page cache", "dirty"} <= _texts(figure.spec)
    assert figure.spec["data"]["values"][-1]["page cache"] == pytest.approx(3.0)
