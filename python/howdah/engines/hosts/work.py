"""What a program needs that runs on hosts themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from howdah.engines.hosts.target import HostsTarget
from howdah.model.sink import Progress, SampleSink
from howdah.model.workloads.base import Workload

W = TypeVar("W", bound=Workload)


@dataclass(frozen=True)
class HostsWork(Generic[W]):
    """A workload, the machines it runs on, and where what it measures goes."""

    workload: W
    """What is to be run, every size decided."""
    target: HostsTarget
    """The machines."""
    sink: SampleSink
    """Takes what is measured."""
    now_s: Callable[[], float]
    """Seconds since the start of the run."""
    start_s: float
    """When the workload began."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """Say how many parts of the workload are done."""
        elapsed_s = self.now_s() - self.start_s
        self.sink.progress(Progress(self.workload.kind, phase, done, total, "share", elapsed_s))
