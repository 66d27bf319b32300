"""Runs of YCSB are fitted by their metrics, and what was fitted predicts mixes that were not."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import pytest

from howdah import _native
from howdah.calibrate.calibrate import calibrate
from howdah.calibrate.forecast import forecasts
from howdah.calibrate.problem import free_parameters
from howdah.calibrate.records import HBASE, cases_of, in_lab, metrics_of, used_hbase
from howdah.calibrate.scoring import score_times
from howdah.calibrate.uncertainty import beyond
from howdah.engines.sim.engine import SimTarget
from howdah.errors import UserError
from howdah.model.calibration import CalibratedValue, Calibration
from howdah.model.cluster import Laboratory, Scaling
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Prediction
from howdah.model.run import Origin, RunRecord
from howdah.simulation.calibrations import load_calibration
from howdah.simulation.published_studies import simulate_case
from howdah.simulation.replications import scenarios, simulate, stretches
from support.predicted import MADE
from support.sim_hbase import hbase_plan
from support.sim_plans import suite_on
from support.sim_runs import sim_job, simulated, small_run

TRUE = {
    "hbase_client_s": 1.2e-4,
    "hbase_read_s": 2.5e-4,
    "hbase_write_s": 2e-4,
    "hbase_sync_s": 9e-4,
    "hbase_pause_share": 0.06,
}
"""What a cluster's operations cost, which nobody knows."""
_ASKED = {"records": 50_000, "threads": 24}


def _measured(suite: str, after: str = "2026-01-02T00:00:00+00:00") -> RunRecord:
    """A run that such a cluster would have made."""
    plan = hbase_plan()
    asked = _ASKED if suite == "ycsb-load" else {**_ASKED, "operations": 50_000}
    record = simulated(
        sim_job(plan, suite_on(plan, suite, **asked), run_id=suite, seed=11), SimTarget(TRUE)
    ).record
    return record.model_copy(update={"origin": Origin.MEASURED, "engine": "hbase", "created": after})


@cache
def _calibration() -> Calibration:
    cases = cases_of([_measured(suite) for suite in ("ycsb-load", "ycsb-a", "ycsb-c")])
    return calibrate("hbase", cases, free_parameters(HBASE), simulate_case)


def test_throughputs_and_times_of_operations_are_what_is_known() -> None:
    record = _measured("ycsb-a")
    known = dict(metrics_of(record.workloads[0]))
    assert set(known) == {
        "ycsb-a/throughput",
        *(f"ycsb-a/{name}, {share} % within" for name in ("read", "update") for share in (50, 99)),
    }
    (case,) = cases_of([record])
    assert dict(case.known) == known
    assert used_hbase(record)
    assert not used_hbase(small_run().record)


def test_what_was_fitted_explains_what_it_was_fitted_to() -> None:
    cells = {cell.quantity: cell for cell in _calibration().cells}
    assert {cells["ycsb-a/throughput"].unit, cells["ycsb-a/read, 99 % within"].unit} == {"1/s", "s"}
    for name in ("ycsb-load", "ycsb-a", "ycsb-c"):
        assert abs(cells[f"{name}/throughput"].error) < 0.05
    assert {rest.quantity for rest in _calibration().residuals} == {
        "throughput",
        "50 % within",
        "99 % within",
    }


@pytest.mark.parametrize("suite", ["ycsb-b", "ycsb-f"])
def test_a_mix_that_was_not_fitted_comes_to_what_is_predicted(suite: str) -> None:
    plan = hbase_plan()
    asked = suite_on(plan, suite, **_ASKED, operations=50_000)
    several = list(scenarios(plan, asked, _calibration(), count=3, seed=5))
    prediction = Prediction(
        id="mix",
        created=MADE.isoformat(),
        howdah_version="0",
        seed=5,
        replications=3,
        calibration="hbase",
        digests={},
        plan=plan,
        suite=asked,
        forecasts=forecasts([stretches(one) for one in simulate(several, lambda done: None)], _calibration()),
    )
    scores = {score.forecast.metric: score for score in score_times(prediction, _measured(suite))}
    assert abs(scores["throughput"].error) < 0.15
    slowest = [score for name, score in scores.items() if name and name.endswith("99 % within")]
    assert slowest

    assert all(abs(score.error) < 0.3 for score in slowest)
    # The intervals are of 90 %.
    assert fmean(bool(score.inside) for score in scores.values()) >= 0.85


