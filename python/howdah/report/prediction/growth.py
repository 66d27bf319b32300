"""What a page says of a plan that grows."""

from __future__ import annotations

from howdah.analysis.wording import percent, seconds
from howdah.model.calibration import Calibration
from howdah.model.variation import Sweep
from howdah.report.document import Bars, Data, Document, Paragraph, Section, Table, present
from howdah.report.prediction.grounds import Ground, basis, facts, inputs
from howdah.report.prediction.growth_figures import growth_figure, masters
from howdah.report.prediction.words import between, saturation_text, warned
from howdah.units import format_bytes, format_count, format_rate


def growth(sweep: Sweep, calibration: Calibration | None) -> Document:
    """The page of growth; ``calibration`` is the one that it rests on."""
    first, last = sweep.points[0], sweep.points[-1]
    grown = "as much data for each host at every size" if sweep.quantity == "hosts" else "the same hosts"
    ground = Ground.of_variation(sweep, calibration)
    lead = (
        f"With {grown}, the suite would take {seconds(first.elapsed_s)} at the smallest size and "
        f"{seconds(last.elapsed_s)} at the largest."
    )
    return Document(
        "sweep",
        f"{sweep.suite}: how it grows",
        (sweep.suite, f"{sweep.quantity} swept", "simulated"),
        saturation_text(sweep),
        present(
            Paragraph(lead, "lead"),
            basis(ground),
            warned(sweep.warnings),
            growth_figure(sweep),
            _table(sweep),
        ),
        (
            Section("masters", "Masters", "The masters", (masters(sweep),)),
            inputs(facts(ground), calibration),
        ),
        data=_data(sweep),
    )


def _table(sweep: Sweep) -> Table:
    calibrated = sweep.calibration is not None
    interval = ("90 % interval",) if calibrated else ()
    return Table(
        ("hosts", "dataset", "time", *interval, "sorted a second", "NameNode", "scheduler"),
        tuple(
            (
                format_count(point.hosts),
                format_bytes(point.dataset_bytes),
                seconds(point.elapsed_s),
                *([between(point.interval)] if calibrated else []),
                format_rate(point.dataset_bytes / point.elapsed_s),
                percent(point.namenode),
                percent(point.scheduler),
            )
            for point in sweep.points
        ),
        label="Every size with its time and the load of the masters",
        style="stats",
        bars=Bars("time", tuple(point.elapsed_s for point in sweep.points)),
    )


def _data(sweep: Sweep) -> tuple[Data, ...]:
    columns = ("hosts", "dataset_bytes", "low_s", "elapsed_s", "high_s", "namenode", "scheduler")
    sizes = Data.of("sizes", columns, sweep.points)
    workloads = Data(
        "workloads",
        ("hosts", "dataset_bytes", "workload", "low_s", "median_s", "high_s"),
        tuple(
            (
                point.hosts,
                point.dataset_bytes,
                forecast.workload,
                forecast.low,
                forecast.median,
                forecast.high,
            )
            for point in sweep.points
            for forecast in point.forecasts
        ),
    )
    return sizes, workloads
