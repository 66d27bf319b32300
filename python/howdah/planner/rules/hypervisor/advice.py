"""Which hypervisor, and what no file of a virtual machine sets."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole
from howdah.planner.conditions import under_kvm, under_vsphere
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Condition, Rules
from howdah.units import MIB, format_memory

_HUGE_PAGE = 2 * MIB
_UNDER_VSPHERE = Condition("workers are virtual machines under vSphere", under_vsphere)


rules = Rules()


rules.advice(
    "hypervisor.choose",
    MUST,
    sources="howdah",
    when=Condition(
        "workers are virtual machines and no hypervisor is chosen",
        lambda facts: facts.request.dividing is None and facts.cluster.virtual,
    ),
).text(
    "Choose the hypervisor that divides the hosts.",
    "Workers are virtual machines, and no hypervisor is chosen: pass --hypervisor vsphere or kvm to "
    "get its settings, or none for workers that are whole hosts.",
)


@rules.advice(
    "hypervisor.vsphere-raw-disks",
    sources="D0 31, D3 123, D2 112",
    when=_UNDER_VSPHERE,
    today="The studies also held the SAS driver to one interrupt; today's drivers need no such limit.",
)
def _raw_disks(facts: Facts) -> str:
    """Hand data disks through whole."""
    if _all_nvme(facts):
        return (
            f"Pass each of a worker's {facts.worker.data_disks or 0} NVMe drives through to it as a PCI "
            "device (DirectPath I/O), or give it one VMDK for each drive on a virtual NVMe controller."
        )
    return (
        f"Pass each of a worker's {facts.worker.data_disks or 0} data disks through whole: a physical raw "
        "device mapping, or one VMDK that fills a datastore on one disk. Spread them over up to four "
        "PVSCSI controllers."
    )


def _all_nvme(facts: Facts) -> bool:
    return {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} == {DiskKind.NVME}


rules.advice("hypervisor.vsphere-no-pinning", sources="D0 8, X1, D1 89, D2 106", when=_UNDER_VSPHERE).text(
    "Leave the placement on NUMA nodes to the scheduler.",
    "Set no CPU affinity and no NUMA node by hand: ESXi places workers that fit a node, and a pinned "
    "worker cannot move when its host's load changes.",
)


rules.advice("hypervisor.vsphere-memory-state", sources="D0 19", when=_UNDER_VSPHERE).text(
    "Keep every host in the memory state `high`.",
    "Check in esxtop (m) that every host stays in the memory state `high` under load: below it ESXi "
    "splits large pages, and every access to memory costs more.",
)


@rules.advice(
    "hypervisor.templates",
    MAY,
    sources="D0 72, D2 114",
    when=Condition("workers are virtual machines", lambda facts: facts.cluster.virtual),
)
def _template(facts: Facts) -> str:
    """Clone workers from a template."""
    kinds = len(facts.cluster.kinds)
    return (
        f"Make {'one template' if kinds == 1 else f'{kinds} templates'} and clone workers from it: a "
        "standard size fits hosts of several sizes well, and all workers stay identical."
    )


@rules.advice(
    "hypervisor.kvm-host-pages",
    MUST,
    sources="D0 23, D0 20",
    when=Condition("workers are virtual machines under KVM", under_kvm),
)
def _host_pages(facts: Facts) -> str:
    """Set huge pages aside for guests of KVM."""
    size = facts.worker.memory_bytes
    return (
        f"Reserve huge pages when a KVM host starts: {size // _HUGE_PAGE:,} of 2 MiB for each worker of "
        f"{format_memory(size)}, evenly over the NUMA nodes (hugepages= on the kernel's command line); "
        "turn KSM off."
    )


@rules.advice(
    "hypervisor.kvm-guest-nodes",
    sources="D0 9",
    when=Condition(
        "under KVM, a worker draws on several NUMA nodes",
        lambda facts: under_kvm(facts) and (facts.worker.numa_nodes or 1) > 1,
    ),
)
def _guest_nodes(facts: Facts) -> str:
    """Show a guest the NUMA nodes that it draws on."""
    return (
        f"A worker draws on {facts.worker.numa_nodes} NUMA nodes, which a guest of KVM sees only if "
        "configured: define as many <cell>s under <cpu><numa> and bind each with <memnode>, or divide the "
        "host into more workers."
    )
