"""Sentences and tables that pages of predictions share: numbers, what they rest on, and past scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import NamedTuple, Self

from howdah.analysis.wording import percent, seconds, signed
from howdah.model import prediction as model
from howdah.model.calibration import (
    PARAMETERS,
    CalibratedValue,
    Calibration,
    CalibrationCell,
    Extent,
    disk_kind_text,
)
from howdah.model.cluster import Laboratory
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.model.reported import Counters
from howdah.model.run import RunWarning
from howdah.model.tuning import Tuning
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import FILES
from howdah.model.workloads.option import MAPS, REPLICATION
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import REDUCES, TeraRows
from howdah.report.document import PAGES, TERMINAL, Bullets, FactList, Only, Paragraph, Section, Table
from howdah.report.words import NONE, UNKNOWN, sentence, table_of
from howdah.units import format_bits_per_s, format_bytes, format_counted, format_per_s


def between(interval: model.Interval | None) -> str:
    """Both ends of an interval of times."""
    return UNKNOWN if interval is None else f"{seconds(interval.low)} to {seconds(interval.high)}"


def interval_text(forecast: model.Forecast) -> str:
    """Both ends of what is predicted."""
    if forecast.interval is None:
        return UNKNOWN
    return " to ".join(forecast_text(forecast, end) for end in forecast.interval)


def drawn_ends(interval: model.Interval | None, value: float) -> model.Interval:
    """What a figure draws an interval from: the value alone where it is unknown."""
    return interval or model.Interval(value, value)


def forecast_text(forecast: model.Forecast, value: float) -> str:
    return seconds(value) if forecast.metric is None else forecast.text_of(value)


def width(forecast: model.Forecast) -> str:
    """How far an interval reaches to its farther side; a dash where it is unknown."""
    return NONE if forecast.width is None else f"± {percent(forecast.width)}"


def distance_text(distance: model.Distance) -> str:
    """How far a run lies from those of its calibration, and what that adds to its intervals."""
    if not distance.beyond:
        return "0: every quantity is within its runs"
    nearest = distance.beyond[0]
    factor = f"{nearest.factor:.2g}" if nearest.factor < 100 else f"{nearest.factor:,.0f}"
    return (
        f"{distance.length:.2g}, mostly in {nearest.name}, which is outside its runs by a factor of "
        f"{factor}; intervals are wider by a standard deviation of "
        f"{percent(distance.deviation)}"
    )


def longer(share: float) -> str:
    """How much longer something takes: ``12 % longer``, ``3.4 % shorter``."""
    return f"{percent(abs(share))} {'longer' if share > 0 else 'shorter'}"


def warned(warnings: Iterable[RunWarning]) -> Bullets:
    """What limits the answer, as sentences."""
    return Bullets(tuple(sentence(warning.text) for warning in warnings), "warning")


def saturation_text(sweep: model.Sweep) -> str:
    """Between which sizes a master saturates, or how far the busiest is from it."""
    first, last = sweep.points[0], sweep.points[-1]
    if sweep.saturation is not None:
        before, after = (size_text(sweep, point) for point in sweep.saturation)
        return f"The {_master(sweep.saturation[1])} saturates between {before} and {after}."
    if first.busiest >= model.SATURATED:
        return f"The {_master(first)} is saturated at {size_text(sweep, first)} already."
    load = f"the {_master(last)} uses {percent(last.busiest)} of a core"
    return f"No master saturates: at {size_text(sweep, last)} {load}."


def load_text(sweep: model.LoadSweep) -> str:
    """From which load on nothing is won, and what is full there."""
    last, full = sweep.points[-1], sweep.saturated
    if full is None:
        done = "all of it is done" if sweep.quantity == "target" else "throughput still grows"
        return f"Nothing is saturated: with {_load(sweep, last)} {done}; {_busiest(last)}."
    rate = format_per_s(full.throughput_per_s)
    if sweep.quantity == "target":
        return f"Of {_load(sweep, full)} only {rate} are done; {_busiest(full)}."
    return f"More than {_load(sweep, full)} hardly help: throughput is {rate} there; {_busiest(full)}."


def _busiest(point: model.LoadPoint) -> str:
    return f"busiest: {point.station}, for {percent(point.busy)} of the time"


def _load(sweep: model.LoadSweep, point: model.LoadPoint) -> str:
    if sweep.quantity == "threads":
        return format_counted(point.asked, "thread")
    return f"{format_per_s(point.asked)} requested"


def _master(point: model.Point) -> str:
    return "NameNode" if point.namenode >= point.scheduler else "scheduler"


def size_text(sweep: model.Sweep, point: model.Point) -> str:
    """How large a point of a sweep is."""
    on_hosts = sweep.quantity == "hosts"
    return format_counted(point.hosts, "host") if on_hosts else format_bytes(point.dataset_bytes)


def scored_runs(history: Sequence[model.Score]) -> Table:
    """Run by run, oldest first: how many times were where they were predicted, and how far off they were."""
    runs = [list(scores) for _, scores in groupby(history, key=lambda score: (score.run, score.prediction))]
    return table_of(
        runs,
        "run {0.run} | prediction {0.prediction} | engine {0.engine} | calibration {0.calibration:?} | "
        "inside {inside} | median error {error:%}",
        inside=inside_text,
        error=lambda scores: median(abs(score.error) for score in scores),
    )


def inside_text(scores: Sequence[model.Score]) -> str:
    """How many scored times lie in their intervals, of those that have one; a dash where none has."""
    inside = [score.inside for score in scores if score.inside is not None]
    return f"{sum(inside)} of {len(inside)}" if inside else NONE


_MEANT = {parameter.name: parameter for parameter in PARAMETERS}


INPUTS = "Inputs of the simulation"


class Ground(NamedTuple):
    """How the simulations were made."""

    calibration: str | None
    best_of: int
    replications: int
    seed: int
    version: str | None = None

    @classmethod
    def of(cls, prediction: model.Prediction) -> Self:
        """That of a prediction that is kept."""
        made = (prediction.calibration, prediction.best_of, prediction.replications, prediction.seed)
        return cls(*made, prediction.howdah_version)

    @classmethod
    def of_variation(
        cls, variation: model.WhatIf | model.Sweep | model.LoadSweep | Tuning, calibration: Calibration | None
    ) -> Self:
        """That of changes, of growth or of a search."""
        best_of = calibration.best_of if calibration else 1
        return cls(variation.calibration, best_of, variation.replications, variation.seed)


def inputs(groups: Iterable[FactList], calibration: Calibration | None) -> Section:
    """The last section of every page on predictions: what they rest on."""
    return Section.of("Inputs", *groups, *calibration_tables(calibration), title=INPUTS, forms=PAGES)


def basis(ground: Ground) -> Only:
    """The same in a sentence, for the terminal."""
    text = f"Simulated, nothing measured; {format_counted(ground.replications, 'simulation')}"
    if ground.calibration is None:
        text += ", not calibrated: no intervals are known."
    else:
        best = f", whose best of {ground.best_of} runs is converted to a typical run"
        text += f", calibrated by {ground.calibration}{best if ground.best_of > 1 else ''}."
    return Only(TERMINAL, (Paragraph(text, "about"),))


def facts(ground: Ground) -> Iterator[FactList]:
    """How it was simulated."""
    turned = f"the best of {ground.best_of} runs, converted to a typical run"
    entries = (
        ("calibration", ground.calibration or "none: every parameter has its default"),
        *([("known figures", turned)] if ground.best_of > 1 else []),
        ("simulations", f"{ground.replications:,} of each"),
        ("seed", str(ground.seed)),
        *([("howdah", ground.version)] if ground.version else []),
    )
    yield FactList("Simulation", entries)


def distance_facts(distance: model.Distance | None) -> Iterator[FactList]:
    """How far the run lies from those of its calibration, and in which quantities."""
    if distance is not None:
        outside = (
            (quantity.name, quantity.text.removeprefix(f"{quantity.name} ")) for quantity in distance.beyond
        )
        yield FactList("Distance from the calibration", (("length", distance_text(distance)), *outside))


def work_facts(plan: ClusterPlan, suite: Suite, laboratory: Laboratory | None = None) -> Iterator[FactList]:
    """On what, and what would run."""
    hosts = sum(group.count for group in plan.cluster.inventory.worker_groups)
    workers = sum(1 for _ in placed_workers(plan.cluster))
    yield FactList(
        "Plan",
        (
            ("platform", plan.platform),
            ("hosts with workers", f"{hosts:,}"),
            ("workers", f"{workers:,}"),
            *([("lab", f"{laboratory.name}, as it was built")] if laboratory else []),
        ),
    )
    yield FactList("Work", tuple((workload.kind, _sized(workload)) for workload in suite.workloads))


def calibration_tables(calibration: Calibration | None) -> Iterator[Table]:
    """The parameters, what they leave unexplained and how far the known runs reach; nothing without one."""
    if calibration is None:
        return
    yield table_of(
        [parameter for parameter in calibration.parameters if "/" not in parameter.name],
        "parameter {name} | meaning {meaning} | value {valued} | 90 % interval {ends} | origin {origin}",
        "Parameters",
        "Values of the calibration; all other parameters have their defaults. Simulations draw values from "
        "the 90 % intervals.",
        meaning=lambda parameter: _MEANT[parameter.name].meaning if parameter.name in _MEANT else "",
        valued=lambda parameter: _valued(parameter)[0],
        ends=lambda parameter: _valued(parameter)[1],
    )
    yield table_of(
        calibration.residuals,
        "workload {quantity} | standard deviation {relative:%} | plus a constant {seconds:s} | "
        "figures {cells}",
        "Unexplained deviation",
        "Deviation of figures left out of the fit that parameters and seeds do not explain; it widens "
        "intervals.",
    )
    yield table_of(
        calibration.cells,
        "figure {case}: {quantity} | known {known} | simulated {simulated} | error {error} | "
        "error left out {left_out}",
        "Accuracy of the calibration",
        "Every known figure and the simulated one; the last column is the error when the calibration is "
        "fitted to all other runs only.",
        known=lambda cell: _in_unit(cell, cell.known),
        simulated=lambda cell: _in_unit(cell, cell.simulated),
        error=lambda cell: _off(cell, cell.error),
        left_out=lambda cell: _off(cell, cell.left_out_error),
    )
    yield table_of(
        calibration.extents,
        "quantity {name} | least {least} | most {most}",
        "Range of the calibration",
        "Smallest and largest values among the runs that it was fitted to.",
        least=lambda extent: _end(extent, extent.low),
        most=lambda extent: _end(extent, extent.high),
    )


def _in_unit(cell: CalibrationCell, value: float) -> str:
    match cell.unit:
        case "s":
            return seconds(value)
        case "%":
            return f"{value:.0f} %"
        case _:
            return f"{value:.2f} ×"


def _off(cell: CalibrationCell, error: float | None) -> str:
    """An error with its sign, in points where the figure is a share."""
    if error is None:
        return NONE
    if cell.unit == "%":
        return f"{error:+.0f} points".replace("-", "\N{MINUS SIGN}")
    return signed(error)


def _valued(parameter: CalibratedValue) -> tuple[str, str]:
    """A parameter and its interval, costs of a byte in nanoseconds."""
    unit = _MEANT[parameter.name].unit if parameter.name in _MEANT else ""
    scale, unit = (1e9, "ns/B") if unit == "s/B" else (1e3, "ms") if unit == "s" else (1.0, unit)
    value, low, high = (
        f"{number * scale:.3g}" for number in (parameter.value, parameter.low, parameter.high)
    )
    return f"{value} {unit}".rstrip(), f"{low} to {high}"


def _end(extent: Extent, value: float) -> str:
    match extent.unit:
        case "B":
            return format_bytes(value)
        case "bit/s":
            return format_bits_per_s(value)
        case "kind":
            return disk_kind_text(value)
        case _:
            return f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}"


def _sized(workload: Workload) -> str:
    size = workload.moved(Counters())
    sizes = [format_bytes(max(size))] if size is not None and isinstance(workload, TeraRows) else []
    counts = ((MAPS, "map"), (REDUCES, "reduce"), (FILES, "file"), (REPLICATION, "replica"))
    sizes += [
        format_counted(count, noun) for option, noun in counts if (count := option.of(workload)) is not None
    ]
    return ", ".join(sizes)
