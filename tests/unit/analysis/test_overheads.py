"""What Hadoop's machinery takes, and the distance from the floor."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.cluster import Laboratory
from howdah.model.workloads.terasort import Codec
from support.cluster_records import attempts_in, node_limit, terasort_on, with_attempts
from support.cluster_scene import Scene
from support.findings import found
from support.records import terasuite


def test_time_before_between_and_after_tasks() -> None:
    run = terasort_on(Scene())
    gapped = [
        each._replace(start_s=each.start_s + 1.5) if each.kind == "map" and each.task >= 8 else each
        for each in attempts_in(run)
    ]
    (overhead,) = analyse(with_attempts(run, gapped)).evidence.overheads
    (result,) = run.record.workloads
    assert overhead.before_s == pytest.approx(0.9)
    assert overhead.after_s == pytest.approx(1.0)
    assert (overhead.kind, overhead.tasks, overhead.slots, overhead.waves) == ("map", 16, 8, 2.0)
    assert overhead.turnaround_s == pytest.approx(1.5, abs=0.51)
    assert overhead.least_task_s == min(each.end_s - each.start_s for each in gapped)
    assert result.outcome == "succeeded"


def test_of_several_jobs_the_last_is_told_of_and_said_to_be() -> None:
    run = terasort_on(Scene())
    ours = [each._replace(job="job_2") for each in attempts_in(run)]
    earlier = [each._replace(job="job_1", start_s=0.0, end_s=2 * each.end_s) for each in ours]
    both = with_attempts(run, sorted([*earlier, *ours], key=lambda each: each.start_s))
    (overhead,) = analyse(both).evidence.overheads
    assert (overhead.jobs, overhead.tasks, overhead.slots) == (2, 16, 8)
    assert overhead.before_s == pytest.approx(0.9)
    (finding,) = found(both, "job-overhead")
    assert finding.text.startswith("terasort, the last of 2 jobs: 0.90 s passed before the first task")


def test_slots_without_a_task_count_as_in_the_rest_of_the_report() -> None:
    run = terasort_on(Scene())
    few = [each for each in attempts_in(run) if each.kind == "map"][:3]
    (overhead,) = analyse(with_attempts(run, few)).evidence.overheads
    (spread,) = analyse(with_attempts(run, few)).evidence.spreads
    assert overhead.slots == spread.slots == 8


def test_shares_of_computing_and_collecting_are_of_all_task_time() -> None:
    run = terasort_on(Scene())
    half = [
        each._replace(cpu_s=0.5 * (each.end_s - each.start_s), gc_s=0.1 * (each.end_s - each.start_s))
        for each in attempts_in(run)
    ]
    (overhead,) = analyse(with_attempts(run, half)).evidence.overheads
    assert overhead.cpu_share == pytest.approx(0.5)
    assert overhead.gc_share == pytest.approx(0.1)
    untold = [each._replace(cpu_s=None) for each in half]
    (overhead,) = analyse(with_attempts(run, untold)).evidence.overheads
    assert overhead.cpu_share is None


def test_overhead_replaces_the_note_on_time_outside_phases() -> None:
    run = terasort_on(Scene())
    assert found(run, "job-overhead")
    assert not found(run, "outside-phases")
    assert not found(terasuite(), "job-overhead")


def test_the_floor_is_the_same_work_on_as_many_rows() -> None:
    run, floor = terasort_on(Scene()), terasuite(rows=8_000_000)
    (distance,) = analyse(run, floor).evidence.floors
    base = next(each for each in floor.record.workloads if each.workload.kind == "terasort")
    assert distance.ratio == pytest.approx(run.record.workloads[0].elapsed_s / base.elapsed_s)
    assert "2 replicas instead of 1" in distance.differs
    assert "4 data disks instead of 1" in distance.differs


@pytest.mark.parametrize(
    ("hosts", "told"), [(1, "1 instead of 2 CPUs"), (2, None), (3, "3 instead of 2 CPUs")]
)
def test_a_laboratorys_cpus_are_those_that_its_limits_left_it(hosts: int, told: str | None) -> None:
    run, floor = terasort_on(Scene(hosts=hosts)), terasuite(rows=8_000_000)
    (distance,) = analyse(run, floor).evidence.floors
    # Each of its workers has one virtual CPU that is worth half of one.
    assert node_limit() == 0.5
    assert floor.record.host.cpu.threads == 2
    assert [each for each in distance.differs if "CPUs" in each] == ([told] if told else [])


def test_directories_of_one_file_system_are_no_disks() -> None:
    run = terasort_on(Scene())
    assert run.record.cluster is not None
    rootless = Laboratory(name="lab", rootless=True, isolation=())
    cluster = run.record.cluster.model_copy(update={"lab": rootless})
    run = run._replace(record=run.record.model_copy(update={"cluster": cluster}))
    (distance,) = analyse(run, terasuite(rows=8_000_000)).evidence.floors
    assert not [each for each in distance.differs if "data disks" in each]


def test_another_number_of_rows_is_no_floor() -> None:
    assert not analyse(terasort_on(Scene()), terasuite(rows=5_000_000)).evidence.floors
    assert not analyse(terasort_on(Scene())).evidence.floors


def test_the_answer_and_a_finding_say_how_far_the_floor_is() -> None:
    analysis = analyse(terasort_on(Scene()), terasuite(rows=8_000_000))
    assert "× the floor" in analysis.findings[0].text
    (finding,) = [each for each in analysis.findings if each.id == "floor"]
    assert "differs from the floor's run by" in finding.text


def test_a_codec_that_only_one_of_them_had_is_told() -> None:
    floor = terasuite(rows=8_000_000)
    results = tuple(
        each.model_copy(update={"workload": each.workload.model_copy(update={"codec": Codec.LZ4})})
        for each in floor.record.workloads
    )
    floor = floor._replace(record=floor.record.model_copy(update={"workloads": results}))
    (distance,) = analyse(terasort_on(Scene()), floor).evidence.floors
    assert "intermediate data compressed by none instead of lz4" in distance.differs
