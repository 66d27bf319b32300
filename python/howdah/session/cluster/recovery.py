"""The logs of a laboratory's daemons since a run began: what they tell of recovering from faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from howdah.faults.recovery import steps
from howdah.lab.hadoop.daemons import planned
from howdah.lab.state import LabState
from howdah.model.faults import FaultTold, RecoveryStep

_MOST_STEPS = 200
_AFTER_S = 600.0
"""What is logged later than this after the last fault has nothing to do with it."""


class LabLogs:
    """Where every log ended when the run began."""

    def __init__(self, state: LabState) -> None:
        self._state = state
        self._ends = {daemon.log: _size(daemon.log) for daemon in planned(state)}

    def recovery(self, told: Sequence[FaultTold], start_epoch_s: float) -> tuple[RecoveryStep, ...]:
        """What was logged since the first fault, in order; nothing where none happened."""
        begun = [fault.begun_s for fault in told if fault.begun_s is not None]
        if not begun:
            return ()
        between = min(begun), max(begun) + _AFTER_S
        found = [
            step
            for daemon in planned(self._state)
            for step in steps(
                _lines(daemon.log, self._ends.get(daemon.log, 0)),
                daemon.machine.name,
                daemon.program,
                start_epoch_s=start_epoch_s,
                between=between,
            )
        ]
        return tuple(sorted(found, key=lambda step: step.time_s)[:_MOST_STEPS])


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _lines(log: Path, begin: int) -> Iterator[str]:
    try:
        with log.open("rb") as file:
            file.seek(begin)
            for line in file:
                yield line.decode(errors="replace")
    except OSError:
        return
