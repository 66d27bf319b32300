"""Where a master saturates, in a sentence."""

from __future__ import annotations

from howdah.model.variation import SATURATED, Point, Sweep
from howdah.units import format_bytes, format_counted


def saturation_said(found: Sweep) -> str:
    """Between which sizes a master saturates, or how far the busiest is from it."""
    last = found.points[-1]
    if found.saturation is not None:
        before, after = found.saturation
        return f"The {_master(after)} saturates between {_size(found, before)} and {_size(found, after)}."
    if found.points[0].busiest >= SATURATED:
        return f"The {_master(found.points[0])} is saturated at {_size(found, found.points[0])} already."
    load = f"the {_master(last)} is busy for {last.busiest:.0%} of a core"
    return f"No master saturates: at {_size(found, last)} {load}."


def _master(point: Point) -> str:
    return "NameNode" if point.namenode >= point.scheduler else "scheduler"


def _size(found: Sweep, point: Point) -> str:
    return (
        format_counted(point.hosts, "host")
        if found.quantity == "hosts"
        else format_bytes(point.dataset_bytes)
    )
