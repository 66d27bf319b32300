"""The heaps of a place's daemons fit the place: what is planned for one is not promised to another."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.plan import ClusterPlan, Role
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.releases.values import heap_bytes
from howdah.units import GIB

EXAMPLES = Path(__file__).parents[3] / "examples"
MIX = (Demand(kind="terasuite"), Demand(kind="ycsb"))
OPTIONS = {
    Role.NAMENODE: "HDFS_NAMENODE_OPTS",
    Role.SECONDARY_NAMENODE: "HDFS_SECONDARYNAMENODE_OPTS",
    Role.JOURNALNODE: "HDFS_JOURNALNODE_OPTS",
    Role.FAILOVER_CONTROLLER: "HDFS_ZKFC_OPTS",
    Role.RESOURCEMANAGER: "YARN_RESOURCEMANAGER_OPTS",
    Role.JOB_HISTORY: "MAPRED_HISTORYSERVER_OPTS",
    Role.HMASTER: "HBASE_MASTER_OPTS",
    Role.ZOOKEEPER: "SERVER_JVMFLAGS",
}


def heaps(plan: ClusterPlan) -> dict[Role, int]:
    values = {one.key: str(one.value) for one in plan.settings}
    found = {role: heap_bytes(values[key]) for role, key in OPTIONS.items() if key in values}
    return {role: heap for role, heap in found.items() if heap}


@pytest.mark.parametrize(
    ("example", "protection", "workloads"),
    list(
        product(
            ["hosts-7", "hosts-32", "hosts-ft", "hosts-hbase", "hosts-amax", "hosts-nvme", "hosts-mixed"],
            [Protection.NONE, Protection.HA],
            [MIX[:1], MIX[1:]],
        )
    ),
)
@pytest.mark.parametrize("hypervisor", [Hypervisor.NONE, Hypervisor.VSPHERE])
def test_the_heaps_of_a_place_fit_it(
    example: str, protection: Protection, workloads: tuple[Demand, ...], hypervisor: Hypervisor
) -> None:
    request = PlanRequest(workloads=workloads, protection=protection, hypervisor=hypervisor)
    plan = plan_cluster(read_inventory(EXAMPLES / f"{example}.yaml"), request)
    known = heaps(plan)
    for master in plan.cluster.masters:
        together = sum(known[role] for role in master.roles)
        assert together <= 0.8 * master.memory_bytes, (master.name, master.roles)


def test_a_namenode_beside_a_large_worker_has_room_for_small_files() -> None:
    """Full disks want little heap on seven hosts; but users' files are smaller than blocks."""
    plan = plan_cluster(
        read_inventory(EXAMPLES / "hosts-7.yaml"),
        PlanRequest(hypervisor=Hypervisor.NONE),
    )
    assert heaps(plan)[Role.NAMENODE] == 3 * GIB
    assert heaps(plan)[Role.RESOURCEMANAGER] == 2 * GIB
