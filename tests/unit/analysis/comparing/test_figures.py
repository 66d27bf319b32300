"""What a comparison sees of whole runs: facts that make repeats, amounts, readings, courses."""

from __future__ import annotations

import numpy as np
import pytest

from howdah.analysis.comparing.compare import compare, group_repeats
from howdah.analysis.comparing.figures import MOST_STEPS, courses, figures_of
from howdah.analysis.machines import Timeline
from howdah.model.cluster import Event
from howdah.model.comparison import Aspect, RunFigures
from howdah.model.host import Disk
from howdah.model.reported import PhaseUse, Simulated, WorkUse
from howdah.model.run import Origin, RunRecord
from howdah.model.tables import RunData
from support.building import RunBuilder, Stage, kind
from support.cluster_records import terasort_on
from support.cluster_reports import laboratory
from support.cluster_scene import Scene
from support.comparing import elapsed, stored_runs
from support.records import dfsio, failed, pi, terasuite


def _changed(run: RunData, **update: object) -> RunData:
    return run._replace(record=run.record.model_copy(update=update))


def _values(figures: RunFigures) -> dict[tuple[str, str | None, str], float]:
    return {
        (one.measure.workload, one.measure.phase, one.measure.name): one.value for one in figures.readings
    }


def test_seed_hour_and_free_space_make_no_difference() -> None:
    run = terasuite(20_000_000)
    host = run.record.host
    later = host.model_copy(
        update={
            "memory": host.memory.model_copy(update={"available_bytes": 1}),
            "file_systems": tuple(one.model_copy(update={"free_bytes": 1}) for one in host.file_systems),
        }
    )
    other = _changed(run, id="later", seed=99, created="2027-01-01T00:00:00.000+00:00", host=later)
    assert figures_of(run).facts == figures_of(other).facts
    assert len(group_repeats([figures_of(run), figures_of(other)])) == 1


def test_a_laboratorys_loop_devices_are_no_hardware() -> None:
    run = terasuite(20_000_000)
    loop = Disk(
        name="loop7",
        kind="loop",
        model=None,
        size_bytes=8_000_000_000,
        rotational=False,
        scheduler="none",
        read_ahead_bytes=131072,
        queue_depth=128,
    )
    host = run.record.host.model_copy(update={"disks": (*run.record.host.disks, loop)})
    assert figures_of(_changed(run, host=host)).facts == figures_of(run).facts


def test_what_a_laboratory_has_less_of_is_said_in_units() -> None:
    facts = {one.name: one.value for one in figures_of(laboratory()).facts if one.aspect is Aspect.HARDWARE}
    assert facts["lab's CPUs per host"] == "0.5 of 4 planned"
    assert facts["lab's memory per host"] == "4 GiB of 16 GiB planned"
    assert facts["lab's uplink"] == "100 Mb/s of 1.00 Gb/s planned"


def test_what_users_change_is_a_fact() -> None:
    run = terasuite(20_000_000)
    record = run.record
    worker = record.plan.workers[0].model_copy(update={"map_slots": 8})
    cpu = record.host.cpu.model_copy(update={"cores": 4, "threads": 4})
    changed: list[tuple[dict[str, object], Aspect]] = [
        ({"plan": record.plan.model_copy(update={"workers": (worker,)})}, Aspect.PLAN),
        ({"host": record.host.model_copy(update={"cpu": cpu})}, Aspect.HARDWARE),
        ({"howdah_version": "9.9"}, Aspect.VERSIONS),
        ({"suite": _with_maps(record, 99)}, Aspect.WORKLOAD),
    ]
    for update, aspect in changed:
        other = _changed(run, id="other", **update)
        groups = group_repeats([figures_of(run), figures_of(other)])
        assert {one.aspect for one in compare(groups).against[0].changes} == {aspect}


def _with_maps(record: RunRecord, maps: int) -> object:
    first, *rest = record.suite.workloads
    return record.suite.model_copy(update={"workloads": (first.model_copy(update={"maps": maps}), *rest)})


def test_readings_are_those_of_the_record() -> None:
    run = terasuite(100_000_000)
    values = _values(figures_of(run))
    sort = run.record.workloads[1]
    assert values["terasort", None, "elapsed"] == pytest.approx(sort.elapsed_s)
    shuffle = sort.phases[0]
    assert values["terasort", "map-shuffle", "elapsed"] == pytest.approx(shuffle.end_s - shuffle.start_s)
    # Ten gigabytes are read in the first phase and written in the second.
    assert values["terasort", "map-shuffle", "read from disks"] == pytest.approx(10e9, rel=0.05)
    assert values["terasort", None, "written to disks"] == pytest.approx(10e9, rel=0.05)
    assert 0 < values["terasort", None, "CPU time"] < 2 * sort.elapsed_s
    assert values["terasort", None, "map tasks"] == 8
    # A phase that is its whole workload is not told twice.
    assert ("teragen", "map", "elapsed") not in values


