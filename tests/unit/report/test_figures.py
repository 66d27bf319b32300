"""What figures draw: areas kept, labels apart, a figure only where there is data, few bars for many."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.use import Series
from howdah.model.tables import RunData
from howdah.report.document import Key
from howdah.report.figures import draw
from howdah.report.figures.elapsed import clear_of, elapsed
from howdah.report.figures.resources import READ
from howdah.report.figures.steps import MOST_STEPS, combined, common_grid, machines, mean, summed, total
from howdah.report.figures.task_bars import LaneBar, merged
from howdah.report.figures.throughput import MOST_BARS, _bars
from howdah.report.figures.timeaxis import FigureSource, bands, run_unit
from howdah.report.figures.timeline import LABEL_PITCH, Label, SeriesLine, spread, steps_table
from howdah.report.renderer import still
from support import records
from support.building import RunBuilder, Stage, kind
from support.cluster_records import terasort_on
from support.cluster_reports import laboratory
from support.cluster_scene import Scene
from support.figures import all_of, report_figures, source_of
from support.reports import RUNS


def _series(edges: list[float], values: list[float]) -> Series:
    return Series("host1", "disk", "vda", "read", "B/s", np.array(edges), np.array(values))


widths = st.lists(st.floats(0.01, 5), min_size=1, max_size=2 * MOST_STEPS)


@given(st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 1e9)), min_size=1, max_size=3 * MOST_STEPS))
def test_thinning_keeps_the_area(steps: list[tuple[float, float]]) -> None:
    edges = np.concatenate([[0.0], np.cumsum([width for width, _ in steps])])
    series = _series(list(edges), [value for _, value in steps])
    grid = common_grid([series])
    assert len(grid) <= MOST_STEPS + 1
    drawn = combined([series], grid, total)
    area = float((series.values * np.diff(series.edges_s)).sum())
    assert float((drawn * np.diff(grid)).sum()) == pytest.approx(area, rel=1e-9, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0.1, 5), st.floats(0, 1e9)), min_size=1, max_size=3 * MOST_STEPS))
def test_thinning_keeps_the_peak(steps: list[tuple[float, float]]) -> None:
    edges = np.concatenate([[0.0], np.cumsum([width for width, _ in steps])])
    series = _series(list(edges), [value for _, value in steps])
    grid = common_grid([series])
    line = summed(READ, [series, series], grid)
    assert line.highest == pytest.approx(2 * series.values.max(), rel=1e-6, abs=1e-3)
    assert line.peaks is not None
    assert (line.peaks >= line.values - 1e-6 * line.highest).all()


def test_a_burst_that_a_step_hides_is_drawn_and_told() -> None:
    """A tenth of a second of fast writing in two minutes, of which a step has a quarter."""
    run = RunBuilder(interval_s=0.1)
    steady = Stage("map", 60.0, write=60 * 1e7)
    burst = Stage("burst", 0.1, write=0.1 * 5e8)
    run.workload(kind("teragen", 1_000_000, maps=2), [steady, burst, steady])
    (figure,) = (one for one in report_figures(run.build()) if one.id == "storage")
    assert re.search(r"writing (4[5-9]|50)\d MB/s; pale lines", figure.caption)
    values = figure.spec["data"]["values"]
    assert max(row["write"] for row in values) < 300
    assert max(row["write peak"] for row in values) > 450
    assert "read peak" not in values[0], "a line that hides nothing is drawn once"
    peaks = [float(row[figure.table.columns.index("write peak (MB/s)")]) for row in figure.table.rows]
    assert max(peaks) > 450


def test_a_machine_s_table_has_the_peaks_as_sampled() -> None:
    seconds = np.arange(0.0, 601.0)
    rates = np.full(600, 1e7)
    rates[300] = 9e8
    source = source_of(laboratory())
    name = source.evidence.machines[0].name
    every = [
        Series(
            one.name,
            "disk",
            "sda",
            "read",
            "B/s",
            seconds,
            rates if one.name == name else rates[:1] * np.ones(600),
        )
        for one in source.evidence.machines
    ]
    shown = machines(source, every, ("read",))
    assert shown is not None
    row = next(row for row in shown.rows if row.name == name)
    assert row.values[0].max() < 5e8
    assert row.peaks[0] == pytest.approx(9e8)


def test_series_with_other_edges_meet_on_one_grid() -> None:
    one, other = _series([0, 1, 2], [10, 20]), _series([1, 3], [6])
    grid = common_grid([one, other])
    assert grid[0] == 0
    assert grid[-1] == 3
    drawn = combined([one, other], grid, total)
    assert float((drawn * np.diff(grid)).sum()) == pytest.approx(30 + 12)


def test_shares_are_averaged_and_rates_added() -> None:
    both = [_series([0, 1], [10]), _series([0, 1], [30])]
    grid = common_grid(both)
    assert combined(both, grid, mean).tolist() == [20]
    assert combined(both, grid, total).tolist() == [40]


def test_no_series_make_no_grid() -> None:
    assert len(common_grid([])) == 0


@given(st.lists(st.floats(-50, 250), min_size=1, max_size=8))
def test_labels_never_overlap(places: list[float]) -> None:
    labels = spread([Label(str(index), "ink", y) for index, y in enumerate(places)], 180)
    assert {label.name for label in labels} == {str(index) for index in range(len(places))}
    gaps = np.diff([label.y for label in labels])
    assert (gaps >= LABEL_PITCH - 1e-9).all()
    assert labels[-1].y <= 180


def test_labels_that_do_not_collide_stay_where_they_are() -> None:
    placed = spread([Label("a", "ink", 20.0), Label("b", "ink", 120.0)], 180)
    assert [label.y for label in placed] == [20.0, 120.0]


def test_a_table_of_steps_keeps_the_mean() -> None:
    source = source_of(records.terasuite())
    line = SeriesLine(Key("read", "disk-read"), np.arange(100.0))
    table = steps_table(source, np.arange(101.0), [line], "MB/s")
    values = [float(row[-1]) for row in table.rows]
    assert len(values) < 100
    assert np.mean(values) == pytest.approx(49.5, rel=0.01)


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_is_whole(name: str) -> None:
    figures = report_figures(RUNS[name]())
    ids = [figure.id for figure in figures]
    assert len(set(ids)) == len(ids)
    for figure in figures:
        json.dumps(figure.spec, allow_nan=False)
        assert figure.caption.endswith(".")
        assert figure.table.rows
        assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
        assert figure.marks > 0


def test_a_run_without_samples_or_tasks_draws_only_what_it_can() -> None:
    run = records.terasuite()
    bare = RunData(run.record, run.tasks.slice(0, 0), run.samples.slice(0, 0))
    assert [figure.id for figure in report_figures(bare)] == ["elapsed"]


def test_a_run_that_never_began_draws_nothing() -> None:
    run = records.terasuite()
    record = run.record.model_copy(update={"workloads": (), "preparation": (), "elapsed_s": 0.0})
    empty = RunData(record, run.tasks.slice(0, 0), run.samples.slice(0, 0))
    assert report_figures(empty) == ()


def test_several_disks_get_a_chart_each_on_one_scale() -> None:
    figures = {figure.id: figure for figure in report_figures(records.spilled())}
    assert {"storage", "storage-vda", "storage-vdb"} <= figures.keys()
    tops = []
    for disk in ("vda", "vdb"):
        layers = figures[f"storage-{disk}"].spec["layer"]
        data = next(layer for layer in layers if layer.get("name") == "data")
        tops.append(data["encoding"]["y"]["scale"]["domain"])
    assert tops[0] == tops[1]
    assert tops[0][0] == 0


def _marks(name: str, figure_id: str) -> list[dict[str, object]]:
    run = RUNS[name]()
    figure = next(one for one in report_figures(run) if one.id == figure_id)
    return [layer["mark"] for layer in figure.spec["layer"] if layer.get("name") == "data"]


@pytest.mark.parametrize("figure", ["elapsed", "cpu", "storage", "tasks"])
def test_only_simulated_numbers_are_dashed(figure: str) -> None:
    (measured,) = _marks("terasuite", figure)
    (simulated,) = _marks("simulated", figure)
    assert "strokeDash" not in json.dumps(measured)
    assert "strokeDash" in json.dumps(simulated)


@pytest.mark.parametrize(("name", "kinds"), [("terasuite", 4), ("simulated", 3)])
def test_cpu_time_that_nobody_simulates_is_not_drawn(name: str, kinds: int) -> None:
    (figure,) = (one for one in report_figures(RUNS[name]()) if one.id == "cpu")
    rows = figure.spec["data"]["values"]
    assert [key.name for key in figure.keys] == [one for one in rows[0] if one != "time"]
    assert len(figure.keys) == kinds


def test_the_limit_stands_where_analysis_put_it() -> None:
    source = source_of(records.terasuite())
    answer = draw(source).answer
    assert answer is not None
    expected = sorted(one.limit_s for one in source.evidence.limits if one.phase is None)
    drawn = {
        row["limit"] for layer in answer.spec["layer"] for row in layer["data"]["values"] if "limit" in row
    }
    assert sorted(drawn) == pytest.approx(expected)
    assert len(expected) == 3


def test_bands_cover_every_phase_and_no_preparation() -> None:
    source = source_of(records.terasuite())
    names = [(band.workload, band.phase) for band in bands(source)]
    assert "prepare" not in [workload for workload, _ in names]
    assert ("terasort", "map-shuffle") in names
    assert ("terasort", "reduce-merge") in names
    assert [band.start_s for band in bands(source)] == sorted(band.start_s for band in bands(source))


@pytest.mark.parametrize(("elapsed_s", "name"), [(20, "s"), (599, "s"), (1200, "min"), (50_000, "h")])
def test_long_runs_are_read_in_longer_units(elapsed_s: int, name: str) -> None:
    run = records.pi()
    record = run.record.model_copy(update={"elapsed_s": float(elapsed_s)})
    assert run_unit(source_of(RunData(record, run.tasks, run.samples))).name == name


def test_tasks_too_narrow_to_see_are_joined_without_losing_any() -> None:
    bars = [
        LaneBar("map", index % 4, index * 0.1, index * 0.1 + 0.1, "a task", 5, 1) for index in range(10_000)
    ]
    found = merged(bars, 1_000.0)
    assert len(found) < 5_000
    assert sum(bar.tasks for bar in found) == 10_000
    assert sum(bar.moved_bytes for bar in found) == 50_000


def test_tasks_too_many_for_a_page_are_joined_while_gaps_stay() -> None:
    # Of 2 pixels each, in lanes that rest for 5 pixels after every twentieth.
    tasks = [(lane, 2 * place + 5 * (place // 20)) for lane in range(300) for place in range(100)]
    bars = [LaneBar("map", lane, start, start + 2, "a task", 5, 1) for lane, start in tasks]
    found = merged(bars, 900.0)
    assert len(found) <= 10_000
    assert sum(bar.tasks for bar in found) == len(bars)
    assert sum(bar.end_s - bar.start_s for bar in found) == 2 * len(bars)


def test_few_tasks_are_left_alone() -> None:
    bars = [LaneBar("map", 0, 0.0, 1e-6, "a task", 5, 1), LaneBar("map", 0, 1e-6, 2e-6, "a task", 5, 1)]
    assert merged(bars, 1_000.0) == bars


def test_many_partitions_keep_their_extremes() -> None:
    rates = [(task, 100.0 + task % 7) for task in range(3_000)]
    rates[1234] = (1234, 3.0)
    rates[2345] = (2345, 900.0)
    bars = list(_bars(rates))
    assert len(bars) == MOST_BARS
    assert min(low for *_, low, _ in bars) == 3.0
    assert max(high for *_, high in bars) == 900.0


def test_no_limit_strikes_a_total_through() -> None:
    """A total begins behind its bar, or behind a limit that lies where it would be written."""
    source = source_of(records.terasuite())
    (figure,) = (one for one in all_of(draw(source)) if one.id == "elapsed")
    layers = [layer["data"]["values"] for layer in figure.spec["layer"] if "data" in layer]
    totals = next(
        rows for rows in layers if "end" in rows[0] and "text" in rows[0] and "start" not in rows[0]
    )
    limits = {row["row"]: row["limit"] for rows in layers for row in rows if "limit" in row}
    longest = max([*limits.values(), *(row["end"] for row in totals)])
    assert limits
    for row in totals:
        limit = limits.get(row["row"], 0.0)
        assert limit <= row["end"] or limit >= row["end"] + 0.12 * longest


@pytest.mark.parametrize("width", [300, 862, 1600])
@pytest.mark.parametrize("floor_s", [0.01, 0.81, 12.0, 55.0])
def test_the_floors_name_is_never_cut_off(width: int, floor_s: float) -> None:
    run = terasort_on(Scene())
    evidence = analyse(run, records.terasuite(rows=8_000_000)).evidence
    floors = (replace(evidence.floors[0], floor_s=floor_s),)
    figure = elapsed(FigureSource(run, replace(evidence, floors=floors)))
    assert figure is not None
    picture = vl_convert.vegalite_to_svg(still(figure) | {"width": width})
    written = re.findall(
        r'<text text-anchor="(\w+)" transform="translate\(([\d.-]+),[^>]*>(floor [^<]+)</text>', picture
    )
    assert len(written) == 2, "a rim and the words"
    for anchor, at, text in written:
        begins = float(at) - {"start": 0.0, "middle": 0.5}[anchor] * 6.2 * len(text)
        assert begins >= -4, "the figure's own margin is 4 pixels"


@pytest.mark.parametrize(("limit", "at"), [(0.8, 1.0), (1.0, 1.0), (1.05, 1.05), (1.5, 1.5), (1.9, 1.0)])
def test_a_total_is_moved_only_where_it_would_be_struck(limit: float, at: float) -> None:
    assert clear_of(1.0, limit, 5.0) == at


@pytest.mark.parametrize("floor_s", [2.0, 3.5, 11.0])
def test_no_limit_strikes_a_phases_name_through(floor_s: float) -> None:
    run = terasort_on(Scene())
    evidence = analyse(run, records.terasuite(rows=8_000_000)).evidence
    floors = (replace(evidence.floors[0], floor_s=floor_s),)
    figure = elapsed(FigureSource(run, replace(evidence, floors=floors)))
    assert figure is not None
    picture = vl_convert.vegalite_to_svg(still(figure) | {"width": 862})
    per_s = float(re.findall(r"translate\(([\d.]+),12\)[^>]*>10<", picture)[0]) / 10
    names = re.findall(r"translate\(([\d.]+),40\)[^>]*>((?:map|reduce)-[^<]+)<", picture)
    assert len(names) == 2
    for at, text in names:
        assert not float(at) - 2 < floor_s * per_s < float(at) + 6.2 * len(text), text
