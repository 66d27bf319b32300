"""How far a run is, for those who watch it from another process; no part of its record."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from howdah.model.base import Model
from howdah.model.sink import Progress, Unit
from howdah.store.layout import PROGRESS
from howdah.store.staging import replacing

_INTERVAL_S = 1.0
"""A run is disturbed once a second, by one small file."""


class RunProgress(Model):
    """What a run said last of the operation under way."""

    workload: str
    """Kind of the workload."""
    phase: str
    """What it does now."""
    done: int
    """Units done."""
    total: int
    """Units to do; 0 where nobody knows."""
    unit: Unit
    """What is counted."""
    elapsed_s: float
    """Seconds since the operation began."""
    tasks: str = ""
    """Tasks that are done, in the engine's words."""

    @property
    def left_s(self) -> float | None:
        """Seconds until the operation ends, if it goes on as it went; None where nothing tells."""
        if not self.done or not self.total or self.elapsed_s <= 0:
            return None
        share = min(1.0, self.done / self.total)
        return self.elapsed_s * (1 - share) / share


class ProgressFile:
    """Keeps the latest progress in a file of the run's directory; a disk that refuses costs nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path / PROGRESS
        self._due_s = 0.0

    def tell(self, progress: Progress) -> None:
        """Write it down, unless that was done less than a second ago."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return
        self._due_s = now_s + _INTERVAL_S
        content = RunProgress(**progress._asdict()).model_dump_json()
        with suppress(OSError), replacing(self._path, durable=False) as file:
            file.write(content.encode())

    def remove(self) -> None:
        """Remove it: the run has ended."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_progress(path: Path) -> RunProgress | None:
    """How far the run in a directory said it was; None where it did not say."""
    try:
        return RunProgress.model_validate_json((path / PROGRESS).read_bytes())
    except (OSError, ValidationError):
        return None
