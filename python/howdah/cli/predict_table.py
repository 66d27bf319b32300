"""Predictions and their scores as the terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.calibrate.scoring import Tally, tally
from howdah.model.prediction import Forecast, Prediction, Score
from howdah.report.prediction.words import distance_text, scored_runs
from howdah.session.predict.predicting import replicas_said
from howdah.session.predict.scoring import Scored
from howdah.units import format_counted


def prediction_table(prediction: Prediction, path: Path) -> RenderableType:
    """Every predicted time with its interval, what it rests on, and where it is kept."""
    shared = bool(prediction.neighbours_idle)
    idle = {(one.workload, one.part): one for one in prediction.neighbours_idle}
    known = any(forecast.interval is not None for forecast in prediction.forecasts)
    numbers = (
        "median",
        *(("90 % interval", "width") if known else ()),
        *(("others idle",) if shared else ()),
    )
    table = _table(("workload", "phase"), numbers)
    named = ""
    for forecast in prediction.forecasts:
        alone = idle.get((forecast.workload, forecast.part))
        table.add_row(
            forecast.workload if forecast.workload != named else "",
            forecast.part or "",
            forecast.said(forecast.median),
            *(
                [_interval(forecast), "" if forecast.width is None else f"± {forecast.width:.0%}"]
                if known
                else []
            ),
            *([alone.said(alone.median) if alone else ""] if shared else []),
            style="" if forecast.phase is None else "dim",
        )
        named = forecast.workload
    return Group(
        table,
        Text(),
        *([Text(replicas)] if (replicas := replicas_said(prediction)) else []),
        *([Text(_neighbours(prediction))] if shared else []),
        Text(_grounds(prediction)),
        *([Text(f"distance {distance_text(prediction.distance)}")] if prediction.distance else []),
        *(Text(f"warning  {warning.text}", style="yellow") for warning in prediction.warnings),
        Text.assemble(("prediction  ", "bold"), str(path)),
    )


def score_table(scored: Scored) -> RenderableType:
    """Every predicted time compared with the measured one, and how accurate predictions were so far."""
    table = _table(("workload", "phase"), ("predicted", "90 % interval", "measured", "error", ""))
    named = ""
    for score in scored.scores:
        table.add_row(
            score.forecast.workload if score.forecast.workload != named else "",
            score.forecast.part or "",
            score.forecast.said(score.forecast.median),
            _interval(score.forecast),
            score.forecast.said(score.measured),
            f"{score.error:+.1%}",
            Text("outside", style="yellow") if score.inside is False else "inside" if score.inside else "",
        )
        named = score.forecast.workload
    return Group(
        Text(f"{scored.run} · predicted by {scored.prediction.id}", style="dim"),
        table,
        Text(),
        *([Text(_so_far(scored.so_far))] if scored.so_far else []),
    )


def history_table(history: Sequence[Score]) -> RenderableType:
    """Every run that was scored, oldest first, and how accurate predictions were so far."""
    runs = scored_runs(history)
    texts, numbers = runs.columns[:-2], runs.columns[-2:]
    table = _table(texts, numbers)
    for row in runs.rows:
        table.add_row(*row)
    so_far = tally(history)
    return Group(table, Text(), *([Text(_so_far(so_far))] if so_far else []))


def _so_far(tally: Tally) -> str:
    inside = (
        "" if tally.inside is None else f"{tally.inside:.0%} of those predicted with a 90 % interval in it, "
    )
    return (
        f"so far: {format_counted(tally.times, 'time')} of {format_counted(tally.runs, 'run')}, "
        f"{inside}median error {tally.median_error:.1%}"
    )


def _interval(forecast: Forecast) -> str:
    """Both ends of a 90 % interval; a dash where it is unknown."""
    return "–" if forecast.interval is None else " to ".join(map(forecast.said, forecast.interval))


def _table(texts: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
    """A table without lines: columns of text, then columns of numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in texts:
        table.add_column(column)
    for column in numbers:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _neighbours(prediction: Prediction) -> str:
    return (
        f"the cluster shares hosts with {prediction.neighbours}: medians and intervals assume that the "
        f"others use all of their parts; the last column assumes that they are idle"
    )


def _grounds(prediction: Prediction) -> str:
    rests = f"simulated, nothing measured; {format_counted(prediction.replications, 'simulation')}"
    if prediction.calibration is None:
        return f"{rests}, not calibrated: no intervals are known"
    said = f"{rests}, calibrated by {prediction.calibration}"
    if prediction.best_of > 1:
        said += f", whose best of {prediction.best_of} runs is converted to a typical run"
    return said
