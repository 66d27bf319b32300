"""Programs whose phases have nothing in common: the parts of their time, and what they started."""

from __future__ import annotations

import pyarrow as pa

from howdah.analysis.comparing.compare import compare
from howdah.analysis.comparing.figures import figures_of
from howdah.model.comparison import Comparison, RunGroup
from howdah.model.tables import TASKS_SCHEMA, RunData
from howdah.model.workloads.spark import SparkApi, SparkTeraSort
from howdah.report.comparing.content import explained, times_table
from howdah.report.comparing.words import answer, group_sentences
from support.cluster_records import attempts_in, terasort_on
from support.cluster_scene import Scene
from support.comparing import stretched
from support.spark_runs import ROWS, SORTED, recorded

KIND = "spark-terasort"


def by_mapreduce() -> RunData:
    """The same rows sorted by MapReduce, as the suite of Spark does it."""
    run = terasort_on(Scene())
    workload = SparkTeraSort(rows=ROWS, api=SparkApi.MAPREDUCE)
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={
            "suite": recorded(SORTED).record.suite.model_copy(update={"workloads": (workload,)}),
            "workloads": (result.model_copy(update={"workload": workload}),),
        }
    )
    rows = [attempt._replace(workload=KIND)._asdict() for attempt in attempts_in(run)]
    return run._replace(record=record, tasks=pa.Table.from_pylist(rows, schema=TASKS_SCHEMA))


def compared() -> Comparison:
    """MapReduce against Spark, three runs of each whose times differ by one per cent."""
    noise = (0.99, 1.0, 1.01)
    groups = [
        RunGroup(name=name, runs=tuple(figures_of(stretched(run, factor)) for factor in noise))
        for name, run in (("mapreduce", by_mapreduce()), ("rdd", recorded(SORTED)))
    ]
    return compare(groups)


def test_the_parts_of_both_programs_are_all_of_their_time() -> None:
    for run in (by_mapreduce(), recorded(SORTED)):
        values = {reading.measure.name: reading.value for reading in figures_of(run).readings}
        parts = ("before the first task", "while tasks ran", "between tasks", "after the last task")
        (result,) = run.record.workloads
        assert abs(sum(values[name] for name in parts) - (result.end_s - result.start_s)) < 1e-6


def test_processes_are_those_of_tasks_or_of_executors() -> None:
    started = {
        name: {reading.measure.name: reading.value for reading in figures_of(run).readings}[
            "processes of Java started"
        ]
        for name, run in (("mapreduce", by_mapreduce()), ("rdd", recorded(SORTED)))
    }
    # Sixteen maps and eight reduces with an application master; four executors, their master and the driver.
    assert started["mapreduce"] == len(attempts_in(terasort_on(Scene()))) + 1
    assert started["rdd"] == 6


def test_a_difference_is_placed_in_parts_and_explained_by_causes() -> None:
    comparison = compared()
    (against,) = comparison.against
    (location,) = against.locations
    assert location.phase is None
    assert location.parts
    assert abs(sum(part.other_mean - part.base_mean for part in location.parts)) > 0
    names = [sign.measure.name for sign in location.signs]
    assert "processes of Java started" in names
    assert "tasks' CPU time" not in names
    sentence = list(group_sentences(against, comparison.baseline))[-1]
    assert "before the first task" in sentence
    assert "processes of Java started 6 instead of 25" in sentence
    assert "before the first task" in answer(comparison).statistics


def test_programs_with_the_same_phases_are_compared_by_these() -> None:
    runs = [stretched(by_mapreduce(), factor) for factor in (0.99, 1.0, 1.01)]
    slower = [stretched(run, 1.5) for run in runs]
    groups = [
        RunGroup(name=name, runs=tuple(map(figures_of, each))) for name, each in (("a", runs), ("b", slower))
    ]
    (location,) = compare(groups).against[0].locations
    assert location.phase is not None
    assert location.parts == ()


def test_a_page_shows_parts_and_causes_of_every_group() -> None:
    (table,) = explained(compared())
    assert table.columns == ("what", "mapreduce", "rdd")
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["elapsed"] == ("29.5 s", "1 min 20 s")
    assert rows["processes of Java started"] == ("25", "6")
    assert "while tasks ran" in rows
    assert not any(name == "tasks' CPU time" for name in rows)


def test_a_page_shows_the_phases_of_every_program() -> None:
    shown = [row[:2] for row in times_table(compared()).rows]
    assert (f"{KIND} map-shuffle", "mapreduce") in shown
    assert (f"{KIND} stage 1", "rdd") in shown
    assert len(shown) == len(set(shown))
