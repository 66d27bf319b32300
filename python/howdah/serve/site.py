"""What all pages and answers share: assets named by content, kept pages, watchers of the folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from importlib import resources
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from typing import Any, NamedTuple

from howdah.model.plan import ClusterPlan
from howdah.report.document import Figure
from howdah.report.html import ShownPage, page_text, style_sheet, vega_bundle
from howdah.report.renderer import Renderer
from howdah.serve.hub import Hub
from howdah.serve.index import RunIndex
from howdah.serve.live import LiveRuns
from howdah.serve.pages import Pages, templates
from howdah.serve.places import NotServed, ServeSettings
from howdah.serve.security import Keys
from howdah.serve.starting import Starter
from howdah.serve.work import Newest, RequestWork, Turns, WorkProcesses

_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}


class Asset(NamedTuple):
    """One file of every page's, or of one page's own."""

    content: bytes
    kind: str


class Assets:
    """All of them, by the name that addresses have."""

    @cached_property
    def files(self) -> dict[str, Asset]:
        """Every file by its name in addresses."""
        kinds = {name: _TYPES[name.rpartition(".")[2]] for name in self._texts}
        return {self.names[name]: Asset(text, kinds[name]) for name, text in self._texts.items()}

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        own = resources.files("howdah.serve") / "static"
        texts = {file.name: file.read_text(encoding="utf-8") for file in own.iterdir()}
        texts["page.css"] = f"{style_sheet()}\n{texts.pop('serve.css')}"
        texts["plan.css"], texts["plan.js"] = page_text("plan.css"), page_text("plan.js")
        texts["page.js"], texts["vega.js"] = page_text("page.js"), vega_bundle()
        return {name: text.encode() for name, text in texts.items()}

    @cached_property
    def names(self) -> dict[str, str]:
        """Each file's name in addresses: ``page.js`` is ``page-0123456789ab.js``."""
        names = {}
        for name, text in self._texts.items():
            stem, _, end = name.rpartition(".")
            names[name] = f"{stem}-{hashlib.sha256(text).hexdigest()[:12]}.{end}"
        return names


_MOST_PAGES = 24  # A page with figures has hundreds of kilobytes, of a large cluster a few megabytes.

Key = tuple[str, ...]  # All that a page depends on.


class Shown(NamedTuple):
    """A page with figures: all that it depends on, and what makes it from the server's pages."""

    key: Key
    make: Callable[..., ShownPage | str]
    arguments: tuple[Any, ...] = ()


class ShownPages:
    """The pages that were shown last, and their still pictures, which only paper needs.

    Used from the event loop's thread only.
    """

    def __init__(self, pages: Pages) -> None:
        self._from = pages
        self._pages = Newest[Key, ShownPage](_MOST_PAGES)
        self._pictures = Newest[Key, dict[str, str]](_MOST_PAGES)
        self._drawing = asyncio.Lock()

    async def page(self, shown: Shown, work: RequestWork) -> ShownPage:
        """The page; what is made as mere text changes all the time, and is not kept."""
        if shown.key in self._pages:
            self._pages.move_to_end(shown.key)
            return self._pages[shown.key]
        made = await work(shown.make, self._from, *shown.arguments)
        if isinstance(made, str):
            return ShownPage(made, ())
        self._pages.keep(shown.key, made)
        return made

    async def picture(self, shown: Shown, figure: str, work: RequestWork) -> str:
        """A still picture of a page as SVG; raises NotServed where the page has no such figure."""
        async with self._drawing:
            # All of a page's are requested together: the second request finds them drawn.
            if shown.key not in self._pictures:
                page = await self.page(shown, work)
                self._pictures.keep(shown.key, await work(_pictures, page.figures))
            if figure not in self._pictures[shown.key]:
                raise NotServed(figure)
            return self._pictures[shown.key][figure]


def _pictures(figures: Sequence[Figure]) -> dict[str, str]:
    with Renderer() as renderer:
        return renderer.pictures(figures)


INTERVAL_S = 0.5
_EVERYTHING_S = 30.0
_COARSE_S = 0.1  # A directory that changed so shortly before may have changed again unnoticed.


class RunsWatch:
    """Keeps the index up to date, and tells the hub."""

    TOPIC = "runs"

    def __init__(self, index: RunIndex, hub: Hub) -> None:
        self._index = index
        self._hub = hub
        self._names: list[str] = []
        self._listed_ns = -1
        self._everything_s = 0.0
        self.complete = False  # Whether every record there was at the start has been read.

    async def follow(self) -> None:
        """Look again and again until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.to_thread(self.refresh, lambda ids: loop.call_soon_threadsafe(self.announce, ids))
            if not self.complete:
                self.complete = True
                self.announce(set())
            await asyncio.sleep(INTERVAL_S)

    def refresh(self, report: Callable[[set[str]], object] = lambda ids: None) -> None:
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
        for ids in self._index.refresh(self._names, every=every):
            report(ids)

    def announce(self, ids: set[str]) -> None:
        """Tell everybody who listens that these runs have changed; from the event loop's thread."""
        changed = {"ids": sorted(ids)[:200], "known": len(self._index), "complete": self.complete}
        self._hub.publish(self.TOPIC, "runs", json.dumps(changed))


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return -2


_AT_ONCE = 2  # Reports, comparisons, plans and the like that are worked on at once.
_MOST_WAITING = 30
_MOST_WORK_S = 120.0
_MOST_SIMULATIONS = 8
_MOST_SIMULATION_S = 60.0
_MOST_PLANS = 30


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
        self.shown = ShownPages(self.pages)
        self.starter = Starter(settings.state_dir, lambda: self.hub.publish(RunsWatch.TOPIC, "starts", "{}"))
        self.workers = WorkProcesses(at_once=_AT_ONCE, most_waiting=_MOST_WAITING, limit_s=_MOST_WORK_S)
        # One after the other, since each uses every processor.
        self.simulators = WorkProcesses(
            at_once=1, most_waiting=_MOST_SIMULATIONS - 1, limit_s=_MOST_SIMULATION_S
        )
        self.turns = Turns()
        # In memory only, for whoever has the link: a plan that is to stay is downloaded.
        self.plans = Newest[str, ClusterPlan](_MOST_PLANS)
        self._tasks: set[asyncio.Task[None]] = set()

    def warm(self) -> None:
        """Read what every page needs, for which the first one would wait while many records are read."""
        assert self.assets.files
        for name in ("runs.html.j2", "base.html.j2", "chrome.html.j2", "macros.html.j2"):
            templates().get_template(name)
        # What starts the processes imports everything, for which the first request would wait.
        ensure_running()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside the requests, until it or the server ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End all that goes on, and close the index."""
        self.hub.close()
        self.index.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.live.close()
        self.index.close()
