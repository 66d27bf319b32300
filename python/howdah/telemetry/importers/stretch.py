"""Metrics that other programs measured, over stretches of time, and the machines that they belong to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.metrics import METRICS
from howdah.model.run import RunRecord, Sample

_SHOWN = 8

_NOT_DISKS = ("loop", "ram", "zram", "sr", "fd", "dm-", "md")
_NOT_LINKS = (
    "lo",
    "bond",
    "team",
    "br-",
    "virbr",
    "docker",
    "veth",
    "tun",
    "tap",
    "ifb",
    "dummy",
    "cali",
    "flannel",
)


class Machines:
    """The machines of a run by name.

    ``always`` is the one that the user says it is, whatever a file calls it; raises UserError where it
    is none of them.
    """

    def __init__(self, known: Sequence[str], always: str | None = None) -> None:
        self._known = {name.lower(): name for name in known}
        labels = [name.partition(".")[0] for name in self._known]
        self._labels = {
            label: name
            for label, name in zip(labels, self._known.values(), strict=True)
            if labels.count(label) == 1
        }
        self.always = self.find(always) if always is not None else None
        if always is not None and self.always is None:
            raise UserError("--host", f"{always!r} is not a machine of the run", f"one of {self.listed}")

    @property
    def listed(self) -> str:
        """Their names, for messages."""
        names = list(self._known.values())
        return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")

    def find(self, name: str) -> str | None:
        """The machine of this name, with or without its domain; none if there is none."""
        name = name.lower()
        return self._known.get(name) or self._labels.get(name.partition(".")[0])

    def of(self, name: str, where: str) -> str:
        """The machine that ``where`` calls so, or the one the user says; raises UserError for none."""
        machine = self.always or self.find(name)
        if machine is None:
            raise UserError(
                where,
                f"describes {name}, which is not a machine of the run",
                f"name the machine with --host NAME: {self.listed}",
            )
        return machine


def counts(subject: str, name: str) -> bool:
    """Whether a disk or interface counts; everything else does."""
    if subject == "disk":
        return not name.startswith(_NOT_DISKS)
    if subject == "nic":
        return not name.startswith(_NOT_LINKS)
    return True


_KINDS = {metric.pattern: metric.kind for metric in METRICS}
_MOMENT_S = 1e-6


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


def sum_stretches(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Stretches with the same metric and times made one: user time is that of nice processes, too."""
    values: dict[tuple[str, str, float, float], float] = {}
    for machine, metric, start_s, end_s, value in stretches:
        key = (machine, metric, start_s, end_s)
        values[key] = values.get(key, 0.0) + value
    return tuple(Stretch(*key, value) for key, value in values.items())


def columns_in_words(left_out: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """What there is no metric for, in words: columns by what they belong to, or that as a whole."""
    return tuple(
        f"{group} ({', '.join(sorted(columns))})" if columns else group
        for group, columns in sorted(left_out.items())
    )


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
    ordered = sorted(stretches, key=lambda stretch: (stretch.machine, stretch.metric, stretch.start_s))
    samples: list[Sample] = []
    for (machine, metric), series in groupby(ordered, key=lambda stretch: (stretch.machine, stretch.metric)):
        points = _growth if is_counter(metric) else _values
        samples += (Sample(time_s, machine, metric, value) for time_s, value in points(list(series), window))
    return sorted(samples)


def _growth(series: Sequence[Stretch], window: Window) -> Iterator[tuple[float, float]]:
    """A counter's growth since the first moment that is known, at the ends of every stretch."""
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
    """A gauge's values within the run."""
    seen: set[float] = set()
    for stretch in series:
        time_s = stretch.end_s - window.start_s
        if 0 <= time_s <= window.elapsed_s and time_s not in seen:
            seen.add(time_s)
            yield time_s, stretch.value
