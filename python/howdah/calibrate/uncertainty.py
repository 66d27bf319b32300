"""How sure a calibration is of another run: draws of its parameters, distance from its own runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from howdah.calibrate.records import HBASE
from howdah.model.calibration import CalibratedValue, Calibration, Extent
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Beyond, Distance
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.model.workloads.ycsb import Ycsb
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.units import format_bits_per_s, format_bytes, format_count_short

_OF_TABLES = frozenset(parameter.name for parameter in HBASE)
PER_DISTANCE = 0.06
"""Standard deviation of a time's logarithm for each unit of `distance`.

From ALOJA's runs, which are predicted without being fitted: so much covers nine of ten (docs/accuracy.md)."""
_WHOLE = 10  # From here on a number of hosts, disks or tasks is shown without its fraction.
_SLACK = 1.5  # So much beyond the last run is no extrapolation worth a word.


def extents(works: Iterable[tuple[ClusterPlan, Suite]]) -> tuple[Extent, ...]:
    """The least and the most of every quantity over several runs."""
    result: dict[str, Extent] = {}
    for plan, suite in works:
        for name, unit, value in _quantities(plan, suite):
            before = result.get(name)
            low, high = (before.low, before.high) if before else (value, value)
            result[name] = Extent(name=name, unit=unit, low=min(low, value), high=max(high, value))
    return tuple(result.values())


def distance(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> float:
    """How far a run lies outside the runs that a calibration was made from; 0 inside.

    The length of a vector with the logarithm of the factor beyond the nearest run for each quantity.
    """
    return math.hypot(*(math.log(outside.factor) for outside in _outside(calibration, plan, suite)))


def distance_of(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> Distance | None:
    """The same with the quantities outside, the furthest first; None without a calibration."""
    if calibration is None:
        return None
    length = distance(calibration, plan, suite)
    furthest = sorted(_outside(calibration, plan, suite), key=lambda outside: -outside.factor)
    return Distance(length=length, deviation=PER_DISTANCE * length, beyond=tuple(furthest))


def beyond(calibration: Calibration, plan: ClusterPlan, suite: Suite) -> tuple[str, ...]:
    """What of a run lies well outside the runs that a calibration was made from, in words."""
    far = (outside.text for outside in _outside(calibration, plan, suite) if outside.factor > _SLACK)
    return (*_other_work(calibration, suite), *far)


def _outside(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> Iterator[Beyond]:
    by_name = {extent.name: extent for extent in calibration.extents} if calibration else {}
    for name, unit, value in _quantities(plan, suite):
        extent = by_name.get(name)
        if extent is None or value <= 0:
            continue
        factor = max(value / extent.high, extent.low / value)
        if factor > 1:
            low, high = _text(extent.low, extent.unit), _text(extent.high, extent.unit)
            reach = f"at {low}" if low == high else f"from {low} to {high}"
            text = f"{name} {_text(value, unit)}, calibrated {reach}"
            yield Beyond(name=name, value=value, low=extent.low, high=extent.high, factor=factor, text=text)


def _other_work(calibration: Calibration, suite: Suite) -> Iterator[str]:
    """Costs of jobs are none of operations on a table, nor the other way round."""
    of_tables = any(value.name in _OF_TABLES for value in calibration.parameters)
    has_operations = any(isinstance(workload, Ycsb) for workload in suite.workloads)
    if has_operations != of_tables:
        pair = ("operations on a table", "jobs") if has_operations else ("jobs", "operations on a table")
        yield ", calibrated by ".join(pair)


def _quantities(plan: ClusterPlan, suite: Suite) -> Iterator[tuple[str, str, float]]:
    """Names, units and values of what a simulation's rightness may depend on."""
    cluster = plan.cluster
    workers = list(placed_workers(cluster))
    hosts = {worker.host for worker in workers}
    yield "hosts", "", float(len(hosts))
    yield "workers on a host", "", len(workers) / len(hosts)
    for group in cluster.inventory.worker_groups:
        yield "threads of a host", "", float(group.cpu.threads)
        yield "data disks of a host", "", float(group.data_disks)
        yield "network of a host", "bit/s", float(group.network_bits_per_s)
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


def _text(value: float, unit: str) -> str:
    if unit:
        return format_bytes(value) if unit == "B" else format_bits_per_s(value)
    return format_count_short(round(value)) if value >= _WHOLE else f"{value:.2g}"


_NINETY = 1.6448536269514722  # Standard deviations from the middle to either end of a 90 % interval.
_MOST = 2.5  # No draw is further from the fitted value, in standard deviations: tails were not fitted.


def draws(calibration: Calibration, count: int, seed: int) -> tuple[dict[str, float], ...]:
    """So many sets of values by name, the first of them the calibration's own; the same seed gives the same.

    A logarithm is normal about the fitted value, as wide as its interval; fitted ones move together by their
    correlations. What has no interval, or is not positive, stays as it is. Each set has the names of
    ``calibration.values``: what was fitted to one study's own hosts is of no other's.
    """
    values = calibration.parameters
    spreads = np.array([_spread(value) for value in values])
    normal = np.random.default_rng(seed).standard_normal((max(0, count - 1), len(values)))
    # Row by row, where a product of matrices would round by how many rows there are.
    together = np.clip(np.sum(normal[:, np.newaxis, :] * _root(calibration, values), axis=2), -_MOST, _MOST)
    result = tuple(calibration.values for _ in range(min(count, 1)))
    return result + tuple(
        {
            value.name: value.value * float(np.exp(spread * off))
            for value, spread, off in zip(values, spreads, row, strict=True)
            if value.name in calibration.values
        }
        for row in together
    )


def _spread(value: CalibratedValue) -> float:
    """Standard deviation of the logarithm."""
    if min(value.low, value.value) <= 0:
        return 0.0
    return float(np.log(value.high / value.low)) / (2 * _NINETY)


def _root(calibration: Calibration, values: Sequence[CalibratedValue]) -> NDArray[np.float64]:
    """A square root of the correlations: numbers drawn apart become numbers that lie apart together."""
    whole = np.eye(len(values))
    if calibration.correlations:
        fitted = np.array([index for index, value in enumerate(values) if value.origin == "fitted"])
        rows, columns = (fitted[places] for places in np.tril_indices(len(fitted), -1))
        whole[rows, columns] = whole[columns, rows] = calibration.correlations
    # Rounded correlations may be no matrix of any numbers; the nearest is without what is below zero.
    sizes, directions = np.linalg.eigh(whole)
    root: NDArray[np.float64] = directions * np.sqrt(np.maximum(sizes, 0.0))
    return root
