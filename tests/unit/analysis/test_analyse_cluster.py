"""What every run's analysis says, said of a cluster: once, of all workers, and of what a cluster has."""

from __future__ import annotations

from howdah.analysis.analyse import analyse
from howdah.model.run import Outcome
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_samples
from support.cluster_scene import Scene, several
from support.findings import found


def test_the_answer_tells_rate_workers_and_hosts() -> None:
    answer = analyse(terasort_on(Scene())).findings[0]
    assert answer.severity == "answer"
    assert "terasort took" in answer.text
    assert "on 4 workers of 2 hosts" in answer.text
    native = analyse(terasort_on(Scene(hosts=3, per_host=1, maps=12))).findings[0]
    assert native.text.startswith("terasort took 37.5 s on 3 workers; ")


def test_use_is_one_sentence_a_phase_for_all_workers() -> None:
    run = terasort_on(Scene())
    told = found(run, "use")
    assert [each.phase for each in told] == ["map-shuffle", "reduce-merge"]
    assert all("h" in each.text and "CPU" in each.text for each in told)


def test_no_limits_are_missed_where_none_are_measured() -> None:
    assert not any("raw limits" in each.text for each in found(terasort_on(Scene()), "missing"))


def test_a_healthy_cluster_has_nothing_to_warn_of() -> None:
    for scene in several(Scene(), range(10)):
        warnings = [each for each in analyse(terasort_on(scene)).findings if each.severity == "warning"]
        assert not warnings, warnings


def test_pressure_is_told_once_with_the_worst_machine() -> None:
    run = terasort_on(Scene())
    rows = [
        (float(time_s), worker, "pressure/memory_some_s", share * time_s)
        for worker, share in (("h1-1", 0.1), ("h1-2", 0.3), ("h2-1", 0.2))
        for time_s in range(40)
    ]
    (finding,) = found(with_samples(run, rows), "memory-pressure")
    assert "h1-2's tasks waited" in finding.text
    assert finding.text.endswith("and less on 2 other machines")


def test_maps_that_did_not_fill_the_cluster_left_planned_slots_idle() -> None:
    few = terasort_on(Scene(maps=5))
    spread = next(each for each in analyse(few).evidence.spreads if each.kind == "map")
    assert spread.slots == 8


def test_a_job_that_failed_has_no_layers_but_an_end() -> None:
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    failed = result.model_copy(update={"outcome": Outcome.FAILED})
    record = run.record.model_copy(
        update={"workloads": (failed,), "outcome": Outcome.FAILED, "error": "the reduce on h1-2 failed"}
    )
    analysis = analyse(run._replace(record=record))
    assert not analysis.evidence.flows
    assert not analysis.evidence.stragglers
    assert "the reduce on h1-2 failed" in analysis.findings[0].text


def bare(run: RunData) -> RunData:
    """The run of which nobody told anything: neither tasks nor samples nor a job."""
    results = tuple(each.model_copy(update={"job": None, "replicas": None}) for each in run.record.workloads)
    record = run.record.model_copy(update={"workloads": results})
    return RunData(record, run.tasks.slice(0, 0), run.samples.slice(0, 0))


def test_whatever_is_missing_analysis_says_what_is_there() -> None:
    run = terasort_on(Scene())
    for cut in (bare(run), bare(run)._replace(tasks=run.tasks), bare(run)._replace(samples=run.samples)):
        analysis = analyse(cut)
        assert analysis.findings[0].severity == "answer"
        assert all("nan" not in finding.text for finding in analysis.findings)


def test_lost_races_of_speculation_are_no_failures() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    raced = first._replace(
        attempt=1, worker="h2-2", state="killed", error="Speculation: attempt_1_m_0 succeeded first!"
    )
    run = with_attempts(run, [first, raced, *rest])
    (finding,) = found(run, "speculative-attempts")
    assert finding.severity == "note"
    assert not found(run, "failed-attempts")


def test_a_lone_reduce_is_not_asked_to_spread() -> None:
    run = terasort_on(Scene())
    reduces = [each for each in attempts_in(run) if each.kind == "reduce"]
    lone = reduces[0]._replace(end_s=reduces[0].end_s + 20)
    run = with_attempts(run, [*(each for each in attempts_in(run) if each.kind == "map"), lone])
    assert not any("reduce" in each.text for each in found(run, "idle-tail"))
