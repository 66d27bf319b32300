"""Events in a daemon's log and in its garbage collector's log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, tzinfo
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from howdah.model.tables import COLLECTION, COMPACTION, FLUSH, MOVE, SLOW_SYNC, SPLIT, ServerEvent

_MILLI = 1e-3
# [2026-11-25T10:05:51.819+0000][0.326s][info][gc          ] GC(0) Pause Young (Normal) 20M->11M(380M) 6.602ms
_LINE = re.compile(
    r"^\[(?P<when>\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4})\].*\[gc(?:,phases)? *\] "
    r"(?:GC\(\d+\) )?(?:[YyOo]: )?(?P<what>(?:Pause|Allocation Stall)\b.*?)"
    r"(?: \d+[KMG]->\d+[KMG]\(\d+[KMG]\))? (?P<ms>[\d.]+)ms$"
)


def pauses(lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float) -> Iterator[ServerEvent]:
    """Yield the pauses in a log since the run's start, ``start_epoch_s`` in seconds since 1970.

    Other lines are ignored: a log begins with the heap's settings and may end within a line.
    """
    for line in lines:
        match = _LINE.match(line.rstrip("\n"))
        if match is None:
            continue
        end_s = datetime.strptime(match["when"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - start_epoch_s
        length_s = float(match["ms"]) * _MILLI
        if end_s >= 0:
            yield ServerEvent(end_s - length_s, end_s, machine, daemon, COLLECTION, match["what"], None)


_UNITS = {"B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Both forms of log4j's times: of its default layout, with a comma, and HBase's own, in ISO 8601.
_WHEN = re.compile(r"^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)[,.](\d{3})")
_FLUSH = re.compile(
    r"Finished flush of dataSize ~[^/]+/(?P<bytes>\d+),.* for (?P<region>\w+) in (?P<ms>\d+)ms"
)
_COMPACTING = re.compile(r"HRegion: Starting compaction of (?P<region>\w+)/(?P<family>\S+) in ")
_COMPACTED = re.compile(
    r"Completed (?:major )?compaction of .* file\(s\) in (?P<family>\S+) of (?P<region>\w+) into "
    r"\S+?\(size=(?P<size>[\d.]+) ?(?P<unit>[KMGT]?)"
)
_FINISHED = re.compile(
    r"Finished pid=\d+,.* (?P<what>SplitTableRegionProcedure|TransitRegionStateProcedure) .*?"
    r"(?:parent|region)=(?P<region>\w+)(?P<rest>.*) in (?P<took>.+)$"
)
_SLOW_SYNC = re.compile(r"Slow sync cost: (?P<ms>\d+) ?ms")
_TOOK = re.compile(r"([\d.]+) (min|sec|msec|hrs|mins)\b")
_SECONDS = {"msec": _MILLI, "sec": 1.0, "min": 60.0, "mins": 60.0, "hrs": 3600.0}
_LONG_MOVES = "REOPEN/MOVE"


def region_events(
    lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float, zone: tzinfo | None = None
) -> Iterator[ServerEvent]:
    """Yield the events of regions in a log since the run's start, ``start_epoch_s`` in seconds since 1970.

    ``zone`` is the time zone of the log, by default this machine's. Aborted compactions are left out.
    """
    for event in _every(lines, machine, daemon, start_epoch_s, zone):
        if event.end_s >= 0:
            yield event


def _every(
    lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float, zone: tzinfo | None
) -> Iterator[ServerEvent]:
    compacting: dict[str, float] = {}
    for line in lines:
        when = _WHEN.match(line)
        if when is None:
            continue
        moment = datetime.fromisoformat(f"{when[1]}T{when[2]}.{when[3]}").replace(tzinfo=zone)
        at_s = moment.timestamp() - start_epoch_s
        if match := _COMPACTING.search(line):
            compacting[f"{match['region']}/{match['family']}"] = at_s
        elif match := _COMPACTED.search(line):
            family = match["family"].rpartition("/")[2]
            began_s = compacting.pop(f"{match['region']}/{family}", at_s)
            size = int(float(match["size"]) * _UNITS[match["unit"] or "B"])
            yield ServerEvent(began_s, at_s, machine, daemon, COMPACTION, match["region"], size)
        else:
            for kind, region, length_s, written in chain(_flushed(line), _finished(line), _slow(line)):
                yield ServerEvent(at_s - length_s, at_s, machine, daemon, kind, region, written)


_LoggedEvents = Iterator[tuple[str, str, float, int | None]]
"""The events of one line: kind, region, seconds and bytes."""


def _flushed(line: str) -> _LoggedEvents:
    if match := _FLUSH.search(line):
        yield FLUSH, match["region"], int(match["ms"]) * _MILLI, int(match["bytes"])


def _finished(line: str) -> _LoggedEvents:
    match = _FINISHED.search(line)
    if match is None:
        return
    length_s = sum(float(amount) * _SECONDS[unit] for amount, unit in _TOOK.findall(match["took"]))
    if match["what"].startswith("Split"):
        yield SPLIT, match["region"], length_s, None
    elif _LONG_MOVES in match["rest"]:
        yield MOVE, match["region"], length_s, None


def _slow(line: str) -> _LoggedEvents:
    if match := _SLOW_SYNC.search(line):
        yield SLOW_SYNC, "WAL", int(match["ms"]) * _MILLI, None


_Read = Callable[[Iterable[str], str, str, float], Iterator[ServerEvent]]


class ServerLogs(NamedTuple):
    """The logs of one daemon."""

    machine: str
    daemon: str
    """``regionserver`` or ``hmaster``."""
    own: Path
    """HBase's log."""
    collector: Path
    """Its JVM's unified log of collections."""


def logged_events(logs: ServerLogs, start_epoch_s: float) -> tuple[ServerEvent, ...]:
    """Return every event since the run's start, in order; a missing log has none.

    ``start_epoch_s`` is the run's start in seconds since 1970 on the clock of the logs' machine.
    """
    readers: tuple[tuple[Path, _Read], ...] = ((logs.collector, pauses), (logs.own, region_events))
    events: list[ServerEvent] = []
    for path, read in readers:
        # A log may be rotated away while it is read, and end within a character.
        with suppress(FileNotFoundError), path.open(encoding="utf-8", errors="replace") as lines:
            events += read(lines, logs.machine, logs.daemon, start_epoch_s)
    return tuple(sorted(events, key=lambda event: event.start_s))
