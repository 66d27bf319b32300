"""Causes of slowness told apart on a synthetic cluster, with noise and with what they do to one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.times import Straggler
from howdah.analysis.machines import Timeline
from howdah.model.cluster import MemberChange
from howdah.model.faults import FaultReport, ProbeOutage, ProbeReport
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_samples
from support.cluster_scene import Injected, Scene, names_of, several, victim_of

pytestmark = pytest.mark.slow

CAUSES: tuple[Injected, ...] = (
    "slow disk",
    "slow link",
    "CPU held back",
    "garbage collection",
    "skewed partition",
)
LAYOUTS = {
    "2 hosts of 2": Scene(),
    "3 native": Scene(hosts=3, per_host=1, maps=12, rows=6_000_000),
    "4 hosts of 2": Scene(hosts=4, per_host=2, maps=32, rows=16_000_000, replication=3),
}


def called(run: RunData) -> Straggler | None:
    return next(iter(analyse(run).evidence.stragglers), None)


def right(scenes: Iterable[Scene]) -> list[bool]:
    """Whether cause and worker were called rightly, scene by scene."""
    verdicts = []
    for scene in scenes:
        first = called(terasort_on(scene))
        if scene.injected is None:
            verdicts.append(first is None)
        else:
            verdicts.append(
                first is not None and (first.cause, first.worker) == (scene.injected, victim_of(scene))
            )
    return verdicts


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_is_called_by_its_name_and_worker(cause: Injected, layout: str) -> None:
    scene = replace(LAYOUTS[layout], injected=cause)
    verdicts = right(several(scene, range(5))) + right(several(replace(scene, factor=0.12), range(5, 10)))
    assert sum(verdicts) >= 9, verdicts


@pytest.mark.parametrize("layout", LAYOUTS)
def test_where_nothing_is_wrong_nobody_is_accused(layout: str) -> None:
    verdicts = right(several(LAYOUTS[layout], range(20)))
    assert sum(verdicts) >= 19, verdicts


def test_noise_of_fifteen_per_cent_does_not_hide_a_cause() -> None:
    for cause in CAUSES:
        verdicts = right(several(Scene(injected=cause, noise=0.15), range(5)))
        assert sum(verdicts) >= 4, cause


@pytest.mark.parametrize("cause", CAUSES[:4])
def test_of_two_causes_at_once_the_stronger_is_named(cause: Injected) -> None:
    for other in CAUSES[:4]:
        if other != cause:
            scene = Scene(injected=cause, factor=0.12, also=other, also_factor=0.8)
            verdicts = right(several(scene, range(4)))
            assert sum(verdicts) >= 3, (cause, other)


def test_two_workers_are_held_against_the_plan() -> None:
    pair = Scene(hosts=2, per_host=1, maps=8, rows=4_000_000)
    for cause in CAUSES:
        verdicts = right(several(replace(pair, injected=cause), range(8)))
        assert sum(verdicts) >= 7, cause
    assert all(right(several(pair, range(20))))


def test_a_lone_worker_slower_than_planned_is_told_by_the_plan() -> None:
    lone = Scene(hosts=1, per_host=1, maps=4, rows=2_000_000, replication=1, injected="slow disk")
    first = called(terasort_on(lone))
    assert first is not None
    assert first.cause == "slow disk"
    assert first.signs[0].against == "plan"
    assert first.confidence < 0.5


def test_few_peers_make_less_sure_than_many() -> None:
    few, many = (
        called(terasort_on(replace(scene, injected="CPU held back")))
        for scene in (Scene(hosts=2, per_host=1, maps=8, rows=4_000_000), Scene())
    )
    assert few is not None
    assert many is not None
    assert few.confidence < many.confidence


def test_who_had_little_to_do_is_not_held_back() -> None:
    """CPUs used little and steadily tell of a limit only where there was as much to do as elsewhere."""
    scene = Scene(injected="CPU held back", factor=0.12, throttle_sampled=False)
    run = terasort_on(scene)
    first = called(run)
    assert first is not None
    assert (first.cause, first.worker) == ("CPU held back", victim_of(scene))
    others = [each for each in attempts_in(run) if each.worker != victim_of(scene)]
    quick = [
        each._replace(end_s=each.start_s + 0.1 * (each.end_s - each.start_s), gc_s=0.0)
        for each in attempts_in(run)
        if each.worker == victim_of(scene)
    ]
    for attempts in (others, [*others, *quick]):
        accused = analyse(with_attempts(run, attempts)).evidence.stragglers
        assert victim_of(scene) not in {one.worker for one in accused}


@pytest.mark.parametrize("missing", ["throttle_sampled", "queue_sampled"])
def test_causes_show_without_the_counters_that_name_them(missing: str) -> None:
    cause: Injected = "CPU held back" if missing == "throttle_sampled" else "slow link"
    scene = Scene(
        injected=cause,
        factor=0.12,
        throttle_sampled=missing != "throttle_sampled",
        queue_sampled=missing != "queue_sampled",
    )
    verdicts = right(several(scene, range(20)))
    assert sum(verdicts) >= 18, verdicts


@pytest.mark.parametrize("cause", ["garbage collection", "skewed partition"])
def test_what_tasks_tell_needs_no_samples(cause: Injected) -> None:
    scene = Scene(injected=cause)
    run = terasort_on(scene)
    first = called(run._replace(samples=run.samples.slice(0, 0)))
    assert first is not None
    assert (first.cause, first.worker) == (cause, victim_of(scene))


@settings(max_examples=15, deadline=None)
@given(
    cause=st.sampled_from(CAUSES),
    seed=st.integers(0, 10_000),
    victim=st.integers(0, 3),
    factor=st.floats(0.1, 0.2),
)
def test_severe_causes_are_never_taken_for_another(
    cause: Injected, seed: int, victim: int, factor: float
) -> None:
    first = called(terasort_on(Scene(injected=cause, seed=seed, victim=victim, factor=factor, noise=0.03)))
    assert first is None or first.cause in {cause, "cannot tell"}


@settings(max_examples=10, deadline=None)
@given(cause=st.sampled_from(CAUSES), seed=st.integers(0, 100), factor=st.floats(1.5, 10.0))
def test_how_fast_the_clock_runs_does_not_matter(cause: Injected, seed: int, factor: float) -> None:
    """As many times the work in as many times the time: the same verdict, the same shares."""
    run = terasort_on(Scene(injected=cause, seed=seed))
    one, other = called(run), called(stretched(run, factor))
    assert one is not None
    assert other is not None
    assert (other.cause, other.worker) == (one.cause, one.worker)
    assert other.signs[0].lost_share == pytest.approx(one.signs[0].lost_share, rel=0.02)


def stretched(run: RunData, factor: float) -> RunData:
    """The same rates for ``factor`` times as long."""
    samples = run.samples.to_pylist()
    rows = [
        (factor * row["time_s"], row["host"], row["metric"], factor * row["value"])
        for row in samples
        if not row["metric"].endswith("queue_bytes")
    ]
    rows += [
        (factor * row["time_s"], row["host"], row["metric"], row["value"])
        for row in samples
        if row["metric"].endswith("queue_bytes")
    ]
    attempts = [
        each._replace(
            start_s=factor * each.start_s,
            end_s=factor * each.end_s,
            cpu_s=factor * (each.cpu_s or 0.0),
            gc_s=factor * (each.gc_s or 0.0),
        )
        for each in attempts_in(run)
    ]
    (result,) = run.record.workloads
    longer = result.model_copy(update={"start_s": factor * result.start_s, "end_s": factor * result.end_s})
    record = run.record.model_copy(
        update={"workloads": (longer,), "elapsed_s": factor * run.record.elapsed_s}
    )
    return with_attempts(with_samples(RunData(record, run.tasks, run.samples.slice(0, 0)), rows), attempts)


@pytest.mark.parametrize(
    ("cause", "metric"),
    [
        ("slow link", "disk/01/written_bytes"),
        ("slow disk", "nic/eth0/rx_bytes"),
        ("CPU held back", "nic/eth0/rx_bytes"),
        ("garbage collection", "disk/01/written_bytes"),
    ],
)
def test_what_a_cause_does_to_other_resources_is_in_the_scenes(cause: Injected, metric: str) -> None:
    """The scenes hold the confounders: while all others are at work, the victim does less of this too."""
    scene = Scene(injected=cause, factor=0.12)
    run = terasort_on(scene)
    timeline = Timeline(run.samples)
    reduces = [each for each in attempts_in(run) if each.kind == "reduce"]
    span = min(each.start_s for each in reduces), min(each.end_s for each in reduces)
    moved = {name: timeline.growth(name, metric, *span) for name, _ in names_of(scene)}
    own = moved.pop(victim_of(scene))
    assert own < 0.7 * sum(moved.values()) / len(moved)


def test_a_worker_whose_tasks_waited_for_an_outage_is_no_straggler() -> None:
    run = terasort_on(Scene())
    moment = max(each.end_s for each in attempts_in(run)) - 0.1
    waited = [
        each._replace(end_s=moment + 60) if each.worker == "h1-2" and each.kind == "reduce" else each
        for each in attempts_in(run)
    ]
    held_up = with_attempts(run, waited)
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={"workloads": (result.model_copy(update={"end_s": result.end_s + 60}),)}
    )
    outage = ProbeOutage(start_s=moment, end_s=moment + 60)
    probe = ProbeReport(
        of="HDFS", operation="read", start_s=0, end_s=99, asked=60, failed=0, longest_s=4, outages=(outage,)
    )
    assert called(held_up._replace(record=record)) is not None
    fault = FaultReport(fault="kill namenode at 9s", begun_s=moment, hit=("namenode on m1",))
    faulted = record.model_copy(update={"probes": (probe,), "faults": (fault,)})
    assert called(held_up._replace(record=faulted)) is None


def test_a_worker_that_joined_meanwhile_did_not_begin_late() -> None:
    run = terasort_on(Scene())
    moved = [
        each._replace(start_s=each.start_s + 20, end_s=each.end_s + 20) if each.worker == "h1-2" else each
        for each in attempts_in(run)
    ]
    (result,) = run.record.workloads
    ended = result.model_copy(update={"end_s": result.end_s + 20})
    late = with_attempts(run, moved)
    late = late._replace(record=run.record.model_copy(update={"workloads": (ended,)}))
    first = called(late)
    assert first is not None
    assert (first.cause, first.worker) == ("late start", "h1-2")
    joined = MemberChange(time_s=15, machine="h1-2", what="joined", level="worker", host="h1", rack="")
    came = late._replace(record=late.record.model_copy(update={"members": (joined,)}))
    assert "late start" not in {one.cause for one in analyse(came).evidence.stragglers}
