"""A plan on shared hosts as it works while its neighbours do nothing."""

from __future__ import annotations

from howdah.model.inventory import HostGroup
from howdah.model.plan import Plan
from howdah.model.sharing import Sharing


def with_idle_neighbours(plan: Plan) -> Plan | None:
    """The plan with whole ports, cores and disk controllers, which idle neighbours leave to it.

    Machines keep their virtual CPUs, memory and disks, and all values are as planned. None for a plan that
    shares no hosts, or does not say how large these are as a whole.
    """
    sharing = plan.cluster.request.sharing if plan.cluster is not None else None
    if plan.cluster is None or sharing is None or not sharing.whole:
        return None
    inventory = plan.cluster.inventory
    groups = tuple(_undivided(group, sharing) for group in inventory.groups)
    cluster = plan.cluster.model_copy(update={"inventory": inventory.model_copy(update={"groups": groups})})
    return plan.model_copy(update={"cluster": cluster})


def _undivided(group: HostGroup, sharing: Sharing) -> HostGroup:
    whole = sharing.whole_host(group.names[0])
    if whole is None:
        return group
    return group.model_copy(
        update={
            "cpu": whole.cpu,
            "nics": whole.nics,
            "controller_bytes_per_s": whole.controller_bytes_per_s,
        }
    )
