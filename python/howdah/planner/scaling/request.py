"""The request that a laboratory's plan answers: the same, insisting on the platform that was chosen."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.inventory import HostGroup
from howdah.model.plan import Cluster
from howdah.model.request import Demand, Hypervisor, PlanRequest

_ROWS = 100
_LEAST_DATASET = 10**8


def lab_request(cluster: Cluster, groups: Sequence[HostGroup]) -> PlanRequest:
    """The plan's request for the laboratory's hosts.

    Replicas are no more than hosts; datasets fill the same share of the disks; growth is a question to
    the planned hosts alone.
    """
    request, layout = cluster.request, cluster.layouts[0]
    hosts = sum(group.count for group in groups)
    planned = sum(group.count * group.data_bytes for group in cluster.inventory.worker_groups)
    share = min(1.0, sum(group.count * group.data_bytes for group in groups) / planned)
    return request.model_copy(
        update={
            "workloads": tuple(_smaller(demand, share) for demand in request.workloads),
            "replication": None if request.replication is None else min(request.replication, hosts),
            "hypervisor": request.hypervisor if layout.virtual else Hypervisor.NONE,
            "workers_per_host": len(layout.workers) if layout.virtual else request.workers_per_host,
            "growth": None,
        }
    )


def _smaller(demand: Demand, share: float) -> Demand:
    size, records = demand.dataset_bytes, demand.records
    if share >= 1:
        return demand
    return demand.model_copy(
        update={
            "dataset_bytes": size and min(size, max(_LEAST_DATASET, int(size * share) // _ROWS * _ROWS)),
            "records": records and max(1, int(records * share)),
        }
    )
