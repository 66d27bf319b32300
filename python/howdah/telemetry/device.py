"""The life-cycle every telemetry device has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import NamedTuple

from howdah.telemetry.procfile import ProcFile


class MetricReading(NamedTuple):
    """One metric (named as in ``howdah.model.metrics``) and its value."""

    metric: str
    value: float


class Away(Exception):
    """The device does not answer now and may be back: the message says why."""


class Device(ABC):
    """Something that is read at every tick through files that stay open.

    The hooks are called in order: ``start`` once, ``tick`` any number of times, ``stop`` once.
    ``start`` and ``tick`` raise OSError if the kernel does not give what the device needs; the
    Sampler then leaves the device out and says so. What comes and goes raises ``Away`` in ``tick``
    instead, and is asked again.
    """

    name: str
    paths: tuple[str, ...]

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._files: list[ProcFile] = []

    def start(self) -> None:
        """Open the device's files and check that they can be read."""
        try:
            for path in self.paths:
                self._files.append(ProcFile(self._root / path))
            for file in self._files:
                file.read()
        except OSError:
            self.stop()
            raise

    @property
    def label(self) -> str:
        """What it is, for a reader."""
        return self.name

    @abstractmethod
    def tick(self) -> list[MetricReading]:
        """Read the device now: counters as growth since the first tick, gauges as they are."""

    def stop(self) -> None:
        """Close the files; calling it again does nothing."""
        for file in self._files:
            file.close()
        self._files.clear()
