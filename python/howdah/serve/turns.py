"""Whose question is the newest: a slider that is dragged asks many, of which only the last one counts."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

_MOST_PAGES = 256


class Turns:
    """The number of the newest question of each page; any thread may ask."""

    def __init__(self) -> None:
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()
        self._count = 0

    def turn(self, page: str) -> int:
        """A page asks: its number, which ends all before it."""
        with self._lock:
            self._count += 1
            self._newest[page] = self._count
            self._newest.move_to_end(page)
            while len(self._newest) > _MOST_PAGES:
                self._newest.popitem(last=False)
            return self._count

    def is_over(self, page: str, turn: int) -> bool:
        """Whether the page has asked something newer since."""
        with self._lock:
            return self._newest.get(page, turn) != turn
