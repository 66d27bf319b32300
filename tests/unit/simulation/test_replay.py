"""Finished jobs on other clusters: tasks placed again, bounds of what their histories do not show."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.jobs.tasks import demand_of
from howdah.model.placement import placed_hosts
from howdah.model.user_job import DemandPart, JobDemand, TaskDemand, WarmUp
from howdah.services.event_log import read_event_log
from howdah.services.history import read_history
from howdah.simulation.replay.replaying import Replayer
from howdah.simulation.replay.shape import (
    HostRates,
    Range,
    Shape,
    changed_shape,
    measured_shape,
    planned_shape,
    second_shape,
    usual_changes,
)
from support.labs import lab_plan
from support.recorded_jobs import recorded_job
from support.sim_plans import slots_plan, study_plan
from support.spark_logs import SPARK_EVENTS, lab_run

MB = 1_000_000


def task(seconds: float, cpu_s: float, disk_bytes: int = 0, network_bytes: int = 0) -> TaskDemand:
    """A task without measured waits for other hosts' data."""
    return TaskDemand(seconds, cpu_s, 0.0, disk_bytes, network_bytes)


def job(
    tasks: list[TaskDemand], *, hosts: int = 2, slots: int = 4, elapsed_s: float | None = None
) -> JobDemand:
    """A job of one stage that took what placing its tasks takes, and five seconds without a task."""
    demand = JobDemand(
        id="application_1_0001",
        name="job",
        kind="spark",
        elapsed_s=1.0,
        idle_s=5.0,
        nodes=tuple(f"n{number}" for number in range(hosts)),
        containers=slots,
        container_cores=1,
        container_bytes=1 << 30,
        parts=(DemandPart("stage 0", slots, {0: tuple(tasks)}, {}),),
        input_bytes=0,
        failed=0,
    )
    own = Replayer(demand, measured_shape(demand, None)).replayed_s
    return replace(demand, elapsed_s=own if elapsed_s is None else elapsed_s)


def shape(demand: JobDemand, hardware: HostRates | None = None) -> Shape:
    """The cluster that it ran on, with known hosts if they are given."""
    return measured_shape(demand, None)._replace(hardware=hardware)


def test_a_job_of_processor_time_scales_with_its_hosts_but_not_the_time_without_tasks() -> None:
    demand = job([task(10.0, 10.0)] * 16)
    was = shape(demand)
    replayer = Replayer(demand, was)
    assert demand.elapsed_s == 45.0
    for change, elapsed_s in (
        ("hosts=4", 25.0),
        ("hosts=x0.5", 85.0),
        ("hosts=8", 15.0),
        ("hosts=100", 15.0),
    ):
        time = replayer.time(change, changed_shape(demand, change, was, None))
        assert time.elapsed_s == pytest.approx(elapsed_s)
        assert time.low_s < elapsed_s < time.high_s


def test_more_executors_on_the_same_hosts_may_help_or_not_if_their_cores_are_unknown() -> None:
    demand = job([task(10.0, 10.0)] * 16)
    was = shape(demand)
    unknown = Replayer(demand, was).time("executors=8", changed_shape(demand, "executors=8", was, None))
    # At best each has a core, at worst they share those of the four executors.
    assert unknown.low_s < 25.0
    assert unknown.high_s > 45.0
    for threads, elapsed_s in ((8.0, 25.0), (2.0, 45.0)):
        known = shape(demand, HostRates(threads, 1e9, 1e9, 1.0, threads, 1.0))
        time = Replayer(demand, known).time("executors=8", changed_shape(demand, "executors=8", known, None))
        assert time.elapsed_s == pytest.approx(elapsed_s)
        assert time.high_s / time.low_s < unknown.high_s / unknown.low_s


