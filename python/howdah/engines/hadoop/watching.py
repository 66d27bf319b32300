"""A watch that looks by itself while a run goes on."""

from __future__ import annotations

from threading import Event as Flag
from threading import Thread
from types import TracebackType
from typing import Self

from howdah.engines.hadoop.watch import Watch
from howdah.model.cluster import Event

_PAUSE_S = 3.0


class Watching:
    """Looks every few seconds in a thread of its own, for a look may wait for a machine that is gone."""

    def __init__(self, watch: Watch, pause_s: float = _PAUSE_S) -> None:
        self._watch = watch
        self._pause_s = pause_s
        self._stop = Flag()
        self._events: list[Event] = []
        self._thread = Thread(target=self._look, name="howdah-watch", daemon=True)

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened so far, in order."""
        return tuple(self._events)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop looking; a look that waits for a silent machine is not waited for."""
        self._stop.set()
        self._thread.join(self._pause_s)

    def _look(self) -> None:
        while True:
            self._events += self._watch.look()
            if self._stop.wait(self._pause_s):
                return
