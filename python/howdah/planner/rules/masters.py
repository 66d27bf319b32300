"""Rules about master daemons: rooms of their own, pairs apart, and how they survive the loss of a host."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.model.request import Protection
from howdah.planner.facts import Facts
from howdah.planner.rules.declare import read_rules
from howdah.planner.storage import HEAP_MOST, REPLICATION, file_bytes, namenode_heap_bytes, namespace_blocks
from howdah.units import format_bytes, format_count, format_memory, format_percent

rules = read_rules("masters.toml")

_QUORUM = 3
MOST_DISKS = 0.1
"""Of the workers' disks, the part that masters may take for places of their own (howdah)."""

OWN_PLACES = rules["masters.own-places"]
OWN_HOST = rules["masters.own-host"]
SHARED = rules["masters.shared"]
GROUP = rules["masters.group"]
PAIRS = rules["masters.pairs-apart"]
FAULT_TOLERANCE = rules["masters.fault-tolerance"]


rules.when("masters are not protected")(lambda facts: facts.request.protection is Protection.NONE)


@rules.advises("masters.isolate-namenode")
def _isolate(facts: Facts) -> str | None:
    namenodes = [master for master in facts.cluster.masters if Role.NAMENODE in master.roles]
    where = namenodes[0].host
    return (
        f"{where} carries the only NameNode: while it is down HDFS is down, and if its disks are "
        f"lost all data are lost. {_instead(facts)} a copy of its directory on another host."
    )


def _instead(facts: Facts) -> str:
    if facts.cluster.hosts < _QUORUM:
        return "Keep"
    return "Plan with --protect-masters ha, or at least keep"


@rules.advises("masters.idle-disks")
def _idle_disks(facts: Facts) -> str | None:
    disks = {kind.name: kind.data_disks or 0 for kind, _ in facts.cluster.kinds}
    idle = sum(
        disks.get(kind, 0) * (2 if master.shadow_host else 1)
        for master in facts.cluster.masters
        for kind in master.takes
    )
    whole = facts.cluster.data_disks + idle
    if idle <= MOST_DISKS * whole:
        return None
    return (
        f"Masters take the places of workers with {idle} of {whole} data disks, "
        f"{format_percent(idle / whole)} of what the hosts could hold and do. Compare with another "
        "--workers-per-host, add hosts, or give masters separate small hosts (`serves: masters`)."
    )


IDLE_DISKS = rules["masters.idle-disks"]


@rules.advises("masters.own-machine")
def _in_a_worker(facts: Facts) -> str | None:
    sharing = [master for master in facts.cluster.masters if Role.NAMENODE in master.roles and master.shares]
    if not sharing or not facts.cluster.virtual:
        return None
    where = " and ".join(master.address for master in sharing)
    return (
        f"The NameNode runs within the virtual machine of a worker, {where}: tasks compete for its memory "
        "and disks, and it ends with that machine. A separate machine costs a hypervisor little: "
        "plan with --workers-per-host 2 or more, so that masters can take worker slots, or give "
        "masters their own hosts (`serves: masters`)."
    )


rules.when("masters are protected by vSphere Fault Tolerance")(
    lambda facts: facts.request.protection is Protection.FT
)


@rules.advises("masters.namespace")
def _federation(facts: Facts) -> str | None:
    cluster = facts.cluster
    blocks = namespace_blocks(
        cluster.raw_bytes, facts.request.replication or REPLICATION, mean_file_bytes=file_bytes(facts.request)
    )
    heap = namenode_heap_bytes(blocks)
    largest = max(
        (master.memory_bytes for master in cluster.masters if Role.NAMENODE in master.roles), default=0
    )
    if heap <= HEAP_MOST and heap <= largest:
        return None
    return (
        f"Full of files of {format_memory(file_bytes(facts.request))}, HDFS holds {format_count(blocks)} "
        f"blocks, for which a NameNode needs a heap of {format_bytes(heap)}. Its heap should not exceed "
        f"{format_bytes(HEAP_MOST)}, and here there is room for {format_bytes(largest)}: store larger files "
        "(--mean-file gives their size), or plan several name services behind a router."
    )