def test_waits_shrink_only_as_far_as_bytes_explain_them() -> None:
    # Nine seconds of waiting: 50 MB explain five of them at 10 MB/s, no bytes explain none.
    explained, unexplained = job([task(10.0, 1.0, 50 * MB)] * 4), job([task(10.0, 1.0)] * 4)
    for demand, least_s in ((explained, 12.5), (unexplained, 15.0)):
        was = shape(demand)
        time = Replayer(demand, was).time("disks=x2", changed_shape(demand, "disks=x2", was, None))
        assert time.elapsed_s == pytest.approx((15.0 + least_s) / 2)


def test_a_disk_that_all_tasks_share_limits_them() -> None:
    # Two tasks a host read 100 MB each from a disk of 20 MB/s: ten seconds. With eight a host, forty.
    demand = job([task(10.0, 1.0, 100 * MB)] * 16)
    was = shape(demand, HostRates(64.0, 20e6, 1e9, 1.0, 64.0, 1.0))
    time = Replayer(demand, was).time("executors=16", changed_shape(demand, "executors=16", was, None))
    assert time.elapsed_s >= 45.0


def test_an_error_of_the_replay_itself_corrects_times_and_widens_intervals() -> None:
    tasks = [task(10.0, 10.0)] * 16
    exact, off = job(tasks), job(tasks, elapsed_s=60.0)
    times = []
    for demand in (exact, off):
        was = shape(demand)
        replayer = Replayer(demand, was)
        times.append(replayer.time("hosts=2", was))
        assert times[-1].elapsed_s == pytest.approx(demand.elapsed_s)
    assert replayer.own_error == pytest.approx(-0.25)
    assert times[1].high_s / times[1].elapsed_s > times[0].high_s / times[0].elapsed_s


def test_four_runs_of_the_same_job_show_its_spread() -> None:
    demand = job([task(10.0, 10.0)] * 16)
    steady = Replayer(demand, shape(demand), [45.0, 45.1, 45.0, 44.9])
    assumed = Replayer(demand, shape(demand), [45.0, 60.0])
    assert steady.run_spread < 0.01 < assumed.run_spread
    assert (steady.repeats, assumed.repeats) == (4, 2)


@given(
    seconds=st.lists(st.floats(0.1, 100.0), min_size=1, max_size=30),
    share=st.floats(0.0, 1.0),
    disk_bytes=st.integers(0, 10**9),
    hosts=st.integers(1, 5),
    slots=st.integers(1, 20),
)
def test_more_of_anything_never_makes_the_best_case_longer(
    seconds: list[float], share: float, disk_bytes: int, hosts: int, slots: int
) -> None:
    demand = job(
        [task(each, share * each, disk_bytes) for each in seconds], hosts=min(hosts, slots), slots=slots
    )
    was = shape(demand)
    replayer = Replayer(demand, was)
    for name in ("hosts", "disks", "nic-speed"):
        times = [
            replayer.time(f"{name}=x{factor}", changed_shape(demand, f"{name}=x{factor}", was, None))
            for factor in (1, 2, 4)
        ]
        # List scheduling may lose from more slots, but never more than one task.
        slack_s = max(seconds) if name == "hosts" else 1e-6
        for fewer, more in pairwise(times):
            assert more.low_s <= fewer.low_s + slack_s
            assert more.low_s <= more.elapsed_s <= more.high_s


def test_real_histories_replay_close_to_what_they_took() -> None:
    job_facts = recorded_job("terasort")
    assert job_facts.file is not None
    demands = [
        demand_of(read_history(job_facts.file, "terasort"), 1 << 30),
        demand_of(read_event_log(SPARK_EVENTS / "eventlog_v2_application_1795899041776_0002"), 1 << 30),
    ]
    for demand in demands:
        replayer = Replayer(demand, measured_shape(demand, None))
        assert abs(replayer.own_error) < 0.1
        for change in usual_changes(demand):
            time = replayer.time(change, changed_shape(demand, change, measured_shape(demand, None), None))
            assert time.low_s <= time.elapsed_s <= time.high_s


