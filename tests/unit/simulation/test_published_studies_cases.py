"""What the simulator is told of a known run: what its study says beyond the plan, and less of it."""

from __future__ import annotations

import pytest

from howdah import _native
from howdah.calibrate.case import Case
from howdah.calibrate.tables import StudySetting
from howdah.simulation.published_studies import case_of, scenario_of, studies

TB = 10**12


def _case(study: str, setting: StudySetting) -> Case:
    return case_of(next(one for one in studies() if one.study == study), setting, {})


def test_hadoop_1_gives_out_slots_as_the_study_did() -> None:
    scheduling = scenario_of(_case("fault-tolerance", StudySetting("4 VMs", TB, 2, 1)).work, {}, 1).scheduling
    assert (scheduling.kind, scheduling.heartbeat_s, scheduling.out_of_band) == ("slots", 3.0, False)
    assert scheduling.jvm_reuse


@pytest.mark.parametrize(("protected", "protection"), [(True, "ft"), (False, "none"), (None, "ft")])
def test_the_table_says_whether_masters_were_protected(protected: bool | None, protection: str) -> None:
    work = _case("fault-tolerance", StudySetting("4 VMs", TB, 2, 1, protected=protected)).work
    assert scenario_of(work, {}, 1).masters.protection == protection


def test_quantities_of_hosts_go_to_the_hosts_and_the_others_to_the_simulator() -> None:
    work = _case("seven-node", StudySetting("native", TB, 2, 1)).work
    values = {"core_speed": 0.6, "controller_bytes_per_s": 6e8, "softness": 5.0}
    scenario = scenario_of(work, values, 7)
    assert {(group.speed, group.controller_bytes_per_s) for group in scenario.hosts} == {(0.6, 6e8)}
    assert scenario.masters.speed == 0.6
    assert scenario.parameters == {"softness": 5.0}
    assert scenario.seed == 7


def test_a_jobs_master_starts_the_longer_the_slower_its_worker_is() -> None:
    work = _case("seven-node", StudySetting("native", TB, 2, 1)).work
    values = {"core_speed": 0.5, "job_start_s": 8.0, "job_start_cpu_s": 3.0}
    assert scenario_of(work, values, 1).parameters == {"job_start_s": 14.0}


def test_a_bytes_cpu_is_that_of_every_step_and_not_of_what_stalls() -> None:
    work = _case("seven-node", StudySetting("native", TB, 2, 1)).work
    usual = {name: default for name, default, _, _, _ in _native.simulation_parameters()}
    values = {"byte_cpu": 0.5, "map_s_per_byte": 2e-8, "row_stall_s_per_byte": 1e-8}
    told = scenario_of(work, values, 1).parameters
    assert told["map_s_per_byte"] == 1e-8
    assert told["read_s_per_byte"] == usual["read_s_per_byte"] / 2
    assert told["compare_s"] == usual["compare_s"] / 2
    assert told["row_stall_s_per_byte"] == 1e-8
    assert "task_start_cpu_s" not in told


def test_what_is_not_fitted_comes_from_the_inventory() -> None:
    (group,) = scenario_of(_case("seven-node", StudySetting("native", TB, 2, 1)).work, {}, 1).hosts
    assert (group.speed, group.controller_bytes_per_s) == (0.6, 4.8e8)


def test_a_quarter_of_the_hosts_has_as_much_to_do_for_each_slot() -> None:
    case = _case("vsphere6", StudySetting("4 VMs", 30 * TB, 3, 3))
    assert case.small is not None
    whole, small = scenario_of(case.work, {}, 1), scenario_of(case.small, {}, 1)
    assert [sum(group.count for group in one.hosts) for one in (whole, small)] == [32, 8]
    # The first two hosts carry a master beside three workers.
    assert [group.workers[0].count for group in small.hosts] == [3, 4, 4, 4]
    per_slot = [(one.workloads[0].rows or 0) / (one.workloads[0].maps or 1) for one in (whole, small)]
    assert per_slot[1] == pytest.approx(per_slot[0], rel=1e-3)


def test_small_datasets_run_in_full() -> None:
    case = _case("vsphere6", StudySetting("4 VMs", TB, 3, 3))
    assert case.small is None
    # One slow task decides them: several seeds tell what is typical.
    assert case.seeds > 1
