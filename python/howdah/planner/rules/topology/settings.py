"""Racks, node groups and upgrade domains, and the policy that places replicas by them."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Input, Placement, Value
from howdah.planner.facts import ClusterFacts, Facts
from howdah.planner.rule import Decision, Rule, SettingRule, Severity
from howdah.planner.values import fixed, one_of
from howdah.units import format_bytes

_BLOCKS = "org.apache.hadoop.hdfs.server.blockmanagement"
_POLICY = {
    Placement.NODE_GROUPS: f"{_BLOCKS}.BlockPlacementPolicyWithNodeGroup",
    Placement.UPGRADE_DOMAINS: f"{_BLOCKS}.BlockPlacementPolicyWithUpgradeDomain",
}
_UNLIKE = 1.25
_DIVIDED = "hosts carry two or more workers"
_SOURCES = ("D0 60", "D1 88", "D2 105", "Hadoop 3.5.0")


def _uses(*placements: Placement) -> Callable[[Facts], bool]:
    return lambda facts: facts.cluster.topology.placement in placements


_NODE_GROUPS = _uses(Placement.NODE_GROUPS)
_UPGRADE_DOMAINS = _uses(Placement.UPGRADE_DOMAINS)


def _has_racks(facts: Facts) -> bool:
    return _NODE_GROUPS(facts) or len(facts.cluster.topology.racks) > 1


def _policy(facts: Facts) -> Decision:
    topology = facts.cluster.topology
    return Decision(_POLICY[topology.placement], topology.reason)


def _script(facts: Facts) -> Decision:
    topology = facts.cluster.topology
    if topology.placement is Placement.NODE_GROUPS:
        return Decision(
            "/etc/hadoop/conf/topology.sh",
            "gives every worker's virtual rack and host; a location of one level only rejects every DataNode",
        )
    return Decision(
        "/etc/hadoop/conf/topology.sh", f"prints which of the {len(topology.racks)} racks a host is in"
    )


def _of_unlike_size(facts: Facts) -> bool:
    cluster = facts.known_cluster
    if cluster is None or cluster.topology.placement is not Placement.DEFAULT:
        return False
    sizes = _sizes(cluster)
    return bool(sizes) and max(sizes) >= _UNLIKE * min(sizes)


def _sizes(cluster: ClusterFacts) -> list[int]:
    """What the DataNodes of each group of hosts hold, bytes of one."""
    return [
        group.data_bytes
        // max(1, sum(kind.per_host for kind, _ in cluster.kinds if kind.group == group.name))
        for group in cluster.groups
    ]


def _by_space(facts: Facts) -> Decision:
    sizes = _sizes(facts.cluster)
    return Decision(
        f"{_BLOCKS}.AvailableSpaceBlockPlacementPolicy",
        f"DataNodes hold from {format_bytes(min(sizes))} to {format_bytes(max(sizes))}: filled alike, the "
        "small ones would be full while the large ones are not, and the balancer would never end. Racks "
        "count as by default",
        (
            Input(name="smallest DataNode", value=min(sizes), unit="B"),
            Input(name="largest DataNode", value=max(sizes), unit="B"),
        ),
    )


def _absolute(value: Value, decision: Decision, facts: Facts) -> bool:
    return str(value).startswith("/")


PLACEMENT = Rule(
    id="topology.placement",
    says="Replicas of a block are on different hosts: by the default policy where each host carries one "
    "worker, by upgrade domains where hosts are divided and racks known, else by node groups.",
    sources=("D0 60", "D0 61", "D1 88", "D2 105", "X5"),
    severity=Severity.MUST,
    today="HVE's documented configuration fails since dfs.use.dfs.network.topology exists. A host declared "
    "as a rack will not do with three replicas: the default policy puts two of them in one rack.",
)

RULES: tuple[Rule, ...] = (
    PLACEMENT,
    SettingRule(
        id="topology.script",
        says="A script gives HDFS and YARN the rack of every host.",
        sources=("D0 60", "D0 61", "D2 105"),
        severity=Severity.MUST,
        condition="there is more than one rack, or hosts are node groups",
        applies=_has_racks,
        key="net.topology.script.file.name",
        file="core-site.xml",
        decide=_script,
        accepts=_absolute,
    ),
    SettingRule(
        id="topology.node-group-class",
        says="Node groups need the topology that knows them.",
        sources=("D0 60", "Hadoop 3.5.0"),
        severity=Severity.MUST,
        condition=f"{_DIVIDED} and no racks are known",
        applies=_NODE_GROUPS,
        key="net.topology.impl",
        file="core-site.xml",
        decide=fixed(
            "org.apache.hadoop.net.NetworkTopologyWithNodeGroup",
            "keeps a node group, the workers of one host, between rack and node",
        ),
    ),
    SettingRule(
        id="topology.dfs-network-topology",
        says="Node groups need HDFS's own copy of the topology switched off: it knows no node groups.",
        sources=("D0 60", "Hadoop 3.5.0"),
        severity=Severity.MUST,
        condition=f"{_DIVIDED} and no racks are known",
        applies=_NODE_GROUPS,
        today="The property is younger than HVE's documentation, which does not mention it.",
        key="dfs.use.dfs.network.topology",
        file="hdfs-site.xml",
        decide=fixed(False, "with it, the NameNode of a cluster with node groups exits as it starts"),
    ),
    SettingRule(
        id="topology.placement-policy",
        says="Where hosts are divided, the placement policy knows which workers share a host.",
        sources=_SOURCES,
        severity=Severity.MUST,
        condition=_DIVIDED,
        applies=_uses(*_POLICY),
        key="dfs.block.replicator.classname",
        file="hdfs-site.xml",
        decide=_policy,
    ),
    SettingRule(
        id="topology.space-policy",
        says="Where some DataNodes hold more than others, those with more room get more of the new blocks.",
        sources=("HDFS-8131", "Hadoop 3.5.0: hdfs-default.xml", "D2 107"),
        condition="hosts are not divided, and DataNodes of some hold a quarter more than those of others",
        applies=_of_unlike_size,
        key="dfs.block.replicator.classname",
        file="hdfs-site.xml",
        decide=_by_space,
        accepts=lambda value, decision, facts: "AvailableSpace" in str(value),
    ),
    SettingRule(
        id="topology.hosts-provider",
        says="Upgrade domains come from a file of hosts that says each worker's.",
        sources=("Hadoop 3.5.0",),
        severity=Severity.MUST,
        condition=f"{_DIVIDED} and racks are known",
        applies=_UPGRADE_DOMAINS,
        key="dfs.namenode.hosts.provider.classname",
        file="hdfs-site.xml",
        decide=fixed(f"{_BLOCKS}.CombinedHostFileManager", "reads upgrade domains; the default one does not"),
    ),
    SettingRule(
        id="topology.hosts-file",
        says="dfs.hosts names every worker, with the host it is on as its upgrade domain.",
        sources=("Hadoop 3.5.0",),
        severity=Severity.MUST,
        condition=f"{_DIVIDED} and racks are known",
        applies=_UPGRADE_DOMAINS,
        key="dfs.hosts",
        file="hdfs-site.xml",
        decide=fixed("/etc/hadoop/conf/dfs.hosts.json", "a worker that is not in it has no upgrade domain"),
        accepts=_absolute,
    ),
    SettingRule(
        id="topology.erasure-coding-policy",
        says="Erasure-coded files are spread over racks by a policy of their own.",
        sources=("Hadoop 3.5.0",),
        condition="always; it matters where files are erasure-coded",
        key="dfs.block.placement.ec.classname",
        file="hdfs-site.xml",
        decide=fixed(
            f"{_BLOCKS}.BlockPlacementPolicyRackFaultTolerant",
            "spreads the units of a block over as many racks as there are",
        ),
        accepts=one_of(*_POLICY.values()),
        written=False,
    ),
)