def test_a_plan_gives_the_slots_and_hosts_of_a_mapreduce_job() -> None:
    file = recorded_job("terasort").file
    assert file is not None
    demand = demand_of(read_history(file, "terasort"), 1 << 30)
    plan = slots_plan()
    was = measured_shape(demand, plan)
    planned = planned_shape(demand, plan, "--on plan.yaml", was)
    assert planned.hosts == 7
    assert planned.disks == planned.link == 1.0
    assert len(planned.slots) == len(demand.parts) == 2
    absolute = changed_shape(demand, "disks=12", was, plan)
    factor = 12 / sum(
        disk.count for disk in plan.cluster.inventory.worker_groups[0].disks if disk.role == "data"
    )
    assert absolute.disks == pytest.approx(factor)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("colour=2", "^colour=2: unknown name 'colour'$"),
        ("hosts", "^hosts: is not a change$"),
        ("tasks=4", "^tasks=4: unknown name 'tasks'$"),
        ("hosts=2,disk=x2", "^disk=x2: unknown name 'disk'$"),
        ("", "^'': is not a change$"),
        ("hosts=0", "is out of range"),
        ("hosts=x0", "is not a factor"),
        ("hosts=xnan", "is not a factor"),
        ("disks=8", "a history does not record how many disks"),
        ("hosts=2,disks=xtwo", "is not a factor"),
    ],
)
def test_changes_that_make_no_sense_are_refused(change: str, message: str) -> None:
    demand = job([task(1.0, 1.0)])
    with pytest.raises(UserError, match=message):
        changed_shape(demand, change, shape(demand), None)


def test_jobs_without_an_end_or_without_counters_are_refused() -> None:
    log = read_event_log(SPARK_EVENTS / "eventlog_v2_application_1795899041776_0005")
    with pytest.raises(UserError, match="has not succeeded"):
        demand_of(log, 1)
    file = recorded_job("terasort").file
    assert file is not None
    facts = read_history(file, "terasort")
    bare = tuple(
        replace(each, attempts=tuple(replace(attempt, counters={}) for attempt in each.attempts))
        for each in facts.tasks
    )
    with pytest.raises(UserError, match="no counters of its tasks"):
        demand_of(replace(facts, tasks=bare), 1)
    with pytest.raises(UserError, match="no task that succeeded"):
        demand_of(replace(facts, tasks=()), 1)


def test_the_demand_is_what_the_counters_add_up_to() -> None:
    log = read_event_log(Path(SPARK_EVENTS / "eventlog_v2_application_1795899041776_0002"))
    demand = demand_of(log, 1)
    rows = log.tasks.to_pylist()
    own = [each for part in demand.parts for tasks in part.stages.values() for each in tasks]
    assert len(own) == len(rows)
    assert sum(each.seconds for each in own) == pytest.approx(
        sum(row["end_s"] - row["start_s"] for row in rows)
    )
    assert demand.input_bytes == sum(row["input_bytes"] for row in rows) > 0
    assert sum(each.network_s for each in own) == pytest.approx(sum(row["fetch_wait_s"] for row in rows))
    assert demand.idle_s < demand.elapsed_s


def test_each_virtual_machine_of_a_plan_counts_with_its_part_of_the_host() -> None:
    file = recorded_job("terasort").file
    assert file is not None
    demand = demand_of(read_history(file, "terasort"), 1 << 30)
    was = measured_shape(demand, None)
    two, four = (planned_shape(demand, study_plan(each), "--on plan.yaml", was) for each in (2, 4))
    assert two.hardware is not None
    assert four.hardware is not None
    assert four.hosts > 1.9 * two.hosts
    for name in ("threads", "disk_bytes_per_s", "link_bytes_per_s"):
        whole, divided = (planned.hosts * getattr(planned.hardware, name) for planned in (two, four))
        assert divided == pytest.approx(whole)
    assert four.hardware.speed == two.hardware.speed


