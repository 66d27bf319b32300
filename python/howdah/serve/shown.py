"""Pages that take a second to make: made once, kept as long as what they show is as it was."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from howdah.report.document import Figure
from howdah.report.html_shell import ShownPage
from howdah.report.renderer import Renderer
from howdah.serve.places import NotServed
from howdah.serve.work import RequestWork

_MOST_PAGES = 24
"""A page and its figures are some hundred kilobytes, of a large cluster's run a few megabytes."""

P = ParamSpec("P")
T = TypeVar("T")
Key = tuple[str, ...]
"""All that a page depends on."""


class ShownPages:
    """The pages that were shown last, and their still pictures, which only paper needs.

    Used from the event loop's thread only.
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[Key, ShownPage] = OrderedDict()
        self._pictures: OrderedDict[Key, dict[str, str]] = OrderedDict()
        self._drawing = asyncio.Lock()

    async def page(
        self,
        key: Key,
        work: RequestWork,
        make: Callable[P, ShownPage | str],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> ShownPage:
        """The page of a key; what is made as mere text changes all the time, and is not kept."""
        if key in self._pages:
            self._pages.move_to_end(key)
            return self._pages[key]
        made = await work(make, *arguments, **named)
        if isinstance(made, str):
            return ShownPage(made, ())
        _keep(self._pages, key, made)
        return made

    async def picture(
        self,
        key: Key,
        figure: str,
        work: RequestWork,
        make: Callable[P, ShownPage | str],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> str:
        """A still picture of a page as SVG; raises NotServed where the page has no such figure."""
        async with self._drawing:
            # All of a page's are requested together: the second request finds them drawn.
            if key not in self._pictures:
                page = await self.page(key, work, make, *arguments, **named)
                _keep(self._pictures, key, await work(_pictures, page.figures))
            if figure not in self._pictures[key]:
                raise NotServed(figure)
            return self._pictures[key][figure]


def _pictures(figures: Sequence[Figure]) -> dict[str, str]:
    with Renderer() as renderer:
        return renderer.pictures(figures)


def _keep(kept: OrderedDict[Key, T], key: Key, made: T) -> None:
    kept[key] = made
    while len(kept) > _MOST_PAGES:
        kept.popitem(last=False)
