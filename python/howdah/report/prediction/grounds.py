"""What predicted times rest on: the calibration's parameters, what it leaves unexplained, plan and work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import PARAMETERS, CalibratedValue, Calibration, CalibrationCell, Extent
from howdah.model.cluster import Laboratory
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Distance, LoadSweep, Prediction, Sweep, WhatIf
from howdah.model.reported import Counters
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import FILES
from howdah.model.workloads.option import MAPS, REPLICATION
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import REDUCES, TeraRows
from howdah.report.document import PAGES, TERMINAL, Block, FactList, Only, Paragraph, Section, Table
from howdah.report.prediction.words import distance_text
from howdah.report.words import NONE
from howdah.units import format_bits_per_s, format_bytes, format_counted

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
    def of(cls, prediction: Prediction) -> Self:
        """That of a prediction that is kept."""
        return cls(
            prediction.calibration,
            prediction.best_of,
            prediction.replications,
            prediction.seed,
            prediction.howdah_version,
        )

    @classmethod
    def of_variation(cls, variation: WhatIf | Sweep | LoadSweep, calibration: Calibration | None) -> Self:
        """That of changes or of growth."""
        best_of = calibration.best_of if calibration else 1
        return cls(variation.calibration, best_of, variation.replications, variation.seed)


def inputs(groups: Iterable[FactList], calibration: Calibration | None) -> Section:
    """The last section of every page on predictions: what they rest on."""
    blocks: tuple[Block, ...] = (*groups, *calibration_tables(calibration))
    return Section("inputs", "Inputs", INPUTS, blocks, forms=PAGES)


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


def distance_facts(distance: Distance | None) -> Iterator[FactList]:
    """How far the run lies from those of its calibration, and in which quantities."""
    if distance is not None:
        outside = ((each.name, each.text.removeprefix(f"{each.name} ")) for each in distance.beyond)
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
    yield Table.of(
        [parameter for parameter in calibration.parameters if "/" not in parameter.name],
        {
            "parameter": lambda parameter: parameter.name,
            "meaning": lambda parameter: _MEANT[parameter.name].meaning if parameter.name in _MEANT else "",
            "value": lambda parameter: _valued(parameter)[0],
            "90 % interval": lambda parameter: _valued(parameter)[1],
            "origin": lambda parameter: parameter.origin,
        },
        "Parameters",
        "Values of the calibration; all other parameters have their defaults. Simulations draw values from "
        "the 90 % intervals.",
    )
    if calibration.residuals:
        yield Table.of(
            calibration.residuals,
            {
                "workload": lambda residual: residual.quantity,
                "standard deviation": lambda residual: percent(residual.relative),
                "plus a constant": lambda residual: seconds(residual.seconds),
                "figures": lambda residual: str(residual.cells),
            },
            "Unexplained deviation",
            "Deviation of figures left out of the fit that parameters and seeds do not explain; it widens "
            "intervals.",
        )
    if calibration.cells:
        yield _cells(calibration)
    if calibration.extents:
        yield Table.of(
            calibration.extents,
            {
                "quantity": lambda extent: extent.name,
                "least": lambda extent: _end(extent, extent.low),
                "most": lambda extent: _end(extent, extent.high),
            },
            "Range of the calibration",
            "Smallest and largest values among the runs that it was fitted to.",
        )


def _cells(calibration: Calibration) -> Table:
    """Every known figure, and how far off the simulator is where it knew it and where it did not."""
    return Table.of(
        calibration.cells,
        {
            "figure": lambda cell: f"{cell.case}: {cell.quantity}",
            "known": lambda cell: _in_unit(cell, cell.known),
            "simulated": lambda cell: _in_unit(cell, cell.simulated),
            "error": lambda cell: _off(cell, cell.error),
            "error left out": lambda cell: _off(cell, cell.left_out_error),
        },
        "Accuracy of the calibration",
        "Every known figure and the simulated one; the last column is the error when the calibration is "
        "fitted to all other runs only.",
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
