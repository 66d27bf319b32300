"""A cluster of two workers and two masters of each kind, and the same with other hosts."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.documents.files import read_inventory
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.sim_plans import EXAMPLES

HA = read_inventory(EXAMPLES / "hosts-lab-ha.yaml")


def with_hosts(workers: Sequence[str], masters: Sequence[str] = ("m1", "m2", "m3")) -> Inventory:
    """The laboratory's hosts with other names, as many as there are."""
    groups = tuple(
        HostGroup.model_validate(
            group.model_dump(mode="json", by_alias=True) | {"count": len(names), "hosts": list(names)}
        )
        for group, names in zip(HA.groups, (workers, masters), strict=True)
    )
    return HA.model_copy(update={"groups": groups})


def planned(inventory: Inventory) -> ClusterPlan:
    """The plan of a gigabyte to sort, with two replicas and masters that take over from one another."""
    return plan_cluster(
        inventory,
        PlanRequest(
            hypervisor=Hypervisor.NONE,
            protection=Protection.HA,
            replication=2,
            workloads=(Demand(kind="terasuite", dataset_bytes=10**9),),
        ),
    )


BEFORE = planned(with_hosts(["h1", "h2"]))
"""The plan of the cluster that runs."""
