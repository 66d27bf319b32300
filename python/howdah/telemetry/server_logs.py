"""What a daemon's own logs tell of a run: its collector's and its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.model.server_events import ServerEvent
from howdah.telemetry.pauses import pauses
from howdah.telemetry.region_events import region_events

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
