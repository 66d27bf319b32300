"""Stretches on the clock of the world, put on the clock of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from howdah.model.run import RunRecord, Sample
from howdah.telemetry.importers.stretch import Stretch, is_counter

_MOMENT_S = 1e-6


class Window(NamedTuple):
    """When a run went: its start in seconds since 1970 in UTC, and how long it took."""

    start_s: float
    elapsed_s: float

    @property
    def end_s(self) -> float:
        """Its end in seconds since 1970 in UTC."""
        return self.start_s + self.elapsed_s


def window_of(record: RunRecord) -> Window:
    """When a run went, as exactly as its record says when it was started."""
    created = datetime.fromisoformat(record.created)
    return Window((created if created.tzinfo else created.replace(tzinfo=UTC)).timestamp(), record.elapsed_s)


def span(start_s: float, end_s: float) -> str:
    """Two moments as people read them."""
    first, last = (datetime.fromtimestamp(moment, UTC) for moment in (start_s, end_s))
    second = "%H:%M:%S" if first.date() == last.date() else "%Y-%m-%d %H:%M:%S"
    return f"{first:%Y-%m-%d %H:%M:%S} to {last:{second}} UTC"


def onto_run(stretches: Iterable[Stretch], window: Window) -> list[Sample]:
    """Samples of what happened while the run went.

    A stretch that the run begins or ends in counts by its share. Where two tell of the same metric
    and the same moment, as two copies of a file do, the first is taken.
    """
    ordered = sorted(stretches, key=lambda one: (one.machine, one.metric, one.start_s))
    samples: list[Sample] = []
    for (machine, metric), series in groupby(ordered, key=lambda one: (one.machine, one.metric)):
        points = _growth if is_counter(metric) else _values
        samples += (Sample(time_s, machine, metric, value) for time_s, value in points(list(series), window))
    return sorted(samples)


def _growth(series: Sequence[Stretch], window: Window) -> Iterator[tuple[float, float]]:
    """A counter's growth since the first moment that is known, at the ends of every stretch."""
    grown = 0.0
    reached: float | None = None
    for one in series:
        start_s = max(one.start_s - window.start_s, 0.0 if reached is None else reached)
        end_s = min(one.end_s - window.start_s, window.elapsed_s)
        if end_s - start_s <= _MOMENT_S:
            continue
        if reached is None or start_s - reached > _MOMENT_S:
            yield start_s, grown
        grown += one.value * (end_s - start_s)
        yield end_s, grown
        reached = end_s


def _values(series: Sequence[Stretch], window: Window) -> Iterator[tuple[float, float]]:
    """A gauge's values within the run."""
    seen: set[float] = set()
    for one in series:
        time_s = one.end_s - window.start_s
        if 0 <= time_s <= window.elapsed_s and time_s not in seen:
            seen.add(time_s)
            yield time_s, one.value
