"""Whether a configuration that exists keeps replicas on different hosts: the ways in which it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_SOURCES = "D0 60, D1 88, D2 105, Hadoop 3.5.0"
_IMPL = "net.topology.impl"
_POLICY = "dfs.block.replicator.classname"
_OWN_TOPOLOGY = "dfs.use.dfs.network.topology"
_SCRIPT = "net.topology.script.file.name"
_TABLE = "net.topology.table.file.name"
_SWITCH = "net.topology.nodegroup.aware"
_PROVIDER = "dfs.namenode.hosts.provider.classname"
_WITH_NODE_GROUP = "NodeGroup"
_RACK_TOLERANT = "BlockPlacementPolicyRackFaultTolerant"
_WITH_UPGRADE_DOMAIN = "BlockPlacementPolicyWithUpgradeDomain"
rules = Rules()


@rules.inspection(
    "topology.node-groups-complete",
    MUST,
    sources="D0 60, Hadoop 3.5.0",
    when="any property of node groups is set",
)
def _node_groups(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Node groups are declared with exactly three properties and a script; fewer stop HDFS."""
    impl, policy = reading.text(_IMPL) or "", reading.text(_POLICY) or ""
    if _WITH_NODE_GROUP not in impl + policy:
        return
    yield _declared(
        reading, _IMPL, _WITH_NODE_GROUP in impl, "org.apache.hadoop.net.NetworkTopologyWithNodeGroup"
    )
    yield _declared(
        reading,
        _POLICY,
        _WITH_NODE_GROUP in policy,
        "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithNodeGroup",
    )
    yield _declared(reading, _OWN_TOPOLOGY, reading.truth(_OWN_TOPOLOGY) is False, "false")
    has_script = bool(reading.text(_SCRIPT) or reading.text(_TABLE))
    yield reading.verdict(
        _SCRIPT,
        has_script,
        found=reading.text(_SCRIPT) or reading.text(_TABLE) or "not set",
        expected="a script that prints /rack/nodegroup for each worker",
        fix=f"set {_SCRIPT} in core-site.xml: a rack alone, the default, rejects every DataNode",
    )


def _declared(reading: Reading, key: str, ok: bool, expected: str) -> Observation:
    file = "core-site.xml" if key.startswith("net.") else "hdfs-site.xml"
    return reading.verdict(
        key,
        ok,
        found=reading.text(key) or "not set",
        expected=expected,
        fix=f"set {key} to {expected} in {file}",
    )


@rules.inspection("topology.divided-hosts", MUST, sources=_SOURCES, when="workers are virtual machines")
def _divided_hosts(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Where workers share a host, the configuration keeps replicas on different hosts."""
    if not reading.has("hdfs-site.xml") or not _shares_hosts(facts):
        return
    policy = (reading.text(_POLICY) or "BlockPlacementPolicyDefault").rpartition(".")[2]
    knows = (
        _WITH_NODE_GROUP in policy
        or (policy == _WITH_UPGRADE_DOMAIN and "CombinedHostFileManager" in (reading.text(_PROVIDER) or ""))
        or (policy == _RACK_TOLERANT and bool(reading.text(_SCRIPT) or reading.text(_TABLE)))
    )
    yield reading.verdict(
        _POLICY,
        knows,
        found=_told(policy, reading),
        expected="a policy that keeps replicas on different hosts: upgrade domains, node groups, or "
        f"{_RACK_TOLERANT} with every host as a rack",
        fix=f"set {_POLICY} and what it needs in hdfs-site.xml as `howdah render` writes them",
    )


def _told(policy: str, reading: Reading) -> str:
    if policy == _WITH_UPGRADE_DOMAIN:
        return f"{policy}, with no file of hosts that gives upgrade domains ({_PROVIDER})"
    if not (reading.text(_SCRIPT) or reading.text(_TABLE)):
        return f"{policy}, and no topology at all: workers of one host look like hosts"
    return f"{policy}: with a host as a rack it puts the second and third replica on one host"


def _shares_hosts(facts: Facts) -> bool:
    on_a_host: Counter[str | None] = Counter()
    for worker, _ in facts.cluster.kinds:
        on_a_host[worker.group] += worker.per_host
    return max(on_a_host.values(), default=1) > 1


@rules.inspection("topology.unread-switch", sources="Hadoop 3.5.0", when="the property is set")
def _unread_switch(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """net.topology.nodegroup.aware has no reader left: it switches nothing on."""
    text = reading.text(_SWITCH)
    if text is not None:
        yield reading.verdict(
            _SWITCH,
            False,
            found=text,
            expected="not set: Hadoop 3 does not read it",
            fix=f"remove {_SWITCH}; {_IMPL}, {_POLICY} and {_OWN_TOPOLOGY} declare node groups",
        )
