"""Settings of two NameNodes: one name, a journal of three, failover by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from howdah.model.plan import Role
from howdah.planner.conditions import in_pair, is_paired
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_enough, small_heap
from howdah.planner.rule import MAY, MUST, SHOULD, Decision
from howdah.planner.rules.addresses import NAMENODE_PORT
from howdah.planner.rules.declare import Condition, Rules, anything, between, lasting, set_at_all
from howdah.planner.rules.security import login

JOURNAL_PORT = 8485
ZOOKEEPER_PORT = 2181
_SOURCES = "D0 74, D2 100, Hadoop 3.5.0"
_CONDITION = "there are two NameNodes"
_PAIR = is_paired(Role.NAMENODE)
JOURNAL_DISK = 2
"""After that of names, which the same hosts may have."""
_FENCING = "sshfence\nshell(/bin/true)"
_RETRIES = "net.ipv4.tcp_retries2"
_KEEPALIVE = "net.ipv4.tcp_keepalive_time"
_INTERVAL = "net.ipv4.tcp_keepalive_intvl"
_PROBES = "net.ipv4.tcp_keepalive_probes"
_LEAST_TIMEOUT_S, _MOST_TIMEOUT_S = 0.2, 120.0
_DOUBLINGS = 9
"""After so many retransmissions TCP's pauses are as long as they get."""


rules = Rules(file="core-site.xml")
pair = rules.under(sources=_SOURCES, severity=MUST, file="hdfs-site.xml", when=Condition(_CONDITION, _PAIR))


@pair.setting("ha.name-service", "dfs.nameservices", accepts=set_at_all)
def _service(facts: Facts) -> Decision:
    """Both NameNodes answer to one name, the name service."""
    return Decision(facts.cluster.name, "the name of both NameNodes for clients")


def numbered(prefix: str, addresses: tuple[str, ...]) -> dict[str, str]:
    """Ids of daemons with their hosts: ``nn1``, ``nn2``."""
    return {f"{prefix}{number}": host for number, host in enumerate(addresses, start=1)}


def _namenodes(facts: Facts) -> dict[str, str]:
    return numbered("nn", facts.cluster.addresses(Role.NAMENODE))


@pair.family("ha.namenodes", "dfs.ha.namenodes.<ns>")
def _ids(facts: Facts) -> Mapping[str, Decision]:
    """The name service lists its NameNodes."""
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


pair.family("ha.rpc-addresses", "dfs.namenode.rpc-address.<ns>.<id>").by(
    "Each NameNode has its address.", _addresses("dfs.namenode.rpc-address", NAMENODE_PORT, "the address")
)
pair.family("ha.http-addresses", "dfs.namenode.http-address.<ns>.<id>").by(
    "Each NameNode has an address for pages and checkpoints.",
    _addresses("dfs.namenode.http-address", 9870, "the pages"),
)


pair.family(
    "ha.https-addresses",
    "dfs.namenode.https-address.<ns>.<id>",
    when=Condition(
        f"{_CONDITION} and the cluster is secure", lambda facts: facts.request.secure and _PAIR(facts)
    ),
).by(
    "In a secure cluster pages and checkpoints go over TLS.",
    _addresses("dfs.namenode.https-address", 9871, "the pages over TLS"),
)


def quorum(role: Role, port: int, facts: Facts) -> tuple[str, ...]:
    """Every member of a quorum with its port."""
    return tuple(f"{host}:{port}" for host in facts.cluster.addresses(role))


@pair.setting(
    "ha.shared-edits",
    "dfs.namenode.shared.edits.dir",
    accepts=lambda value, decision, facts: str(value).startswith("qjournal://"),
)
def _journal(facts: Facts) -> Decision:
    """The standby follows the active NameNode through JournalNodes, not through a shared disk."""
    members = quorum(Role.JOURNALNODE, JOURNAL_PORT, facts)
    return Decision(
        f"qjournal://{';'.join(members)}/{facts.cluster.name}",
        f"{len(members)} JournalNodes on as many hosts: an edit is committed once most of them have it",
    )


@pair.setting("ha.journal-dir", "dfs.journalnode.edits.dir", accepts=lasting)
def _journal_dir(facts: Facts) -> Decision:
    """Journals are in a permanent directory."""
    lost = "the default is below /tmp, where a reboot may lose the namespace"
    if facts.own_disks(Role.JOURNALNODE) < JOURNAL_DISK:
        return Decision("/var/lib/hadoop/journal", lost)
    return Decision(
        f"/data/{JOURNAL_DISK:02d}/journal",
        f"{lost}; every change of the namespace waits for this disk, which nothing else uses",
    )


