"""Runs become cases: times on the simulator's terms, hosts as they were, nothing that does not belong."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from howdah.calibrate.fit import NINETY, fit
from howdah.calibrate.problem import Problem, free_parameters
from howdah.calibrate.records import as_built, cases_of, lab_values, run_to_run
from howdah.engines.sim.engine import SimTarget
from howdah.errors import UserError
from howdah.model.calibration import OWN
from howdah.model.inventory import DiskKind
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.workloads.terasort import ROWS
from howdah.session import calibrating as session
from howdah.simulation.published_studies import scenario_of, simulate_typical
from support.lab_runs import lab_plan, lab_run, laboratory, recorded_runs, result
from support.records import spilled
from support.sim_plans import suite_on
from support.sim_runs import sim_job, simulated
from support.stored import write_run

SORTED = {
    "workload": {"kind": "terasort", "rows": 1000, "reduces": 4},
    "start_s": 10.0,
    "end_s": 73.0,
    "phases": [["map-shuffle", 24.0, 58.0], ["reduce-merge", 58.0, 71.0]],
}


def _run(run_id: str = "one", seconds: float = 0.0) -> RunRecord:
    return lab_run(run_id, (result(SORTED | {"end_s": 73.0 + seconds}),))


def test_submission_and_end_are_parts_of_the_first_phase_and_of_the_last() -> None:
    (case,) = cases_of([_run()])
    assert case.known == {"terasort": 63.0, "terasort/map-shuffle": 48.0, "terasort/reduce-merge": 15.0}


def test_a_phase_that_is_the_whole_workload_is_not_told_twice() -> None:
    told = SORTED | {"workload": {"kind": "teragen", "rows": 1000}, "phases": [["map", 24.0, 71.0]]}
    (case,) = cases_of([lab_run("one", (result(told),))])
    assert case.known == {"teragen": 63.0}


def test_what_a_run_found_out_itself_is_simulated() -> None:
    unasked = _run().suite.workloads[0].model_copy(update={"rows": None})
    record = _run()
    record = record.model_copy(update={"suite": record.suite.model_copy(update={"workloads": (unasked,)})})
    (case,) = cases_of([record])
    assert ROWS.of(case.work.suite.workloads[0]) == 1000


@pytest.mark.parametrize(("workers", "cores", "speed"), [(2, 2, 0.5), (1, 1, 1.0)])
def test_a_laboratorys_hosts_have_the_cpus_that_they_had(workers: int, cores: int, speed: float) -> None:
    plan = lab_plan(workers)
    (hosts,) = scenario_of(cases_of([lab_run("one", _run().workloads, plan=plan)])[0].work, {}, 1).hosts
    assert (hosts.cores_per_socket * hosts.sockets, hosts.speed) == (cores, speed)
    # Neither worker may use what the other one leaves, and none has more than its share.
    assert [one.vcpus for one in hosts.workers] == [1]
    assert {(one.kind, one.outer_bytes_per_s, one.inner_bytes_per_s) for one in hosts.disks} == {
        ("ssd", 150e6, 150e6)
    }


def test_a_laboratory_that_gave_whole_cpus_keeps_the_planned_ones() -> None:
    plan = lab_plan()
    built = as_built(plan, laboratory(cpus=2.0))
    before, after = plan.cluster.inventory.groups[0], built.cluster.inventory.groups[0]
    assert after.cpu == before.cpu
    assert {one.kind for one in after.disks} == {DiskKind.SSD}
    assert lab_values([lab_run("one", _run().workloads, cpus=2.0)]) == ()


def test_the_share_of_a_cpu_is_kept_for_predictions_of_the_same_laboratory() -> None:
    (share,) = lab_values([_run()])
    assert (share.name, share.value, share.low, share.high, share.origin) == (
        "core_speed",
        0.5,
        0.5,
        0.5,
        "measured",
    )


def test_repeated_runs_tell_how_far_runs_lie_apart() -> None:
    assert run_to_run([_run("one"), _run("two")]) == 0.01
    apart = run_to_run([_run("one"), _run("two", seconds=6.3)])
    assert apart == pytest.approx(math.log(1.1) / math.sqrt(2))
    assert {case.noise for case in cases_of([_run("one"), _run("two", seconds=6.3)])} == {apart}
    other = lab_run("two", _run().workloads, plan=lab_plan(1))
    assert run_to_run([_run("one"), other]) == 0.05


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"outcome": Outcome.FAILED}, "run two: failed: its time cannot be used"),
        ({"origin": Origin.SIMULATED}, "run two: has another origin than run one: simulated, not measured"),
        (
            {"engine_version": "3.4.2"},
            "run two: has another release of Hadoop than run one: 3.4.2, not 3.5.0",
        ),
    ],
)
def test_runs_that_do_not_belong_are_refused(update: dict[str, object], said: str) -> None:
    with pytest.raises(UserError) as refused:
        cases_of([_run("one"), _run("two").model_copy(update=update)])
    assert str(refused.value).startswith(said)


def test_laboratories_with_other_shares_of_a_cpu_are_refused() -> None:
    with pytest.raises(UserError, match=r"another share of a CPU than run one: 0\.25, not 0\.5"):
        cases_of([_run("one"), lab_run("two", _run().workloads, cpus=0.5)])


def test_a_run_of_one_machine_is_refused() -> None:
    with pytest.raises(UserError, match="ran on one machine with the local engine"):
        cases_of([spilled().record])


def test_no_run_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no runs"):
        session.calibrate(["last"], tmp_path)


def test_runs_and_published_tables_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"combined with vsphere6_8tb\.csv"):
        session.calibrate(["last", "vsphere6_8tb.csv"], tmp_path)


def test_the_parameters_of_simulated_runs_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howdah.simulation.published_studies._EVEN", 256)
    true = {"job_start_s": 11.0, "task_start_cpu_s": 3.6}
    plan = lab_plan()
    records = [
        simulated(
            sim_job(plan, suite_on(plan, rows=rows), run_id=f"{rows} {seed}", seed=seed), SimTarget(true)
        ).record
        for rows in (200_000, 20_000_000)
        # Two repeats show too little of how far runs lie apart.
        for seed in range(31, 37)
    ]
    free = free_parameters(one for one in OWN if one.name in true)
    found = fit(Problem(cases_of(records), free, simulate_typical))
    for one, position, spread in zip(free, found.position, np.sqrt(np.diag(found.covariance)), strict=True):
        assert math.exp(position) == pytest.approx(true[one.name], rel=0.15)
        assert abs(position - math.log(true[one.name])) < NINETY * spread


def test_recorded_runs_are_cases_with_the_times_that_they_took() -> None:
    cases = cases_of(list(recorded_runs().values()))
    assert [round(case.known["terasort"]) for case in cases] == [93, 64, 59, 55, 60, 95]
    assert all(case.noise == pytest.approx(0.1, abs=0.05) for case in cases)


def test_a_run_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    run = spilled()
    write_run(tmp_path, run)
    assert session.known_runs(tmp_path, ["last", run.record.id]) == [run.record]
