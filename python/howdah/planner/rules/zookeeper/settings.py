"""Rules about ZooKeeper: its members, and a data directory that lasts and does not grow for ever."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from howdah.model.plan import Input, Role, Value, Worker
from howdah.planner.budget import kinds_of
from howdah.planner.conditions import is_paired, runs
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_enough
from howdah.planner.master_heaps import CLIENTS_PER_GIB, sized_heap
from howdah.planner.rule import Decision, FamilyRule, Rule, SettingRule, Severity
from howdah.planner.rules.ha.settings import ZOOKEEPER_PORT, numbered
from howdah.planner.values import anything, as_number, between, fixed, lasting
from howdah.units import format_count

_IN_CLUSTER = runs(Role.ZOOKEEPER)
_SOURCES = ("ZooKeeper 3.8",)
_NO_LIMIT = 0
_CONNECTIONS, _CONNECTIONS_HBASE = 60, 300
_LOG_DISK = 3
"""After those of names and of journals, which the same hosts may have."""


def _runs(facts: Facts) -> bool:
    """Whether there is a ZooKeeper; where no cluster is known, its own file says so."""
    return facts.known_cluster is None or _IN_CLUSTER(facts)


def _has_disks(facts: Facts) -> bool:
    return facts.own_disks(Role.ZOOKEEPER) >= _LOG_DISK


def _loopback(value: Value, decision: Decision, facts: Facts) -> bool:
    return str(value) in ("localhost", "::1") or str(value).startswith("127.")


def _members(facts: Facts) -> Mapping[str, Decision]:
    servers = numbered("server.", facts.cluster.addresses(Role.ZOOKEEPER))
    return {
        name: Decision(
            f"{host}:2888:3888",
            f"write {name.removeprefix('server.')} into the file myid of {host}'s data directory",
        )
        for name, host in servers.items()
    }


def _connections(facts: Facts) -> Decision:
    if not facts.request.hbase_used:
        return Decision(
            _CONNECTIONS, "the release's default: daemons alone connect, and few programs of users"
        )
    tasks = max(
        sum((kind.map_slots + kind.reduce_slots) * kind.per_host for kind in group)
        for group in _by_group(facts).values()
    )
    value = max(_CONNECTIONS_HBASE, -(-(2 * tasks + _CONNECTIONS) // 100) * 100)
    return Decision(
        value,
        "tasks and clients of HBase connect, each by itself: one that is refused fails, and with it a "
        "RegionServer of the same host that connects again",
        (Input(name="tasks at once on a host", value=tasks),),
    )


def _by_group(facts: Facts) -> dict[str | None, list[Worker]]:
    """The kinds of workers on each group of hosts; raises CannotTell."""
    groups: dict[str | None, list[Worker]] = {}
    for kind in kinds_of(facts):
        groups.setdefault(kind.group, []).append(kind)
    return groups


def _heap(facts: Facts) -> Decision:
    return sized_heap(
        Role.ZOOKEEPER,
        facts,
        f"1 GiB, and another for every {CLIENTS_PER_GIB} of {format_count(facts.cluster.workers)} workers: "
        "all of what it keeps is in memory, and one that swaps loses its sessions",
    )


_member_rule = partial(
    SettingRule, sources=_SOURCES, applies=_runs, condition="ZooKeeper runs on the cluster", file="zoo.cfg"
)

RULES: tuple[Rule, ...] = (
    _member_rule(
        id="zookeeper.data-dir",
        key="dataDir",
        says="ZooKeeper's data are in a directory that nothing empties.",
        decide=fixed(
            "/var/lib/zookeeper", "the sample's is below /tmp; put it on a disk that tasks do not use"
        ),
        accepts=lasting,
        severity=Severity.MUST,
    ),
    _member_rule(
        id="zookeeper.log-dir",
        key="dataLogDir",
        says="ZooKeeper's log of transactions has a disk of its own.",
        sources=("ZooKeeper 3.8: administrator's guide",),
        applies=_has_disks,
        condition="ZooKeeper runs on hosts with three disks that no worker uses",
        decide=fixed(
            f"/data/{_LOG_DISK:02d}/zookeeper",
            "every write of ZooKeeper waits for this log, and for whatever else its disk does",
        ),
        accepts=lasting,
    ),
    _member_rule(
        id="zookeeper.port",
        key="clientPort",
        says="Clients find ZooKeeper at its usual port.",
        decide=fixed(ZOOKEEPER_PORT, "the port that everything else here names"),
        accepts=anything,
        severity=Severity.MAY,
    ),
    _member_rule(
        id="zookeeper.tick",
        key="tickTime",
        says="A tick is two seconds.",
        decide=fixed(
            2000,
            "sessions last 2 ticks at least, and 20 at most where no limit is given: failover takes seconds, "
            "and a pause of Java's does not cause one",
        ),
        accepts=between(1000, 6000),
    ),
    _member_rule(
        id="zookeeper.init-limit",
        key="initLimit",
        says="A member has ten ticks to join.",
        decide=fixed(10, "20 s to copy the state"),
        accepts=between(5, 100),
    ),
    _member_rule(
        id="zookeeper.sync-limit",
        key="syncLimit",
        says="A member may be five ticks behind.",
        decide=fixed(5, "10 s: longer than a pause of Java's"),
        accepts=between(2, 50),
    ),
    _member_rule(
        id="zookeeper.snapshots",
        key="autopurge.snapRetainCount",
        says="Some old snapshots are kept.",
        decide=fixed(5, "enough to go back, where a snapshot is damaged"),
        accepts=between(3, 100),
        severity=Severity.MAY,
    ),
    _member_rule(
        id="zookeeper.purge",
        default_harms=True,
        key="autopurge.purgeInterval",
        says="Older snapshots are deleted every day.",
        decide=fixed(24, "by default none is ever deleted, and the disk fills"),
        accepts=between(1, 168),
    ),
    _member_rule(
        id="zookeeper.admin-address",
        key="admin.serverAddress",
        says="ZooKeeper's page of commands is for its own host.",
        decide=fixed("127.0.0.1", "by default port 8080 answers on every address and does not ask who comes"),
        accepts=_loopback,
    ),
    _member_rule(
        id="zookeeper.connections",
        key="maxClientCnxns",
        says="A host has a connection for each of its daemons and, with HBase, for each of its tasks, 60 at "
        "the least.",
        sources=("ZooKeeper 3.8: administrator's guide", "HBase 2.6.4: hbase-default.xml", "howdah"),
        decide=_connections,
        accepts=lambda value, decision, facts: (
            as_number(value) == _NO_LIMIT or as_number(value) >= as_number(decision.value) / 2
        ),
        today="By itself it is 60; the 300 of hbase-default.xml are for a ZooKeeper that HBase starts.",
    ),
    _member_rule(
        id="zookeeper.heap",
        key="SERVER_JVMFLAGS",
        file="zookeeper-env.sh",
        says="ZooKeeper's heap is 1 GiB, and another for every 500 workers, and Java is told so.",
        sources=("Cloudera: hardware requirements", "ZooKeeper 3.8: administrator's guide", "howdah"),
        decide=_heap,
        accepts=heap_enough,
    ),
    FamilyRule(
        id="zookeeper.members",
        says="Every member knows the others.",
        sources=_SOURCES,
        severity=Severity.MUST,
        condition="there are several ZooKeepers",
        applies=is_paired(Role.ZOOKEEPER),
        family="server.<id>",
        file="zoo.cfg",
        members=_members,
    ),
)
