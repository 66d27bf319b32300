"""What a probed host says of the keys that operating-system rules decide."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.host import Host
from howdah.model.plan import Value


def host_values(host: Host) -> Mapping[str, Value]:
    """The value of every key that could be read; what could not is left out."""
    memory, network, limits = host.memory, host.network, host.limits
    read: dict[str, Value | None] = {
        "vm.swappiness": memory.swappiness,
        "vm.overcommit_memory": memory.overcommit_memory,
        "vm.dirty_ratio": memory.dirty_ratio,
        "vm.dirty_background_ratio": memory.dirty_background_ratio,
        "vm.dirty_bytes": memory.dirty_bytes,
        "vm.dirty_background_bytes": memory.dirty_background_bytes,
        "transparent_hugepage.enabled": memory.transparent_huge_pages,
        "transparent_hugepage.defrag": memory.transparent_huge_pages_defrag,
        "net.core.rmem_max": network.rmem_max_bytes,
        "net.core.wmem_max": network.wmem_max_bytes,
        "net.core.somaxconn": network.somaxconn,
        "net.ipv4.tcp_mtu_probing": network.tcp_mtu_probing,
        "net.ipv4.conf.all.arp_filter": network.arp_filter,
        "nofile": limits.open_files,
        "nproc": limits.processes,
        "memlock": limits.locked_memory_bytes,
        "java.version": host.software.java,
    }
    return {key: value for key, value in read.items() if value is not None}
