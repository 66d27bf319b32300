"""Pages that take a second to make: made once, kept as long as what they show is as it was."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from howdah.report.document import ShownPage
from howdah.report.renderer import Renderer

_MOST_PAGES = 24
"""A page and its figures are some hundred kilobytes, of a large cluster's run a few megabytes."""

T = TypeVar("T")
Key = tuple[str, ...]


class ShownPages:
    """The pages that were shown last, and their still pictures, which only paper asks for."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Key, ShownPage] = OrderedDict()
        self._pictures: OrderedDict[Key, dict[str, str]] = OrderedDict()
        self._lock = Lock()
        self._drawing = Lock()

    def page(self, key: Key, make: Callable[[], ShownPage]) -> ShownPage:
        """The page of a key, which says all that it depends on."""
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
                return self._pages[key]
        made = make()
        with self._lock:
            _keep(self._pages, key, made)
        return made

    def picture(self, key: Key, figure: str, make: Callable[[], ShownPage]) -> str | None:
        """A still picture of a page as SVG; None where the page has no such figure."""
        page = self.page(key, make)
        with self._drawing:
            # All of a page's are asked for together: whoever comes second finds them drawn.
            with self._lock:
                known = self._pictures.get(key)
            if known is None:
                with Renderer() as renderer:
                    known = renderer.pictures(page.figures)
                with self._lock:
                    _keep(self._pictures, key, known)
        return known.get(figure)


def _keep(kept: OrderedDict[Key, T], key: Key, made: T) -> None:
    kept[key] = made
    while len(kept) > _MOST_PAGES:
        kept.popitem(last=False)