def test_the_time_between_containers_is_part_of_a_wave() -> None:
    demand = job([task(10.0, 10.0)] * 16)
    (part,) = demand.parts
    gaps = replace(demand, parts=(replace(part, handover_s=2.0),), elapsed_s=demand.elapsed_s + 3 * 2.0)
    was = shape(gaps)
    replayer = Replayer(gaps, was)
    # Four waves have three gaps, two waves have one.
    assert replayer.own_error == pytest.approx(0.0)
    time = replayer.time("hosts=4", changed_shape(gaps, "hosts=4", was, None))
    assert time.elapsed_s == pytest.approx(5.0 + 2 * 10.0 + 2.0)


def test_a_history_shows_the_time_between_containers() -> None:
    file = recorded_job("terasort").file
    assert file is not None
    facts = read_history(file, "terasort")
    assert demand_of(facts, 1 << 30).parts[0].handover_s == 0.0
    # The maps alone, one after another with 1.5 s between them.
    begin_ms, moved = min(each.attempts[0].start_ms or 0 for each in facts.tasks if each.kind == "map"), []
    for each in facts.tasks:
        good = [attempt for attempt in each.attempts if attempt.state == "succeeded"]
        if each.kind == "map":
            [attempt] = good
            end_ms = begin_ms + (attempt.finish_ms or 0) - (attempt.start_ms or 0)
            moved.append(replace(each, attempts=(replace(attempt, start_ms=begin_ms, finish_ms=end_ms),)))
            begin_ms = end_ms + 1500
    demand = demand_of(replace(facts, tasks=tuple(moved), finish_ms=begin_ms), 1 << 30)
    assert demand.parts[0].slots == 1
    assert demand.parts[0].handover_s == pytest.approx(1.5)
    assert abs(Replayer(demand, measured_shape(demand, None)).own_error) < 0.01


def warming(executors: int) -> JobDemand:
    """A job of 12 tasks of 4 s; the first one of each executor took 10 s."""
    own = [task(10.0, 5.0)._replace(wave=0)] * executors + [task(4.0, 2.0)._replace(wave=1)] * (
        12 - executors
    )
    demand = job([task(1.0, 1.0)], hosts=executors, slots=executors)
    part = DemandPart("stage 0", executors, {0: tuple(own)}, {}, warm_ups={0: WarmUp((6.0,), (6.0,), (6.0,))})
    return replace(demand, parts=(part,), elapsed_s=5.0 + 10.0 + (12 / executors - 1) * 4.0)


def test_each_executor_warms_up_once() -> None:
    # On hosts of their own, as a plan describes them, nodes do not change each other's times.
    alone = HostRates(4.0, 1e9, 1e9, 1.0, 4.0, 1.0)
    for executors, others in ((3, 1), (1, 3), (3, 6), (3, 2)):
        demand = warming(executors)
        was = shape(demand, alone)
        replayer = Replayer(demand, was)
        assert replayer.own_error == pytest.approx(0.0)
        time = replayer.time("x", was._replace(hosts=others, containers=others, slots=(others,)))
        assert time.elapsed_s == pytest.approx(5.0 + 10.0 + (12 / others - 1) * 4.0)


def test_an_unknown_warm_up_widens_the_interval() -> None:
    demand = warming(3)
    (part,) = demand.parts
    unknown = replace(demand, parts=(replace(part, warm_ups={0: WarmUp((0.0,), (6.0,), (9.0,))}),))
    times = []
    for each in (demand, unknown):
        was = shape(each, HostRates(4.0, 1e9, 1e9, 1.0, 4.0, 1.0))
        now = was._replace(hosts=1, containers=1, slots=(1,))
        times.append(Replayer(each, was).time("executors=1", now))
    known, wider = times
    assert wider.elapsed_s == pytest.approx(known.elapsed_s)
    assert wider.low_s < known.low_s
    assert wider.high_s > known.high_s


