"""What all pages and all answers of the API are made from."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from howdah.serve.assets import Assets
from howdah.serve.hub import Hub
from howdah.serve.index import RunIndex
from howdah.serve.live import LiveRuns
from howdah.serve.pages import Pages, templates
from howdah.serve.security import Keys
from howdah.serve.settings import ServeSettings
from howdah.serve.shown import ShownPages
from howdah.serve.starting import Starter
from howdah.serve.watching import RunsWatch
from howdah.serve.work import Turns, WorkProcesses, begin_workers
from howdah.session.plan.interactive import PlanStore

_AT_ONCE = 2
"""Reports, comparisons, plans and the like that are worked on at once."""
_MOST_WAITING = 30
_MOST_WORK_S = 120.0
_MOST_SIMULATIONS = 8
_MOST_SIMULATION_S = 60.0


class Site:
    """The settings, the index and everybody who listens; made once for a server or an export."""

    def __init__(
        self, settings: ServeSettings, keys: Keys, *, static: bool = False, index_file: Path | None = None
    ) -> None:
        self.settings, self.keys, self.static = settings, keys, static
        self.hub = Hub()
        self.index = RunIndex(settings.runs_dir, index_file)
        self.watch = RunsWatch(self.index, self.hub)
        self.live = LiveRuns(self.hub)
        self.assets = Assets()
        self.pages = Pages(settings, static, self.assets.names)
        self.shown = ShownPages()
        self.starter = Starter(settings.state_dir, self._starts_changed)
        self.workers = WorkProcesses(at_once=_AT_ONCE, most_waiting=_MOST_WAITING, limit_s=_MOST_WORK_S)
        # One after the other, since each uses every processor.
        self.simulators = WorkProcesses(
            at_once=1, most_waiting=_MOST_SIMULATIONS - 1, limit_s=_MOST_SIMULATION_S
        )
        self.turns = Turns()
        self.plans = PlanStore()
        self._beside: set[asyncio.Task[None]] = set()

    def _starts_changed(self) -> None:
        self.hub.publish(RunsWatch.TOPIC, "starts", "{}")

    def warm(self) -> None:
        """Read what every page needs, for which the first one would wait while many records are read."""
        assert self.assets.files
        for name in ("runs.html.j2", "base.html.j2", "chrome.html.j2", "macros.html.j2"):
            templates().get_template(name)
        begin_workers()

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside the requests, until it or the server ends."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def close(self) -> None:
        """End all that goes on, and close the index."""
        self.hub.close()
        self.index.stop()
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        await self.live.close()
        self.index.close()

    def page(self, template: str, path: str, here: str = "", **values: Any) -> str:
        """A page of the server's own."""
        return self.pages.page(template, path, here, **values)
