"""Where in a plan the three lie of whom two must answer: in which racks, and on which disks."""

from __future__ import annotations

from collections import Counter

from howdah.model.hostname import expand
from howdah.model.plan import Role, Topology
from howdah.planner.conditions import runs
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.rules.ha.settings import JOURNAL_DISK

_ROLES = (Role.JOURNALNODE, Role.ZOOKEEPER)
_QUORUM = 3
rules = Rules()


def _rack_of(host: str, topology: Topology) -> str:
    return next(
        (
            rack.name
            for rack in topology.racks
            if any(host == pattern or host in expand(pattern) for pattern in rack.hosts)
        ),
        "",
    )


@rules.advice(
    "ha.three-racks",
    sources="ZooKeeper 3.8: administrator's guide, Hadoop 3.5.0: HDFSHighAvailabilityWithQJM",
    when=Condition(
        "three ZooKeepers run on the cluster, and the inventory names racks",
        runs(Role.ZOOKEEPER, at_least=_QUORUM),
    ),
)
def _one_rack(facts: Facts) -> str | None:
    """JournalNodes and ZooKeepers are in three racks, so that any one may be lost."""
    cluster = facts.cluster
    hosts = {master.host for master in cluster.masters if not set(_ROLES).isdisjoint(master.roles)}
    if not cluster.topology.real_racks or len(cluster.topology.racks) < 2 or len(hosts) < _QUORUM:
        return None
    places = Counter(_rack_of(host, cluster.topology) for host in sorted(hosts))
    rack, held = places.most_common(1)[0]
    if not rack or len(hosts) - held > len(hosts) // 2:
        return None
    return (
        f"{held} of the {len(hosts)} hosts with JournalNodes and ZooKeepers are in rack {rack}: while it has "
        "no power or no switch, nothing in HDFS changes and no master takes over, whatever else works. Let "
        "three racks have a host each that serves masters or any, or say which racks a group has (`racks`)."
    )


@rules.advice(
    "ha.own-disks",
    MAY,
    sources="ZooKeeper 3.8: administrator's guide, D0 74",
    when=Condition("JournalNodes run on hosts without disks of their own for them", runs(Role.JOURNALNODE)),
)
def _shared_disk(facts: Facts) -> str | None:
    """JournalNodes and ZooKeepers have disks of their own."""
    if facts.own_disks(Role.JOURNALNODE) >= JOURNAL_DISK:
        return None
    return (
        "JournalNodes keep edits, and ZooKeepers their log, on the disk of their host's system. Every change "
        "of the namespace waits until two of three JournalNodes have it on disk, and every change of who is "
        "active until two ZooKeepers have: let masters' hosts have three disks that no worker uses, for "
        "names, journals and ZooKeeper's log (`serves: masters`)."
    )
