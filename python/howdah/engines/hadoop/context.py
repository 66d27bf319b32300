"""The context of a Hadoop run's workloads, and an action deferred until the next job's client starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from howdah.engines.clock import RunClock
from howdah.engines.hadoop.storage import HdfsWorkspace
from howdah.engines.hadoop.target import HadoopTarget
from howdah.model.job import Job, SampleSink
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager


class DeferredAction:
    """At most one action that must not delay the next job."""

    def __init__(self) -> None:
        self._action: Callable[[], None] | None = None

    def put(self, action: Callable[[], None]) -> None:
        """Defer an action, after doing the one before."""
        self.do()
        self._action = action

    def do(self) -> None:
        """Do the deferred action, once, even if it raises an error."""
        action, self._action = self._action, None
        if action is not None:
            action()


@dataclass
class HadoopContext:
    """The context of every program.

    ``warn`` adds a warning by code and text. Without a history server (``history`` is False), application
    masters are queried for more while they run. ``afterwards`` has an action that may run later.
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
    afterwards: DeferredAction
