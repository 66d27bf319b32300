"""What esxtop's counters are called in batch mode, and the metrics they stand for.

Its megabytes and megabits are taken for binary ones. Of a host's CPUs it says how long they were
used, not by whom: that is user time. A virtual machine is ``ready`` while the hypervisor gives its
CPU to others, which is what a guest calls stolen time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_PERCENT, _MIB, _MBIT = 0.01, float(2**20), 2**20 / 8


class Meaning(NamedTuple):
    """A metric, its instance in braces, and what makes a counter's value one of its unit."""

    metric: str
    factor: float
    offset: float = 0.0


class Place(NamedTuple):
    """Whose a counter is: a virtual machine's by name, or the host's where that is None; and its instance."""

    guest: str | None
    instance: str


_MOVED = {
    "MBytes Read/sec": (Meaning("disk/{}/read_bytes", _MIB),),
    "MBytes Written/sec": (Meaning("disk/{}/written_bytes", _MIB),),
    "Reads/sec": (Meaning("disk/{}/reads", 1),),
    "Writes/sec": (Meaning("disk/{}/writes", 1),),
}

COUNTERS: Mapping[str, Mapping[str, tuple[Meaning, ...]]] = {
    "Physical Cpu": {
        "% Util Time": (
            Meaning("cpu/{}/user_s", _PERCENT),
            Meaning("cpu/{}/idle_s", -_PERCENT, 1.0),
        )
    },
    "Memory": {
        "Free MBytes": (Meaning("memory/available_bytes", _MIB),),
        "Swap Used MBytes": (Meaning("memory/swap_used_bytes", _MIB),),
    },
    "Physical Disk SCSI Device": _MOVED,
    "Virtual Disk": _MOVED,
    "Network Port": {
        "MBits Received/sec": (Meaning("nic/{}/rx_bytes", _MBIT),),
        "MBits Transmitted/sec": (Meaning("nic/{}/tx_bytes", _MBIT),),
        "Packets Received/sec": (Meaning("nic/{}/rx_packets", 1),),
        "Packets Transmitted/sec": (Meaning("nic/{}/tx_packets", 1),),
    },
    "Group Cpu": {
        "% Run": (Meaning("cpu/all/user_s", _PERCENT),),
        "% Idle": (Meaning("cpu/all/idle_s", _PERCENT),),
        "% Ready": (Meaning("cpu/all/steal_s", _PERCENT),),
        "% Max Limited": (Meaning("cpu/all/throttled_s", _PERCENT),),
    },
}
"""Counters by their object."""

_UPLINK = re.compile(r"[^:]*:[0-9]+:(vmnic[0-9]+)")
_PORT = re.compile(r"[^:]*:[0-9]+:[0-9]+:(.+?)(?:\.(eth[0-9]+))?")
_DISK = re.compile(r"(.+):((?:scsi|sata|nvme|ide)[0-9]+:[0-9]+)")
_GROUP = re.compile(r"[0-9]+:(.+)")


def place_of(kind: str, instance: str) -> Place | None:
    """Whose the counters of an object's instance are; None for what is counted elsewhere already.

    ``_Total``, a virtual machine's disks taken together and the hypervisor's own ports are.
    """
    match kind:
        case "Network Port":
            if uplink := _UPLINK.fullmatch(instance):
                return Place(None, uplink[1])
            port = _PORT.fullmatch(instance)
            return Place(port[1], port[2] or "eth0") if port else None
        case "Virtual Disk":
            disk = _DISK.fullmatch(instance)
            return Place(disk[1], disk[2]) if disk else None
        case "Group Cpu":
            group = _GROUP.fullmatch(instance)
            return Place(group[1], "all") if group else None
        case _:
            return None if instance == "_Total" else Place(None, instance)
