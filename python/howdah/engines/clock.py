"""A run's clock: Hadoop's times of day as seconds since the run's start."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime

from howdah.model.run import RunWarning
from howdah.services.errors import ServiceError
from howdah.services.web import Web

_APART_S = 2.0
"""Smaller differences are not measurable: a server's time has a resolution of a second."""


class RunClock:
    """Seconds since the start of a run on CLOCK_MONOTONIC, and the time of day at its start."""

    def __init__(self) -> None:
        self.start_ns = time.monotonic_ns()
        """The start on CLOCK_MONOTONIC."""
        self.start_epoch_s = time.time()
        """The start in seconds since 1970, on this machine's clock."""

    def now_s(self) -> float:
        """Seconds since the start of the run."""
        return (time.monotonic_ns() - self.start_ns) / 1e9

    @property
    def epoch_ms(self) -> int:
        """The start in Hadoop's milliseconds since 1970."""
        return round(self.start_epoch_s * 1000)

    def seconds(self, epoch_ms: int) -> float:
        """A time of Hadoop's, milliseconds since 1970, in seconds since the start of the run."""
        return epoch_ms / 1000 - self.start_epoch_s

    @property
    def set_by_s(self) -> float:
        """By how much the time of day has been set forward since the start of the run."""
        return time.time() - self.start_epoch_s - self.now_s()


def clock_was_set(clock: RunClock) -> tuple[RunWarning, ...]:
    """A warning if this machine's time of day was set during the run: samples' clock was not."""
    by_s = clock.set_by_s
    if abs(by_s) <= _APART_S:
        return ()
    text = (
        f"this machine's time of day was set {abs(by_s):.0f} s {'forward' if by_s > 0 else 'back'} during "
        "the run: times of tasks and samples do not match"
    )
    return (RunWarning(code="clock-set", text=text),)


def clocks_apart(web: Web, servers: Iterable[tuple[str, str]]) -> tuple[RunWarning, ...]:
    """Return a warning for every server (its name and URL) with another time than this machine.

    Servers that do not answer are ignored here.
    """
    offsets = ((name, _ahead_s(web, url)) for name, url in servers)
    return tuple(
        RunWarning(
            code="clock-skew",
            text=f"the clock of {name} is {abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} this"
            " machine's: its times and samples do not match this machine's (is NTP running?)",
        )
        for name, ahead_s in offsets
        if ahead_s is not None and abs(ahead_s) > _APART_S
    )


def _ahead_s(web: Web, url: str) -> float | None:
    """Return how far a server's clock is ahead of this machine's, to a second."""
    before = datetime.now(UTC)
    try:
        theirs = web.get_date(url)
    except (ServiceError, ValueError):
        return None
    if theirs is None or theirs.tzinfo is None:
        return None
    # The header has no fractions of a second: half a second on average.
    ours = before + (datetime.now(UTC) - before) / 2
    return (theirs - ours).total_seconds() + 0.5
