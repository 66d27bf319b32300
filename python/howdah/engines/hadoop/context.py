"""What is still to be asked of a workload whose job has ended, while the next one's client starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from howdah.engines.clock import RunClock
from howdah.engines.hadoop.storage import HdfsWorkspace
from howdah.engines.hadoop.target import HadoopTarget
from howdah.model.job import Job
from howdah.model.sink import SampleSink
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager


class Afterwards:
    """At most one thing that is left to do, and that need not hold up the next job."""

    def __init__(self) -> None:
        self._left: Callable[[], None] | None = None

    def put(self, left: Callable[[], None]) -> None:
        """Leave something; what was left before is done first."""
        self.do()
        self._left = left

    def do(self) -> None:
        """Do what is left; whatever it raises, it is not done again."""
        left, self._left = self._left, None
        if left is not None:
            left()


@dataclass
class HadoopContext:
    """What every program works with.

    ``warn`` notes, by code and text, something that a reader of the numbers should know. Where no
    history server answers (``history``), application masters are asked for more while they are there.
    What need not hold up the next job goes to ``afterwards``.
    """

    job: Job
    target: HadoopTarget
    namenode: NameNode
    manager: ResourceManager
    workspace: HdfsWorkspace
    clock: RunClock
    sink: SampleSink
    history: bool
    warn: Callable[[str, str], None]
    afterwards: Afterwards
