"""One run's resources, handed from program to program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from howdah.engines.hadoop.afterwards import Afterwards
from howdah.engines.hadoop.clock import RunClock
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.hadoop.workspace import Workspace
from howdah.model.job import Job
from howdah.model.sink import SampleSink
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager


@dataclass
class Bench:
    """What every program works with.

    ``warn`` notes, by code and text, something that a reader of the numbers should know. Where no
    history server answers (``history``), application masters are asked for more while they are there.
    What need not hold up the next job goes to ``afterwards``.
    """

    job: Job
    target: HadoopTarget
    namenode: NameNode
    manager: ResourceManager
    workspace: Workspace
    clock: RunClock
    sink: SampleSink
    history: bool
    warn: Callable[[str, str], None]
    afterwards: Afterwards
