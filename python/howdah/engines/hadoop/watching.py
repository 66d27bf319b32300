"""Keeps an eye on a cluster's daemons while a job runs, without holding up whoever waits for the job."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event as Flag
from threading import Lock, Thread
from typing import Protocol

from howdah.model.cluster import Event

_PATIENCE_S = 10.0


class Watcher(Protocol):
    """What looks at some of a cluster's daemons."""

    def look(self) -> list[Event]:
        """What has happened since the last look."""


class Watching:
    """Has each of several look every so many seconds, from ``start`` to ``stop``.

    Each does so in a thread of its own: a daemon that is lost keeps one waiting.
    """

    def __init__(self, intervals_s: Mapping[Watcher, float]) -> None:
        self._events: list[Event] = []
        self._lock = Lock()
        self._stop = Flag()
        self._threads = [
            Thread(target=self._run, args=each, name="howdah-watch", daemon=True)
            for each in intervals_s.items()
        ]

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened so far, in the order of its times."""
        with self._lock:
            return tuple(sorted(self._events, key=lambda event: event.time_s))

    def start(self) -> None:
        """Begin, by taking note of what is there."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Look no more; a look that takes long is not waited for."""
        self._stop.set()
        for thread in self._threads:
            thread.join(_PATIENCE_S)

    def _run(self, watcher: Watcher, interval_s: float) -> None:
        while True:
            happened = watcher.look()
            with self._lock:
                self._events += happened
            if self._stop.wait(interval_s):
                return
