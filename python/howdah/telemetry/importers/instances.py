"""Which disks and network interfaces of a Linux host count, where only their names are known.

The others stand above or beside those: what they move is counted below them.
"""

from __future__ import annotations

_NOT_DISKS = ("loop", "ram", "zram", "sr", "fd", "dm-", "md")
_NOT_LINKS = (
    "lo",
    "bond",
    "team",
    "br-",
    "virbr",
    "docker",
    "veth",
    "tun",
    "tap",
    "ifb",
    "dummy",
    "cali",
    "flannel",
)


def counts(subject: str, name: str) -> bool:
    """Whether a disk or interface counts; everything else does."""
    if subject == "disk":
        return not name.startswith(_NOT_DISKS)
    if subject == "nic":
        return not name.startswith(_NOT_LINKS)
    return True
