"""What masters take from a small cluster is said; on a large one it is not worth a word."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.plan import Advice
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.clusters import host_group, inventory


def told(hosts: int, protection: Protection) -> list[Advice]:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=protection, workers_per_host=4)
    plan = plan_cluster(inventory(host_group(count=hosts)), request)
    return [advice for advice in plan.cluster.advice if advice.rule == "masters.idle-disks"]


def test_a_pair_of_masters_takes_no_third_of_three_hosts() -> None:
    assert told(3, Protection.HA) == []


def test_shadows_hold_places_as_well() -> None:
    (advice,) = told(4, Protection.FT)
    assert "20 of 80 data disks" in advice.text


@pytest.mark.parametrize("protection", Protection)
def test_on_many_hosts_it_is_little(protection: Protection) -> None:
    assert told(32, protection) == []


def chosen(hosts: int, protection: Protection) -> tuple[str, int]:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=protection)
    plan = plan_cluster(inventory(host_group(count=hosts)), request)
    possible = [one for one in plan.cluster.candidates if one.verdict != "refused"]
    assert [one.score for one in possible] == sorted((one.score for one in possible), reverse=True)
    assert [one.verdict for one in possible].count("recommended") == 1
    assert possible[0].verdict == "recommended"
    return possible[0].platform, possible[0].workers


def test_a_single_host_is_not_halved_for_masters() -> None:
    """A place of their own would be a quarter of the disks."""
    assert chosen(1, Protection.NONE) == ("4 per host", 4)


def test_on_few_hosts_masters_share_and_change_nothing() -> None:
    assert chosen(3, Protection.HA) == ("4 per host", 12)


@pytest.mark.parametrize("hosts", [3, 4])
def test_fault_tolerance_leaves_workers_on_as_many_hosts_as_there_are_replicas(hosts: int) -> None:
    request = PlanRequest(protection=Protection.FT)
    plan = plan_cluster(inventory(host_group(count=hosts, disks=12)), request)
    assert next(one.value for one in plan.settings if one.key == "dfs.replication") == 3
    assert not any(advice.rule == "topology.few-replicas" for advice in plan.cluster.advice)


def test_fewer_replicas_than_three_are_told_unless_they_were_asked_for() -> None:
    request = PlanRequest(protection=Protection.FT, workers_per_host=1, hypervisor=Hypervisor.VSPHERE)
    hosts = inventory(host_group(count=3))
    plan = plan_cluster(hosts, request)
    (advice,) = (one for one in plan.cluster.advice if one.rule == "topology.few-replicas")
    assert advice.severity == "must"
    assert "1 replica instead of 3 with workers on 1 host only, as masters use 2 hosts" in advice.text
    with pytest.raises(UserError, match="too few remain"):
        plan_cluster(hosts, request.model_copy(update={"replication": 3}))
    asked = plan_cluster(hosts, request.model_copy(update={"replication": 1}))
    assert not any(one.rule == "topology.few-replicas" for one in asked.cluster.advice)


@pytest.mark.parametrize("protection", Protection)
def test_on_many_hosts_masters_change_nothing(protection: Protection) -> None:
    assert chosen(32, protection)[0] == "4 per host"
    assert chosen(61, protection)[0] == "4 per host"
