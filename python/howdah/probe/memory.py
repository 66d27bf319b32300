"""Memory and the settings that decide how the kernel uses it: /proc/meminfo, /proc/sys/vm, /sys/kernel/mm."""

from __future__ import annotations

import re

from howdah.errors import UserError
from howdah.model.host import Memory
from howdah.probe.tree import FileTree, parse_size


def read_memory(tree: FileTree) -> Memory:
    """Memory as it is now; raise UserError if /proc/meminfo is not there."""
    info = _meminfo(tree)
    return Memory(
        total_bytes=info["MemTotal"],
        available_bytes=_available(tree, info),
        swap_total_bytes=info.get("SwapTotal", 0),
        huge_page_bytes=info.get("Hugepagesize"),
        huge_pages_total=info.get("HugePages_Total"),
        transparent_huge_pages=_huge_page_mode(tree, "enabled", "memory transparent_huge_pages"),
        transparent_huge_pages_defrag=_huge_page_mode(tree, "defrag", "memory transparent_huge_pages_defrag"),
        swappiness=_setting(tree, "swappiness"),
        overcommit_memory=_setting(tree, "overcommit_memory"),
        dirty_ratio=_setting(tree, "dirty_ratio"),
        dirty_background_ratio=_setting(tree, "dirty_background_ratio"),
        dirty_bytes=_setting(tree, "dirty_bytes"),
        dirty_background_bytes=_setting(tree, "dirty_background_bytes"),
    )


def _meminfo(tree: FileTree) -> dict[str, int]:
    info: dict[str, int] = {}
    for line in tree.lines("proc/meminfo"):
        key, _, amount = line.partition(":")
        info[key] = parse_size(amount)
    if "MemTotal" not in info:
        raise UserError(
            str(tree.root / "proc/meminfo"), "has no MemTotal", "howdah needs Linux with /proc mounted"
        )
    return info


def _available(tree: FileTree, info: dict[str, int]) -> int:
    if "MemAvailable" in info:
        return info["MemAvailable"]
    # Linux before 3.14 makes no estimate. Free memory is surely available.
    tree.note("memory available_bytes", "/proc/meminfo: has no MemAvailable; MemFree is used instead")
    return info.get("MemFree", 0)


def _huge_page_mode(tree: FileTree, name: str, what: str) -> str | None:
    path = f"sys/kernel/mm/transparent_hugepage/{name}"
    chosen = re.search(r"\[([\w+]+)\]", tree.text(path, what) or "")
    return chosen.group(1) if chosen else None


def _setting(tree: FileTree, name: str) -> int | None:
    return tree.integer(f"proc/sys/vm/{name}", f"memory {name}")
