"""The papers' runs as plans: the planner gives the slots and map tasks that the papers had."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.calibrate.case import CaseWork
from howdah.calibrate.study import PublishedStudy
from howdah.calibrate.tables import SortSetting, StudySetting
from howdah.documents.files import read_inventory
from howdah.model.inventory import HostGroup
from howdah.model.placement import AtOnce, at_once, placed_workers
from howdah.model.workloads.option import MAPS, REPLICATION
from howdah.model.workloads.terasort import REDUCES, ROWS
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import (
    case_of,
    cases_of,
    ratio_works,
    scenario_of,
    studies,
    tables_of,
)

EXAMPLES = Path(__file__).parents[3] / "examples"
TB = 10**12
BLOCK = 256 * 2**20
# "Virtualized Hadoop Performance with VMware vSphere 6", table 1: workers, slots, map tasks at 30 TB.
TABLE_1 = {
    "Native": (31, 682, 111848),
    "1 VM": (31, 620, 112220),
    "2 VMs": (62, 682, 111848),
    "4 VMs": (126, 756, 111888),
    "10 VMs": (318, 954, 112572),
    "20 VMs": (636, 636, 111936),
}


def _study(name: str) -> PublishedStudy:
    return next(study for study in studies() if study.study == name)


def _work(study: str, platform: str, dataset_bytes: int, replicas: tuple[int, int]) -> CaseWork:
    return case_of(_study(study), StudySetting(platform, dataset_bytes, *replicas), {}).work


@pytest.mark.parametrize("platform", TABLE_1)
def test_slots_and_map_tasks_are_those_of_table_1(platform: str) -> None:
    work = _work("vsphere6", platform, 30 * TB, (3, 3))
    workers, slots, map_tasks = TABLE_1[platform]
    assert sum(1 for _ in placed_workers(work.plan.cluster)) == workers
    assert at_once(work.plan) == AtOnce(slots, slots)
    generated, sorted_, _ = work.suite.workloads
    assert (MAPS.of(generated), REDUCES.of(sorted_)) == (slots, slots)
    rows = ROWS.of(generated)
    assert rows is not None
    assert slots * -(-rows * 100 // slots // BLOCK) == map_tasks


def test_the_fault_tolerance_study_ran_368_tasks_at_once() -> None:
    work = _work("fault-tolerance", "4 VMs", TB, (2, 1))
    assert at_once(work.plan) == AtOnce(368, 368)
    assert [REPLICATION.of(one) for one in work.suite.workloads[:2]] == [2, 1]


@pytest.mark.parametrize("platform", ["native", "vm1", "vm2", "vm4"])
def test_the_seven_hosts_ran_280_maps_and_70_reduces(platform: str) -> None:
    work = _work("seven-node", platform, TB, (2, 1))
    assert at_once(work.plan).maps == 280
    assert MAPS.of(work.suite.workloads[0]) == 280
    assert REDUCES.of(work.suite.workloads[1]) == 70


def test_amax_is_the_same_work_on_two_links() -> None:
    works = dict(ratio_works(_study("amax")))
    assert [at_once(work.plan).maps for work in works.values()] == [84, 84]
    assert works["1GbE"].suite == works["10GbE"].suite
    speeds = []
    for work in works.values():
        speeds.append(work.plan.cluster.inventory.groups[0].nics[0].speed_bits_per_s)
    assert speeds == [10**9, 10**10]


def _bare(group: HostGroup) -> HostGroup:
    """The group without what the studies know more of it: speeds of cores, controllers and disks."""
    disks = tuple(
        one.model_copy(update={"outer_bytes_per_s": None, "inner_bytes_per_s": None}) for one in group.disks
    )
    cpu = group.cpu.model_copy(update={"speed": None})
    return group.model_copy(update={"cpu": cpu, "controller_bytes_per_s": None, "disks": disks})


@pytest.mark.parametrize(
    ("study", "example"),
    [
        ("vsphere6", "hosts-32.yaml"),
        ("fault-tolerance", "hosts-ft.yaml"),
        ("seven-node", "hosts-7.yaml"),
        ("amax", "hosts-amax.yaml"),
    ],
)
def test_the_studies_hosts_are_those_of_the_examples(study: str, example: str) -> None:
    here = _study(study).inventory
    there = read_inventory(EXAMPLES / example)
    assert tuple(map(_bare, here.groups)) == tuple(map(_bare, there.groups))


@pytest.mark.parametrize(
    ("study", "example"), [("fault-tolerance", "hosts-ft.yaml"), ("seven-node", "hosts-7.yaml")]
)
def test_the_examples_have_the_speeds_that_the_shipped_calibration_fitted(study: str, example: str) -> None:
    values = {one.name: one.value for one in load_calibration(PUBLISHED).parameters}
    (group,) = read_inventory(EXAMPLES / example).groups
    assert group.cpu.speed == pytest.approx(values[f"{study}/core_speed"], rel=2e-3)
    fitted = values[f"{study}/controller_bytes_per_s"]
    assert group.controller_bytes_per_s == pytest.approx(fitted, rel=5e-3)


def test_a_table_is_known_by_its_name() -> None:
    study, (table,) = tables_of(Path("somewhere/vsphere6_table3_30TB_r1.csv"))
    assert (study.study, table.replication) == ("vsphere6", 1)


def test_a_table_of_two_sizes_of_data_is_read_as_two() -> None:
    study, tables = tables_of(Path("seven_node_table3_ht_on.csv"))
    assert [table.dataset for table in tables] == [10**12, 35 * 10**11]
    assert {quantity for table in tables for quantity in table.quantities.values()} == {
        "teragen",
        "terasort",
        "teravalidate",
    }
    assert study.study == "seven-node"


def test_a_file_of_the_first_size_of_data_alone_is_enough(tmp_path: Path) -> None:
    table = tmp_path / "seven_node_table3_ht_on.csv"
    one = "benchmark,native\nTeraGen 1TB,600\nTeraSort 1TB,\nTeraValidate 1TB,\n"
    table.write_text(one)
    (case,) = cases_of([table])
    assert (case.name, case.known) == ("seven-node native 1 TB r2/1", {"teragen": 600.0})
    table.write_text(one + "TeraGen 3.5TB,2000\nTeraSort 3.5TB,\nTeraValidate 3.5TB,\n")
    assert [case.name for case in cases_of([table])] == [
        "seven-node native 1 TB r2/1",
        "seven-node native 3.5 TB r2/1",
    ]


def test_aloja_had_as_many_hosts_disks_and_tasks_as_its_table_says() -> None:
    setting = StudySetting("3 SATA", TB // 10, 2, 1, hosts=16, slots=14, sort=SortSetting(12, 120))
    work = case_of(_study("aloja"), setting, {}).work
    assert at_once(work.plan) == AtOnce(16 * 14, 16 * 14)
    assert MAPS.of(work.suite.workloads[0]) == 96
    assert REDUCES.of(work.suite.workloads[1]) == 48
    scenario = scenario_of(work, {"core_speed": 0.5, "disk_speed": 0.5}, 1)
    assert sum(group.count for group in scenario.hosts) == 16
    (group,) = scenario.hosts
    # Intermediate data were on the first disk alone.
    assert (group.workers[0].disks, group.workers[0].local_disks) == (3, 1)
    assert group.disks[0].outer_bytes_per_s == 60 * 2**20
    assert (scenario.job.io_sort_factor, scenario.job.io_sort_bytes) == (12, 120 * 2**20)
    assert scenario.job.io_sort_records == 0.05
