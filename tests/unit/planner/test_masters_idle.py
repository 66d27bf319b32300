"""What masters take from a small cluster is said; on a large one it is not worth a word."""

from __future__ import annotations

import pytest

from howdah.model.plan import Advice
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.clusters import host_group, inventory


def told(hosts: int, protection: Protection) -> list[Advice]:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=protection, workers_per_host=4)
    plan = plan_cluster(inventory(host_group(count=hosts)), request)
    assert plan.cluster is not None
    return [advice for advice in plan.cluster.advice if advice.rule == "masters.idle-disks"]


def test_three_hosts_give_a_third_of_their_disks_for_a_pair_of_masters() -> None:
    (advice,) = told(3, Protection.HA)
    assert "20 of 60 data disks, 33% of what the hosts could hold" in advice.text


def test_shadows_hold_places_as_well() -> None:
    (advice,) = told(4, Protection.FT)
    assert "20 of 80 data disks" in advice.text


@pytest.mark.parametrize("protection", Protection)
def test_on_many_hosts_it_is_little(protection: Protection) -> None:
    assert told(32, protection) == []


def chosen(hosts: int, protection: Protection) -> tuple[str, int]:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=protection)
    plan = plan_cluster(inventory(host_group(count=hosts)), request)
    assert plan.cluster is not None
    possible = [one for one in plan.cluster.candidates if one.verdict != "refused"]
    assert [one.score for one in possible] == sorted((one.score for one in possible), reverse=True)
    assert [one.verdict for one in possible].count("recommended") == 1
    assert possible[0].verdict == "recommended"
    return possible[0].platform, possible[0].workers


def test_a_single_host_is_not_halved_for_masters() -> None:
    """Four workers of five disks would leave a quarter to the masters, ten of two disks a tenth."""
    assert chosen(1, Protection.NONE) == ("10 per host", 9)


def test_few_hosts_are_not_divided_so_that_masters_take_a_third() -> None:
    assert chosen(3, Protection.HA) == ("2 per host", 6)


@pytest.mark.parametrize("protection", Protection)
def test_on_many_hosts_masters_change_nothing(protection: Protection) -> None:
    assert chosen(32, protection)[0] == "4 per host"
    assert chosen(61, protection)[0] == "4 per host"
