"""How much memory a plan's Java machines really touch in a laboratory: less than its hosts are given.

Limits of hosts and workers are ceilings, and most of a real host's memory is page cache. What a laboratory's
machine must hold at once is what the Java machines touch. Measured on Hadoop 3.5.0 with planned heaps of 1 to
2 GiB while a TeraSort of 500 MB ran (howdah): daemons at most 418 MiB, map tasks 461 of 1024 MB, the reduce
task 989 of 1536 MB, the application master 286 of 1536 MB.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan, Role, Value
from howdah.units import MIB

DAEMON_BYTES = 512 * MIB
"""What a daemon touches; heaps are sized for full disks, which a laboratory's are not."""
QUIET_BYTES = 256 * MIB
"""What a daemon touches that does next to nothing: quorums and failover controllers."""
CONTAINER_SHARE = 2 / 3
"""What tasks touch of YARN's memory; the rest of their containers is headroom."""
CLIENT_BYTES = 512 * MIB
"""The client that submits a job, and howdah itself."""

_QUIET = frozenset({Role.JOURNALNODE, Role.ZOOKEEPER, Role.FAILOVER_CONTROLLER})
_YARN_KEY = "yarn.nodemanager.resource.memory-mb"


class Footprint(NamedTuple):
    """Bytes that a laboratory touches at once."""

    workers: int
    masters: int

    @property
    def total(self) -> int:
        """Everything, the client included."""
        return self.workers + self.masters + CLIENT_BYTES


def footprint(plan: Plan, cluster: Cluster) -> Footprint:
    """What the daemons and tasks of a cluster's plan touch at once, bytes."""
    hosts = tuple(placed_hosts(cluster))
    running = Counter(worker.kind for host in hosts for worker in host.workers)
    return Footprint(
        workers=sum(
            running[kind.name] * (_daemons(kind.roles) + _tasks(plan, kind.name)) for kind in plan.workers
        ),
        masters=sum(_daemons(master.roles) for master in cluster.masters),
    )


def _daemons(roles: tuple[Role, ...]) -> int:
    return sum(QUIET_BYTES if role in _QUIET else DAEMON_BYTES for role in roles)


def _tasks(plan: Plan, kind: str) -> int:
    """What the tasks of one worker touch; nothing where it runs none."""
    for_kind: dict[str | None, Value] = {
        setting.worker: setting.value for setting in plan.settings if setting.key == _YARN_KEY
    }
    memory_mb = for_kind.get(kind, for_kind.get(None, 0))
    return int(memory_mb * MIB * CONTAINER_SHARE) if isinstance(memory_mb, int | float) else 0
