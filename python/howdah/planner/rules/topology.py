"""Racks and replicas, and the addresses at which clients, workers and masters find the masters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from howdah.hadoop.daemons import DAEMONS, conf_folder, default_port
from howdah.model.hostname import split_address
from howdah.model.plan import Placement, Role, Value
from howdah.planner.capacity import REPLICATION
from howdah.planner.facts import ClusterFacts, Facts, required
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, inputs_of, is_paired, runs
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bytes, format_counted

rules = read_rules("topology.toml")

_BLOCKS = "org.apache.hadoop.hdfs.server.blockmanagement"
_POLICY = {
    Placement.NODE_GROUPS: f"{_BLOCKS}.BlockPlacementPolicyWithNodeGroup",
    Placement.UPGRADE_DOMAINS: f"{_BLOCKS}.BlockPlacementPolicyWithUpgradeDomain",
}
_UNLIKE = 1.25
_IMPL = "net.topology.impl"
_POLICY_KEY = "dfs.block.replicator.classname"
_OWN_TOPOLOGY = "dfs.use.dfs.network.topology"
_SCRIPT = "net.topology.script.file.name"
_SCRIPT_PATH = f"{conf_folder('hadoop')}/topology.sh"
_TABLE = "net.topology.table.file.name"
_PROVIDER = "dfs.namenode.hosts.provider.classname"
_WITH_NODE_GROUP = "NodeGroup"


def _uses(*placements: Placement) -> Callable[[Facts], bool]:
    return lambda facts: facts.cluster.topology.placement in placements


_NODE_GROUPS = _uses(Placement.NODE_GROUPS)
_UPGRADE_DOMAINS = _uses(Placement.UPGRADE_DOMAINS)

rules.when("there is more than one rack, or hosts are node groups")(
    lambda facts: _NODE_GROUPS(facts) or len(facts.cluster.topology.racks) > 1
)


@rules.decides("topology.script")
def _script(facts: Facts) -> Decision:
    topology = facts.cluster.topology
    if topology.placement is Placement.NODE_GROUPS:
        return Decision(_SCRIPT_PATH, words="groups")
    return Decision(_SCRIPT_PATH, words="racks", values={"racks": len(topology.racks)})


rules.when("hosts carry two or more workers, no racks are known and no directory is coded")(_NODE_GROUPS)
rules.when("hosts carry two or more workers")(_uses(*_POLICY))


@rules.decides("topology.placement-policy")
def _policy(facts: Facts) -> Decision:
    topology = facts.cluster.topology
    return Decision(_POLICY[topology.placement], topology.reason)


@rules.when("hosts are not divided, and some DataNodes hold a quarter more than others")
def _of_unlike_size(facts: Facts) -> bool:
    cluster = facts.known_cluster
    if cluster is None or cluster.topology.placement is not Placement.DEFAULT:
        return False
    sizes = _sizes(cluster)
    return bool(sizes) and max(sizes) >= _UNLIKE * min(sizes)


def _sizes(cluster: ClusterFacts) -> list[int]:
    """What the DataNodes of each group of hosts hold, bytes of one."""
    return [group.data_bytes // cluster.workers_on(group.name) for group in cluster.groups]


@rules.decides("topology.space-policy")
def _by_space(facts: Facts) -> Decision:
    sizes = _sizes(facts.cluster)
    least, most = min(sizes), max(sizes)
    inputs = inputs_of(("smallest DataNode", least, "B"), ("largest DataNode", most, "B"))
    values = {"least": format_bytes(least), "most": format_bytes(most)}
    return Decision(f"{_BLOCKS}.AvailableSpaceBlockPlacementPolicy", inputs=inputs, values=values)


rules.when("hosts carry two or more workers, and racks are known or directories are coded")(_UPGRADE_DOMAINS)


@rules.inspects("topology.node-groups-complete")
def _node_groups(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    impl, policy = reading.text(_IMPL) or "", reading.text(_POLICY_KEY) or ""
    if _WITH_NODE_GROUP not in impl + policy:
        return
    declared = (
        (_IMPL, _WITH_NODE_GROUP in impl, "org.apache.hadoop.net.NetworkTopologyWithNodeGroup"),
        (_POLICY_KEY, _WITH_NODE_GROUP in policy, _POLICY[Placement.NODE_GROUPS]),
        (_OWN_TOPOLOGY, reading.truth(_OWN_TOPOLOGY) is False, "false"),
    )
    for key, ok, value in declared:
        file = "core-site.xml" if key.startswith("net.") else "hdfs-site.xml"
        yield reading.verdict(key, ok, words="property", value=value, file=file)
    script = reading.text(_SCRIPT) or reading.text(_TABLE)
    yield reading.verdict(_SCRIPT, bool(script), found=script or "not set", words="script")


@rules.inspects("topology.divided-hosts")
def _divided_hosts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    on_a_host = Counter[str | None]()
    for worker, _ in facts.cluster.kinds if reading.has("hdfs-site.xml") else ():
        on_a_host[worker.group] += worker.per_host
    if max(on_a_host.values(), default=1) < 2:
        return
    policy = (reading.text(_POLICY_KEY) or "BlockPlacementPolicyDefault").rpartition(".")[2]
    has_topology = bool(reading.text(_SCRIPT) or reading.text(_TABLE))
    if policy == "BlockPlacementPolicyWithUpgradeDomain":
        shown = f"{policy}, with no file of hosts that gives upgrade domains ({_PROVIDER})"
        ok = "CombinedHostFileManager" in (reading.text(_PROVIDER) or "")
    elif has_topology:
        shown = f"{policy}: with a host as a rack it puts the second and third replica on one host"
        ok = policy == "BlockPlacementPolicyRackFaultTolerant"
    else:
        shown = f"{policy}, but no topology: HDFS treats workers of one host as separate hosts"
        ok = False
    yield reading.verdict(_POLICY_KEY, ok or _WITH_NODE_GROUP in policy, found=shown)


@rules.advises("topology.few-replicas")
def _few_replicas(facts: Facts) -> Values | None:
    replicas = int(facts.number("dfs.replication"))
    if facts.request.replication is not None or replicas >= REPLICATION:
        return None
    count = facts.cluster.worker_hosts
    masters = facts.cluster.hosts - count
    own = f", as masters use {format_counted(masters, 'host')}" if masters else ""
    lost = "one lost disk loses data" if replicas == 1 else "with one host down, a lost disk loses data"
    counted = {"replicas": format_counted(replicas, "replica"), "hosts": format_counted(count, "host")}
    return {"own": own, "lost": lost, **counted}


def _first(role: Role, facts: Facts) -> str:
    return required(facts.cluster.addresses(role), f"where the {role} runs: give a plan")[0]


@rules.decides("addresses.file-system")
def _file_system(facts: Facts) -> Decision:
    if is_paired(Role.NAMENODE)(facts):
        return Decision(f"hdfs://{facts.cluster.name}", words="pair")
    host = _first(Role.NAMENODE, facts)
    port = default_port("dfs.namenode.rpc-address")
    return Decision(f"hdfs://{host}:{port}", words="one", values={"host": host})


def _at(role: Role, key: str) -> Callable[[Facts], Decision]:
    """The host of a daemon, with the usual port of an address that has one."""

    def decide(facts: Facts) -> Decision:
        host, port = _first(role, facts), default_port(key)
        return Decision(f"{host}:{port}" if port else host, values={"role": role, "host": host})

    return decide


@rules.accepts("reachable")
def _is_reachable(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept any host that other hosts can reach; a single host may call itself anything."""
    host = split_address(str(value))[0]
    return facts.cluster.hosts == 1 or host not in ("0.0.0.0", "localhost", "127.0.0.1", "")


