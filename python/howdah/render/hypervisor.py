"""Virtual machines: which on which host, and what the hypervisor is told of each kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost
from howdah.model.plan import Cluster, Master, Plan, Worker
from howdah.render.esxi import esxi_script
from howdah.render.files import ESXI, LIBVIRT, VMX
from howdah.render.hosts import table
from howdah.render.libvirt import domain
from howdah.render.variant import Variant, of_kind, select, variants
from howdah.render.vmx import vmx_fragment
from howdah.units import MIB

_COLUMNS = ("vm", "host", "rack", "kind", "vcpus", "memory_mib", "data_disks", "daemons")


def hypervisor_files(plan: Plan, cluster: Cluster, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """Everything of ``hypervisor/``; nothing where workers are the hosts themselves."""
    divided = {layout.group for layout in cluster.layouts if layout.virtual}
    if not divided:
        return
    kinds = {worker.name: worker for worker in plan.workers if worker.group in divided}
    rows = [row for host in hosts if host.group in divided for row in _machines(host, kinds)]
    yield ConfigFile(path="hypervisor/placement.csv", content=table(_COLUMNS, rows))
    for worker in kinds.values():
        if settings := select(plan, VMX, of_kind(worker)):
            yield ConfigFile(path=f"hypervisor/{worker.name}.vmx", content=vmx_fragment(worker, settings))
        if settings := select(plan, LIBVIRT, of_kind(worker)):
            yield ConfigFile(path=f"hypervisor/{worker.name}.xml", content=domain(worker, settings))
    for variant in variants(plan, cluster, (ESXI,)):
        if settings := select(plan, ESXI, variant):
            yield ConfigFile(
                path=f"hypervisor/{variant.folder('esxi')}.sh",
                content=esxi_script(_hosts_of(variant), settings),
                executable=True,
            )


def _hosts_of(variant: Variant) -> str:
    return f"every host of the group {variant.group}" if variant.group else "every host"


def _machines(host: PlacedHost, kinds: Mapping[str, Worker]) -> Iterator[Sequence[object]]:
    """A host's workers, masters and shadows, which all need room on it."""
    for placed in host.workers:
        kind = kinds[placed.kind]
        daemons = " ".join(role.value for role in kind.roles)
        size = (kind.vcpus, kind.memory_bytes // MIB, kind.data_disks)
        yield (placed.name, host.name, host.rack, kind.name, *size, daemons)
    for master in host.masters:
        if not master.shares:
            yield _master(master, host, "master")
    for master in host.shadows:
        yield _master(master, host, "shadow")


def _master(master: Master, host: PlacedHost, kind: str) -> Sequence[object]:
    daemons = " ".join(role.value for role in master.roles)
    size = (master.vcpus, master.memory_bytes // MIB, 0)
    return (master.address, host.name, host.rack, kind, *size, daemons)