def test_a_cluster_is_counted_once() -> None:
    run = terasort_on(Scene())
    values = _values(figures_of(run))
    timeline = Timeline(run.samples)
    result = run.record.workloads[0]
    hosts = {str(worker) for worker in run.tasks.column("worker").to_pylist()}
    written = sum(
        timeline.growth(worker, metric, result.start_s, result.end_s)
        for worker in hosts
        for metric in timeline.metrics(worker, "disk")
        if metric.endswith("written_bytes")
    )
    assert values["terasort", None, "written to disks"] == pytest.approx(written, rel=0.01)
    assert values["terasort", None, "tasks' CPU time"] > 0
    assert values["terasort", None, "collecting garbage"] >= 0
    assert values["terasort", None, "shuffled"] > 0


def test_a_failed_run_has_no_readings() -> None:
    figures = figures_of(failed())
    assert figures.readings == ()
    assert figures.error == "/srv/howdah/part-r-00003: no space left on device"


def test_amounts() -> None:
    assert {one.size for one in figures_of(terasuite(20_000_000)).amounts} == {"20,000,000 rows"}
    assert {one.size for one in figures_of(dfsio(8, 1 << 30)).amounts} == {"8 GiB"}
    # Twice as many files of half the size are the same data.
    assert figures_of(dfsio(8, 1 << 30)).amounts == figures_of(dfsio(16, 1 << 29)).amounts
    assert figures_of(pi()).amounts[0].size.endswith(" points")


def test_a_lost_worker_is_remarked() -> None:
    event = Event(time_s=1.0, worker="h2-2", kind="datanode-lost", text="no heartbeat for 16 s")
    back = Event(time_s=2.0, worker="h2-2", kind="datanode-back", text="it is back")
    run = _changed(terasuite(20_000_000), events=(event, back))
    assert figures_of(run).remarks == ("h2-2: no heartbeat for 16 s",)


def test_repeats_of_two_configurations_are_told_apart() -> None:
    groups = group_repeats([figures_of(run) for run in stored_runs()])
    assert [each.name for each in groups] == ["map slots per worker 2", "map slots per worker 8"]
    comparison = compare(groups)
    against = comparison.against[0]
    assert [one.name for one in against.changes] == ["map slots per worker"]
    for workload in ("teragen", "terasort", "teravalidate"):
        judged = against.of(elapsed(workload))
        assert judged is not None
        assert judged.verdict == "slower"
        assert judged.low is not None
        assert judged.high is not None
        assert judged.low < 1.2 < judged.high


def _burst() -> RunData:
    """A minute of slow writing with one sample interval of fast writing in it."""
    run = RunBuilder(interval_s=0.1)
    steady = Stage("map", 60.0, write=60 * 1e7)
    burst = Stage("burst", 0.1, write=0.1 * 5e8)
    run.workload(kind("teragen", 1_000_000, maps=2), [steady, burst, steady])
    return run.build()


def test_a_course_keeps_bytes_and_peaks() -> None:
    course = next(one for one in courses(_burst(), "teragen") if one.quantity.name == "disks written")
    assert len(course.means) <= MOST_STEPS
    total = float((course.means * np.diff(course.edges_s)).sum())
    assert total == pytest.approx(2 * 60 * 1e7 + 0.1 * 5e8, rel=0.01)
    # Half a second is one step here: its mean hides a burst of a tenth, its peak does not.
    assert course.means.max() < 2.5e8
    assert course.peaks.max() == pytest.approx(5e8, rel=0.3)


def test_courses_of_what_did_not_run_are_none() -> None:
    assert courses(_burst(), "terasort") == ()


def test_of_a_simulated_run_the_simulator_tells() -> None:
    run = terasuite(20_000_000, origin=Origin.SIMULATED)
    record = run.record
    phases = tuple(
        PhaseUse(
            phase=phase.name,
            disk_read_bytes=1e9,
            disk_written_bytes=2e9,
            received_bytes=3e9,
            sent_bytes=3e9,
            cpu_busy=busy,
            namenode_busy=0.01,
            scheduler_busy=0.02,
        )
        for phase, busy in zip(record.workloads[1].phases, (0.9, 0.3), strict=True)
    )
    sort = record.workloads[1].model_copy(update={"used": WorkUse(remote_read_bytes=1e8, phases=phases)})
    simulated = Simulated(calibration="lab", parameters={"sort_s_per_row": 2e-7})
    figures = figures_of(
        _changed(run, workloads=(record.workloads[0], sort, record.workloads[2]), simulated=simulated)
    )
    values = _values(figures)
    assert values["terasort", "map-shuffle", "CPU busy"] == 0.9
    assert 0.3 < values["terasort", None, "CPU busy"] < 0.9
    assert values["terasort", None, "written to disks"] == 4e9
    assert values["terasort", None, "NameNode busy"] == pytest.approx(0.01)
    assert ("terasort", None, "CPU time") not in values
    facts = {one.name: one.value for one in figures.facts}
    assert (facts["calibration"], facts["parameter sort_s_per_row"]) == ("lab", "2e-07")
    assert not figures.uncalibrated


def test_a_simulation_without_a_calibration_is_told_from_one_that_has_it_and_from_a_measured_run() -> None:
    run = terasuite(20_000_000)
    assert figures_of(_changed(run, simulated=Simulated(calibration=None))).uncalibrated
    assert not figures_of(run).uncalibrated
