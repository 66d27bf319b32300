"""Suites on coded files: what the simulator reads of a policy, and what comes out."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.model.request import CodedDirectory, Demand, PlanRequest
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import TeraGen, TeraSort, TeraValidate
from howdah.planner.cluster import plan_cluster
from howdah.simulation.calibrations import PUBLISHED, calibration_warnings, load_calibration
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Simulations
from howdah.simulation.translate import translate
from support.clusters import host_group, inventory

_ROWS = 200_000_000
_BYTES = _ROWS * 100


def a_plan(hosts: int, *coded: CodedDirectory) -> ClusterPlan:
    return plan_cluster(
        inventory(host_group("w", hosts)),
        PlanRequest(coded=coded, workloads=(Demand(kind="terasuite", dataset_bytes=_BYTES),)),
    )


def _suite(policy: str | None) -> Suite:
    return Suite(
        name="terasuite",
        workloads=(
            TeraGen(rows=_ROWS, maps=24, erasure_coding=policy),
            TeraSort(rows=_ROWS, reduces=24, erasure_coding=policy),
            TeraValidate(rows=_ROWS),
        ),
    )


def _simulated(plan: ClusterPlan, suite: Suite) -> Summary:
    (done,) = Simulations([translate(plan, suite, {}, seed=1).scenario]).follow(lambda done: None)
    return Summary.model_validate_json(done.summary())


def test_a_policy_that_a_run_requests_decides_bytes() -> None:
    plan = a_plan(12)
    coded, copied = (_simulated(plan, _suite(policy)) for policy in ("RS-6-3-1024k", None))
    written = [sum(phase.disk_written_bytes for phase in run.workloads[0].phases) for run in (coded, copied)]
    assert written[0] / _BYTES == pytest.approx(1.5, abs=0.05)
    assert written[1] / _BYTES == pytest.approx(3, abs=0.05)
    remote = [run.workloads[1].remote_read_bytes / _BYTES for run in (coded, copied)]
    assert remote[0] >= 5 / 6 - 1e-6 > remote[1]


@pytest.mark.parametrize(("path", "coded"), [("/user", True), ("/archive", False)])
def test_a_planned_directory_codes_the_files_of_runs_below_it(path: str, coded: bool) -> None:
    plan = a_plan(12, CodedDirectory(path=path, policy="XOR-2-1-1024k"))
    coding = translate(plan, _suite(None), {}, seed=1).scenario.hdfs.coding
    assert (coding is not None) is coded
    assert coding is None or (coding.data, coding.parity, coding.cell_bytes) == (2, 1, 1 << 20)


def test_without_coded_files_the_simulator_reads_nothing_of_coding() -> None:
    assert "coding" not in translate(a_plan(12), _suite(None), {}, seed=1).scenario.text


def test_a_policy_with_more_units_than_workers_is_refused() -> None:
    with pytest.raises(UserError, match="9 units of a group need 9 workers, but the plan has 4"):
        translate(a_plan(4), _suite("RS-6-3-1024k"), {}, seed=1)


def test_coded_files_are_outside_the_range_of_the_published_calibration() -> None:
    plan, published = a_plan(12), load_calibration(PUBLISHED)
    (warning,) = calibration_warnings(plan, _suite("RS-6-3-1024k"), published)
    assert warning.code == "outside-calibration"
    assert "files with RS-6-3-1024k" in warning.text
    assert all("RS-6-3" not in other.text for other in calibration_warnings(plan, _suite(None), published))
