"""Policies that need more hosts than there are, and limits too small for as many."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from howdah.model.storage_policy import POLICIES
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict, worker_hosts
from howdah.planner.rules.declare import read_rules
from howdah.planner.topology import NODE_GROUPS_END
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("consistency.toml")

_TOPOLOGY = "net.topology.impl"
_POLICY = "dfs.namenode.ec.system.default.policy"
_SHAPE = r"(?:RS|RS-LEGACY|XOR)-(\d+)-(\d+)-\d+[kKmM]"
_CHECKED = "dfs.namenode.resource.checked.volumes.minimum"
_HANDLERS = "dfs.namenode.handler.count"
_TRACKERS = "yarn.resourcemanager.resource-tracker.client.thread-count"
_AM_SHARE = "yarn.scheduler.capacity.maximum-am-resource-percent"
_REPLACE = "dfs.client.block.write.replace-datanode-on-failure.policy"
_LEAST_HOSTS = 20
"""Below this the defaults serve all."""
_SHARE_OF_WORKERS = 0.25
_BY_SIZE = ("RS-6-3-1024k", "RS-3-2-1024k", "XOR-2-1-1024k")
"""Policies to use instead of one that does not fit."""
_ACLS = ("ha.zookeeper.acl", "hadoop.zk.acl", "yarn.resourcemanager.zk-acl")
_ACL = r"[a-z0-9]+:.*:[rwcda]+"
_VARIABLE = r"(HDFS|YARN|MAPRED|HADOOP|HBASE|SPARK)_([A-Z0-9]+_)*(OPTS|HEAPSIZE\w*|DIR|HOME|IDENT_STRING)"
_FILE_SYSTEM = "fs.defaultFS"


def _region_servers(reading: Inspected) -> frozenset[str]:
    """The hosts that HBase's own files list."""
    lists = reading.config.lists.items()
    return frozenset(host for file, hosts in lists if file.endswith("regionservers") for host in hosts)