def test_a_node_whose_neighbours_stop_may_wait_less_for_their_common_cores() -> None:
    demand = job([task(10.0, 4.0)] * 12, hosts=3, slots=3)
    was = shape(demand)
    replayer = Replayer(demand, was)
    fewer = replayer.time("hosts=1", changed_shape(demand, "hosts=1", was, None))
    # Without waits for cores of the others 4 of the 10 s remain, with them all.
    assert fewer.low_s < 5.0 + 12 * 6.1
    assert fewer.high_s >= 5.0 + 12 * 10.0
    # Further hosts bring their own cores.
    more = changed_shape(demand, "hosts=6", was, None)
    assert more.room == Range(1.0, 1.0)


def test_a_second_run_on_more_nodes_may_share_the_cores_of_the_first() -> None:
    one, three = job([task(10.0, 10.0)] * 12, hosts=1, slots=1), job([task(10.0, 10.0)] * 12, hosts=3)
    was = shape(one)
    assert second_shape(one, three, was, None).room == Range(1 / 3, 1.0)
    assert second_shape(three, one, shape(three), None).room == Range(1.0, 3.0)
    time = Replayer(one, was).time("as three", second_shape(one, three, was, None))
    # At worst the cores of one node are those of all.
    assert time.high_s >= one.elapsed_s
    assert time.low_s < 5.0 + 40.0


def test_a_plan_shows_which_nodes_share_a_host() -> None:
    plan = study_plan(4)
    first, second = [host for host in placed_hosts(plan.cluster) if len(host.workers) == 4][:2]
    for names, room in (
        ([worker.name for worker in first.workers], 1.0),
        ([worker.name for worker in first.workers[:2]], 2.0),
        ([first.workers[0].name, second.workers[0].name], 4.0),
    ):
        demand = replace(job([task(10.0, 10.0)] * 4), nodes=tuple(names))
        assert measured_shape(demand, plan).room == Range(room, room)
    # A plan without these names does not.
    assert measured_shape(job([task(10.0, 10.0)] * 4), plan).room == Range(1.0, 1.0)


def test_neighbours_on_a_host_share_its_cores_up_to_their_virtual_cpus() -> None:
    # Two nodes of four virtual CPUs on four threads: alone, a node has them all.
    shared = HostRates(2.0, 1e9, 1e9, 1.0, 4.0, 2.0)
    demand = job([task(20.0, 10.0)] * 8, hosts=2, slots=8)
    was = shape(demand, shared)
    alone = was._replace(hosts=1, containers=4, slots=(4,), room=Range(2.0, 2.0))
    packed = was._replace(hosts=1, containers=4, slots=(4,))
    replayer = Replayer(demand, was)
    free, busy = (replayer.time("hosts=1", each) for each in (alone, packed))
    assert free.elapsed_s < busy.elapsed_s


RUNS = [("words", 3, 1), ("words", 3, 2), ("words", 1, 3), ("words", 1, 2), ("words", 2, 3), ("words", 2, 1)]
RUNS += [("join", 3, 1), ("join", 1, 3)]


@pytest.mark.parametrize("is_planned", [False, True])
def test_applications_of_a_lab_took_what_replays_of_other_runs_show(is_planned: bool) -> None:
    # Two hosts with two nodes each, as the lab had them.
    plan = lab_plan() if is_planned else None
    errors = []
    for program, before, after in RUNS:
        first, second = (demand_of(lab_run(f"{program}-{count}"), 1 << 30) for count in (before, after))
        was = measured_shape(first, plan)
        replayer = Replayer(first, was)
        time = replayer.time("second", second_shape(first, second, was, plan))
        assert time.low_s <= second.elapsed_s <= time.high_s, (program, before, after, time)
        errors.append(abs(time.elapsed_s / second.elapsed_s - 1))
    # Before warm-ups were replayed, the median was 32 %, and two times of eight were in their intervals.
    assert median(errors) < 0.2
