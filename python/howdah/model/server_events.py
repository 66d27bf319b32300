"""What servers did at which moment: collections, flushes, compactions, splits and moves of regions."""

from __future__ import annotations

from typing import Final, NamedTuple

COLLECTION: Final = "collection"
FLUSH: Final = "flush"
COMPACTION: Final = "compaction"
SPLIT: Final = "split"
MOVE: Final = "move"
SLOW_SYNC: Final = "slow-sync"


class ServerEvent(NamedTuple):
    """One row of the ``server_events`` table: an action of a daemon with its time, from its log."""

    start_s: float
    """Seconds since the start of the run."""
    end_s: float
    """Seconds since the start of the run."""
    machine: str
    """Machine that it ran on."""
    daemon: str
    """``regionserver`` or ``hmaster``."""
    kind: str
    """``collection`` (its threads stood still), ``flush``, ``compaction``, ``split``, ``move`` or
    ``slow-sync`` (of the log of writes)."""
    detail: str
    """Which one: the collector's own word for a pause, or the region."""
    bytes: int | None
    """Bytes that a flush or a compaction wrote, if the log has them."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s
