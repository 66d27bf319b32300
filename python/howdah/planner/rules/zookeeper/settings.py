"""Rules about ZooKeeper: its members, and a permanent data directory of limited size."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.plan import Input, Role, Worker
from howdah.planner.budget import kinds_of
from howdah.planner.conditions import is_paired, runs
from howdah.planner.facts import Facts
from howdah.planner.heap import CLIENTS_PER_GIB, heap_enough, sized_heap
from howdah.planner.rule import MAY, MUST, Decision
from howdah.planner.rules.declare import Condition, Rules, anything, as_number, between, lasting
from howdah.planner.rules.ha.settings import ZOOKEEPER_PORT, numbered
from howdah.units import format_count

_IN_CLUSTER = runs(Role.ZOOKEEPER)
_SOURCES = "ZooKeeper 3.8"
_NO_LIMIT = 0
_CONNECTIONS, _CONNECTIONS_HBASE = 60, 300
_LOG_DISK = 3
"""After those of names and of journals, which the same hosts may have."""
rules = Rules(file="zookeeper-env.sh")


def _runs(facts: Facts) -> bool:
    """Whether there is a ZooKeeper; where no cluster is known, its own file says so."""
    return not facts.planned or _IN_CLUSTER(facts)


member = rules.under(sources=_SOURCES, file="zoo.cfg", when=Condition("ZooKeeper runs on the cluster", _runs))

member.fixed("zookeeper.data-dir", "dataDir", "/var/lib/zookeeper", MUST, accepts=lasting).text(
    "ZooKeeper's data are in a permanent directory.",
    "the sample's is below /tmp; put it on a disk that tasks do not use",
)


member.fixed(
    "zookeeper.log-dir",
    "dataLogDir",
    f"/data/{_LOG_DISK:02d}/zookeeper",
    when=Condition(
        "ZooKeeper runs on hosts with three disks that no worker uses",
        lambda facts: facts.own_disks(Role.ZOOKEEPER) >= _LOG_DISK,
    ),
    accepts=lasting,
).text(
    "ZooKeeper's transaction log has its own disk.",
    "every write of ZooKeeper waits for this log, and for other work of its disk",
    "ZooKeeper 3.8: administrator's guide",
)
member.fixed("zookeeper.port", "clientPort", ZOOKEEPER_PORT, MAY, accepts=anything).text(
    "Clients find ZooKeeper at its usual port.", "the port in all other planned files"
)
member.fixed("zookeeper.tick", "tickTime", 2000, accepts=between(1000, 6000)).text(
    "A tick is two seconds.",
    "sessions last at least 2 ticks, and by default at most 20: failover takes seconds, and "
    "a garbage collection does not cause one",
)
member.fixed("zookeeper.init-limit", "initLimit", 10, accepts=between(5, 100)).text(
    "A member has ten ticks to join.", "20 s to copy the state"
)
member.fixed("zookeeper.sync-limit", "syncLimit", 5, accepts=between(2, 50)).text(
    "A member may be five ticks behind.", "10 s: longer than a garbage collection"
)
member.fixed("zookeeper.snapshots", "autopurge.snapRetainCount", 5, MAY, accepts=between(3, 100)).text(
    "Some old snapshots are kept.", "enough to restore an older one if a snapshot is damaged"
)
member.fixed(
    "zookeeper.purge", "autopurge.purgeInterval", 24, default_harms=True, accepts=between(1, 168)
).text("Older snapshots are deleted every day.", "by default none is ever deleted, and the disk fills")


member.fixed(
    "zookeeper.admin-address",
    "admin.serverAddress",
    "127.0.0.1",
    accepts=lambda value, decision, facts: (
        str(value) in ("localhost", "::1") or str(value).startswith("127.")
    ),
).text(
    "ZooKeeper's web page of commands is only for its own host.",
    "by default port 8080 answers on every address, without authentication",
)


@member.setting(
    "zookeeper.connections",
    "maxClientCnxns",
    sources="ZooKeeper 3.8: administrator's guide, HBase 2.6.4: hbase-default.xml, howdah",
    accepts=lambda value, decision, facts: (
        as_number(value) == _NO_LIMIT or as_number(value) >= as_number(decision.value) / 2
    ),
    today="By itself it is 60; the 300 of hbase-default.xml are for a ZooKeeper that HBase starts.",
)
def _connections(facts: Facts) -> Decision:
    """A host has a connection for each of its daemons and, with HBase, for each of its tasks, 60 at the
    least."""
    if not facts.request.hbase_used:
        return Decision(_CONNECTIONS, "the release's default: only daemons and few programs of users connect")
    tasks = max(
        sum((kind.map_slots + kind.reduce_slots) * kind.per_host for kind in group)
        for group in _by_group(facts).values()
    )
    value = max(_CONNECTIONS_HBASE, -(-(2 * tasks + _CONNECTIONS) // 100) * 100)
    return Decision(
        value,
        "each task and client of HBase connects: a refused one fails, and so does a RegionServer of "
        "the same host that reconnects",
        (Input(name="tasks at once on a host", value=tasks),),
    )


def _by_group(facts: Facts) -> dict[str | None, list[Worker]]:
    """The kinds of workers on each group of hosts; raises MissingFact."""
    groups: dict[str | None, list[Worker]] = {}
    for kind in kinds_of(facts):
        groups.setdefault(kind.group, []).append(kind)
    return groups


@member.setting(
    "zookeeper.heap",
    "SERVER_JVMFLAGS",
    sources="Cloudera: hardware requirements, ZooKeeper 3.8: administrator's guide, howdah",
    file="zookeeper-env.sh",
    accepts=heap_enough,
)
def _heap(facts: Facts) -> Decision:
    """ZooKeeper's heap is 1 GiB, and one more for every 500 workers, set as Java's option."""
    return sized_heap(
        Role.ZOOKEEPER,
        facts,
        f"1 GiB, and another for every {CLIENTS_PER_GIB} of {format_count(facts.cluster.workers)} workers: "
        "all its data are in memory, and a ZooKeeper that swaps loses its sessions",
    )


@rules.family(
    "zookeeper.members",
    "server.<id>",
    MUST,
    sources=_SOURCES,
    when=Condition("there are several ZooKeepers", is_paired(Role.ZOOKEEPER)),
    file="zoo.cfg",
)
def _members(facts: Facts) -> Mapping[str, Decision]:
    """Every member knows the others."""
    servers = numbered("server.", facts.cluster.addresses(Role.ZOOKEEPER))
    return {
        name: Decision(
            f"{host}:2888:3888",
            f"write {name.removeprefix('server.')} into the file myid of {host}'s data directory",
        )
        for name, host in servers.items()
    }
