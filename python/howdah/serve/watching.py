"""Who looks at the runs directory, and who is told of what has changed.

A directory's own time changes when something appears in it or goes, so that one look at it twice a second
is enough; only runs under way are looked at one by one. Everything is looked at again every half minute.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from howdah.serve.hub import Hub
from howdah.serve.index import RunIndex

INTERVAL_S = 0.5
_EVERYTHING_S = 30.0
_COARSE_S = 0.1
"""A directory that changed so shortly before it was listed may have changed again under the same time."""


class RunsWatch:
    """Keeps the index up to date, and tells the hub."""

    TOPIC = "runs"

    def __init__(self, index: RunIndex, hub: Hub, changed: Callable[[], None] = lambda: None) -> None:
        self._index = index
        self._hub = hub
        self._changed = changed
        self._names: list[str] = []
        self._listed_ns = -1
        self._everything_s = 0.0
        self.complete = False
        """Whether every record there was at the start has been read."""

    async def follow(self) -> None:
        """Look again and again until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.to_thread(self.look, partial(_handed, loop, self.tell))
            if not self.complete:
                self.complete = True
                self.tell(set())
            await asyncio.sleep(INTERVAL_S)

    def look(self, tell: Callable[[set[str]], None] = lambda ids: None) -> None:
        """Bring the index up to date once."""
        now_s = time.monotonic()
        every = now_s - self._everything_s >= _EVERYTHING_S
        if every:
            self._everything_s = now_s
        changed_ns = _changed_ns(self._index.runs_dir)
        if every or changed_ns != self._listed_ns:
            listed_at_ns = time.time_ns()
            self._names = self._index.names()
            settled = listed_at_ns - changed_ns > _COARSE_S * 1e9
            self._listed_ns = changed_ns if settled else -1
        for ids in self._index.look(self._names, every=every):
            tell(ids)

    def tell(self, ids: set[str]) -> None:
        """Tell everybody who listens that these runs have changed; from the event loop's thread."""
        self._changed()
        told = {"ids": sorted(ids)[:200], "known": len(self._index), "complete": self.complete}
        self._hub.publish(self.TOPIC, "runs", json.dumps(told))


def _handed(loop: asyncio.AbstractEventLoop, tell: Callable[[set[str]], None], ids: set[str]) -> None:
    loop.call_soon_threadsafe(tell, ids)


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return -2
