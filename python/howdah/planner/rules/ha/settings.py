"""Settings of two NameNodes: one name, a journal of three, failover by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from howdah.model.plan import Role, Value
from howdah.planner.conditions import is_paired
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_enough
from howdah.planner.master_heaps import small_heap
from howdah.planner.rule import Decision, FamilyRule, Rule, SettingRule, Severity
from howdah.planner.rules.addresses import NAMENODE_PORT
from howdah.planner.rules.security.settings import login
from howdah.planner.values import anything, fixed, lasting, set_at_all

JOURNAL_PORT = 8485
ZOOKEEPER_PORT = 2181
_SOURCES = ("D0 74", "D2 100", "Hadoop 3.5.0")
_CONDITION = "there are two NameNodes"
_PAIR = is_paired(Role.NAMENODE)
JOURNAL_DISK = 2
"""After that of names, which the same hosts may have."""
_FENCING = "sshfence\nshell(/bin/true)"


def numbered(prefix: str, addresses: tuple[str, ...]) -> dict[str, str]:
    """Ids of daemons with their hosts: ``nn1``, ``nn2``."""
    return {f"{prefix}{number}": host for number, host in enumerate(addresses, start=1)}


def _namenodes(facts: Facts) -> dict[str, str]:
    return numbered("nn", facts.cluster.addresses(Role.NAMENODE))


def quorum(role: Role, port: int, facts: Facts) -> tuple[str, ...]:
    """Every member of a quorum with its port."""
    return tuple(f"{host}:{port}" for host in facts.cluster.addresses(role))


def _service(facts: Facts) -> Decision:
    return Decision(facts.cluster.name, "the name under which clients know both NameNodes")


def _ids(facts: Facts) -> Mapping[str, Decision]:
    ids = tuple(_namenodes(facts))
    return {f"dfs.ha.namenodes.{facts.cluster.name}": Decision(ids, "one name for each NameNode of the pair")}


def _addresses(property_name: str, port: int, what: str) -> Callable[[Facts], Mapping[str, Decision]]:
    def members(facts: Facts) -> Mapping[str, Decision]:
        return {
            f"{property_name}.{facts.cluster.name}.{name}": Decision(
                f"{host}:{port}", f"{what} of {name} on {host}"
            )
            for name, host in _namenodes(facts).items()
        }

    return members


def _provider(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"dfs.client.failover.proxy.provider.{facts.cluster.name}": Decision(
            "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
            "clients try one NameNode after the other until they find the active one",
        )
    }


def _journal(facts: Facts) -> Decision:
    members = quorum(Role.JOURNALNODE, JOURNAL_PORT, facts)
    return Decision(
        f"qjournal://{';'.join(members)}/{facts.cluster.name}",
        f"{len(members)} JournalNodes on as many hosts: an edit counts once most of them have it",
    )


def _is_journal(value: Value, decision: Decision, facts: Facts) -> bool:
    return str(value).startswith("qjournal://")


def _keepers(facts: Facts) -> Decision:
    members = quorum(Role.ZOOKEEPER, ZOOKEEPER_PORT, facts)
    return Decision(members, f"the {len(members)} ZooKeepers elect the active NameNode")


def _fences(value: Value, decision: Decision, facts: Facts) -> bool:
    return "sshfence" in str(value) or "shell(" in str(value)


def _journal_heap(facts: Facts) -> Decision:
    return small_heap(Role.JOURNALNODE, "it keeps only the edits that come")


def _controller_heap(facts: Facts) -> Decision:
    return small_heap(Role.FAILOVER_CONTROLLER, "it watches one NameNode", *login("hdfs", facts))


def _secure_pair(facts: Facts) -> bool:
    return facts.request.secure and _PAIR(facts)


_pair_rule = partial(
    SettingRule,
    sources=_SOURCES,
    severity=Severity.MUST,
    applies=_PAIR,
    condition=_CONDITION,
    file="hdfs-site.xml",
)
_pair_family = partial(
    FamilyRule,
    sources=_SOURCES,
    severity=Severity.MUST,
    applies=_PAIR,
    condition=_CONDITION,
    file="hdfs-site.xml",
)


def _journal_dir(facts: Facts) -> Decision:
    lost = "the default is below /tmp, where a reboot may lose the namespace"
    if facts.own_disks(Role.JOURNALNODE) < JOURNAL_DISK:
        return Decision("/var/lib/hadoop/journal", lost)
    return Decision(
        f"/data/{JOURNAL_DISK:02d}/journal",
        f"{lost}; every change of the namespace waits for this disk, which nothing else uses",
    )


RULES: tuple[Rule, ...] = (
    _pair_rule(
        id="ha.name-service",
        key="dfs.nameservices",
        says="Both NameNodes answer to one name, the name service.",
        decide=_service,
        accepts=set_at_all,
    ),
    _pair_family(
        id="ha.namenodes",
        family="dfs.ha.namenodes.<ns>",
        says="The name service lists its NameNodes.",
        members=_ids,
    ),
    _pair_family(
        id="ha.rpc-addresses",
        family="dfs.namenode.rpc-address.<ns>.<id>",
        says="Each NameNode has its address.",
        members=_addresses("dfs.namenode.rpc-address", NAMENODE_PORT, "the address"),
    ),
    _pair_family(
        id="ha.http-addresses",
        family="dfs.namenode.http-address.<ns>.<id>",
        says="Each NameNode has an address for pages and checkpoints.",
        members=_addresses("dfs.namenode.http-address", 9870, "the pages"),
    ),
    _pair_family(
        id="ha.https-addresses",
        family="dfs.namenode.https-address.<ns>.<id>",
        says="In a secure cluster pages and checkpoints go over TLS.",
        members=_addresses("dfs.namenode.https-address", 9871, "the pages over TLS"),
        applies=_secure_pair,
        condition=f"{_CONDITION} and the cluster is secure",
    ),
    _pair_rule(
        id="ha.shared-edits",
        key="dfs.namenode.shared.edits.dir",
        says="The standby follows the active NameNode through JournalNodes, not through a shared disk.",
        decide=_journal,
        accepts=_is_journal,
    ),
    _pair_rule(
        id="ha.journal-dir",
        key="dfs.journalnode.edits.dir",
        says="Journals are in a directory that nothing empties.",
        decide=_journal_dir,
        accepts=lasting,
    ),
    _pair_family(
        id="ha.proxy-provider",
        family="dfs.client.failover.proxy.provider.<ns>",
        says="Clients look for the active NameNode themselves.",
        members=_provider,
    ),
    _pair_rule(
        id="ha.fencing",
        key="dfs.ha.fencing.methods",
        says="A NameNode that is no longer active is stopped; if it cannot be reached, failover goes on all "
        "the same.",
        decide=fixed(
            _FENCING,
            "sshfence ends a NameNode that still answers stale reads; where its host is down no one can, and "
            "the journal alone keeps two from writing",
        ),
        accepts=_fences,
    ),
    _pair_rule(
        id="ha.fencing-key",
        key="dfs.ha.fencing.ssh.private-key-files",
        says="sshfence has a key that the other NameNode's host accepts.",
        decide=fixed(
            "/etc/hadoop/ssh/fencing",
            "readable by the user of the NameNode alone; make it, howdah writes no keys",
        ),
        accepts=anything,
        file="core-site.xml",
    ),
    _pair_rule(
        id="ha.automatic-failover",
        key="dfs.ha.automatic-failover.enabled",
        says="The standby takes over by itself.",
        decide=fixed(True, "a person is slower than the clients' patience"),
        accepts=lambda value, decision, facts: value is True,
    ),
    _pair_rule(
        id="ha.zookeeper-quorum",
        key="ha.zookeeper.quorum",
        says="Failover controllers agree through ZooKeeper.",
        decide=_keepers,
        accepts=set_at_all,
        file="core-site.xml",
    ),
    _pair_rule(
        id="ha.journal-heap",
        key="HDFS_JOURNALNODE_OPTS",
        says="A JournalNode's heap is limited.",
        decide=_journal_heap,
        accepts=heap_enough,
        file="hadoop-env.sh",
        severity=Severity.SHOULD,
    ),
    _pair_rule(
        id="ha.controller-heap",
        key="HDFS_ZKFC_OPTS",
        says="A failover controller's heap is limited; in a secure cluster it logs in to ZooKeeper.",
        decide=_controller_heap,
        accepts=heap_enough,
        file="hadoop-env.sh",
        severity=Severity.SHOULD,
    ),
)
