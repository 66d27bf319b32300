"""What in a laboratory is like the planned cluster, and what is not, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from howdah.lab.capabilities import Capabilities
from howdah.lab.hierarchies import Controller
from howdah.lab.spec import LabSpec
from howdah.model.cluster import Isolation
from howdah.units import format_bits_per_s, format_memory, format_rate

_ROUNDED = 1.001
"""Shares of a CPU are fractions, whose sum may come out a little larger than what was divided."""

_NEVER = (
    (
        "virtualisation",
        "machines share one kernel: what a hypervisor's page walks and virtual devices cost is absent",
    ),
    ("NUMA", "machines share this machine's NUMA nodes and caches"),
    ("seeks", "disks are held to a speed, not to a head's way: many streams at once cost what one does"),
    ("write-back", "one kernel holds the dirty pages of all machines and decides when it writes them"),
)


def isolation(capabilities: Capabilities, spec: LabSpec, cpus: float) -> tuple[Isolation, ...]:
    """What is held to the spec on a machine of so many CPUs, to which values, and what no laboratory has."""
    return (
        Isolation(
            what="network", kept=True, how="a namespace, address and name for each machine; no way out"
        ),
        _uplinks(spec),
        _cpu(capabilities, spec, cpus),
        _memory(capabilities, spec),
        _disks(capabilities, spec),
        *_never(),
    )


def rootless_isolation(capabilities: Capabilities) -> tuple[Isolation, ...]:
    """What is left and what is lost on loopback addresses."""
    why = capabilities.root.why or capabilities.namespaces.why
    lost = {
        "network": f"machines share this machine's network and differ by loopback address: {why}",
        "uplink": "loopback is as fast as memory, between hosts too",
        "CPU": "every machine may use all of this machine's CPUs",
        "memory": "every machine may use all of this machine's memory and page cache",
        "disks": "data lies in directories of one file system, at its speed",
    }
    return (*(Isolation(what=what, kept=False, how=how) for what, how in lost.items()), *_never())


def _never() -> Iterator[Isolation]:
    return (Isolation(what=what, kept=False, how=how) for what, how in _NEVER)


def _uplinks(spec: LabSpec) -> Isolation:
    speeds = {host.uplink_bits_per_s for host in spec.hosts} - {None}
    if not speeds:
        return Isolation(what="uplink", kept=False, how="links between hosts have no limit")
    shown = _listed(format_bits_per_s(speed) for speed in sorted(filter(None, speeds)))
    return Isolation(what="uplink", kept=True, how=f"{shown} each way, a token bucket at both ends")


def _cpu(capabilities: Capabilities, spec: LabSpec, cpus: float) -> Isolation:
    version = capabilities.controllers.get(Controller.CPU)
    if version is None:
        return _without("CPU", "cpu", "every machine may use all of this machine's CPUs")
    shares = sorted({one for one in (machine.cpus for machine in spec.machines) if one is not None})
    if not shares:
        return Isolation(what="CPU", kept=False, how="machines have no limit of CPU time")
    shown = _listed(f"{share:g}" for share in shares)
    how = f"{shown} CPUs' worth of time, control groups version {version}"
    promised = sum(
        host.cpus or sum(one.cpus or 0.0 for one in spec.machines if one.host == host.name)
        for host in spec.hosts
    )
    if promised > cpus * _ROUNDED:
        return Isolation(
            what="CPU",
            kept=False,
            how=f"{how}, and no more; but hosts may use {promised:.3g} together, and this machine has "
            f"{cpus:.3g}: while all are busy, each gets less",
        )
    return Isolation(what="CPU", kept=True, how=how)


def _memory(capabilities: Capabilities, spec: LabSpec) -> Isolation:
    version = capabilities.controllers.get(Controller.MEMORY)
    if version is None:
        return _without("memory", "memory", "every machine may use all of this machine's memory")
    sizes = sorted({one for one in (machine.memory_bytes for machine in spec.machines) if one is not None})
    if not sizes:
        return Isolation(what="memory", kept=False, how="machines have no limit of memory")
    shown = _listed(map(format_memory, sizes))
    how = f"{shown}, page cache included and no swap, control groups version {version}"
    return Isolation(what="memory", kept=True, how=how)


def _disks(capabilities: Capabilities, spec: LabSpec) -> Isolation:
    disks = [disk for machine in spec.machines for disk in machine.disks]
    if not disks:
        return Isolation(what="disks", kept=False, how="machines have no disks of their own")
    own = f"{spec.format.file_system} on loop devices of a machine's own"
    version = capabilities.controllers.get(Controller.IO)
    if version is None:
        return _without("disks", "io", f"{own}, as fast as this machine's")
    speeds = sorted({(disk.read_bytes_per_s, disk.write_bytes_per_s) for disk in disks}, key=str)
    if speeds == [(None, None)]:
        return Isolation(what="disks", kept=False, how=f"{own}, as fast as this machine's")
    shown = _listed(f"reads {_speed(read)} and writes {_speed(write)}" for read, write in speeds)
    how = f"{own}, {shown}, in full even when both at once, control groups version {version}"
    return Isolation(what="disks", kept=True, how=how)


def _speed(bytes_per_s: int | None) -> str:
    return format_rate(bytes_per_s) if bytes_per_s else "without limit"


def _without(what: str, controller: str, how: str) -> Isolation:
    return Isolation(what=what, kept=False, how=f"no {controller} controller of control groups here: {how}")


def _listed(texts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(texts))
