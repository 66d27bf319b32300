"""Plans of one machine that is made up."""

from __future__ import annotations

from howdah.model.host import Cpu, Host, Memory, Software, Virtualisation
from howdah.model.plan import WorkerPlan
from howdah.units import GIB, MIB


def host(threads: int = 2, memory: int = 24 * GIB, available: int | None = None) -> Host:
    return Host(
        name="h1",
        cpu=Cpu(
            model=None,
            architecture="x86_64",
            sockets=1,
            cores=threads,
            threads=threads,
            max_hz=None,
            caches=(),
            numa_nodes=(),
        ),
        memory=Memory(
            total_bytes=memory,
            available_bytes=memory * 9 // 10 if available is None else available,
            swap_total_bytes=0,
            huge_page_bytes=None,
            huge_pages_total=None,
            transparent_huge_pages=None,
            swappiness=None,
            overcommit_memory=None,
            dirty_ratio=None,
            dirty_background_ratio=None,
            dirty_bytes=None,
            dirty_background_bytes=None,
        ),
        disks=(),
        file_systems=(),
        nics=(),
        virtualisation=Virtualisation(is_virtual=False, hypervisor=None, container=None, steal_share=None),
        software=Software(kernel="6.1", distribution=None, java=None),
    )


def needs(rows: int, reduces: int, slots: int) -> tuple[int, int]:
    """A sort that needs 64 MiB at least and 120 bytes a row to stay in memory."""
    return 64 * MIB, 64 * MIB + 120 * rows


def setting(made: WorkerPlan, key: str) -> object:
    return next(item.value for item in made.settings if item.key == key)
