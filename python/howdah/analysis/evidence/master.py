"""What the masters did in a workload."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MasterLoad:
    """How busy a master's process was in a workload: a share of one core, of which it may use several."""

    workload: str
    daemon: str
    machine: str
    busy: float
    calls_per_s: float | None
    """Remote calls that it answered; None where it does not count them."""
