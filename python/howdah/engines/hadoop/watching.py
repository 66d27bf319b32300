"""Keeps an eye on a cluster's daemons while a job runs, without holding up whoever waits for the job."""

from __future__ import annotations

from threading import Event as Flag
from threading import Lock, Thread

from howdah.engines.hadoop.watch import Watch
from howdah.model.cluster import Event

_INTERVAL_S = 5.0
_PATIENCE_S = 10.0


class Watching:
    """Looks every few seconds from ``start`` to ``stop``, in a thread: one that is lost keeps one waiting."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._events: list[Event] = []
        self._lock = Lock()
        self._stop = Flag()
        self._thread = Thread(target=self._run, name="howdah-watch", daemon=True)

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened so far."""
        with self._lock:
            return tuple(self._events)

    def start(self) -> None:
        """Begin, by taking note of what is there."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; a look that takes long is not waited for."""
        self._stop.set()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while True:
            happened = self._watch.look()
            with self._lock:
                self._events += happened
            if self._stop.wait(_INTERVAL_S):
                return
