"""Which hypervisor, and what no file of a virtual machine sets."""

from __future__ import annotations

from howdah.model.inventory import DiskKind, DiskRole
from howdah.planner.conditions import under_kvm, under_vsphere
from howdah.planner.facts import Facts
from howdah.planner.rule import Counsel, Rule, Severity
from howdah.units import MIB, format_memory

_HUGE_PAGE = 2 * MIB


def _undecided(facts: Facts) -> bool:
    return facts.request.dividing is None and facts.cluster.virtual


def _virtual(facts: Facts) -> bool:
    return facts.cluster.virtual


def _choose(facts: Facts) -> str:
    return (
        "Workers are virtual machines, and no hypervisor is chosen: pass --hypervisor vsphere or kvm to "
        "get its settings, or none for workers that are whole hosts."
    )


def _raw_disks(facts: Facts) -> str:
    if _all_nvme(facts):
        return (
            f"Pass each of a worker's {facts.worker.data_disks or 0} NVMe drives through to it as a PCI "
            "device (DirectPath I/O), or give it one VMDK for each drive on a virtual NVMe controller."
        )
    return (
        f"Hand each of a worker's {facts.worker.data_disks or 0} data disks through whole: a physical raw "
        "device mapping, or one VMDK that fills a datastore on one disk. Spread them over up to four "
        "PVSCSI controllers."
    )


def _all_nvme(facts: Facts) -> bool:
    return {disk.kind for disk in facts.group.disks if disk.role is DiskRole.DATA} == {DiskKind.NVME}


def _no_pinning(facts: Facts) -> str:
    return (
        "Set no CPU affinity and no NUMA node by hand: ESXi places workers that fit a node by itself, and a "
        "pinned one is stuck when its host's load changes."
    )


def _high_state(facts: Facts) -> str:
    return (
        "See in esxtop (m) that every host stays in the memory state `high` under load: below it ESXi breaks "
        "large pages up, and every access to memory costs more."
    )


def _template(facts: Facts) -> str:
    kinds = len(facts.cluster.kinds)
    return (
        f"Make {'one template' if kinds == 1 else f'{kinds} templates'} and clone workers from it: a "
        "standard machine packs well on hosts of several sizes, and all workers stay alike."
    )


def _host_pages(facts: Facts) -> str:
    size = facts.worker.memory_bytes
    return (
        f"Set huge pages aside when a KVM host starts: {size // _HUGE_PAGE:,} of 2 MiB for each worker of "
        f"{format_memory(size)}, evenly over the NUMA nodes (hugepages= on the kernel's command line); "
        "turn KSM off."
    )


def _several_nodes(facts: Facts) -> bool:
    return under_kvm(facts) and (facts.worker.numa_nodes or 1) > 1


def _guest_nodes(facts: Facts) -> str:
    return (
        f"A worker draws on {facts.worker.numa_nodes} NUMA nodes, which a guest of KVM sees only if "
        "configured: define as many <cell>s under <cpu><numa> and bind each with <memnode>, or divide the "
        "host into more workers."
    )


RULES: tuple[Rule, ...] = (
    Counsel(
        id="hypervisor.choose",
        says="Say which hypervisor divides the hosts.",
        sources=("howdah",),
        severity=Severity.MUST,
        condition="workers are virtual machines and no hypervisor is chosen",
        applies=_undecided,
        tell=_choose,
    ),
    Counsel(
        id="hypervisor.vsphere-raw-disks",
        says="Hand data disks through whole.",
        sources=("D0 31", "D3 123", "D2 112"),
        condition="workers are virtual machines under vSphere",
        applies=under_vsphere,
        tell=_raw_disks,
        today="The studies also held the SAS driver to one interrupt; today's drivers need no such limit.",
    ),
    Counsel(
        id="hypervisor.vsphere-no-pinning",
        says="Leave the placement on NUMA nodes to the scheduler.",
        sources=("D0 8", "X1", "D1 89", "D2 106"),
        condition="workers are virtual machines under vSphere",
        applies=under_vsphere,
        tell=_no_pinning,
    ),
    Counsel(
        id="hypervisor.vsphere-memory-state",
        says="Keep every host in the memory state `high`.",
        sources=("D0 19",),
        condition="workers are virtual machines under vSphere",
        applies=under_vsphere,
        tell=_high_state,
    ),
    Counsel(
        id="hypervisor.templates",
        says="Clone workers from a template.",
        sources=("D0 72", "D2 114"),
        severity=Severity.MAY,
        condition="workers are virtual machines",
        applies=_virtual,
        tell=_template,
    ),
    Counsel(
        id="hypervisor.kvm-host-pages",
        says="Set huge pages aside for guests of KVM.",
        sources=("D0 23", "D0 20"),
        severity=Severity.MUST,
        condition="workers are virtual machines under KVM",
        applies=under_kvm,
        tell=_host_pages,
    ),
    Counsel(
        id="hypervisor.kvm-guest-nodes",
        says="Show a guest the NUMA nodes that it draws on.",
        sources=("D0 9",),
        condition="under KVM, a worker draws on several NUMA nodes",
        applies=_several_nodes,
        tell=_guest_nodes,
    ),
)
