"""What was done to a cluster while it worked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from howdah.model.faults import FaultTold, RecoveryStep


@dataclass(frozen=True)
class FaultEffect:
    """A fault that was done, and what probes and logs tell of the time until the next one was.

    ``probes`` is how many probes asked meanwhile, ``out`` how many of them had no answer for a while,
    ``longest_s`` the longest of these outages. ``back_s`` is when the last of them was over, seconds since
    the fault: zero where there was none, None where one was not over when the probes ended. ``blind_s`` is
    how long it took until the first of them asked, zero where that was before the fault. ``steps`` has one
    of each name, with ``time_s`` since the fault.
    """

    fault: FaultTold
    begun_s: float
    probes: int
    out: int
    longest_s: float
    blind_s: float
    back_s: float | None
    steps: tuple[RecoveryStep, ...]
