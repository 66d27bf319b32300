"""What imported applications are ranked by, and which of them."""

from __future__ import annotations

from typing import NamedTuple


class RankingOrder(NamedTuple):
    """The property of applications that they are ranked by, and what it means."""

    column: str
    meaning: str


ORDERS = {
    "waste": RankingOrder("wasted_s", "unused container time"),
    "memory": RankingOrder("unused_memory_byte_s", "memory that no task used"),
    "spills": RankingOrder("spilled_bytes", "bytes spilled to disk"),
    "skew": RankingOrder("skew_s", "time that the longest tasks took beyond the median"),
    "failures": RankingOrder("failed_s", "container time of failed attempts"),
    "time": RankingOrder("container_s", "container time"),
}


class Filters(NamedTuple):
    """Which applications are ranked."""

    queue: str | None = None
    user: str | None = None
    since_s: float | None = None
    until_s: float | None = None
