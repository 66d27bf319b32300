"""A Hadoop cluster that answers: a lab, or a user's own, reached by its client's configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.lab_members import LabMembers, lab_telemetry, laboratory_of, shared_machine_sources
from howdah.engines.lab_runs import complete_lab
from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.installation.installation import find_installation
from howdah.lab.kernel.namespaces import client_prefix, join_network
from howdah.lab.state import LabState
from howdah.model.cluster import Laboratory
from howdah.model.engines import HADOOP
from howdah.model.placement import LEAST_MB, MASTER_MB, UNSET_MB, placed_workers
from howdah.model.plan import ClusterPlan, Plan, Role
from howdah.planner.suite.cluster import ContainerSizes, FoundNode, FoundValue, observed_plan
from howdah.releases.values import read_int
from howdah.services.conf import ClientConf
from howdah.services.namenode import DataNode, NameNode, datanode_names, datanode_url
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import Web
from howdah.telemetry.daemons import INTERVAL_S, daemon_source
from howdah.telemetry.source import Source
from howdah.units import MIB, format_bytes, format_counted

_PATIENCE_S = 3.0
_TASK_KEYS = (
    "dfs.replication", "dfs.blocksize", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", MASTER_MB,
    LEAST_MB, "mapreduce.task.io.sort.mb", "mapreduce.map.output.compress",
    "mapreduce.job.reduce.slowstart.completedmaps",
)  # fmt: skip


@dataclass(frozen=True)
class Reached:
    """A lab or a user's cluster, and its plan."""

    target: HadoopTarget  # How it is reached, without what a run decides.
    plan: Plan
    line: str
    telemetry: Web
    state: LabState | None = None

    def close(self) -> None:
        self.target.web.close()
        self.telemetry.close()


def open_telemetry(conf: ClientConf, names: Mapping[str, str] | None = None) -> Web:
    """Return a client for samples: a slow daemon misses some, instead of delaying the end of a run."""
    return Web(names, kerberos=conf.secure, silence_s=_PATIENCE_S)


_DAEMONS_PER_S = 10.0  # The largest number of daemons that one thread queries each second.


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
    if planned is not None:
        check_plan(planned, plan_file, [node.host for node in nodes], "runs in")
    plan = planned or _observed(conf, datanodes, nodes)
    version = namenode.status().version
    line = (
        f"{conf.default_fs} · Hadoop {version} · {format_counted(len(datanodes), 'DataNode')}, "
        f"{format_counted(len(nodes), 'NodeManager')} · {format_bytes(namenode.capacity().free_bytes)} free"
    )
    telemetry = open_telemetry(conf)
    sources = tuple(_sources(telemetry, conf, datanodes, nodes))
    interval_s = max(INTERVAL_S, len(sources) / _DAEMONS_PER_S)
    sources = tuple(source._replace(interval_s=interval_s) for source in sources)
    target = HadoopTarget(installation, conf.directory, conf, web, sources=sources)
    return Reached(target, plan, line, telemetry)


def read_plan_file(file: Path) -> ClusterPlan:
    """The plan in a file; raises UserError."""
    # Most runs have no plan and need no parser.
    from howdah.documents.files import read_plan  # noqa: PLC0415

    return read_plan(file)


def check_plan(plan: ClusterPlan, file: Path | None, hosts: Iterable[str], does: str) -> None:
    """Raise UserError for a host that is not in the plan although it ``does`` something for the cluster."""
    strange = sorted(set(hosts) - {worker.name for worker in placed_workers(plan.cluster)})
    if strange:
        problem = f"lists no worker {strange[0]}, which {does} this cluster"
        raise UserError(f"--plan {file}", problem, "give the plan of this cluster")


def _observed(conf: ClientConf, datanodes: Sequence[DataNode], nodes: Sequence[Node]) -> Plan:
    with_data, observed_nodes = {node.host for node in datanodes}, []
    for node in nodes:
        memory_bytes = (node.used_memory_mib + node.available_memory_mib) * MIB
        vcores = node.used_vcores + node.available_vcores
        observed_nodes.append(FoundNode(node.host, memory_bytes, vcores, node.host in with_data))

    def container_bytes(key: str) -> int:
        text = conf.get(key) or ""
        if (size := read_int(text)) is None:
            raise UserError(conf.where(key), f"{text!r} is not a number of MiB", "1024 for instance")
        # With -1, Hadoop derives the size from the heap: one gigabyte by default.
        return (size if size > 0 else UNSET_MB) * MIB

    keys = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", LEAST_MB)
    entries = ((key, conf.get(key), conf.where(key)) for key in _TASK_KEYS)
    values = [FoundValue(key, value, where) for key, value, where in entries if value is not None]
    return observed_plan(observed_nodes, ContainerSizes(*map(container_bytes, keys)), values)


def _sources(
    web: Web, conf: ClientConf, datanodes: Sequence[DataNode], nodes: Sequence[Node]
) -> Iterator[Source]:
    for role, addresses in conf.masters().items():
        name = DAEMONS[role].name
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
    """The lab that can run Hadoop's programs, chosen like ``complete_lab``; raises UserError without YARN."""
    state = complete_lab(name, HADOOP, "--conf DIR", elsewhere=elsewhere)
    if state is not None and not any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines):
        problem = "has no YARN to run programs on, because its plan is for HBase only"
        hint = "build one from a plan with --workload terasuite, or give --conf DIR"
        raise UserError(f'lab "{state.name}"', problem, hint)
    return state


def reach_lab(state: LabState) -> Reached:
    """Join a lab's network before any thread starts, which would not be in it, and query the lab."""
    lab = join_lab(state)
    conf, jars = lab.conf, state.jars
    web = Web(lab.names, kerberos=conf.secure)
    workers = [machine for machine in state.machines if machine.kind == "worker"]
    hosts = {machine.host for machine in workers}
    free = format_bytes(NameNode(web, conf).capacity().free_bytes)
    counted = f"{format_counted(len(hosts), 'host')}, {format_counted(len(workers), 'worker')}"
    line = f"lab {state.name}: {counted} · Hadoop {jars.version} · {free} free"
    machine_of = {name: system.name for system in state.machines for name in (system.name, system.address)}
    home, release = (None, jars.version) if jars.fetched else (jars.home, None)
    target = HadoopTarget(
        find_installation(home=home, release=release), conf.directory, conf, web, machine_of=machine_of,
        sources=lab.sources, follow=lab.follow, joined=lab.follow.joined, client_prefix=client_prefix(state),
        lab=lab.laboratory,
    )  # fmt: skip
    return Reached(target, state.plan, line, lab.telemetry, state)


class JoinedLab(NamedTuple):
    """A lab whose network this process is in, and what is sampled of it."""

    conf: ClientConf
    names: dict[str, str]  # The addresses of its machines, which ``follow`` keeps up to date.
    telemetry: Web
    sources: tuple[Source, ...]
    follow: LabMembers
    laboratory: Laboratory


def join_lab(state: LabState) -> JoinedLab:
    """Join a lab's network with the whole process, before any thread starts."""
    if not state.rootless:
        join_network(state.name)
    conf, names = ClientConf.read(state.client_conf), dict(state.names)
    telemetry = open_telemetry(conf, names)
    shared = shared_machine_sources(state)
    sources = (*lab_telemetry(state, conf, telemetry), *shared)
    follow = LabMembers(state, conf, telemetry, names)
    return JoinedLab(conf, names, telemetry, sources, follow, laboratory_of(state, shared[0].machine))
