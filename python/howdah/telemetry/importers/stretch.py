"""What others measured, on the clock of the world: a metric's value over a stretch of time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from howdah.model.metrics import METRICS


class Stretch(NamedTuple):
    """A metric of a machine from one moment to another, both in seconds since 1970 in UTC.

    ``value`` is a counter's growth per second, or a gauge's value at the end.
    """

    machine: str
    metric: str
    start_s: float
    end_s: float
    value: float


class Imported(NamedTuple):
    """What an importer made of a file or a server, and what it knows no metric for, in its words."""

    stretches: tuple[Stretch, ...]
    left_out: tuple[str, ...]


def summed(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Stretches with the same metric and times made one: user time is that of nice processes, too."""
    values: dict[tuple[str, str, float, float], float] = {}
    for machine, metric, start_s, end_s, value in stretches:
        key = (machine, metric, start_s, end_s)
        values[key] = values.get(key, 0.0) + value
    return tuple(Stretch(*key, value) for key, value in values.items())


def named(left_out: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """What there is no metric for, in words: columns by what they belong to, or that as a whole."""
    return tuple(
        f"{group} ({', '.join(sorted(columns))})" if columns else group
        for group, columns in sorted(left_out.items())
    )


_KINDS = {metric.pattern: metric.kind for metric in METRICS}


def pattern_of(metric: str) -> str:
    """A metric's name as METRICS lists it: ``disk/sda/read_bytes`` is ``disk/*/read_bytes``."""
    parts = metric.split("/")
    if metric in _KINDS or len(parts) != 3:
        return metric
    return f"{parts[0]}/*/{parts[2]}"


def is_known(metric: str) -> bool:
    """Whether METRICS lists it."""
    return pattern_of(metric) in _KINDS


def is_counter(metric: str) -> bool:
    """Whether it is a counter; raises KeyError for what METRICS does not list."""
    return _KINDS[pattern_of(metric)] == "counter"
