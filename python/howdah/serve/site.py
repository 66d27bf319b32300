"""What all pages and all answers of the API are made from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import jinja2

import howdah
from howdah.model.annotation import Annotation
from howdah.report.document import Shell, environment
from howdah.serve.assets import Assets
from howdah.serve.hub import Hub
from howdah.serve.index import RunIndex
from howdah.serve.live import LiveRuns
from howdah.serve.plan_store import PlanStore
from howdah.serve.security import POLICY, Keys
from howdah.serve.settings import ServeSettings
from howdah.serve.shown import ShownPages
from howdah.serve.starting import Starter
from howdah.serve.turns import Turns
from howdah.serve.watching import RunsWatch
from howdah.units import format_seconds

T = TypeVar("T")

_AT_ONCE = 2
"""Reports, comparisons and simulations that are worked on at once."""
_MOST_WAITING = 32
_MOST_SIMULATIONS = 8

_PLACES = (
    ("Runs", ""),
    ("Studies", "studies/"),
    ("Plan", "plan/"),
    ("Predictions", "predictions/"),
)


class Busy(RuntimeError):
    """Too much was asked for at once."""


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
        self.shown = ShownPages()
        self.starter = Starter(settings.state_dir, self._starts_changed)
        self._work = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0
        self.simulations = Turns()
        self.plans = PlanStore()
        self._simulating = asyncio.Semaphore(1)
        self._waiting_simulations = 0
        self._beside: set[asyncio.Task[None]] = set()

    def _starts_changed(self) -> None:
        self.hub.publish(RunsWatch.TOPIC, "starts", "{}")

    def warm(self) -> None:
        """Read what every page needs, for which the first one would wait while many records are read."""
        assert self.assets.files
        for name in ("runs.html.j2", "base.html.j2", "chrome.html.j2", "macros.html.j2"):
            _environment().get_template(name)

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside the requests, until it or the server ends."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def close(self) -> None:
        """End all that goes on, and close the index."""
        self.hub.close()
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        await self.live.close()
        self.index.close()

    async def simulating(self, work: Callable[[], T]) -> T:
        """Simulate, one after the other, since each uses every processor; raises Busy as ``working`` does."""
        if self._waiting_simulations >= _MOST_SIMULATIONS:
            raise Busy
        self._waiting_simulations += 1
        try:
            async with self._simulating:
                return await asyncio.to_thread(work)
        finally:
            self._waiting_simulations -= 1

    async def working(self, work: Callable[[], T]) -> T:
        """Do what takes its time in a thread, a few at once; raises Busy where too many wait already."""
        if self._waiting >= _MOST_WAITING:
            raise Busy
        self._waiting += 1
        try:
            async with self._work:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1

    def values(self, path: str, here: str = "") -> dict[str, Any]:
        """What every page is given: how it gets to the others, and what may be done."""
        settings = self.settings
        places = [*_PLACES, *([("Checks", "checks/")] if settings.conf else [])]
        if settings.allow_runs and not self.static:
            places.append(("Start", "start/"))
        return {
            "root": "../" * (path.count("/") - 1) or "./",
            "places": places,
            "here": here,
            "static": self.static,
            "read_only": settings.read_only,
            "by_cookie": not settings.loopback and not self.static,
            "asset": self.assets.address,
            "site_policy": POLICY,
            "policy": POLICY,
            "version": howdah.__version__,
        }

    def page(self, template: str, path: str, here: str = "", **values: Any) -> str:
        """A page of the server's own."""
        made = _environment().get_template(template)
        return made.render(**self.values(path, here), **values)

    def shell(self, path: str, here: str, values: Mapping[str, Any]) -> Shell:
        """What a report's page stands in."""
        _environment()
        own = self.values(path, here)
        # The page's own policy and version are those of the report.
        del own["policy"], own["version"]
        defaults = {
            "run": None,
            "trail": (),
            "annotation": Annotation(),
            "annotation_error": "",
            "notable": False,
        }
        return Shell(PACKAGE, "shown.html.j2", {**defaults, **own, **values})


PACKAGE = "howdah.serve"


def _environment() -> jinja2.Environment:
    made = environment(PACKAGE)
    made.filters.setdefault("seconds", format_seconds)
    made.filters.setdefault("moment", moment)
    return made


def moment(created: str) -> str:
    """A time of a record as a list shows it, to the minute and in UTC."""
    return created[:16].replace("T", " ")
