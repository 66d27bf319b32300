"""A run beyond those that a calibration was made from is told as such."""

from __future__ import annotations

import math
from functools import cache

import pytest

from howdah.calibrate.tables import named_run
from howdah.calibrate.uncertainty import (
    PER_DISTANCE,
    beyond,
    distance,
    distance_between,
    distance_of,
    draws,
    extents,
    for_release,
)
from howdah.documents.files import read_inventory
from howdah.model.calibration import Calibration, Extent
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Hypervisor, PlanRequest
from howdah.model.workloads.suite import Suite
from howdah.planner.cluster import plan_cluster
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import case_of, studies
from support.sim_plans import EXAMPLES, small_plan, study_plan, suite_on

TB = 10**10


def _calibration() -> Calibration:
    study = study_plan(4)
    works = [(study, suite_on(study, rows=rows)) for rows in (TB, 30 * TB)]
    return Calibration(name="the study", parameters=(), extents=extents(works))


def test_extents_are_the_least_and_the_most_of_all_runs() -> None:
    found = {one.name: (one.low, one.high) for one in _calibration().extents}
    assert found["dataset"] == (1e12, 30e12)
    assert found["hosts"] == (32, 32)
    assert found["threads of a host"] == (40, 40)
    assert found["data disks of a host"] == (20, 20)
    assert found["network of a host"] == (20e9, 20e9)


def test_within_and_a_little_beyond_nothing_is_said() -> None:
    study = study_plan(4)
    for rows in (TB, 10 * TB, 40 * TB):
        assert beyond(_calibration(), study, suite_on(study, rows=rows)) == ()


def test_what_lies_beyond_is_said_with_the_range() -> None:
    study = study_plan(4)
    assert beyond(_calibration(), study, suite_on(study, rows=TB // 100)) == (
        "dataset 10.0 GB, calibrated from 1.00 TB to 30.0 TB",
    )
    other = small_plan()
    said = " ".join(beyond(_calibration(), other, suite_on(other, rows=TB)))
    assert "hosts 7, calibrated at 32" in said
    assert "data disks of a host" in said


def test_a_run_is_the_farther_the_more_lies_beyond() -> None:
    study, known = study_plan(4), _calibration()
    assert distance(None, study, suite_on(study, rows=TB)) == 0
    assert distance(known, study, suite_on(study, rows=10 * TB)) == 0
    ten_times = distance(known, study, suite_on(study, rows=TB // 10))
    assert ten_times == pytest.approx(math.log(10))
    other = small_plan()
    assert distance(known, other, suite_on(other, rows=TB // 10)) > ten_times


def test_a_distance_states_its_quantities_and_what_they_add() -> None:
    study, other, known = study_plan(4), small_plan(), _calibration()
    assert distance_of(None, study, suite_on(study, rows=TB)) is None
    inside = distance_of(known, study, suite_on(study, rows=10 * TB))
    assert inside is not None
    assert (inside.length, inside.deviation, inside.beyond) == (0, 0, ())
    far = distance_of(known, other, suite_on(other, rows=TB // 10))
    assert far is not None
    assert far.deviation == pytest.approx(PER_DISTANCE * far.length)
    factors = {each.name: each.factor for each in far.beyond}
    assert factors["dataset"] == pytest.approx(10)
    assert math.hypot(*map(math.log, factors.values())) == pytest.approx(far.length)
    assert list(factors.values()) == sorted(factors.values(), reverse=True)


def _divided(count: int, groups: int) -> ClusterPlan:
    """Hosts of one kind, listed as so many groups."""
    inventory = read_inventory(EXAMPLES / "hosts-7.yaml")
    (group,) = inventory.groups
    several = tuple(
        HostGroup.model_validate(
            {
                **group.model_dump(mode="json", by_alias=True),
                "name": f"host{number}",
                "count": count // groups,
                "hosts": (),
            }
        )
        for number in range(groups)
    )
    return plan_cluster(Inventory(cluster="seven", groups=several), PlanRequest(hypervisor=Hypervisor.NONE))


def test_hosts_listed_as_two_groups_are_no_further_than_as_one() -> None:
    one, two = (_divided(14, groups) for groups in (1, 2))
    few = Extent(name="threads of a host", low=1, high=6)
    known = Calibration(name="small hosts", parameters=(), extents=(few,))
    lengths = [distance(known, plan, suite_on(plan, rows=TB)) for plan in (one, two)]
    assert lengths == pytest.approx([math.log(24 / 6)] * 2)
    assert len(beyond(known, two, suite_on(two, rows=TB))) == 1


@cache
def _modern() -> ClusterPlan:
    """NVMe disks and 100GbE under today's Hadoop."""
    return plan_cluster(read_inventory(EXAMPLES / "hosts-nvme.yaml"), PlanRequest())


def test_todays_software_and_disks_are_beyond_the_published_runs() -> None:
    plan, published = _modern(), load_calibration(PUBLISHED)
    suite = suite_on(plan, rows=TB)
    distant = distance_of(published, plan, suite)
    assert distant is not None
    factors = {outside.name: outside.factor for outside in distant.beyond}
    assert factors["release of Hadoop"] == 3
    assert factors["kind of data disks"] == 10
    text = "; ".join(beyond(published, plan, suite))
    assert "release of Hadoop 3, calibrated at 1;" in text
    assert "kind of data disks SSD, calibrated with HDD;" in text
    assert text.endswith(
        "CPU time of a byte, expected at 0.6 (0.25 to 1.4) times that of the calibrated release"
    )


def test_the_cost_of_a_byte_is_uncertain_only_if_no_run_used_the_planned_software() -> None:
    published = load_calibration(PUBLISHED)
    assert for_release(published, study_plan(4)) is published
    expected = for_release(published, _modern())
    (cost,) = [value for value in expected.parameters if value.name == "byte_cpu"]
    assert (cost.value, cost.low, cost.high) == (0.6, 0.25, 1.4)
    assert len({values["byte_cpu"] for values in draws(expected, 5, seed=1)}) == 5
    # A calibration from a run of today's software has its own costs.
    suite = suite_on(_modern(), rows=TB)
    mine = Calibration(name="mine", parameters=(), extents=extents([(_modern(), suite)]))
    assert for_release(mine, _modern()) is mine


def test_the_shipped_calibration_states_the_range_of_its_studies() -> None:
    works = []
    for study in studies():
        cases = {cell.case for cell in load_calibration(PUBLISHED).cells if cell.fitted}
        for case in cases:
            run = named_run(case)
            if run is not None and run.study == study.study:
                works.append(case_of(study, run.setting, {}).work)
    known = {extent.name: extent for extent in load_calibration(PUBLISHED).extents}
    assert {extent.name: extent for extent in extents((work.plan, work.suite) for work in works)} == known


def test_what_lies_between_two_runs_counts_only_outside_the_range() -> None:
    study, known = study_plan(4), _calibration()
    inside, near, far = (suite_on(study, rows=rows) for rows in (TB, 60 * TB, TB // 10))

    def between(first: Suite, second: Suite) -> float:
        return distance_between(known, (study, first), (study, second))

    assert between(inside, inside) == between(far, far) == 0
    assert between(inside, near) == between(near, inside) == pytest.approx(math.log(2))
    # One is above the range, the other below it.
    assert between(near, far) == pytest.approx(math.log(20))
    assert distance_between(None, (study, near), (study, far)) == 0
