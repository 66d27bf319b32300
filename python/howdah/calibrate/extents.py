"""How far a calibration's runs reach, and what of another run lies beyond them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from howdah.calibrate.hbase import HBASE
from howdah.model.calibration import Calibration, Extent
from howdah.model.inventory import HostGroup
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.model.workloads.ycsb import Ycsb
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.units import format_bits_per_s, format_bytes, format_count_short

_OF_TABLES = frozenset(parameter.name for parameter in HBASE)
_WHOLE = 10
"""From here on a number of hosts, disks or tasks is shown without its fraction."""
_SLACK = 1.5
"""So much beyond the last run is no extrapolation worth a word."""


def extents(works: Iterable[tuple[ClusterPlan, Suite]]) -> tuple[Extent, ...]:
    """The least and the most of every quantity over several runs."""
    result: dict[str, Extent] = {}
    for plan, suite in works:
        for name, unit, value in _quantities(plan, suite):
            known = result.get(name)
            low, high = (known.low, known.high) if known else (value, value)
            result[name] = Extent(name=name, unit=unit, low=min(low, value), high=max(high, value))
    return tuple(result.values())


def distance(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> float:
    """How far a run lies outside the runs that a calibration was made from; 0 inside.

    The length of a vector with the logarithm of the factor beyond the nearest run for each quantity.
    """
    if calibration is None:
        return 0.0
    known = {extent.name: extent for extent in calibration.extents}
    return math.hypot(
        *(
            math.log(max(value / extent.high, extent.low / value, 1.0))
            for name, _, value in _quantities(plan, suite)
            if (extent := known.get(name)) is not None and value > 0
        )
    )


def beyond(calibration: Calibration, plan: ClusterPlan, suite: Suite) -> tuple[str, ...]:
    """What of a run lies outside the runs that a calibration was made from, each in words."""
    known = {extent.name: extent for extent in calibration.extents}
    return tuple(_other_work(calibration, suite)) + tuple(
        f"{name} {_said(value, unit)}, calibrated {_reach(extent)}"
        for name, unit, value in _quantities(plan, suite)
        if (extent := known.get(name)) is not None
        and not extent.low / _SLACK <= value <= extent.high * _SLACK
    )


def _other_work(calibration: Calibration, suite: Suite) -> Iterator[str]:
    """Costs of jobs are none of operations on a table, nor the other way round."""
    of_tables = any(value.name in _OF_TABLES for value in calibration.parameters)
    asks = any(isinstance(workload, Ycsb) for workload in suite.workloads)
    if asks != of_tables:
        yield (
            "operations on a table, calibrated by jobs"
            if asks
            else "jobs, calibrated by operations on a table"
        )


def _quantities(plan: ClusterPlan, suite: Suite) -> Iterator[tuple[str, str, float]]:
    """Names, units and values of what a simulation's rightness may depend on."""
    cluster = plan.cluster
    workers = list(placed_workers(cluster))
    hosts = {worker.host for worker in workers}
    yield "hosts", "", float(len(hosts))
    yield "workers on a host", "", len(workers) / len(hosts)
    for group in cluster.inventory.worker_groups:
        yield from _hardware(group)
        slots = sum(
            kind.map_slots * kind.per_host for kind in plan.workers if kind.group in {None, group.name}
        )
        if slots and group.data_disks:
            yield "maps at once on a data disk", "", slots / group.data_disks
            yield "maps at once on a thread", "", slots / group.cpu.threads
            yield "network of a data disk", "bit/s", group.network_bits_per_s / group.data_disks
    records = suite.first(RECORDS)
    if records is not None:
        yield "records", "", float(records)
    rows = suite.first(ROWS)
    if rows is not None:
        yield "dataset", "B", float(rows * ROW_BYTES)


def _hardware(group: HostGroup) -> Iterator[tuple[str, str, float]]:
    yield "threads of a host", "", float(group.cpu.threads)
    yield "data disks of a host", "", float(group.data_disks)
    yield "network of a host", "bit/s", float(group.network_bits_per_s)


def _reach(extent: Extent) -> str:
    low, high = _said(extent.low, extent.unit), _said(extent.high, extent.unit)
    return f"at {low}" if low == high else f"from {low} to {high}"


def _said(value: float, unit: str) -> str:
    match unit:
        case "B":
            return format_bytes(value)
        case "bit/s":
            return format_bits_per_s(value)
        case _:
            return format_count_short(round(value)) if value >= _WHOLE else f"{value:.2g}"
