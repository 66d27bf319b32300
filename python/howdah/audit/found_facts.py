"""Facts without a plan: the host as a native worker, the request as the configuration shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from howdah.audit.hardware import group_of
from howdah.audit.releases import Releases
from howdah.audit.values import Values
from howdah.model.found import Found
from howdah.model.host import Host
from howdah.model.inventory import HostGroup
from howdah.model.plan import Value, Worker
from howdah.model.request import Demand, PlanRequest, Protection
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.inspecting.data_mounts import data_dirs
from howdah.units import MIB

_CONTAINER_MEMORY = (
    "yarn.nodemanager.resource.memory-mb",
    "mapreduce.map.memory.mb",
    "mapreduce.reduce.memory.mb",
)
"""What a NodeManager gives out and what tasks take, MB."""


@dataclass(frozen=True, slots=True)
class FoundFacts(Facts):
    """Facts that say what a user of a check could give for what is missing.

    The cluster is never known, for no configuration says how many hosts share it.
    """

    probed: str = ""
    """The name of the host that was probed, if one was."""

    @property
    def group(self) -> HostGroup:
        """The host in question; raises CannotTell."""
        if self.known_group is None and self.probed:
            raise CannotTell(f"its disks' kind and its ports' speed, which the probe of {self.probed} lacks")
        if self.known_group is None:
            raise CannotTell("the host: give --host or --probe, or --plan")
        return self.known_group

    @property
    def worker(self) -> Worker:
        """The host as a worker; raises CannotTell."""
        if self.known_worker is None:
            raise CannotTell("the worker's size: give --conf with --host or --probe, or --plan")
        return self.known_worker


def found_facts(
    found: Found, values: Values | None, known: Mapping[str, Value], releases: Releases
) -> FoundFacts:
    """The facts that a configuration, a host or both give."""
    host = found.host
    dirs = tuple(map(str, data_dirs(found.config))) if found.config is not None else ()
    group = group_of(host, dirs) if host is not None else None
    return FoundFacts(
        request=_request(found, values, releases),
        known_group=group,
        known_worker=_native_worker(host, group, known, dirs) if host and values is not None else None,
        decided=known,
        probed=host.name if host is not None else "",
    )


def _request(found: Found, values: Values | None, releases: Releases) -> PlanRequest:
    config = found.config
    files = {PurePosixPath(file).name for file in config.files} if config else set()
    hbase = "hbase-site.xml" in files
    # A folder of HDFS alone says nothing of what runs on it; a host without a folder may run tasks.
    mapreduce = config is None or not files.isdisjoint({"yarn-site.xml", "mapred-site.xml"})
    pairs = [one for one in config.properties if one.name.startswith("dfs.ha.namenodes.")] if config else []
    authentication = values.read("hadoop.security.authentication") if values is not None else None
    return PlanRequest(
        workloads=(
            *([Demand(kind="terasuite")] if mapreduce else []),
            *([Demand(kind="ycsb")] if hbase else []),
        ),
        protection=Protection.HA if pairs else Protection.NONE,
        secure=authentication is not None and authentication.text.lower() == "kerberos",
        hadoop=releases.hadoop,
        hbase=releases.hbase,
    )


def _native_worker(
    host: Host, group: HostGroup | None, known: Mapping[str, Value], dirs: tuple[str, ...]
) -> Worker:
    """The host as one worker whose slots are the containers that its NodeManager has memory for."""
    memory, of_map, of_reduce = (_megabytes(known[key]) for key in _CONTAINER_MEMORY)
    slots = max(1, memory // (of_map + of_reduce))
    return Worker(
        name="worker",
        map_slots=slots,
        reduce_slots=slots,
        memory_bytes=host.memory.total_bytes // MIB * MIB,
        data_dirs=dirs,
        group=group.name if group else None,
        vcpus=host.cpu.threads,
        data_disks=(group.data_disks if group else 0) or len(dirs) or None,
        numa_nodes=max(1, len(host.cpu.numa_nodes)),
    )


def _megabytes(known: Value) -> int:
    return known if isinstance(known, int) else 1
