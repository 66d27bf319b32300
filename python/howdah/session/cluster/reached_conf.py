"""A user's own cluster, reached by its client's configuration: nothing on it is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.installation import find_installation
from howdah.model.at_once import LEAST_MB
from howdah.model.placement import placed_workers
from howdah.model.plan import Plan
from howdah.planner.suite.cluster import ContainerSizes, FoundNode, FoundValue, observed_plan
from howdah.services.conf import ClientConf
from howdah.services.namenode import DataNode, NameNode, datanode_names, datanode_url
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import Web
from howdah.session.cluster.reached import Reached, open_telemetry, open_web, told_values
from howdah.telemetry.daemons import INTERVAL_S, daemon_source
from howdah.telemetry.source import Source
from howdah.units import MIB, format_bytes, format_counted

_DAEMONS_PER_S = 10.0
"""How many daemons are asked each second at most: one thread asks them all."""


def reach_cluster(directory: Path, plan_file: Path | None) -> Reached:
    """Ask a cluster what it is; raises UserError where it cannot be reached or contradicts the plan."""
    conf = ClientConf.read(directory)
    # Nobody asks the history server before a job has ended, which is late to find that it has no address.
    conf.history()
    # What the user gave is looked at before anybody is asked.
    planned = _read_plan(plan_file) if plan_file else None
    installation = find_installation()
    web = open_web(conf)
    namenode, manager = NameNode(web, conf), ResourceManager(web, conf)
    datanodes = [node for node in namenode.datanodes() if node.live]
    nodes = [node for node in manager.nodes() if node.state == "RUNNING"]
    plan = _checked(planned, plan_file, nodes) if planned else _found(conf, datanodes, nodes)
    version = namenode.status().version
    line = (
        f"{conf.default_fs} · Hadoop {version} · {format_counted(len(datanodes), 'DataNode')}, "
        f"{format_counted(len(nodes), 'NodeManager')} · {format_bytes(namenode.capacity().free_bytes)} free"
    )
    telemetry = open_telemetry(conf)
    return Reached(
        installation=installation,
        conf=conf,
        web=web,
        plan=plan,
        line=line,
        machine_of={},
        telemetry=telemetry,
        sources=_slowed(tuple(_sources(telemetry, conf, datanodes, nodes))),
    )


def _read_plan(file: Path) -> Plan:
    # Most runs have none, and do without what reads one.
    from howdah.documents.files import read_plan  # noqa: PLC0415

    plan = read_plan(file)
    if plan.cluster is None:
        raise UserError(f"--plan {file}", "is a plan of one machine", "give the plan of this cluster")
    return plan


def _checked(plan: Plan, file: Path | None, nodes: Sequence[Node]) -> Plan:
    """The plan, which must know every node; raises UserError."""
    known = {worker.name for worker in placed_workers(plan.cluster)} if plan.cluster else set()
    strange = sorted({node.host for node in nodes} - known)
    if strange:
        raise UserError(
            f"--plan {file}",
            f"lists no worker {strange[0]}, which runs in this cluster",
            "give the plan of this cluster",
        )
    return plan


def _found(conf: ClientConf, datanodes: Sequence[DataNode], nodes: Sequence[Node]) -> Plan:
    with_data = {node.host for node in datanodes}
    found_nodes = [
        FoundNode(
            name=node.host,
            memory_bytes=(node.used_memory_mib + node.available_memory_mib) * MIB,
            vcores=node.used_vcores + node.available_vcores,
            datanode=node.host in with_data,
        )
        for node in nodes
    ]
    containers = ContainerSizes(
        _mebibytes(conf, "mapreduce.map.memory.mb"),
        _mebibytes(conf, "mapreduce.reduce.memory.mb"),
        _mebibytes(conf, LEAST_MB),
    )
    return observed_plan(found_nodes, containers, [FoundValue(*value) for value in told_values(conf)])


def _mebibytes(conf: ClientConf, key: str) -> int:
    text = conf.get(key) or ""
    try:
        # -1 is Hadoop's word for whatever the heap needs, a gigabyte unless that is given.
        size = int(text)
    except ValueError as error:
        raise UserError(conf.where(key), f"{text!r} is not a number of MiB", "1024 for instance") from error
    return (size if size > 0 else 1024) * MIB


def _sources(
    web: Web, conf: ClientConf, datanodes: Sequence[DataNode], nodes: Sequence[Node]
) -> Iterator[Source]:
    for name, addresses in (("namenode", conf.namenodes()), ("resourcemanager", conf.resource_managers())):
        for address in addresses:
            yield daemon_source(urlsplit(address.url).hostname or name, name, address.url, web)
    names = datanode_names(datanodes)
    for datanode in datanodes:
        if url := datanode_url(conf, datanode):
            yield daemon_source(names[datanode.address], "datanode", url, web)
    for node in nodes:
        if node.web:
            yield daemon_source(node.host, "nodemanager", conf.nodemanager_url(node.web), web)


def _slowed(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """Sources that are asked so seldom that all can be asked in turn."""
    interval_s = max(INTERVAL_S, len(sources) / _DAEMONS_PER_S)
    return tuple(source._replace(interval_s=interval_s) for source in sources)
