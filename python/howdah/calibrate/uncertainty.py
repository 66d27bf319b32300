"""How sure a calibration is of another run: draws of its parameters, distance from its own runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from howdah.calibrate.records import HBASE
from howdah.model.calibration import (
    BYTE_CPU,
    DISK_KIND,
    FLASH,
    OWN,
    ROTATING,
    CalibratedValue,
    Calibration,
    Extent,
    disk_kind_text,
)
from howdah.model.inventory import DiskKind
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Beyond, Distance
from howdah.model.request import Profile
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.model.workloads.ycsb import Ycsb
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.units import format_bits_per_s, format_bytes, format_count_short

_OF_TABLES = frozenset(parameter.name for parameter in HBASE)
PER_DISTANCE = 0.06
"""Standard deviation of a time's logarithm for each unit of `distance`.

Chosen with ALOJA's runs, of which two determine their hosts and the others are predicted: so much covers nine
of ten (docs/accuracy.md)."""
_WHOLE = 10  # From here on a number of hosts, disks or tasks is shown without its fraction.
_SLACK = 1.5  # So much beyond the last run is no extrapolation worth a word.
_SHARING = frozenset({"maps at once on a data disk", "maps at once on a thread", "network of a data disk"})
"""Quantities that decide how tasks share a host, which no task alone on a machine shows."""
_RELEASE = "release of Hadoop"


def extents(works: Iterable[tuple[ClusterPlan, Suite]]) -> tuple[Extent, ...]:
    """The least and the most of every quantity over several runs."""
    result: dict[str, Extent] = {}
    for plan, suite in works:
        for name, unit, value in _quantities(plan, suite):
            before = result.get(name)
            low, high = (before.low, before.high) if before else (value, value)
            result[name] = Extent(name=name, unit=unit, low=min(low, value), high=max(high, value))
    return tuple(result.values())


def of_sharing(known: Iterable[Extent]) -> tuple[Extent, ...]:
    """The quantities that still count for a calibration of costs that were measured on a machine.

    Costs of a byte and of a start hold for any size and number of hosts. How tasks share disks, cores and
    links was not measured, so the published runs remain the only evidence.
    """
    return tuple(extent for extent in known if extent.name in _SHARING)


def distance(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> float:
    """How far a run lies outside the runs that a calibration was made from; 0 inside.

    The length of a vector with the logarithm of the factor beyond the range of these runs for each quantity.
    """
    return math.hypot(*_offsets(calibration, plan, suite).values())


def distance_between(
    calibration: Calibration | None, first: tuple[ClusterPlan, Suite], second: tuple[ClusterPlan, Suite]
) -> float:
    """How much of the way from one run to another lies outside the runs that a calibration was made from."""
    mine, theirs = (_offsets(calibration, *work) for work in (first, second))
    return math.hypot(*(mine.get(name, 0.0) - theirs.get(name, 0.0) for name in {*mine, *theirs}))


def _offsets(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> dict[str, float]:
    """The logarithm of the factor beyond the calibration's range, negative below it, by quantity."""
    return {
        outside.name: math.copysign(math.log(outside.factor), outside.value - outside.high)
        for outside in _outside(calibration, plan, suite)
    }


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
    return (*_other_work(calibration, suite), *far, *_later_software(calibration, plan))


def _outside(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> tuple[Beyond, ...]:
    """Every quantity outside once: of the group of workers that is furthest."""
    furthest: dict[str, Beyond] = {}
    for outside in _outside_by_group(calibration, plan, suite):
        if outside.name not in furthest or outside.factor > furthest[outside.name].factor:
            furthest[outside.name] = outside
    return tuple(furthest.values())


def _outside_by_group(calibration: Calibration | None, plan: ClusterPlan, suite: Suite) -> Iterator[Beyond]:
    by_name = {extent.name: extent for extent in calibration.extents} if calibration else {}
    for name, unit, value in _quantities(plan, suite):
        extent = by_name.get(name)
        if extent is None or value <= 0:
            continue
        factor = max(value / extent.high, extent.low / value)
        if factor > 1:
            low, high = _text(extent.low, extent.unit), _text(extent.high, extent.unit)
            preposition = "with" if unit == DISK_KIND else "at"
            reach = f"{preposition} {low}" if low == high else f"from {low} to {high}"
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
    yield _RELEASE, "", float(_release(plan))
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
        for disks in group.data_disk_sets:
            yield "kind of data disks", DISK_KIND, ROTATING if disks.kind is DiskKind.HDD else FLASH
    records = suite.first(RECORDS)
    if records is not None:
        yield "records", "", float(records)
    rows = suite.first(ROWS)
    if rows is not None:
        yield "dataset", "B", float(rows * ROW_BYTES)


def _release(plan: ClusterPlan) -> int:
    """The major release of Hadoop; the profile of the studies stands for Hadoop 1."""
    request = plan.cluster.request
    return 1 if request.profile is Profile.PAPER else int(request.hadoop.partition(".")[0])


def _text(value: float, unit: str) -> str:
    if unit == DISK_KIND:
        return disk_kind_text(value)
    if unit:
        return format_bytes(value) if unit == "B" else format_bits_per_s(value)
    return format_count_short(round(value)) if value >= _WHOLE else f"{value:.2g}"


def expected_values(known: Iterable[CalibratedValue]) -> tuple[CalibratedValue, ...]:
    """The costs of today's software that are not known, with their expected ranges."""
    names = {value.name for value in known}
    return tuple(
        CalibratedValue(
            name=parameter.name,
            value=parameter.default,
            low=parameter.low,
            high=parameter.high,
            origin="given",
            rests_on=(parameter.source,),
        )
        for parameter in OWN
        if parameter.name not in names
    )


def for_release(calibration: Calibration, plan: ClusterPlan) -> Calibration:
    """The calibration, with the expected costs of a plan's software if all of its runs used older software.

    Published runs are of Hadoop 1 under Java 6 and 7. What a byte and a start cost today is not known from
    them, and a prediction's interval has to show this.
    """
    known = next((extent for extent in calibration.extents if extent.name == _RELEASE), None)
    if known is None or _release(plan) <= known.high:
        return calibration
    added = expected_values(calibration.parameters)
    return calibration.model_copy(update={"parameters": (*calibration.parameters, *added)})


def _later_software(calibration: Calibration, plan: ClusterPlan) -> Iterator[str]:
    """What is expected of software that is later than that of all runs."""
    added = for_release(calibration, plan).parameters[len(calibration.parameters) :]
    for value in added:
        if value.name == BYTE_CPU:
            yield (
                f"CPU time of a byte, expected at {value.value:g} ({value.low:g} to {value.high:g}) times "
                "that of the calibrated release"
            )


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
