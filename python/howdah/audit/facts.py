"""What the rules may know when they judge what exists: from a plan, or else from what was found."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.audit.hardware import group_of
from howdah.audit.part import Part, settings_for
from howdah.audit.releases import Releases
from howdah.audit.values import Layers, Values
from howdah.model.found import Found
from howdah.model.host import Host
from howdah.model.inventory import HostGroup
from howdah.model.plan import Cluster, Plan, Value, Worker
from howdah.model.request import Demand, PlanRequest, Protection
from howdah.planner.cluster import cluster_facts
from howdah.planner.facts import Facts
from howdah.planner.rules.data_mounts import data_dirs
from howdah.units import MIB

_CONTAINER_MEMORY = (
    "yarn.nodemanager.resource.memory-mb",
    "mapreduce.map.memory.mb",
    "mapreduce.reduce.memory.mb",
)
"""What a NodeManager gives out and what tasks take, MB."""


def found_facts(found: Found, values: Values | None, known: Mapping[str, Value], releases: Releases) -> Facts:
    """Facts without a plan: the host as a native worker, the request as the configuration shows it.

    The cluster stays unknown, for no configuration says how many hosts share it.
    """
    group = None
    worker = None
    if found.host is not None:
        dirs = tuple(map(str, data_dirs(found.config))) if found.config is not None else ()
        group = group_of(found.host, dirs)
        worker = _native_worker(found.host, group, known, dirs) if group and values is not None else None
    return Facts(
        request=_request(found, values, releases),
        known_group=group,
        known_worker=worker,
        decided=known,
    )


def planned_facts(
    plan: Plan,
    cluster: Cluster,
    part: Part,
    known: Mapping[str, Value],
    releases: Releases,
) -> Facts:
    """Facts with a plan: its request, hosts, worker and cluster, with the values that were found."""
    settings = settings_for(plan, part)
    sizes = {setting.key: setting.value for setting in settings if setting.file is None}
    return Facts(
        request=cluster.request.model_copy(update={"hadoop": releases.hadoop, "hbase": releases.hbase}),
        known_group=part.group,
        known_worker=part.kind,
        known_cluster=cluster_facts(
            cluster.inventory, cluster.layouts, plan.workers, cluster.masters, cluster.topology
        ),
        decided=Layers(known, sizes),
    )


def _request(found: Found, values: Values | None, releases: Releases) -> PlanRequest:
    given = {one.name: one.text for one in found.config.properties} if found.config else {}
    files = " ".join(found.config.files) if found.config else ""
    hbase_only = "hbase-site.xml" in files and "yarn-site.xml" not in files and "mapred-site.xml" not in files
    workloads = [] if hbase_only else [Demand(kind="terasuite")]
    if "hbase-site.xml" in files:
        workloads.append(Demand(kind="ycsb"))
    authentication = values.read("hadoop.security.authentication") if values is not None else None
    return PlanRequest(
        workloads=tuple(workloads),
        protection=Protection.HA
        if any(name.startswith("dfs.ha.namenodes.") for name in given)
        else Protection.NONE,
        secure=authentication is not None and authentication.text.lower() == "kerberos",
        hadoop=releases.hadoop,
        hbase=releases.hbase,
    )


def _native_worker(host: Host, group: HostGroup, known: Mapping[str, Value], dirs: tuple[str, ...]) -> Worker:
    """The host as one worker whose slots are the containers that its NodeManager has memory for."""
    memory, of_map, of_reduce = (_megabytes(known[key]) for key in _CONTAINER_MEMORY)
    slots = max(1, memory // (of_map + of_reduce))
    return Worker(
        name="worker",
        map_slots=slots,
        reduce_slots=slots,
        memory_bytes=host.memory.total_bytes // MIB * MIB,
        data_dirs=dirs,
        group=group.name,
        vcpus=host.cpu.threads,
        data_disks=group.data_disks or len(dirs) or None,
        numa_nodes=max(1, len(host.cpu.numa_nodes)),
    )


def _megabytes(known: Value) -> int:
    return known if isinstance(known, int) else 1