@rules.inspects("consistency.waited-for-hosts")
def _waited_for(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, hosts, waits in (
        (
            "dfs.namenode.safemode.min.datanodes",
            len(worker_hosts(reading)),
            "the NameNode stays in safe mode",
        ),
        (
            "hbase.master.wait.on.regionservers.mintostart",
            len(_region_servers(reading)),
            "the HMaster assigns no region",
        ),
    ):
        minimum = reading.number(key)
        if minimum is not None and hosts:
            yield reading.verdict(
                key,
                minimum <= hosts,
                found=f"{minimum:.15g}, with {hosts} hosts",
                hosts=hosts,
                waits=waits,
                half=max(1, hosts // 2),
            )


@rules.inspects("consistency.enough-datanodes")
def _more_than_hosts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.config.datanode_hosts)
    replicas = facts.number("dfs.replication")
    for key, most, otherwise in (
        (
            "hbase.regionserver.hlog.replication",
            hosts,
            "every log lacks replicas, and is rolled again and again",
        ),
        ("dfs.namenode.maintenance.replication.min", replicas, "the NameNode does not start"),
        ("dfs.namenode.upgrade.domain.factor", hosts, "no DataNode can take a replica"),
    ):
        needed = reading.number(key)
        if needed is not None and most:
            yield reading.verdict(
                key,
                needed <= most,
                found=f"{needed:.15g}; {'replicas' if most is replicas else 'DataNodes'}: {most:g}",
                expected=f"at most {most:g}: otherwise {otherwise}",
                fix=f"set {key} to {min(3, most):g} in {reading.where(key)}, or remove it",
            )
    if hosts and (reading.text(_REPLACE) or "").strip().upper() == "ALWAYS":
        yield reading.verdict(
            _REPLACE,
            hosts > replicas,
            found=f"ALWAYS, with {hosts} DataNodes and {replicas:g} replicas",
            expected="DEFAULT, or more DataNodes than replicas: while one DataNode is down no other can "
            "replace it, and every write fails",
            fix=f"set {_REPLACE} to DEFAULT in {reading.where(_REPLACE)}",
        )


@rules.inspects("consistency.erasure-hosts")
def _erasure(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for directory in facts.request.coded:
        policy = POLICIES[directory.policy]
        datanodes = _datanodes(reading, facts)
        if datanodes:
            yield Observation(
                ok=policy.units <= datanodes,
                about=f"{directory.path} in HDFS",
                found=f"{policy.name}, which needs {policy.units} DataNodes; there are {datanodes}",
                expected=f"a policy for at most {datanodes} DataNodes: otherwise files lack parity or "
                "cannot be written",
                fix=f"hdfs ec -setPolicy -path {directory.path} -policy {_largest(datanodes)}, or add "
                f"{format_counted(policy.units - datanodes, 'DataNode')}",
                where="the plan",
            )
    match = re.fullmatch(_SHAPE, (reading.text(_POLICY) or "").strip())
    hosts = len(reading.config.datanode_hosts)
    if match and hosts:
        needed = int(match[1]) + int(match[2])
        yield reading.verdict(
            _POLICY,
            needed <= hosts,
            found=f"{reading.text(_POLICY)}, which needs {needed} DataNodes; there are {hosts}",
            expected=f"a policy for at most {hosts} DataNodes: otherwise files lack parity or cannot be "
            "written",
            fix=f"set {_POLICY} to {_largest(hosts)} in {reading.where(_POLICY)}, or add "
            f"{needed - hosts} DataNodes",
        )


@rules.inspects("consistency.erasure-node-groups")
def _erasure_node_groups(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    topology = reading.text(_TOPOLOGY) or ""
    if "NodeGroup" not in topology or not (facts.request.coded or reading.text(_POLICY)):
        return
    seen = "node groups, and files that may be erasure-coded"
    yield reading.verdict(_TOPOLOGY, False, found=seen, end=NODE_GROUPS_END)


def _datanodes(reading: Inspected, facts: Facts) -> int:
    """DataNodes, by the lists of hosts or by the plan; 0 where neither is known."""
    listed = len(reading.config.datanode_hosts)
    return listed or (facts.cluster.workers if facts.planned else 0)


def _largest(datanodes: int) -> str:
    """The policy with the most units that so many DataNodes can hold."""
    return next((name for name in _BY_SIZE if POLICIES[name].units <= datanodes), "replication")


@rules.inspects("consistency.checked-volumes")
def _checked_volumes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    minimum = reading.number(_CHECKED)
    if minimum is None:
        return
    names = reading.folders("dfs.namenode.name.dir") or ("default",)
    more = reading.folders("dfs.namenode.resource.checked.volumes")
    edits = reading.folders("dfs.namenode.edits.dir")
    volumes = len({*names, *edits, *more})
    yield reading.verdict(
        _CHECKED, minimum <= volumes, found=f"{minimum:.15g}, with {volumes} directories", volumes=volumes
    )


@rules.inspects("consistency.edits-minimum")
def _edits_minimum(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "dfs.namenode.edits.dir.minimum"
    minimum = reading.number(key)
    if minimum is not None:
        names = (
            reading.folders("dfs.namenode.edits.dir")
            or reading.folders("dfs.namenode.name.dir")
            or ("default",)
        )
        shared = 1 if reading.text("dfs.namenode.shared.edits.dir") else 0
        yield reading.verdict(
            key,
            minimum <= len(names) + shared,
            found=f"{minimum:.15g}, with {len(names) + shared} places of edits",
        )


@rules.inspects("consistency.meta-replicas")
def _replicas_of_hbase(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    servers = _region_servers(reading)
    key = "hbase.meta.replica.count"
    minimum = reading.number(key)
    if servers and minimum is not None:
        yield reading.verdict(
            key,
            minimum <= len(servers),
            found=f"{minimum:.15g}, with {len(servers)} RegionServers",
            servers=len(servers),
            fewer=min(3, len(servers)),
        )


@rules.inspects("consistency.threads-for-workers")
def _threads(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(worker_hosts(reading))
    if hosts < _LEAST_HOSTS:
        return
    for key, minimum, waits in (
        (_HANDLERS, 20 * math.log(hosts), "reports of DataNodes wait behind calls of clients"),
        (_TRACKERS, hosts / 100, "heartbeats of NodeManagers wait"),
    ):
        threads = reading.number(key)
        if threads is not None and not threads.is_integer():
            continue
        if threads is None:
            if key != _HANDLERS or not reading.has("hdfs-site.xml"):
                continue
            threads = facts.number(key)
        yield reading.verdict(
            key,
            threads >= minimum * _SHARE_OF_WORKERS,
            found=f"{threads:.15g}{'' if reading.text(key) else ' (default)'}, with {hosts} workers",
            fix=f"set {key} to {minimum:.0f} in hdfs-site.xml"
            if key == _HANDLERS
            else f"set {key} to {minimum:.0f}",
            elsewhere="hdfs-site.xml",
            minimum=minimum,
            hosts=hosts,
            waits=waits,
        )


@rules.inspects("consistency.application-masters")
def _masters_of_applications(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    workers = len(worker_hosts(reading))
    share = reading.number(_AM_SHARE)
    memory = facts.number("yarn.nodemanager.resource.memory-mb") if workers else 0
    if not workers or share is None or not reading.number("yarn.nodemanager.resource.memory-mb"):
        return
    room = int(workers * memory * share)
    step = facts.number("yarn.scheduler.minimum-allocation-mb")
    master = reading.number("yarn.app.mapreduce.am.resource.mb") or 1536
    container = int(math.ceil(master / step) * step) if step else int(master)
    yield reading.verdict(
        _AM_SHARE,
        room >= 2 * container,
        found=f"{share:g} of {workers} workers' {format_memory(int(workers * memory * MIB))} is {room} MB",
        container=container,
        larger=min(0.5, math.ceil(200 * container / (workers * memory)) / 100 * 2),
    )


@rules.inspects("consistency.zookeeper-acls")
def _acls(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key in _ACLS:
        text = (reading.text(key) or "").strip()
        if not text or text.startswith("@"):
            # A file has them.
            continue
        wrong = [part.strip() for part in text.split(",") if not re.fullmatch(_ACL, part.strip())]
        yield reading.verdict(
            key,
            not wrong,
            found=", ".join(wrong) or text,
            fix=f"write {wrong[0].rpartition(':')[0] or 'sasl:USER'}:rwcda in {reading.where(key)}"
            if wrong
            else "",
        )


@rules.inspects("consistency.mount-table")
def _mounts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_FILE_SYSTEM) or ""
    if not text.startswith("viewfs:"):
        return
    table = text.removeprefix("viewfs:").strip("/").partition("/")[0] or "default"
    prefix = f"fs.viewfs.mounttable.{table}."
    links = [entry for entry in reading.effective if entry.name.startswith(prefix)]
    loaded = any(entry.name.startswith("fs.viewfs.mounttable.path") for entry in reading.effective)
    yield Observation(
        bool(links) or loaded,
        f"{prefix}link",
        f"no mount; {_FILE_SYSTEM} is {text}",
        where=reading.where(_FILE_SYSTEM),
        values={"prefix": prefix},
    )


@rules.inspects("consistency.variable-names")
def _variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.environment:
        upper = entry.name.upper()
        if upper != entry.name and re.fullmatch(_VARIABLE, upper):
            yield entry_verdict(entry, False, found=f"{entry.name}={entry.text}", upper=upper)
