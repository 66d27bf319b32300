"""Changes to MapReduce jobs: each from the counters that support it, and none without them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.jobs.mapreduce import KindFacts, advise, mapreduce_application
from howdah.jobs.tasks import StageTasks
from howdah.model.application import JobChange, StageSummary
from howdah.services.job_facts import AttemptFacts, JobFacts, TaskFacts
from howdah.units import GIB, MIB

JOB = JobFacts("job_1_0001", "daily", "default", "succeeded", 0, conf={"mapreduce.task.io.sort.mb": "100"})


def _stage(tasks: int, median_s: float, longest_s: float, input_bytes: int = 0) -> StageTasks:
    return StageTasks(
        StageSummary("maps", tasks, 0.0, 100.0, median_s, longest_s, input_bytes=input_bytes), [], []
    )


MAPS = KindFacts(
    kind="map",
    stage=_stage(100, 60.0, 70.0, 100 * 128 * MIB),
    container_s=6000.0,
    useful_s=6000.0,
    killed_s=0.0,
    granted_bytes=2 * GIB,
    peak_bytes=1800 * MIB,
    waiting_s=0.0,
    gc_s=60.0,
    largest_output_bytes=50 * MIB,
    largest_input_bytes=128 * MIB,
    spilled_again_bytes=0,
)
REDUCES = MAPS._replace(kind="reduce", stage=None, container_s=1000.0, useful_s=1000.0)


def _changes(
    job: JobFacts = JOB, maps: KindFacts = MAPS, reduces: KindFacts = REDUCES, *failed: AttemptFacts
) -> dict[str, JobChange]:
    return {change.setting: change for change in advise(job, maps, reduces, failed)}


def test_a_sound_job_gets_no_advice() -> None:
    assert _changes() == {}


def test_memory_that_no_map_used_is_proposed_with_a_quarter_of_room() -> None:
    change = _changes(maps=MAPS._replace(peak_bytes=700 * MIB))["mapreduce.map.memory.mb"]
    assert (change.now, change.proposed) == ("2048", "1024")
    assert change.saves_s == pytest.approx(3000.0)
    assert "java.opts" not in change.reason
    heap = replace(JOB, conf={"mapreduce.map.java.opts": "-Xmx1600m"})
    assert "-Xmx819m" in _changes(heap, MAPS._replace(peak_bytes=700 * MIB))["mapreduce.map.memory.mb"].reason
    unknown = replace(JOB, conf={})
    reason = _changes(unknown, MAPS._replace(peak_bytes=700 * MIB))["mapreduce.map.memory.mb"].reason
    assert "if mapreduce.map.java.opts sets -Xmx, set it to 819m" in reason
    # A job that failed may not have needed its memory yet; with a full heap, a task collects garbage.
    assert _changes(replace(JOB, state="failed"), MAPS._replace(peak_bytes=700 * MIB)) == {}
    assert _changes(maps=MAPS._replace(peak_bytes=700 * MIB, gc_s=2000.0)) == {}
    # Without a report of memory nothing is proposed.
    assert _changes(maps=MAPS._replace(peak_bytes=0)) == {}


def test_a_buffer_that_spills_grows_if_the_container_has_room() -> None:
    spilling = MAPS._replace(spilled_again_bytes=GIB, largest_output_bytes=200 * MIB)
    change = _changes(maps=spilling)["mapreduce.task.io.sort.mb"]
    assert (change.now, change.proposed) == ("100", "280")
    huge = spilling._replace(largest_output_bytes=4 * GIB)
    assert "mapreduce.task.io.sort.mb" not in _changes(maps=huge)
    split = _changes(maps=huge._replace(largest_input_bytes=GIB))
    # 1 GiB of input led to 4 GiB of output, for which a buffer of 5640 MiB would be needed.
    assert int(split["mapreduce.input.fileinputformat.split.maxsize"].proposed) == GIB * 100 // 5640


def test_reduces_that_wait_for_maps_start_later() -> None:
    key = "mapreduce.job.reduce.slowstart.completedmaps"
    change = _changes(reduces=REDUCES._replace(waiting_s=900.0))[key]
    assert (change.now, change.proposed) == ("0.05", "0.9")
    assert change.saves_s == pytest.approx(720.0)
    late = replace(JOB, conf={key: "0.95"})
    assert key not in _changes(late, reduces=REDUCES._replace(waiting_s=900.0))


def test_short_maps_get_larger_splits() -> None:
    short = MAPS._replace(stage=_stage(100, 5.0, 6.0, 100 * 16 * MIB))
    change = _changes(maps=short)["mapreduce.input.fileinputformat.split.minsize"]
    assert int(change.proposed) == 192 * MIB


def test_skew_failures_and_wasted_copies_are_named() -> None:
    assert (
        "partition by a key" in _changes(reduces=REDUCES._replace(stage=_stage(10, 20.0, 400.0)))[""].reason
    )
    failed = AttemptFacts(
        "attempt_1_0001_m_000000_0", "failed", 0, 30_000, error="Error: Java heap space\n\tat Mapper.map"
    )
    change = _changes(JOB, MAPS, REDUCES, failed)["mapreduce.map.memory.mb"]
    assert change.proposed == "more"
    assert change.saves_s == 30.0
    assert change.reason == "1 attempt failed with: Error: Java heap space"
    disk = AttemptFacts("attempt_1_0001_m_000001_0", "failed", 0, 1000, error="No space left on device")
    reduces = [
        AttemptFacts(f"attempt_1_0001_r_{n:06}_0", "failed", 0, 1000, error="Error: Java heap space")
        for n in range(5)
    ]
    heap = replace(JOB, conf={"mapreduce.reduce.java.opts": "-Xmx800m"})
    change = _changes(heap, MAPS, REDUCES, disk, *reduces)["mapreduce.reduce.memory.mb"]
    assert change.reason.endswith("raise -Xmx in mapreduce.reduce.java.opts, too")
    copies = MAPS._replace(killed_s=900.0)
    assert _changes(maps=copies)["mapreduce.map.speculative"].proposed == "false"


def test_a_long_task_without_more_data_is_not_skew_of_data() -> None:
    slow = REDUCES._replace(stage=_stage(10, 20.0, 400.0), more=1.1)
    assert _changes(reduces=slow) == {}
    once = replace(JOB, conf={"mapreduce.reduce.speculative": "false"})
    assert _changes(once, reduces=slow)["mapreduce.reduce.speculative"].proposed == "true"
    assert "partition by a key" in _changes(once, reduces=slow._replace(more=3.0))[""].reason
    # Hadoop takes its default for what is neither true nor false.
    unknown = replace(JOB, conf={"mapreduce.reduce.speculative": "yes"})
    assert _changes(unknown, reduces=slow) == {}


def test_the_first_write_of_a_reduce_is_no_spill() -> None:
    def job(spilled: int, records: int) -> JobFacts:
        counters = {
            "TaskCounter.REDUCE_INPUT_RECORDS": 1000,
            "TaskCounter.REDUCE_SHUFFLE_BYTES": 50_000,
            "TaskCounter.SPILLED_RECORDS": spilled,
        }
        usual = AttemptFacts(
            "attempt_1_0001_r_000000_0", "succeeded", 1000, 21_000, node="w1", counters=counters
        )
        long = replace(
            usual,
            id="attempt_1_0001_r_000001_0",
            finish_ms=401_000,
            counters=counters | {"TaskCounter.REDUCE_INPUT_RECORDS": records},
        )
        attempts = [replace(usual, id=f"attempt_1_0001_r_{n:06}_0") for n in range(2, 11)]
        tasks = tuple(TaskFacts(own.task, "succeeded", (own,)) for own in (usual, long, *attempts))
        return replace(JOB, tasks=tasks, finish_ms=401_000)

    # Hadoop writes a reduce's input to disk once: mapreduce.reduce.input.buffer.percent is 0 by default.
    assert mapreduce_application(job(1000, 1000), "", 0).spilled_bytes == 0
    assert mapreduce_application(job(3000, 1000), "", 0).spilled_bytes == 2 * 11 * 50_000
    assert mapreduce_application(job(1000, 1000), "", 0).advice == ()
    [change] = mapreduce_application(job(1000, 9000), "", 0).advice
    assert "partition by a key" in change.reason


def test_a_failed_job_shows_the_error_of_its_last_attempt() -> None:
    # As in job_2.4.0-FAILED.jhist of Hadoop's own tests, whose diagnostics only name the task.
    name = "task_1_0001_m_000000"
    attempts = tuple(
        AttemptFacts(f"attempt_1_0001_m_000000_{n}", "failed", n, n + 1, error=f"Error: {n}\n at X")
        for n in (1, 2)
    )
    task = TaskFacts(name, "failed", attempts)
    job = replace(JOB, state="failed", tasks=(task,), diagnostics=f"Task failed {name}\nJob failed")
    assert mapreduce_application(job, "", 0).failure == "Error: 2"
    killed = replace(job, state="killed", diagnostics="Kill job received from ann\n")
    assert mapreduce_application(killed, "", 0).failure == "Kill job received from ann"
    assert mapreduce_application(replace(job, tasks=()), "", 0).failure == f"Task failed {name}"


def test_a_history_that_is_too_long_to_read_whole_says_so() -> None:
    running = replace(JOB, state="running")
    assert mapreduce_application(running, "", 300 * MIB).failure == (
        "only the first 268 MB of its history were read"
    )
    assert mapreduce_application(running, "", 30 * MIB).failure == ""
