"""The newest request of each page: a slider that is dragged sends many, of which only the last counts."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

_MOST_PAGES = 256


class Turns:
    """The newest request of each page; used from the event loop's thread only."""

    def __init__(self) -> None:
        self._newest: OrderedDict[str, asyncio.Event] = OrderedDict()

    def turn(self, page: str) -> asyncio.Event:
        """A page sends a request: the event of a newer one. Sets that of the page's request before."""
        if page in self._newest:
            self._newest.pop(page).set()
        self._newest[page] = newer = asyncio.Event()
        while len(self._newest) > _MOST_PAGES:
            self._newest.popitem(last=False)
        return newer
