"""A Hadoop cluster that answers: a lab, or a user's own, reached by its client's configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from howdah.engines.lab_members import LabMembers, lab_telemetry, laboratory_of, shared_machine_sources
from howdah.engines.lab_runs import complete_lab
from howdah.errors import UserError
from howdah.installation.installation import Installation, find_installation
from howdah.lab.kernel.namespaces import client_prefix, join_network
from howdah.lab.state import LabState
from howdah.model.cluster import Laboratory
from howdah.model.engines import HADOOP
from howdah.model.placement import LEAST_MB, MASTER_MB, placed_workers
from howdah.model.plan import ClusterPlan, Plan, Role
from howdah.planner.suite.cluster import ContainerSizes, FoundNode, FoundValue, observed_plan
from howdah.services.conf import ClientConf
from howdah.services.namenode import DataNode, NameNode, datanode_names, datanode_url
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import Web
from howdah.telemetry.daemons import INTERVAL_S, daemon_source
from howdah.telemetry.source import Source
from howdah.units import MIB, format_bytes, format_counted

_PATIENCE_S = 3.0
_TASK_KEYS = (
    "dfs.replication",
    "dfs.blocksize",
    "mapreduce.map.memory.mb",
    "mapreduce.reduce.memory.mb",
    MASTER_MB,
    LEAST_MB,
    "mapreduce.task.io.sort.mb",
    "mapreduce.map.output.compress",
    "mapreduce.job.reduce.slowstart.completedmaps",
)


@dataclass(frozen=True)
class Reached:
    """A lab or a user's cluster, and how to reach it."""

    installation: Installation
    """The jars that clients run from."""
    conf: ClientConf
    web: Web
    plan: Plan
    line: str
    """Description for the terminal."""
    machine_of: Mapping[str, str]
    telemetry: Web
    sources: tuple[Source, ...]
    """The sources that are sampled while a job runs."""
    state: LabState | None = None
    follow: LabMembers | None = None
    """Watches machines that join and leave a lab."""
    client_prefix: tuple[str, ...] = ()
    lab: Laboratory | None = None
    """Its isolation and deviations, if it is a lab."""

    def close(self) -> None:
        """Close every connection to it."""
        self.web.close()
        self.telemetry.close()


def open_telemetry(conf: ClientConf, names: Mapping[str, str] | None = None) -> Web:
    """Return a client for samples: a slow daemon misses some, instead of delaying the end of a run."""
    return Web(names, kerberos=conf.secure, silence_s=_PATIENCE_S)


def observed_values(conf: ClientConf) -> tuple[tuple[str, str, str], ...]:
    """Return the client's values that affect jobs: key, value and their place."""
    values = ((key, conf.get(key), conf.where(key)) for key in _TASK_KEYS)
    return tuple((key, value, where) for key, value, where in values if value is not None)


_DAEMONS_PER_S = 10.0
"""The largest number of daemons that one thread queries each second."""


def reach_cluster(directory: Path, plan_file: Path | None) -> Reached:
    """Ask a cluster what it is; raises UserError where it cannot be reached or contradicts the plan."""
    conf = ClientConf.read(directory)
    # Check the history server's address now: it is only queried after the first job.
    conf.history()
    # The user's input is checked before any query.
    planned = read_plan_file(plan_file) if plan_file else None
    installation = find_installation()
    web = Web(kerberos=conf.secure)
    namenode, manager = NameNode(web, conf), ResourceManager(web, conf)
    datanodes = [node for node in namenode.datanodes() if node.live]
    nodes = [node for node in manager.nodes() if node.state == "RUNNING"]
    plan = _checked(planned, plan_file, nodes) if planned else _observed(conf, datanodes, nodes)
    version = namenode.status().version
    line = (
        f"{conf.default_fs} · Hadoop {version} · {format_counted(len(datanodes), 'DataNode')}, "
        f"{format_counted(len(nodes), 'NodeManager')} · {format_bytes(namenode.capacity().free_bytes)} free"
    )
    telemetry = open_telemetry(conf)
    sources = tuple(_sources(telemetry, conf, datanodes, nodes))
    interval_s = max(INTERVAL_S, len(sources) / _DAEMONS_PER_S)
    return Reached(
        installation=installation,
        conf=conf,
        web=web,
        plan=plan,
        line=line,
        machine_of={},
        telemetry=telemetry,
        sources=tuple(source._replace(interval_s=interval_s) for source in sources),
    )


def read_plan_file(file: Path) -> ClusterPlan:
    """The plan in a file; raises UserError."""
    # Most runs have no plan and need no parser.
    from howdah.documents.files import read_plan  # noqa: PLC0415

    return read_plan(file)


def _checked(plan: ClusterPlan, file: Path | None, nodes: Sequence[Node]) -> ClusterPlan:
    """The plan, which must contain every node; raises UserError."""
    planned = {worker.name for worker in placed_workers(plan.cluster)}
    strange = sorted({node.host for node in nodes} - planned)
    if strange:
        raise UserError(
            f"--plan {file}",
            f"lists no worker {strange[0]}, which runs in this cluster",
            "give the plan of this cluster",
        )
    return plan


def _observed(conf: ClientConf, datanodes: Sequence[DataNode], nodes: Sequence[Node]) -> Plan:
    with_data = {node.host for node in datanodes}
    observed_nodes = [
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
    return observed_plan(observed_nodes, containers, [FoundValue(*value) for value in observed_values(conf)])


def _mebibytes(conf: ClientConf, key: str) -> int:
    text = conf.get(key) or ""
    try:
        # With -1, Hadoop derives the size from the heap: one gigabyte by default.
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


def running_lab(name: str | None, *, elsewhere: bool = False) -> LabState | None:
    """Return the lab that can run Hadoop's programs, chosen like ``complete_lab``.

    Raises UserError as ``complete_lab`` does, and without YARN.
    """
    state = complete_lab(name, HADOOP, "--conf DIR", elsewhere=elsewhere)
    if state is not None and not any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines):
        raise UserError(
            f'lab "{state.name}"',
            "has no YARN to run programs on, because its plan is for HBase only",
            "build one from a plan with --workload terasuite, or give --conf DIR",
        )
    return state


def reach_lab(state: LabState) -> Reached:
    """Join a lab's network with the whole process, and query the lab.

    Called before any other thread starts: only there do its daemons answer, and threads that come
    later are there with the process.
    """
    if not state.rootless:
        join_network(state.name)
    conf = ClientConf.read(state.client_conf)
    names = dict(state.names)
    web = Web(names, kerberos=conf.secure)
    telemetry = open_telemetry(conf, names)
    workers = [machine for machine in state.machines if machine.kind == "worker"]
    hosts = {machine.host for machine in workers}
    shared = shared_machine_sources(state)
    free = format_bytes(NameNode(web, conf).capacity().free_bytes)
    return Reached(
        installation=find_installation(
            home=None if state.jars.fetched else state.jars.home,
            release=state.jars.version if state.jars.fetched else None,
        ),
        conf=conf,
        web=web,
        plan=state.plan,
        line=f"lab {state.name}: {format_counted(len(hosts), 'host')}, "
        f"{format_counted(len(workers), 'worker')} · Hadoop {state.jars.version} · {free} free",
        machine_of={
            called: machine.name for machine in state.machines for called in (machine.name, machine.address)
        },
        telemetry=telemetry,
        sources=(*lab_telemetry(state, conf, telemetry), *shared),
        state=state,
        follow=LabMembers(state, conf, telemetry, names),
        client_prefix=client_prefix(state),
        lab=laboratory_of(state, shared[0].machine),
    )
