"""Policies that need more hosts than there are, and limits too small for as many."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from howdah.model.storage_policy import POLICIES
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import read_rules
from howdah.planner.topology import NODE_GROUPS_END
from howdah.releases.values import read_list
from howdah.units import MIB, format_counted, format_memory

rules = read_rules("consistency.toml")

_SERVERS_WAITED_FOR = "hbase.master.wait.on.regionservers.mintostart"
_TOPOLOGY = "net.topology.impl"
_POLICY = "dfs.namenode.ec.system.default.policy"
_SHAPE = r"(?:RS|RS-LEGACY|XOR)-(\d+)-(\d+)-\d+[kKmM]"
_HANDLERS = "dfs.namenode.handler.count"
_TRACKERS = "yarn.resourcemanager.resource-tracker.client.thread-count"
_AM_SHARE = "yarn.scheduler.capacity.maximum-am-resource-percent"
_REPLACE = "dfs.client.block.write.replace-datanode-on-failure.policy"
_LEAST_HOSTS = 20  # Below this the defaults serve all.
_SHARE_OF_WORKERS = 0.25
_BY_SIZE = ("RS-6-3-1024k", "RS-3-2-1024k", "XOR-2-1-1024k")
"""Policies to use instead of one that does not fit."""
_ACL = r"[a-z0-9]+:.*:[rwcda]+"
_VARIABLE = r"(HDFS|YARN|MAPRED|HADOOP|HBASE|SPARK)_([A-Z0-9]+_)*(OPTS|HEAPSIZE\w*|DIR|HOME|IDENT_STRING)"
_FILE_SYSTEM = "fs.defaultFS"


def _region_servers(reading: Inspected) -> frozenset[str]:
    lists = reading.config.lists.items()
    return frozenset(host for file, hosts in lists if file.endswith("regionservers") for host in hosts)


@rules.inspects("consistency.waited-for-hosts")
def _waited_for(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, listed, waits in (
        ("dfs.namenode.safemode.min.datanodes", reading.worker_hosts, "the NameNode stays in safe mode"),
        (_SERVERS_WAITED_FOR, _region_servers(reading), "the HMaster assigns no region"),
    ):
        hosts = len(listed)
        values = {"hosts": hosts, "waits": waits, "half": max(1, hosts // 2)}
        yield from _at_most(reading, key, hosts, f"{hosts} hosts", **values)


def _at_most(
    reading: Inspected, key: str, most: int, shown: str, /, **values: object
) -> Iterator[Observation]:
    """Whether a number is no more than there are of something, where both are known."""
    number = reading.number(key)
    if number is not None and most:
        yield reading.verdict(key, number <= most, found=f"{number:.15g}, with {shown}", values=values)


@rules.inspects("consistency.enough-datanodes")
def _more_than_hosts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.config.datanode_hosts)
    replicas = facts.number("dfs.replication")
    logs = "every log lacks replicas, and is rolled again and again"
    for key, most, otherwise in (
        ("hbase.regionserver.hlog.replication", hosts, logs),
        ("dfs.namenode.maintenance.replication.min", replicas, "the NameNode does not start"),
        ("dfs.namenode.upgrade.domain.factor", hosts, "no DataNode can take a replica"),
    ):
        needed = reading.number(key)
        if needed is not None and most:
            shown = f"{needed:.15g}; {'replicas' if most is replicas else 'DataNodes'}: {most:g}"
            values = {"most": most, "otherwise": otherwise, "fewer": min(3, most)}
            yield reading.verdict(key, needed <= most, found=shown, words="few", values=values)
    if hosts and (reading.text(_REPLACE) or "").strip().upper() == "ALWAYS":
        shown = f"ALWAYS, with {hosts} DataNodes and {replicas:g} replicas"
        yield reading.verdict(_REPLACE, hosts > replicas, found=shown, words="always")


@rules.inspects("consistency.erasure-hosts")
def _erasure(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.config.datanode_hosts)
    datanodes = hosts or (facts.cluster.workers if facts.planned and facts.request.coded else 0)
    fitting = next((name for name in _BY_SIZE if POLICIES[name].units <= datanodes), "replication")
    values: dict[str, object] = {"datanodes": datanodes, "policy": fitting}
    for directory in facts.request.coded if datanodes else ():
        about, needed = f"{directory.path} in HDFS", POLICIES[directory.policy].units
        shown = f"{directory.policy}, which needs {needed} DataNodes; there are {datanodes}"
        missing = format_counted(needed - datanodes, "DataNode")
        own = {"path": directory.path, "missing": missing, **values}
        ok = needed <= datanodes
        yield Observation(ok, about, shown, where="the plan", words="directory", values=own)
    match = re.fullmatch(_SHAPE, (reading.text(_POLICY) or "").strip())
    if match and hosts:
        needed = int(match[1]) + int(match[2])
        shown = f"{reading.text(_POLICY)}, which needs {needed} DataNodes; there are {hosts}"
        missing = f"{needed - hosts} DataNodes"
        ok = needed <= hosts
        yield reading.verdict(_POLICY, ok, found=shown, words="default", values=values, missing=missing)


@rules.inspects("consistency.erasure-node-groups")
def _erasure_node_groups(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    topology = reading.text(_TOPOLOGY) or ""
    if "NodeGroup" not in topology or not (facts.request.coded or reading.text(_POLICY)):
        return
    seen = "node groups, and files that may be erasure-coded"
    yield reading.verdict(_TOPOLOGY, False, found=seen, end=NODE_GROUPS_END)


@rules.inspects("consistency.checked-volumes")
def _checked_volumes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "dfs.namenode.resource.checked.volumes"
    names = reading.folders("dfs.namenode.name.dir") or ("default",)
    volumes = len({*names, *reading.folders("dfs.namenode.edits.dir"), *reading.folders(key)})
    return _at_most(reading, f"{key}.minimum", volumes, f"{volumes} directories", volumes=volumes)


@rules.inspects("consistency.edits-minimum")
def _edits_minimum(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    names = reading.folders("dfs.namenode.edits.dir") or reading.folders("dfs.namenode.name.dir")
    places = len(names or ("default",)) + bool(reading.text("dfs.namenode.shared.edits.dir"))
    return _at_most(reading, "dfs.namenode.edits.dir.minimum", places, f"{places} places of edits")


@rules.inspects("consistency.meta-replicas")
def _replicas_of_hbase(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    servers = len(_region_servers(reading))
    values = {"servers": servers, "fewer": min(3, servers)}
    return _at_most(reading, "hbase.meta.replica.count", servers, f"{servers} RegionServers", **values)


@rules.inspects("consistency.threads-for-workers")
def _threads(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.worker_hosts)
    if hosts < _LEAST_HOSTS:
        return
    for key, minimum, waits in (
        (_HANDLERS, 20 * math.log(hosts), "reports of DataNodes wait behind calls of clients"),
        (_TRACKERS, hosts / 100, "heartbeats of NodeManagers wait"),
    ):
        threads, of_namenode = reading.number(key), key == _HANDLERS
        if threads is None and of_namenode and reading.has("hdfs-site.xml"):
            threads = facts.number(key)
        elif threads is None or not threads.is_integer():
            continue
        ok, words = threads >= minimum * _SHARE_OF_WORKERS, "namenode" if of_namenode else "manager"
        shown = f"{threads:.15g}{'' if reading.text(key) else ' (default)'}, with {hosts} workers"
        values, place = {"minimum": minimum, "hosts": hosts, "waits": waits}, "hdfs-site.xml"
        yield reading.verdict(key, ok, found=shown, elsewhere=place, words=words, values=values)


@rules.inspects("consistency.application-masters")
def _masters_of_applications(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    workers = len(reading.worker_hosts)
    share = reading.number(_AM_SHARE)
    memory = facts.number("yarn.nodemanager.resource.memory-mb") if workers else 0
    if not workers or share is None or not reading.number("yarn.nodemanager.resource.memory-mb"):
        return
    room = int(workers * memory * share)
    step = facts.number("yarn.scheduler.minimum-allocation-mb")
    master = reading.number("yarn.app.mapreduce.am.resource.mb") or 1536
    container = int(math.ceil(master / step) * step) if step else int(master)
    shown = f"{share:g} of {workers} workers' {format_memory(int(workers * memory * MIB))} is {room} MB"
    larger = min(0.5, math.ceil(200 * container / (workers * memory)) / 100 * 2)
    ok = room >= 2 * container
    yield reading.verdict(_AM_SHARE, ok, found=shown, container=container, larger=larger)


@rules.inspects("consistency.zookeeper-acls")
def _acls(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key in ("ha.zookeeper.acl", "hadoop.zk.acl", "yarn.resourcemanager.zk-acl"):
        text = (reading.text(key) or "").strip()
        if not text or text.startswith("@"):
            # A file has them.
            continue
        wrong = [part for part in read_list(text) if not re.fullmatch(_ACL, part)]
        user = "".join(wrong[:1]).rpartition(":")[0] or "sasl:USER"
        yield reading.verdict(key, not wrong, found=", ".join(wrong) or text, user=user)


@rules.inspects("consistency.mount-table")
def _mounts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_FILE_SYSTEM) or ""
    if not text.startswith("viewfs:"):
        return
    table = text.removeprefix("viewfs:").strip("/").partition("/")[0] or "default"
    prefix = f"fs.viewfs.mounttable.{table}."
    links = (prefix, "fs.viewfs.mounttable.path")
    mounts = any(entry.name.startswith(links) for entry in reading.effective)
    shown, where = f"no mount; {_FILE_SYSTEM} is {text}", reading.where(_FILE_SYSTEM)
    yield Observation(mounts, f"{prefix}link", shown, where=where, values={"prefix": prefix})


@rules.inspects("consistency.variable-names")
def _variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.environment:
        upper = entry.name.upper()
        if upper != entry.name and re.fullmatch(_VARIABLE, upper):
            yield entry_verdict(entry, False, found=f"{entry.name}={entry.text}", upper=upper)
