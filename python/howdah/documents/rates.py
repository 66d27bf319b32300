"""Rates of disks that hosts were measured to have, in an inventory's words.

Zones come from whole disks; where these could not be read, a rate is that of files in free space, which lie
in some zone or other: then it is said beside the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from howdah.documents.fault import Keys
from howdah.documents.hardware import disk_names
from howdah.model.host import Host
from howdah.model.inventory import DiskSet
from howdah.units import exact_bytes

_DIGITS = 3


class Rated(NamedTuple):
    """Disks with their rates, and what to say beside them by their path below a group."""

    disks: tuple[DiskSet, ...]
    said: dict[Keys, str]


def rated(disks: Sequence[DiskSet], hosts: Sequence[Host]) -> Rated:
    """The lines of disks of hosts that are alike, with the median of what was measured of each line."""
    said: dict[Keys, str] = {}
    lines = list(disks)
    for index, line in enumerate(disks):
        zones = [pair for host in hosts for pair in _zones(host, index)]
        files = [rate for host in hosts for rate in _files(host, index)]
        if zones:
            outer, inner = (median(pair[end] for pair in zones) for end in (0, 1))
            lines[index] = _with(line, outer, min(outer, inner))
        elif files:
            lines[index] = _with(line, median(files), median(files))
            said["disks", index] = "rates of files in free space, wherever they lay"
    return Rated(tuple(lines), said)


def _zones(host: Host, index: int) -> list[tuple[float, float]]:
    """Rates of the outer and the inner zone of every measured disk in a line."""
    if host.measured is None:
        return []
    found = [host.measured.zones_of(name) for name in disk_names(host)[index]]
    return [(one.outer_bytes_per_s, one.inner_bytes_per_s) for one in found if one is not None]


def _files(host: Host, index: int) -> list[float]:
    """Rates of files on single disks of a line, the mean of reading and writing as many bytes."""
    names = set(disk_names(host)[index])
    return [
        2 / (1 / one.rates.read_bytes_per_s.value + 1 / one.rates.write_bytes_per_s.value)
        for one in (host.measured.directories if host.measured else ())
        if len(one.disks) == 1 and names.issuperset(one.disks)
    ]


def _with(line: DiskSet, outer: float, inner: float) -> DiskSet:
    told = line.model_dump(by_alias=True, exclude_none=True)
    return DiskSet.model_validate(told | {"outer_rate": _rate(outer), "inner_rate": _rate(inner)})


def _rate(bytes_per_s: float) -> str:
    """A rate in three digits: more than that no measurement repeats."""
    step = 10 ** max(0, len(str(int(bytes_per_s))) - _DIGITS)
    return f"{exact_bytes(round(bytes_per_s / step) * step)}/s"
