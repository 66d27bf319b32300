"""From a plan for real hosts to one that this machine can hold: fewer and smaller hosts, planned anew.

The platform, the protection of masters, the request and the user's own values are kept, and every value is
decided by the same rules on the smaller inventory. What a host gets less CPU, it gets fewer disks and a
slower uplink in proportion; a disk keeps its speed.
"""

from __future__ import annotations

from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.cluster import Scaling
from howdah.model.host import Host
from howdah.model.inventory import Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan
from howdah.planner.cluster import plan_cluster
from howdah.planner.scaling.limits import LEAST_HOSTS, fits
from howdah.planner.scaling.resize import with_link
from howdah.planner.scaling.room import room_on
from howdah.planner.scaling.said import differences, notes
from howdah.planner.scaling.shrink import Shrinking
from howdah.units import format_counted


class Fitted(NamedTuple):
    """A plan that this machine holds, and how it differs from the one it is made of.

    ``cpu_share`` is what a thread of its hosts has of a CPU of this machine; ``notes`` say what no number
    does.
    """

    plan: Plan
    scaling: tuple[Scaling, ...]
    cpu_share: float
    notes: tuple[str, ...]


def fit_plan(
    plan: Plan,
    machine: Host,
    *,
    free_bytes: int,
    hosts: int | None = None,
    link_bits_per_s: int | None = None,
) -> Fitted:
    """Make a cluster's plan small enough for a laboratory on ``machine``; one that is stays as it is.

    ``free_bytes`` is the space for its disks, ``hosts`` how many hosts with workers it shall have,
    ``link_bits_per_s`` what uplink each. Raises UserError that says what would fit.
    """
    cluster = plan.cluster
    if cluster is None:
        raise UserError(
            "plan", "is for one machine without Hadoop", "give a plan that `howdah plan hosts.yaml` made"
        )
    room = room_on(machine, free_bytes)
    working = sum(bool(host.workers) for host in placed_hosts(cluster))
    if hosts is not None and not min(LEAST_HOSTS, working) <= hosts <= working:
        raise UserError(
            f"--hosts {hosts}",
            f"the plan has {format_counted(working, 'host')} with workers",
            f"give {LEAST_HOSTS} to {working}" if working > LEAST_HOSTS else "leave it out",
        )
    if hosts not in (None, working) or not fits(plan, cluster, room, working):
        made = Shrinking(cluster, room, link_bits_per_s).plan(working, hosts)
    elif link_bits_per_s is not None:
        made = _with_link(cluster, link_bits_per_s)
    else:
        made = plan
    lab = made.cluster
    assert lab is not None  # A cluster's plan makes a cluster's plan.
    # Hosts of masters alone have theirs on top: while tasks keep the others busy, they hardly need it.
    share = min(
        1.0, room.cpus / sum(group.count * group.cpu.threads for group in lab.inventory.worker_groups)
    )
    return Fitted(
        made, tuple(differences((plan, cluster), (made, lab), share)), share, tuple(notes(cluster, lab))
    )


def _with_link(cluster: Cluster, link_bits_per_s: int) -> Plan:
    """The plan with other uplinks, and nothing else changed of its hosts."""
    groups = tuple(with_link(group, link_bits_per_s) for group in cluster.inventory.groups)
    return plan_cluster(Inventory(cluster=cluster.inventory.cluster, groups=groups), cluster.request)
