"""What a page says of a plan that grows."""

from __future__ import annotations

from howdah.analysis.wording import percent, seconds
from howdah.model.calibration import Calibration
from howdah.model.variation import Sweep
from howdah.report.document import Table
from howdah.report.prediction.grounds import Ground, calibration_tables, facts
from howdah.report.prediction.growth_figures import growth_figure, masters
from howdah.report.prediction.page import Data, PredictionContent, PredictionSection
from howdah.report.prediction.words import between, saturation_said
from howdah.report.words import sentence
from howdah.units import format_bytes, format_count, format_rate


def growth(sweep: Sweep, calibration: Calibration | None) -> PredictionContent:
    """Everything that is said of growth; ``calibration`` is the one that it rests on."""
    first, last = sweep.points[0], sweep.points[-1]
    grown = "as much data for each host at every size" if sweep.quantity == "hosts" else "the same hosts"
    return PredictionContent(
        name="sweep",
        title=f"{sweep.suite}: how it grows",
        kicker=(sweep.suite, f"{sweep.quantity} swept", "simulated"),
        answer=saturation_said(sweep),
        lead=(
            f"With {grown}, the suite would take {seconds(first.elapsed_s)} at the smallest size and "
            f"{seconds(last.elapsed_s)} at the largest.",
        ),
        warnings=tuple(sentence(warning.text) for warning in sweep.warnings),
        figure=growth_figure(sweep),
        about_table="Every size with its time and the load of the masters",
        table=_table(sweep),
        sections=(PredictionSection("masters", "Masters", "The masters", "", (masters(sweep),)),),
        facts=tuple(facts(Ground.of_variation(sweep, calibration))),
        grounds=tuple(calibration_tables(calibration)),
        data=_data(sweep),
    )


def _table(sweep: Sweep) -> Table:
    known = sweep.calibration is not None
    interval = ("90 % interval",) if known else ()
    return Table(
        ("hosts", "dataset", "time", *interval, "sorted a second", "NameNode", "scheduler"),
        tuple(
            (
                format_count(point.hosts),
                format_bytes(point.dataset_bytes),
                seconds(point.elapsed_s),
                *([between(point.interval)] if known else []),
                format_rate(point.dataset_bytes / point.elapsed_s),
                percent(point.namenode),
                percent(point.scheduler),
            )
            for point in sweep.points
        ),
    )


def _data(sweep: Sweep) -> tuple[Data, ...]:
    columns = ("hosts", "dataset_bytes", "low_s", "elapsed_s", "high_s", "namenode", "scheduler")
    sizes = Data.of("sizes", columns, sweep.points)
    workloads = Data(
        "workloads",
        ("hosts", "dataset_bytes", "workload", "low_s", "median_s", "high_s"),
        tuple(
            (point.hosts, point.dataset_bytes, each.workload, each.low, each.median, each.high)
            for point in sweep.points
            for each in point.forecasts
        ),
    )
    return sizes, workloads
