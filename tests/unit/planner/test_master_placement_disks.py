"""Masters' own disks: metadata twice, journals and ZooKeeper's log where nothing else writes."""

from __future__ import annotations

from howdah.model.inventory import HostGroup
from howdah.model.plan import ClusterPlan, Value
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from support.clusters import host_group, inventory

SYSTEM = "file:///var/lib/hadoop/name"


def planned(*groups: HostGroup, hypervisor: Hypervisor | None = None) -> ClusterPlan:
    request = PlanRequest(protection=Protection.HA, hypervisor=hypervisor)
    return plan_cluster(inventory(*groups), request)


def values(plan: ClusterPlan) -> dict[str, Value]:
    return {setting.key: setting.value for setting in plan.settings}


def test_masters_with_hosts_of_their_own_use_their_disks() -> None:
    plan = planned(host_group("w", 20, serves="workers"), host_group("m", 3, serves="masters", disks=4))
    given = values(plan)
    assert given["dfs.namenode.name.dir"] == (SYSTEM, "file:///data/01/name")
    assert given["dfs.journalnode.edits.dir"] == "/data/02/journal"
    assert given["dataLogDir"] == "/data/03/zookeeper"
    readme = next(file.content for file in render(plan).files if file.path == "README.md")
    masters = {master.host for master in plan.cluster.masters} if plan.cluster else set()
    assert all(f"{host}" in readme.partition("### Configuration")[0] for host in masters)
    assert "-o zookeeper -g hadoop -m 0700 /data/03/zookeeper" in readme


def test_what_no_other_disk_has_room_for_stays_on_the_systems() -> None:
    two = values(
        planned(host_group("w", 20, serves="workers"), host_group("m", 3, serves="masters", disks=1))
    )
    assert two["dfs.namenode.name.dir"] == (SYSTEM, "file:///data/01/name")
    assert two["dfs.journalnode.edits.dir"] == "/var/lib/hadoop/journal"
    assert "dataLogDir" not in two


def test_two_masters_on_one_host_of_their_own_both_use_its_disks() -> None:
    groups = (host_group("w", 20, serves="workers"), host_group("m", 1, serves="masters", disks=4))
    plan = plan_cluster(inventory(*groups), PlanRequest())
    assert len({master.host for master in plan.cluster.masters}) == 1
    assert values(plan)["dfs.namenode.name.dir"] == (SYSTEM, "file:///data/01/name")


def test_masters_beside_workers_or_in_machines_leave_data_disks_alone() -> None:
    for plan in (planned(host_group("w", 4)), planned(host_group("w", 20), hypervisor=Hypervisor.KVM)):
        given = values(plan)
        assert given["dfs.namenode.name.dir"] == (SYSTEM,)
        assert given["dfs.journalnode.edits.dir"] == "/var/lib/hadoop/journal"
        assert "dataLogDir" not in given
