"""How busy the masters were, by the CPU time of their processes."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.comparing.readings import readings_of, seen_in
from howdah.analysis.phases import workload_times
from howdah.model.tables import RunData
from howdah.report.cluster import cluster_tables
from support.cluster_records import terasort_on, with_samples
from support.cluster_scene import Scene
from support.findings import found


def _with_masters(*, standby: float | None = None, from_share: float = 0.0) -> RunData:
    """A sort whose NameNode used a fifth of a core and whose ResourceManager used half of one."""
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    first, last = result.start_s, result.end_s
    rows = []
    for machine, metric, per_s in (
        ("m1", "jvm/namenode/cpu_s", 0.2),
        ("m1", "namenode/calls", 40.0),
        ("m1", "jvm/resourcemanager/cpu_s", 0.5),
        *([("m2", "jvm/namenode/cpu_s", standby)] if standby is not None else []),
    ):
        for at in (first + from_share * (last - first), last + 3.0):
            rows.append((at, machine, metric, per_s * at))
    return with_samples(run, rows)


def test_every_master_is_told_with_its_share_of_a_core() -> None:
    run = _with_masters(standby=0.01)
    (finding,) = found(run, "masters")
    assert finding.text == (
        "terasort: of one core, the NameNode on m1 20 %, the NameNode on m2 1.0 % "
        "and the ResourceManager on m1 50 % was used"
    )
    (table,) = (
        one
        for one in cluster_tables(run.record, analyse(run).evidence)
        if one.title == "How busy the masters were"
    )
    assert [row[1:] for row in table.rows] == [
        ("NameNode", "m1", "20 %", "40"),
        ("NameNode", "m2", "1.0 %", "–"),
        ("ResourceManager", "m1", "50 %", "–"),
    ]


def test_a_comparison_reads_them_as_it_reads_simulated_ones() -> None:
    run = _with_masters(standby=0.01)
    times = workload_times(run)
    read = {
        one.measure.name: one.value
        for one in readings_of(run, times, seen_in(run, times))
        if one.measure.unit == "share"
    }
    assert read["NameNode busy"] == pytest.approx(0.2)
    assert read["scheduler busy"] == pytest.approx(0.5)


def test_masters_that_were_not_asked_all_along_are_not_told() -> None:
    assert not found(_with_masters(from_share=0.5), "masters")
    assert not found(terasort_on(Scene()), "masters")
