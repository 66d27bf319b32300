"""What a daemon's own logs tell of a run: its collector's and its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from howdah.model.server_events import ServerEvent
from howdah.telemetry.pauses import pauses
from howdah.telemetry.region_events import region_events

_Read = Callable[[Iterable[str], str, str, float], Iterator[ServerEvent]]


def logged_events(
    machine: str, daemon: str, *, log: Path | None, gc_log: Path | None, start_epoch_s: float
) -> tuple[ServerEvent, ...]:
    """Every event since the run's start, in order; a log that is not there tells nothing.

    ``daemon`` is ``regionserver`` or ``hmaster``, ``start_epoch_s`` the run's start in seconds since 1970 by
    the clock of the machine that wrote the logs.
    """
    readers: tuple[tuple[Path | None, _Read], ...] = ((gc_log, pauses), (log, region_events))
    found: list[ServerEvent] = []
    for path, read in readers:
        if path is None:
            continue
        # A log may be rotated away while it is read, and end within a character.
        with suppress(FileNotFoundError), path.open(encoding="utf-8", errors="replace") as lines:
            found += read(lines, machine, daemon, start_epoch_s)
    return tuple(sorted(found, key=lambda event: event.start_s))
