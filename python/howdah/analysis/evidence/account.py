"""What a workload should move, says it moved, and what the devices counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Explanation:
    """A part of the difference between devices and counters, signed like it, and why it is there."""

    what: str
    bytes: float
    sure: Literal["measured", "likely", "guess"]


@dataclass(frozen=True)
class ByteSide:
    """One direction (reading or writing) of a workload's byte account.

    ``should`` is theory (None: nothing to compute it from, or the workload did not finish); ``said``
    are the workload's own counters; ``devices`` is what the data disks counted (None: no samples);
    ``resolution`` bounds the error that comes from samples not falling on the workload's ends.
    """

    should: float | None
    said: float
    devices: float | None
    resolution: float
    explained: tuple[Explanation, ...]

    @property
    def remainder(self) -> float | None:
        """Bytes on the devices beyond those the workload says it moved; negative where there were fewer."""
        return None if self.devices is None else self.devices - self.said

    @property
    def unexplained(self) -> float | None:
        """The part of the remainder for which there is no explanation."""
        if self.remainder is None:
            return None
        return self.remainder - sum(part.bytes for part in self.explained)


@dataclass(frozen=True)
class ByteAccount:
    """What a workload should move, says it moved, and what the data disks did meanwhile."""

    workload: str
    disks: tuple[str, ...]
    read: ByteSide
    write: ByteSide
