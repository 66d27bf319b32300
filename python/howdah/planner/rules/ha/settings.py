"""Settings of two NameNodes: one name, a journal of three, failover by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from howdah.model.plan import Role
from howdah.planner.conditions import in_pair, is_paired
from howdah.planner.facts import Facts
from howdah.planner.heap import small_heap
from howdah.planner.rule import Decision
from howdah.planner.rules.addresses import NAMENODE_PORT
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.security import login

rules = read_rules("ha/settings.toml")

JOURNAL_PORT = 8485
ZOOKEEPER_PORT = 2181
_PAIR = is_paired(Role.NAMENODE)
JOURNAL_DISK = 2
"""After that of names, which the same hosts may have."""
_RETRIES = "net.ipv4.tcp_retries2"
_KEEPALIVE = "net.ipv4.tcp_keepalive_time"
_INTERVAL = "net.ipv4.tcp_keepalive_intvl"
_PROBES = "net.ipv4.tcp_keepalive_probes"
_LEAST_TIMEOUT_S, _MOST_TIMEOUT_S = 0.2, 120.0
_DOUBLINGS = 9
"""After so many retransmissions TCP's pauses are as long as they get."""


rules.when("there are two NameNodes")(_PAIR)


@rules.decides("ha.name-service")
def _service(facts: Facts) -> Decision:
    return Decision(facts.cluster.name, "the name of both NameNodes for clients")


def numbered(prefix: str, addresses: tuple[str, ...]) -> dict[str, str]:
    """Ids of daemons with their hosts: ``nn1``, ``nn2``."""
    return {f"{prefix}{number}": host for number, host in enumerate(addresses, start=1)}


def _namenodes(facts: Facts) -> dict[str, str]:
    return numbered("nn", facts.cluster.addresses(Role.NAMENODE))


@rules.members("ha.namenodes")
def _ids(facts: Facts) -> Mapping[str, Decision]:
    ids = tuple(_namenodes(facts))
    return {f"dfs.ha.namenodes.{facts.cluster.name}": Decision(ids, "one name for each NameNode of the pair")}


def _addresses(property_name: str, port: int, subject: str) -> Callable[[Facts], Mapping[str, Decision]]:
    def members(facts: Facts) -> Mapping[str, Decision]:
        return {
            f"{property_name}.{facts.cluster.name}.{name}": Decision(
                f"{host}:{port}", f"{subject} of {name} on {host}"
            )
            for name, host in _namenodes(facts).items()
        }

    return members


rules.members("ha.rpc-addresses")(_addresses("dfs.namenode.rpc-address", NAMENODE_PORT, "the address"))
rules.members("ha.http-addresses")(_addresses("dfs.namenode.http-address", 9870, "the pages"))


rules.when("there are two NameNodes and the cluster is secure")(
    lambda facts: facts.request.secure and _PAIR(facts)
)
rules.members("ha.https-addresses")(_addresses("dfs.namenode.https-address", 9871, "the pages over TLS"))


def quorum(role: Role, port: int, facts: Facts) -> tuple[str, ...]:
    """Every member of a quorum with its port."""
    return tuple(f"{host}:{port}" for host in facts.cluster.addresses(role))


rules.accepts("JournalNodes")(lambda value, decision, facts: str(value).startswith("qjournal://"))


@rules.decides("ha.shared-edits")
def _journal(facts: Facts) -> Decision:
    members = quorum(Role.JOURNALNODE, JOURNAL_PORT, facts)
    return Decision(
        f"qjournal://{';'.join(members)}/{facts.cluster.name}",
        f"{len(members)} JournalNodes on as many hosts: an edit is committed once most of them have it",
    )


@rules.decides("ha.journal-dir")
def _journal_dir(facts: Facts) -> Decision:
    lost = "the default is below /tmp, where a reboot may lose the namespace"
    if facts.own_disks(Role.JOURNALNODE) < JOURNAL_DISK:
        return Decision("/var/lib/hadoop/journal", lost)
    return Decision(
        f"/data/{JOURNAL_DISK:02d}/journal",
        f"{lost}; every change of the namespace waits for this disk, which nothing else uses",
    )


@rules.members("ha.proxy-provider")
def _provider(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"dfs.client.failover.proxy.provider.{facts.cluster.name}": Decision(
            "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
            "clients try one NameNode after the other until one is active",
        )
    }


rules.accepts("fences")(lambda value, decision, facts: "sshfence" in str(value) or "shell(" in str(value))


@rules.decides("ha.zookeeper-quorum")
def _keepers(facts: Facts) -> Decision:
    members = quorum(Role.ZOOKEEPER, ZOOKEEPER_PORT, facts)
    return Decision(members, f"the {len(members)} ZooKeepers elect the active NameNode")


@rules.decides("ha.journal-heap")
def _journal_heap(facts: Facts) -> Decision:
    return small_heap(Role.JOURNALNODE, "it keeps only new edits")


@rules.decides("ha.controller-heap")
def _controller_heap(facts: Facts) -> Decision:
    return small_heap(Role.FAILOVER_CONTROLLER, "it watches one NameNode", *login("hdfs", facts))


def retransmission_s(retries: int) -> float:
    """How long Linux sends what a lost host does not acknowledge, as it reckons itself (tcp_retries2)."""
    doubled = min(retries, _DOUBLINGS)
    return _LEAST_TIMEOUT_S * (math.pow(2, doubled + 1) - 1) + _MOST_TIMEOUT_S * (retries - doubled)


def missed_by_tcp_s(facts: Facts) -> float:
    """How long the kernel keeps a connection to a lost host, whether something was to be sent or not."""
    kept = facts.number(_KEEPALIVE) + facts.number(_INTERVAL) * facts.number(_PROBES)
    return max(kept, retransmission_s(int(facts.number(_RETRIES))))


rules.when("a NameNode pair, planned or configured", words="there are two NameNodes")(in_pair(Role.NAMENODE))
