"""Rules about master daemons: rooms of their own, pairs apart, and how they survive the loss of a host."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.model.request import Protection
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.storage import HEAP_MOST, REPLICATION, file_bytes, namenode_heap_bytes, namespace_blocks
from howdah.units import format_bytes, format_count, format_memory, format_percent

_QUORUM = 3
MOST_DISKS = 0.1
"""Of the workers' disks, the part that masters may take for places of their own (howdah)."""
rules = Rules()

OWN_PLACES = rules.principle(
    "masters.own-places",
    "On divided hosts NameNode and ResourceManager have separate slots on different hosts, if "
    "these are at most a tenth of the workers' slots.",
    sources="D0 17, D0 58, D0 146, D1 96, X4",
    when="hosts carry two or more virtual machines",
)
OWN_HOST = rules.principle(
    "masters.own-host",
    "On undivided hosts masters have separate hosts, if these are at most a tenth of all hosts.",
    sources="D0 17, D0 59, D2 100, X4",
    when="one worker on each host, and enough hosts for the replicas without the masters' own",
)
SHARED = rules.principle(
    "masters.shared",
    "In small clusters masters run next to workers, the NameNode's checkpoints on a second host.",
    MAY,
    sources="D0 59, D2 101, D2 157, D4 137, X4",
    when="separate slots would cost more than a tenth of the disks, and workers have the memory",
)
GROUP = rules.principle(
    "masters.group",
    "Hosts that serve masters take the masters before any other.",
    sources="howdah",
    when="a group of the inventory serves masters",
)
PAIRS = rules.principle(
    "masters.pairs-apart",
    "Two of a pair never share a host, nor a rack if racks are known; JournalNodes and "
    "ZooKeepers are three, on three hosts.",
    MUST,
    sources="D0 74, D2 100, Hadoop 3.5.0",
    when="masters are protected by high availability",
)
FAULT_TOLERANCE = rules.principle(
    "masters.fault-tolerance",
    "Primaries are on one host and their shadows on another; places are freed on both.",
    MUST,
    sources="D1 76, D1 78, D1 79, D1 80, D1 92",
    when="masters are protected by vSphere Fault Tolerance",
    today="One virtual CPU was vSphere 5's limit. Since vSphere 6.0 there are several: up to 8 with "
    "Enterprise Plus since 6.7, 2 with other licences; by default at most 8 on a host together.",
)


@rules.advice(
    "masters.isolate-namenode",
    sources="D2 100, D0 74",
    when=Condition("masters are not protected", lambda facts: facts.request.protection is Protection.NONE),
)
def _isolate(facts: Facts) -> str | None:
    """In production the NameNode is isolated and made available."""
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


IDLE_DISKS = rules.advice(
    "masters.idle-disks", sources="D1 96, D0 59, D0 146", when="masters have their own slots"
).by("Masters take no more than a tenth of the workers' places.", _idle_disks)


@rules.advice(
    "masters.own-machine",
    sources="D0 58, D1 96, D2 100",
    when="hosts are divided, and a NameNode shares a worker's virtual machine",
)
def _in_a_worker(facts: Facts) -> str | None:
    """On divided hosts a NameNode has its own virtual machine."""
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


_TOLERANT = Condition(
    "masters are protected by vSphere Fault Tolerance",
    lambda facts: facts.request.protection is Protection.FT,
)


rules.advice("masters.fault-tolerance-network", sources="D1 78, D1 86, D1 92", when=_TOLERANT).text(
    "The network carries Fault Tolerance's logging and the workers' traffic, or each has its own.",
    "Give Fault Tolerance's logging a 10 Gb/s network of low latency, a separate one if workers can "
    "fill theirs: it carried less than 100 Mb/s at every block size, but a delay there delays masters. "
    "Put the masters' root disks on storage that both hosts can access.",
)


rules.advice("masters.fault-tolerance-guests", sources="D1 94, D1 95", when=_TOLERANT).text(
    "Fault Tolerance does not detect failed daemons and guests: combine it with HA.",
    "Fault Tolerance survives the loss of a host, not of a daemon or guest: both copies fail in the same "
    "way. Let vSphere HA monitor the guests, or plan with --protect-masters ha, which survives both.",
)


rules.advice("masters.fastest-cores", MAY, sources="D1 76", when=_TOLERANT).text(
    "Hosts of protected masters have the fastest cores rather than the most cores.",
    "Use the hosts with the fastest cores for the masters: a protected master is as fast as one core, "
    "and processors with many cores have slower ones.",
)


@rules.advice(
    "masters.namespace",
    sources="D1 77, D1 81, howdah",
    when="the cluster's disks can hold more blocks than one NameNode",
)
def _federation(facts: Facts) -> str | None:
    """The NameNode's heap holds the whole namespace: about 1 GB for a million blocks."""
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
