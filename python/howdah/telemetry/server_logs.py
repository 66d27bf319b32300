"""What a daemon's own logs tell of a run: its collector's and its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, tzinfo
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from howdah.model.server_events import COLLECTION, COMPACTION, FLUSH, MOVE, SLOW_SYNC, SPLIT, ServerEvent

_MILLI = 1e-3
# [2026-11-25T10:05:51.819+0000][0.326s][info][gc          ] GC(0) Pause Young (Normal) 20M->11M(380M) 6.602ms
_LINE = re.compile(
    r"^\[(?P<when>\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4})\].*\[gc(?:,phases)? *\] "
    r"(?:GC\(\d+\) )?(?:[YyOo]: )?(?P<what>(?:Pause|Allocation Stall)\b.*?)"
    r"(?: \d+[KMG]->\d+[KMG]\(\d+[KMG]\))? (?P<ms>[\d.]+)ms$"
)


def pauses(lines: Iterable[str], machine: str, daemon: str, start_epoch_s: float) -> Iterator[ServerEvent]:
    """The pauses that a log tells of since the run's start, ``start_epoch_s`` in seconds since 1970.

    Lines of another form are passed over: a log begins with the heap's settings and may end within a line.
    """
    for line in lines:
        found = _LINE.match(line.rstrip("\n"))
        if found is None:
            continue
        end_s = datetime.strptime(found["when"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - start_epoch_s
        length_s = float(found["ms"]) * _MILLI
        if end_s >= 0:
            yield ServerEvent(end_s - length_s, end_s, machine, daemon, COLLECTION, found["what"], None)


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
    """What a log tells of since the run's start, ``start_epoch_s`` in seconds since 1970.

    ``zone`` is the one that its times are of, this machine's own unless given. A compaction that was given up
    is left out.
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
        if found := _COMPACTING.search(line):
            compacting[f"{found['region']}/{found['family']}"] = at_s
        elif found := _COMPACTED.search(line):
            family = found["family"].rpartition("/")[2]
            began_s = compacting.pop(f"{found['region']}/{family}", at_s)
            size = int(float(found["size"]) * _UNITS[found["unit"] or "B"])
            yield ServerEvent(began_s, at_s, machine, daemon, COMPACTION, found["region"], size)
        else:
            for kind, region, length_s, written in chain(_flushed(line), _finished(line), _slow(line)):
                yield ServerEvent(at_s - length_s, at_s, machine, daemon, kind, region, written)


_Told = Iterator[tuple[str, str, float, int | None]]
"""Of one line: the kind, the region, how many seconds it took, and the bytes."""


def _flushed(line: str) -> _Told:
    if found := _FLUSH.search(line):
        yield FLUSH, found["region"], int(found["ms"]) * _MILLI, int(found["bytes"])


def _finished(line: str) -> _Told:
    found = _FINISHED.search(line)
    if found is None:
        return
    length_s = sum(float(amount) * _SECONDS[unit] for amount, unit in _TOOK.findall(found["took"]))
    if found["what"].startswith("Split"):
        yield SPLIT, found["region"], length_s, None
    elif _LONG_MOVES in found["rest"]:
        yield MOVE, found["region"], length_s, None


def _slow(line: str) -> _Told:
    if found := _SLOW_SYNC.search(line):
        yield SLOW_SYNC, "WAL", int(found["ms"]) * _MILLI, None


_Read = Callable[[Iterable[str], str, str, float], Iterator[ServerEvent]]


class ServerLogs(NamedTuple):
    """Where one daemon logs."""

    machine: str
    daemon: str
    """``regionserver`` or ``hmaster``."""
    own: Path
    """HBase's log of it."""
    collector: Path
    """Its JVM's unified log of collections."""


def logged_events(logs: ServerLogs, start_epoch_s: float) -> tuple[ServerEvent, ...]:
    """Every event since the run's start, in order; a log that is not there tells nothing.

    ``start_epoch_s`` is the run's start in seconds since 1970 by the clock of the machine that wrote them.
    """
    readers: tuple[tuple[Path, _Read], ...] = ((logs.collector, pauses), (logs.own, region_events))
    found: list[ServerEvent] = []
    for path, read in readers:
        # A log may be rotated away while it is read, and end within a character.
        with suppress(FileNotFoundError), path.open(encoding="utf-8", errors="replace") as lines:
            found += read(lines, logs.machine, logs.daemon, start_epoch_s)
    return tuple(sorted(found, key=lambda event: event.start_s))
