"""What a probed host says of the keys that operating-system rules decide."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.host import Host
from howdah.model.plan import Value


def host_values(host: Host) -> Mapping[str, Value]:
    """The value of every key that could be read; what could not is left out."""
    memory = host.memory
    read: dict[str, Value | None] = {
        "vm.swappiness": memory.swappiness,
        "vm.overcommit_memory": memory.overcommit_memory,
        "vm.dirty_ratio": memory.dirty_ratio,
        "vm.dirty_background_ratio": memory.dirty_background_ratio,
        "vm.dirty_bytes": memory.dirty_bytes,
        "vm.dirty_background_bytes": memory.dirty_background_bytes,
        "transparent_hugepage.enabled": memory.transparent_huge_pages,
        "java.version": host.software.java,
    }
    return {key: value for key, value in read.items() if value is not None}
