"""Metrics that other programs measured, over stretches of time, and the machines that they belong to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.metrics import METRICS
from howdah.model.run import RunRecord, Sample
from howdah.telemetry.device import NOT_DISKS

_SHOWN = 8

_NOT_DISKS = (*NOT_DISKS, "dm-", "md")
_NOT_LINKS = (
    "lo", "bond", "team", "br-", "virbr", "docker", "veth", "tun", "tap", "ifb", "dummy", "cali", "flannel",
)  # fmt: skip


class Machines:
    """The machines of a run; raises UserError if ``always``, for all files, is none of them."""

    def __init__(self, names: Sequence[str], always: str | None = None) -> None:
        self._names = {name.lower(): name for name in names}
        labels = [name.partition(".")[0] for name in self._names]
        self._labels = {
            label: name
            for label, name in zip(labels, self._names.values(), strict=True)
            if labels.count(label) == 1
        }
        self.always = self.find(always) if always is not None else None
        if always is not None and self.always is None:
            raise UserError("--host", f"{always!r} is not a machine of the run", f"one of {self.listed}")

    @property
    def listed(self) -> str:
        """Their names, for messages."""
        names = list(self._names.values())
        return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")

    def find(self, name: str) -> str | None:
        """Return the machine of this name, with or without its domain; None if there is none."""
        name = name.lower()
        return self._names.get(name) or self._labels.get(name.partition(".")[0])

    def of(self, name: str, where: str) -> str:
        """Return the machine of a name in ``where``, or the user's choice; raise UserError for neither."""
        machine = self.always or self.find(name)
        if machine is None:
            problem = f"describes {name}, which is not a machine of the run"
            raise UserError(where, problem, f"name the machine with --host NAME: {self.listed}")
        return machine


def is_counted(subject: str, name: str) -> bool:
    """Whether a disk or interface is counted: stacked and virtual ones are not."""
    return not name.startswith({"disk": _NOT_DISKS, "nic": _NOT_LINKS}.get(subject, ()))


_KINDS = {metric.pattern: metric.kind for metric in METRICS}
_MOMENT_S = 1e-6


class Stretch(NamedTuple):
    """A counter's growth per second, or a gauge's end value, between two times in seconds since 1970."""

    machine: str
    metric: str
    start_s: float
    end_s: float
    value: float


class Imported(NamedTuple):
    """The stretches of a file or a server, and the names of its values without a metric."""

    stretches: tuple[Stretch, ...]
    unmapped: tuple[str, ...]


def sum_stretches(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Add stretches with the same metric and times: user time includes that of nice processes."""
    values: dict[tuple[str, str, float, float], float] = {}
    for machine, metric, start_s, end_s, value in stretches:
        key = (machine, metric, start_s, end_s)
        values[key] = values.get(key, 0.0) + value
    return tuple(Stretch(*key, value) for key, value in values.items())


def columns_in_words(unmapped: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return the columns without a metric as text, each group with its columns."""
    return tuple(
        f"{group} ({', '.join(sorted(columns))})" if columns else group
        for group, columns in sorted(unmapped.items())
    )


def pattern_of(metric: str) -> str:
    """Return the pattern of a metric in METRICS: ``disk/*/read_bytes`` for ``disk/sda/read_bytes``."""
    parts = metric.split("/")
    if metric in _KINDS or len(parts) != 3:
        return metric
    return f"{parts[0]}/*/{parts[2]}"


def is_listed(metric: str) -> bool:
    return pattern_of(metric) in _KINDS


def is_counter(metric: str) -> bool:
    """Whether it is a counter; raises KeyError if METRICS does not list it."""
    return _KINDS[pattern_of(metric)] == "counter"


class Window(NamedTuple):
    """The time of a run: its start in seconds since 1970 in UTC, and its duration."""

    start_s: float
    elapsed_s: float

    @property
    def end_s(self) -> float:
        """Its end in seconds since 1970 in UTC."""
        return self.start_s + self.elapsed_s


def window_of(record: RunRecord) -> Window:
    created = datetime.fromisoformat(record.created)
    return Window((created if created.tzinfo else created.replace(tzinfo=UTC)).timestamp(), record.elapsed_s)


def span(start_s: float, end_s: float) -> str:
    first, last = (datetime.fromtimestamp(moment, UTC) for moment in (start_s, end_s))
    second = "%H:%M:%S" if first.date() == last.date() else "%Y-%m-%d %H:%M:%S"
    return f"{first:%Y-%m-%d %H:%M:%S} to {last:{second}} UTC"


def onto_run(stretches: Iterable[Stretch], window: Window) -> list[Sample]:
    """Samples during the run; partly covered stretches count in part, repeated ones once."""
    ordered = sorted(stretches, key=lambda stretch: (stretch.machine, stretch.metric, stretch.start_s))
    samples: list[Sample] = []
    for (machine, metric), series in groupby(ordered, key=lambda stretch: (stretch.machine, stretch.metric)):
        points = _growth if is_counter(metric) else _values
        samples += (Sample(time_s, machine, metric, value) for time_s, value in points(list(series), window))
    return sorted(samples)


def _growth(series: Sequence[Stretch], window: Window) -> Iterator[tuple[float, float]]:
    """Yield a counter's growth since the first known moment, at the end of every stretch."""
    grown = 0.0
    reached: float | None = None
    for stretch in series:
        start_s = max(stretch.start_s - window.start_s, 0.0 if reached is None else reached)
        end_s = min(stretch.end_s - window.start_s, window.elapsed_s)
        if end_s - start_s <= _MOMENT_S:
            continue
        if reached is None or start_s - reached > _MOMENT_S:
            yield start_s, grown
        grown += stretch.value * (end_s - start_s)
        yield end_s, grown
        reached = end_s


def _values(series: Sequence[Stretch], window: Window) -> Iterator[tuple[float, float]]:
    seen: set[float] = set()
    for stretch in series:
        time_s = stretch.end_s - window.start_s
        if 0 <= time_s <= window.elapsed_s and time_s not in seen:
            seen.add(time_s)
            yield time_s, stretch.value
