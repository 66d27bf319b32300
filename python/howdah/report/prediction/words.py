"""Numbers and sentences of predictions as people read them, and the table of all that were scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import median

from howdah.analysis.wording import percent, seconds
from howdah.model.prediction import (
    SATURATED,
    Distance,
    Forecast,
    Interval,
    LoadPoint,
    LoadSweep,
    Point,
    Score,
    Sweep,
)
from howdah.model.run import RunWarning
from howdah.report.document import Bullets, Table
from howdah.report.words import NONE, UNKNOWN, sentence
from howdah.units import format_bytes, format_counted, format_per_s


def between(interval: Interval | None) -> str:
    """Both ends of an interval of times."""
    return UNKNOWN if interval is None else f"{seconds(interval.low)} to {seconds(interval.high)}"


def interval_text(forecast: Forecast) -> str:
    """Both ends of what is predicted."""
    if forecast.interval is None:
        return UNKNOWN
    return " to ".join(forecast_text(forecast, end) for end in forecast.interval)


def drawn_ends(interval: Interval | None, value: float) -> Interval:
    """What a figure draws an interval from: the value alone where it is unknown."""
    return interval or Interval(value, value)


def forecast_text(forecast: Forecast, value: float) -> str:
    """A value of what is predicted."""
    return seconds(value) if forecast.metric is None else forecast.text_of(value)


def width(forecast: Forecast) -> str:
    """How far an interval reaches to its farther side; a dash where it is unknown."""
    return NONE if forecast.width is None else f"± {percent(forecast.width)}"


def distance_text(distance: Distance) -> str:
    """How far a run lies from those of its calibration, and what that adds to its intervals."""
    if not distance.beyond:
        return "0: every quantity lies within the calibration's runs"
    nearest = distance.beyond[0]
    return (
        f"{distance.length:.2g} outside the calibration's runs, mostly in {nearest.name} "
        f"(by a factor of {nearest.factor:.2g}); intervals are wider by a standard deviation of "
        f"{percent(distance.deviation)}"
    )


def longer(share: float) -> str:
    """How much longer something takes: ``12 % longer``, ``3.4 % shorter``."""
    return f"{percent(abs(share))} {'longer' if share > 0 else 'shorter'}"


def warned(warnings: Iterable[RunWarning]) -> Bullets:
    """What limits the answer, as sentences."""
    return Bullets(tuple(sentence(warning.text) for warning in warnings), "warning")


def saturation_text(sweep: Sweep) -> str:
    """Between which sizes a master saturates, or how far the busiest is from it."""
    last = sweep.points[-1]
    if sweep.saturation is not None:
        before, after = sweep.saturation
        return f"The {_master(after)} saturates between {_size(sweep, before)} and {_size(sweep, after)}."
    if sweep.points[0].busiest >= SATURATED:
        return f"The {_master(sweep.points[0])} is saturated at {_size(sweep, sweep.points[0])} already."
    load = f"the {_master(last)} uses {percent(last.busiest)} of a core"
    return f"No master saturates: at {_size(sweep, last)} {load}."


def load_text(sweep: LoadSweep) -> str:
    """From which load on nothing is won, and what is full there."""
    last, full = sweep.points[-1], sweep.saturated
    if full is None:
        done = "all of it is done" if sweep.quantity == "target" else "throughput still grows"
        return f"Nothing is saturated: with {_load(sweep, last)} {done}; {_busiest(last)}."
    rate = format_per_s(full.throughput_per_s)
    if sweep.quantity == "target":
        return f"Of {_load(sweep, full)} only {rate} are done; {_busiest(full)}."
    return f"More than {_load(sweep, full)} hardly help: throughput is {rate} there; {_busiest(full)}."


def _busiest(point: LoadPoint) -> str:
    return f"busiest: {point.station}, for {percent(point.busy)} of the time"


def _load(sweep: LoadSweep, point: LoadPoint) -> str:
    if sweep.quantity == "threads":
        return format_counted(point.asked, "thread")
    return f"{format_per_s(point.asked)} requested"


def _master(point: Point) -> str:
    return "NameNode" if point.namenode >= point.scheduler else "scheduler"


def _size(sweep: Sweep, point: Point) -> str:
    return (
        format_counted(point.hosts, "host")
        if sweep.quantity == "hosts"
        else format_bytes(point.dataset_bytes)
    )


def scored_runs(history: Sequence[Score]) -> Table:
    """Run by run, oldest first: how many times were where they were predicted, and how far off they were."""
    return Table(
        ("run", "prediction", "engine", "calibration", "inside", "median error"), tuple(_lines(history))
    )


def inside_text(scores: Sequence[Score]) -> str:
    """How many scored times lie in their intervals, of those that have one; a dash where none has."""
    inside = [score.inside for score in scores if score.inside is not None]
    return f"{sum(inside)} of {len(inside)}" if inside else NONE


def _lines(history: Sequence[Score]) -> Iterator[tuple[str, ...]]:
    for (run, prediction), scores in groupby(history, key=lambda score: (score.run, score.prediction)):
        group = list(scores)
        yield (
            run,
            prediction,
            group[0].engine,
            group[0].calibration or NONE,
            inside_text(group),
            percent(median(abs(score.error) for score in group)),
        )