@pair.family("ha.proxy-provider", "dfs.client.failover.proxy.provider.<ns>")
def _provider(facts: Facts) -> Mapping[str, Decision]:
    """Clients detect the active NameNode themselves."""
    return {
        f"dfs.client.failover.proxy.provider.{facts.cluster.name}": Decision(
            "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
            "clients try one NameNode after the other until one is active",
        )
    }


pair.fixed(
    "ha.fencing",
    "dfs.ha.fencing.methods",
    _FENCING,
    accepts=lambda value, decision, facts: "sshfence" in str(value) or "shell(" in str(value),
).text(
    "A NameNode that is no longer active is stopped; if it cannot be reached, failover continues anyway.",
    "sshfence ends a NameNode that still serves stale reads; if its host is down this is "
    "impossible, and only the journal prevents two writers",
)
pair.fixed(
    "ha.fencing-key",
    "dfs.ha.fencing.ssh.private-key-files",
    "/etc/hadoop/ssh/fencing",
    accepts=anything,
    file="core-site.xml",
).text(
    "sshfence has a key that the other NameNode's host accepts.",
    "readable only by the NameNode's user; create it, since howdah writes no keys",
)
pair.fixed(
    "ha.automatic-failover",
    "dfs.ha.automatic-failover.enabled",
    True,
    accepts=lambda value, decision, facts: value is True,
).text("The standby takes over automatically.", "clients give up before a person can act")


@pair.setting("ha.zookeeper-quorum", "ha.zookeeper.quorum", accepts=set_at_all, file="core-site.xml")
def _keepers(facts: Facts) -> Decision:
    """Failover controllers agree through ZooKeeper."""
    members = quorum(Role.ZOOKEEPER, ZOOKEEPER_PORT, facts)
    return Decision(members, f"the {len(members)} ZooKeepers elect the active NameNode")


@pair.setting("ha.journal-heap", "HDFS_JOURNALNODE_OPTS", SHOULD, accepts=heap_enough, file="hadoop-env.sh")
def _journal_heap(facts: Facts) -> Decision:
    """A JournalNode's heap is limited."""
    return small_heap(Role.JOURNALNODE, "it keeps only new edits")


@pair.setting("ha.controller-heap", "HDFS_ZKFC_OPTS", SHOULD, accepts=heap_enough, file="hadoop-env.sh")
def _controller_heap(facts: Facts) -> Decision:
    """A failover controller's heap is limited; in a secure cluster it logs in to ZooKeeper."""
    return small_heap(Role.FAILOVER_CONTROLLER, "it watches one NameNode", *login("hdfs", facts))


def retransmission_s(retries: int) -> float:
    """How long Linux sends what a lost host does not acknowledge, as it reckons itself (tcp_retries2)."""
    doubled = min(retries, _DOUBLINGS)
    return _LEAST_TIMEOUT_S * (math.pow(2, doubled + 1) - 1) + _MOST_TIMEOUT_S * (retries - doubled)


def missed_by_tcp_s(facts: Facts) -> float:
    """How long the kernel keeps a connection to a lost host, whether something was to be sent or not."""
    kept = facts.number(_KEEPALIVE) + facts.number(_INTERVAL) * facts.number(_PROBES)
    return max(kept, retransmission_s(int(facts.number(_RETRIES))))


kernel = rules.under(
    file="sysctl.conf", severity=MAY, when=Condition("there are two NameNodes", in_pair(Role.NAMENODE))
)
kernel.fixed("ha.retransmissions", _RETRIES, 5, accepts=between(3, 15)).text(
    "Linux drops a connection if a lost host acknowledges nothing for a quarter of a minute.",
    "a call to an already lost host failed after 13.4 s, as measured; the default is 15, a "
    "quarter of an hour. Longer network interruptions end connections, which HDFS and YARN open again",
    "Linux: ip-sysctl, Elasticsearch: TCP retransmission timeout, howdah",
)
kernel.fixed("ha.keepalive", _KEEPALIVE, 5, accepts=between(1, 7200)).text(
    "A connection on which nothing comes is probed after seconds.",
    "a call that a host received before it was lost has nothing to send again: with these probes it"
    " fails after 13 s, without them after ipc.client.rpc-timeout.ms. The default is two hours; a "
    "slow NameNode is probed too, and its kernel answers",
    "Linux: ip-sysctl, Hadoop 3.5.0: ipc.Client, howdah",
)
kernel.fixed("ha.keepalive-interval", _INTERVAL, 2, accepts=between(1, 75)).text(
    "Probes follow one another every two seconds.",
    "several probes fit into the time that a repeated call has",
    "Linux: ip-sysctl, howdah",
)
kernel.fixed("ha.keepalive-probes", _PROBES, 4, accepts=between(3, 20)).text(
    "A connection is given up once four probes had no answer.",
    "8 s of silence: a switch that restarts its ports does not count as a lost host",
    "Linux: ip-sysctl, howdah",
)
