"""How many rows a bench sorts and how much memory everyone gets for it."""

from __future__ import annotations

from typing import NamedTuple

import psutil

from benches.ours.sort import least_budget_bytes
from benches.task import ROW_BYTES


class Request(NamedTuple):
    """What the user asked of all chosen benches; None leaves it to the bench."""

    rows: int | None
    peers: tuple[str, ...]
    seconds: float


def ample_memory_bytes() -> int:
    """Memory that no contestant runs out of: half of the machine's."""
    return int(psutil.virtual_memory().total // 2)


def scarce_memory_bytes(rows: int, wanted: int, threads: int) -> int:
    """A budget for so many rows: the wanted one, or as little as can be sorted in where that is more."""
    return max(wanted, least_budget_bytes(rows, threads))


def dataset_bytes(rows: int) -> int:
    """The size of so many rows."""
    return rows * ROW_BYTES