rules.when("with one NameNode; a pair has its own rules")(runs(Role.NAMENODE, at_most=1))
rules.decides("addresses.namenode")(_at(Role.NAMENODE, "dfs.namenode.rpc-address"))
rules.when("with one NameNode")(runs(Role.SECONDARY_NAMENODE))
rules.decides("addresses.secondary-namenode")(
    _at(Role.SECONDARY_NAMENODE, DAEMONS[Role.SECONDARY_NAMENODE].page.key)
)
rules.when("with one ResourceManager; a pair has its own rules")(runs(Role.RESOURCEMANAGER, at_most=1))
rules.decides("addresses.resourcemanager")(_at(Role.RESOURCEMANAGER, "yarn.resourcemanager.hostname"))
rules.when("MapReduce runs on the cluster")(runs(Role.JOB_HISTORY))
rules.decides("addresses.job-history")(_at(Role.JOB_HISTORY, "mapreduce.jobhistory.address"))
_HISTORY_PAGES = DAEMONS[Role.JOB_HISTORY].page
rules.decides("addresses.job-history-pages")(_at(Role.JOB_HISTORY, _HISTORY_PAGES.key))
rules.decides("addresses.job-history-tls")(_at(Role.JOB_HISTORY, _HISTORY_PAGES.encrypted_key))


@rules.decides("addresses.job-logs")
def _job_logs(facts: Facts) -> Decision:
    host = _first(Role.JOB_HISTORY, facts)
    key = _HISTORY_PAGES.encrypted_key if facts.request.secure else _HISTORY_PAGES.key
    page = f"{'https' if facts.request.secure else 'http'}://{host}:{default_port(key)}"
    return Decision(f"{page}/jobhistory/logs", values={"host": host})
