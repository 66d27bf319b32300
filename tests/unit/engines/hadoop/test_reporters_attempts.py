"""Attempts as rows: where they ran, in which place, how near their input was, and that none is lost."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.engines.base import RunClock
from howdah.engines.hadoop.reporters import attempt_rows, phases
from howdah.engines.hadoop.target import NodeFinder
from howdah.model.inventory import Inventory
from howdah.model.placement import slots
from howdah.model.plan import ClusterPlan, Plan, WorkerPlan
from howdah.model.request import Hypervisor, PlanRequest
from howdah.model.run import TaskAttempt
from howdah.model.workloads.terasort import TeraSort
from howdah.planner.cluster import plan_cluster
from howdah.services.job_facts import AttemptFacts, JobFacts, MasterStart, State, TaskFacts, in_order
from support.plans import group

START_MS = 1_700_000_000_000
NO_PLAN = WorkerPlan(platform="unknown", workers=(), settings=())
STATES: tuple[State, ...] = ("running", "succeeded", "failed", "killed")


def _clock() -> RunClock:
    clock = RunClock()
    clock.start_epoch_s = START_MS / 1000
    return clock


@pytest.fixture(scope="module")
def two_hosts() -> ClusterPlan:
    """Two hosts with two workers each in one rack."""
    return plan_cluster(
        Inventory(cluster="pair", groups=(group(hosts=["h[1-2]"], count=2),)),
        PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=4),
    )


# Times in any order, for clocks differ: an attempt may seem to end before it began.
_times = st.none() | st.integers(START_MS - 5_000, START_MS + 60_000)


@st.composite
def _tasks(draw: st.DrawFn) -> TaskFacts:
    kind = draw(st.sampled_from(["m", "r"]))
    number = draw(st.integers(0, 5))
    task = f"1_0001_{kind}_{number:06d}"
    attempts = tuple(
        AttemptFacts(
            f"attempt_{task}_{attempt}",
            draw(st.sampled_from(STATES)),
            draw(_times),
            draw(_times),
            draw(_times) if kind == "r" else None,
            draw(_times) if kind == "r" else None,
            node=draw(st.sampled_from(["n1", "n2", ""])),
        )
        for attempt in range(draw(st.integers(0, 3)))
    )
    winner = next((one.id for one in attempts if one.state == "succeeded"), "")
    return TaskFacts(f"task_{task}", draw(st.sampled_from(STATES)), attempts, winner)


@st.composite
def _jobs(draw: st.DrawFn) -> JobFacts:
    tasks = {task.id: task for task in draw(st.lists(_tasks(), max_size=8))}
    state = draw(st.sampled_from(STATES))
    start_ms, finish_ms = draw(_times), draw(_times)
    return JobFacts(
        "job_1_0001", "a job", "default", state, START_MS, start_ms, finish_ms, tasks=in_order(tasks)
    )


def _rows(job: JobFacts) -> list[TaskAttempt]:
    return attempt_rows(job, "terasort", NodeFinder({}, NO_PLAN), _clock())


@settings(max_examples=150, deadline=None)
@given(_jobs())
def test_every_attempt_that_began_is_a_row_once(job: JobFacts) -> None:
    began = [one.number for task in job.tasks for one in task.attempts if one.start_ms is not None]
    assert sorted(began) == sorted((row.kind, row.task, row.attempt) for row in _rows(job))


@settings(max_examples=150, deadline=None)
@given(_jobs())
def test_rows_are_ordered_and_their_times_too(job: JobFacts) -> None:
    rows = _rows(job)
    assert all(one.start_s <= other.start_s for one, other in pairwise(rows))
    for row in rows:
        assert row.state in ("succeeded", "failed", "killed")
        inner = [time for time in (row.shuffle_end_s, row.merge_end_s) if time is not None]
        assert row.start_s <= row.end_s
        assert all(row.start_s <= time <= row.end_s for time in inner)


@settings(max_examples=150, deadline=None)
@given(_jobs())
def test_no_two_rows_overlap_in_one_place(job: JobFacts) -> None:
    for one, other in combinations(_rows(job), 2):
        if (one.worker, one.kind, one.slot) == (other.worker, other.kind, other.slot):
            assert one.end_s <= other.start_s or other.end_s <= one.start_s


@settings(max_examples=150, deadline=None)
@given(_jobs())
def test_phases_cover_a_job_and_do_not_overlap_whatever_is_told(job: JobFacts) -> None:
    found = phases(job, TeraSort(), _clock())
    for one in found:
        assert one.start_s <= one.end_s
    for one, other in pairwise(found):
        assert one.end_s == other.start_s
    if found and job.start_ms is not None and job.finish_ms is not None:
        assert found[0].start_s == _clock().seconds(job.start_ms)
        assert found[-1].end_s == max(found[0].start_s, _clock().seconds(job.finish_ms))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 20)), max_size=30))
def test_there_are_no_more_places_than_ever_run_at_once(drawn: list[tuple[float, float]]) -> None:
    stretches = [(start, start + length) for start, length in drawn]
    places = slots(stretches)
    at_once = max(
        # One that begins at the moment another ends takes its place; one that takes no time has one too.
        (sum(a <= start < b or (a, b) == (start, start) for a, b in stretches) for start, _ in stretches),
        default=0,
    )
    assert sorted(set(places)) == list(range(max(places, default=-1) + 1))
    assert len(set(places)) <= at_once


def test_a_place_is_taken_again_as_soon_as_it_is_free() -> None:
    assert slots([(0, 4), (0, 5), (4, 6), (5, 6), (5.5, 5.7)]) == [0, 1, 0, 1, 2]


def _map(node: str, *holders: str, locality: str = "") -> tuple[AttemptFacts, TaskFacts]:
    attempt = AttemptFacts(
        "attempt_1_0001_m_000000_0", "succeeded", START_MS, START_MS + 1, node=node, locality=locality
    )
    return attempt, TaskFacts("task_1_0001_m_000000", "succeeded", (attempt,), attempt.id, holders)


def _located(plan: Plan, task: TaskFacts, machine_of: dict[str, str] | None = None) -> TaskAttempt:
    job = JobFacts("job_1_0001", "a job", "default", "succeeded", START_MS, tasks=(task,))
    (row,) = attempt_rows(job, "terasort", NodeFinder(machine_of or {}, plan), _clock())
    return row


@pytest.mark.parametrize(
    ("node", "holders", "locality"),
    [
        ("h1-1", ("h1-1", "h2-1"), "local"),
        ("h1-2", ("h1-1", "h2-1"), "host"),
        ("h2-1", ("h1-1",), "rack"),
        ("elsewhere", ("h1-1",), "remote"),
    ],
)
def test_how_near_the_input_was(
    two_hosts: ClusterPlan, node: str, holders: tuple[str, ...], locality: str
) -> None:
    assert _located(two_hosts, _map(node, *holders)[1]).locality == locality


@pytest.mark.parametrize(
    ("word", "locality"), [("NODE_LOCAL", "local"), ("RACK_LOCAL", "rack"), ("OFF_SWITCH", ""), ("", "")]
)
def test_hadoops_own_word_counts_where_the_hosts_of_the_input_are_not_told(word: str, locality: str) -> None:
    # A map without input blocks runs off switch, too: it is neither near nor far.
    assert _located(NO_PLAN, _map("n1", locality=word)[1]).locality == locality


def test_a_node_is_the_plans_worker_by_the_name_that_hadoop_has_for_it(two_hosts: ClusterPlan) -> None:
    row = _located(two_hosts, _map("10.0.0.7", "10.0.0.8")[1], {"10.0.0.7": "h1-2", "10.0.0.8": "h1-1"})
    assert (row.worker, row.host, row.locality) == ("h1-2", "h1", "host")


def test_a_node_that_no_plan_knows_is_a_worker_of_its_own() -> None:
    row = _located(NO_PLAN, _map("n7")[1])
    assert (row.worker, row.host) == ("n7", "n7")


def test_an_attempt_still_running_when_its_job_ended_was_cut_off_then() -> None:
    attempt = AttemptFacts("attempt_1_0001_m_000000_0", "running", START_MS + 1_000, node="n1")
    task = TaskFacts("task_1_0001_m_000000", "running", (attempt,))
    job = JobFacts(
        "job_1_0001", "a job", "default", "killed", START_MS, START_MS, START_MS + 9_000, tasks=(task,)
    )
    (row,) = _rows(job)
    assert (row.start_s, row.end_s, row.state) == (1.0, 9.0, "killed")
    assert row.error


def test_a_speculative_attempt_never_given_a_container_is_no_row() -> None:
    never = AttemptFacts("attempt_1_0001_m_000000_1", "killed", None, error="the other succeeded first")
    task = TaskFacts("task_1_0001_m_000000", "succeeded", (never,))
    assert _rows(JobFacts("job_1_0001", "a job", "default", "succeeded", START_MS, tasks=(task,))) == []


def test_an_attempt_whose_master_was_lost_is_cut_off_when_the_next_one_begins() -> None:
    """Of what was under way Hadoop tells no end; the job's own is much later."""
    attempts = (
        AttemptFacts("attempt_1_0001_m_000000_0", "running", START_MS + 1_000, node="n1"),
        AttemptFacts(
            "attempt_1_0001_m_000000_1000", "succeeded", START_MS + 90_000, START_MS + 99_000, node="n2"
        ),
    )
    job = JobFacts(
        "job_1_0001",
        "",
        "",
        "succeeded",
        START_MS,
        finish_ms=START_MS + 100_000,
        tasks=(TaskFacts("task_1_0001_m_000000", "succeeded", attempts),),
        masters=(MasterStart(1, START_MS, "n1"), MasterStart(2, START_MS + 80_000, "n2")),
    )
    first, again = attempt_rows(job, "terasort", NodeFinder({}, NO_PLAN), _clock())
    assert (first.end_s, first.state) == (80, "killed")
    assert "application master was lost" in (first.error or "")
    assert (again.start_s, again.end_s, again.state) == (90, 99, "succeeded")
