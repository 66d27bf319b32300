"""What it ran on: the hosts of the plan, and the machine that the run was started on."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.cluster import Laboratory, Scaling
from howdah.model.comparison import Aspect, Fact
from howdah.model.host import Host
from howdah.model.inventory import HostGroup
from howdah.model.run import RunRecord
from howdah.model.storage import Disk
from howdah.units import format_bits_per_s, format_bytes, format_memory, format_rate


def hardware_facts(record: RunRecord) -> Iterator[Fact]:
    """The cluster's hosts group by group, a laboratory's means, and this machine."""
    planned, cluster = record.plan.cluster, record.cluster
    if planned is not None:
        for group in planned.inventory.groups:
            for what, value in _group(group):
                yield _fact(f"{what} of {group.name}", value)
    elif cluster is not None:
        yield _fact("DataNodes", f"{len(cluster.datanodes):,}")
        yield _fact("NodeManagers", f"{len(cluster.nodemanagers):,}")
        yield _fact("space of HDFS", format_bytes(cluster.capacity_bytes))
    if cluster is not None and cluster.lab is not None:
        for what, value in _laboratory(cluster.lab):
            yield _fact(f"laboratory's {what}", value)
    whose = "" if planned is None and cluster is None else " of the machine it was started on"
    for what, value in _host(record.host):
        yield _fact(what + whose, value)


def _group(group: HostGroup) -> Iterator[tuple[str, str]]:
    cpu = group.cpu
    yield "hosts", f"{group.count:,}"
    cores = f"{cpu.sockets} × {cpu.cores_per_socket} cores of {cpu.threads_per_core} threads"
    yield "CPU", f"{cpu.model}, {cores}" if cpu.model else cores
    if cpu.speed is not None:
        yield "speed of a core", f"{cpu.speed:g}"
    yield "memory", format_memory(group.memory_bytes)
    yield (
        "disks",
        ", ".join(
            f"{one.count} × {one.kind} {format_bytes(one.size_bytes)} for {one.role}"
            + (f" at {format_rate(one.outer_bytes_per_s)}" if one.outer_bytes_per_s else "")
            + (f" to {format_rate(one.inner_bytes_per_s)}" if one.inner_bytes_per_s else "")
            for one in group.disks
        ),
    )
    if group.controller_bytes_per_s is not None:
        yield "disks' controller", format_rate(group.controller_bytes_per_s)
    yield (
        "network",
        ", ".join(f"{one.count} × {format_bits_per_s(one.speed_bits_per_s)}" for one in group.nics),
    )


def _laboratory(lab: Laboratory) -> Iterator[tuple[str, str]]:
    yield "root", "without" if lab.rootless else "with"
    for means in lab.isolation:
        yield means.what, f"kept: {means.how}" if means.kept else "lost"
    for one in lab.scaling:
        yield one.what, f"{_amount(one, one.lab)} of {_amount(one, one.planned)} planned"


def _amount(one: Scaling, value: float) -> str:
    match one.unit:
        case "B":
            return format_memory(value) if one.what.startswith("memory") else format_bytes(value)
        case "B/s":
            return format_rate(value)
        case "bit/s":
            return format_bits_per_s(value)
    return f"{value:g}"


def _host(host: Host) -> Iterator[tuple[str, str]]:
    cpu, memory, virtual = host.cpu, host.memory, host.virtualisation
    yield "name", host.name
    yield (
        "CPU",
        f"{cpu.model or cpu.architecture}, {cpu.sockets} sockets, {cpu.cores} cores, {cpu.threads} threads",
    )
    yield "CPUs left to howdah", f"{host.usable_cpus:g}"
    yield "NUMA nodes", str(len(cpu.numa_nodes))
    if cpu.governor is not None:
        yield "frequency governor", cpu.governor
    if cpu.turbo is not None:
        yield "turbo", "on" if cpu.turbo else "off"
    limit = host.cgroup.memory_limit_bytes
    yield "memory", format_memory(memory.total_bytes) + (f", limit {format_memory(limit)}" if limit else "")
    yield "swap", format_memory(memory.swap_total_bytes)
    yield "transparent huge pages", str(memory.transparent_huge_pages)
    # A loop device is a file of somebody's, a laboratory's for instance, and no hardware.
    for disk in host.disks:
        if disk.kind != "loop":
            yield f"disk {disk.name}", _disk(disk)
    for nic in host.nics:
        yield (
            f"network port {nic.name}",
            format_bits_per_s(nic.speed_bits_per_s) if nic.speed_bits_per_s else "speed not said",
        )
    yield "machine", (virtual.hypervisor or "virtual") if virtual.is_virtual else "physical"
    if virtual.container:
        yield "container", virtual.container


def _disk(disk: Disk) -> str:
    parts = (disk.kind, disk.model, format_bytes(disk.size_bytes), disk.scheduler)
    return ", ".join(part for part in parts if part)


def _fact(name: str, value: str) -> Fact:
    return Fact(aspect=Aspect.HARDWARE, name=name, value=value)