def test_what_was_fitted_to_operations_says_nothing_of_jobs() -> None:
    plan, jobs = hbase_plan(), small_run().record
    known = _calibration()
    assert beyond(known, plan, suite_on(plan, "ycsb-b", **_ASKED)) == ()
    (far,) = beyond(known, plan, suite_on(plan, "ycsb-b", records=1_000_000))
    assert far == "records 1M, calibrated at 50k"
    assert isinstance(jobs.plan, ClusterPlan)
    assert "jobs, calibrated by operations on a table" in beyond(known, jobs.plan, jobs.suite)
    published = load_calibration("published")
    assert "operations on a table, calibrated by jobs" in beyond(published, plan, suite_on(plan, "ycsb-b"))


def test_no_more_is_predicted_than_is_asked_for() -> None:
    plan = hbase_plan()
    asked = suite_on(plan, "ycsb-c", **_ASKED, operations=5_000, target=1_000)
    several = list(scenarios(plan, asked, _calibration(), count=3, seed=5))
    alike = [stretches(one) for one in simulate(several, lambda done: None)]
    assert {one[0].most for one in alike} == {1_000}
    rate, *times = forecasts(alike, _calibration())
    assert rate.interval is not None
    assert rate.interval.low <= rate.median <= rate.interval.high <= 1_000
    assert rate.median == pytest.approx(1_000, rel=0.02)
    for time in times:
        assert time.interval is not None
        assert time.interval.low < time.median < time.interval.high


def test_runs_of_jobs_and_of_operations_are_calibrated_apart() -> None:
    jobs = small_run().record.model_copy(update={"origin": Origin.MEASURED})
    with pytest.raises(UserError, match="another kind of work"):
        cases_of([_measured("ycsb-c"), jobs])


def test_every_parameter_is_one_of_the_simulators_in_its_range() -> None:
    ranges = {name: (least, most) for name, _, least, most, _ in _native.simulation_parameters()}
    defaults = {name: default for name, default, _, _, _ in _native.simulation_parameters()}
    for parameter in HBASE:
        least, most = ranges[parameter.name]
        assert least <= parameter.low < parameter.default < parameter.high <= most
        assert parameter.default == pytest.approx(defaults[parameter.name])


def test_limits_of_cpu_time_count_once_in_a_prediction_for_a_lab() -> None:
    plan = hbase_plan()
    threads = max(group.cpu.threads for group in plan.cluster.inventory.worker_groups)
    groups = plan.cluster.inventory.worker_groups
    lab = Laboratory(
        name="lab",
        rootless=False,
        isolation=(),
        scaling=tuple(
            Scaling(what=f"CPUs per host of {group.name}", planned=group.cpu.threads, lab=0.5)
            for group in groups
        ),
    )
    fitted = _calibration()
    quota = CalibratedValue(
        name="cpu_quota", value=0.9, low=0.9, high=0.9, origin="measured", rests_on=("run 1",)
    )
    limited = fitted.model_copy(update={"parameters": (*fitted.parameters, quota)})
    simulated_plan, calibration = in_lab(plan, lab, limited, operations=True)
    assert simulated_plan == plan
    assert calibration is not None
    assert calibration.values["cpu_quota"] == pytest.approx(0.5 / threads)
    for given, operations in ((fitted, True), (limited, False)):
        slower, calibration = in_lab(plan, lab, given, operations=operations)
        assert slower != plan
        assert calibration is not None
        assert "cpu_quota" not in calibration.values


def test_the_times_of_rare_operations_are_not_known() -> None:
    (result,) = _measured("ycsb-a").workloads
    counts = [
        count.model_copy(update={"done": 3 if count.operation == "update" else count.done})
        for count in result.operations
    ]
    rare = result.model_copy(update={"operations": tuple(counts)})
    names = {name for name, _ in metrics_of(rare)}
    assert names == {"ycsb-a/throughput", "ycsb-a/read, 50 % within", "ycsb-a/read, 99 % within"}
