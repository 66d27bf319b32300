"""The whole machine."""

from __future__ import annotations

from pathlib import Path

from howdah.model.host import Cpu, Host, Memory
from howdah.probe.cgroup import read_cgroup
from howdah.probe.cpu import read_cpu
from howdah.probe.disks import read_disks
from howdah.probe.file_systems import read_file_systems
from howdah.probe.inquiry import Inquiry, inquiry_for
from howdah.probe.memory import read_memory
from howdah.probe.nics import read_network_stack, read_nics
from howdah.probe.software import read_limits, read_software
from howdah.probe.tree import FileTree
from howdah.probe.virtualisation import read_virtualisation
from howdah.units import format_memory


def probe_host(root: Path = Path("/"), inquiry: Inquiry | None = None) -> Host:
    """Read the machine whose /proc, /sys and /etc lie below ``root``, without privileges.

    ``inquiry`` answers what no file tells; by default this machine does for ``/`` and nobody for a
    recorded tree. What could not be read is None and named in ``unread``. Raises UserError if there
    is no Linux /proc below ``root``.
    """
    tree = FileTree(root)
    inquiry = inquiry or inquiry_for(root)
    memory = read_memory(tree)
    cpu = read_cpu(tree, inquiry)
    _compare_numa_memory(tree, cpu, memory)
    file_systems, other_mounts = read_file_systems(tree, inquiry)
    return Host(
        name=tree.text("proc/sys/kernel/hostname", "host name") or "localhost",
        cpu=cpu,
        memory=memory,
        disks=read_disks(tree),
        file_systems=file_systems,
        nics=read_nics(tree),
        virtualisation=read_virtualisation(tree, inquiry),
        software=read_software(tree, inquiry),
        network=read_network_stack(tree),
        limits=read_limits(tree),
        cgroup=read_cgroup(tree),
        other_mounts=other_mounts,
        unread=tree.unread,
    )


def _compare_numa_memory(tree: FileTree, cpu: Cpu, memory: Memory) -> None:
    """Some hypervisors plug memory in without telling which node it belongs to."""
    shown = sum(node.memory_bytes for node in cpu.numa_nodes)
    if cpu.numa_nodes and shown < 0.9 * memory.total_bytes:
        tree.note(
            "numa memory",
            f"the nodes show {format_memory(shown)} of the machine's {format_memory(memory.total_bytes)}",
        )
