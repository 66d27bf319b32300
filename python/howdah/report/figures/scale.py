"""The unit in which a whole axis is read."""

from __future__ import annotations

from typing import NamedTuple


class ScaledUnit(NamedTuple):
    """A unit with its size in the base unit."""

    size: float
    name: str


def rate_unit(most_bytes_per_s: float) -> ScaledUnit:
    """The largest 1000-based unit in which the largest rate is at least 1."""
    for size, name in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if most_bytes_per_s >= size:
            return ScaledUnit(size, name)
    return ScaledUnit(1.0, "B/s")


def memory_unit(most_bytes: float) -> ScaledUnit:
    """The largest 1024-based unit in which the largest size is at least 1, MiB at least."""
    for size, name in ((2.0**40, "TiB"), (2.0**30, "GiB")):
        if most_bytes >= size:
            return ScaledUnit(size, name)
    return ScaledUnit(2.0**20, "MiB")


def number_format(top: float) -> str:
    """As many decimals as an axis that ends at ``top`` needs (d3 format)."""
    if top >= 20:
        return ".0f"
    return ".1f" if top >= 2 else ".2f"
