"""A run that could start: what each engine's preparation comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from howdah.engines.base import Engine
from howdah.model.base import Model
from howdah.model.job import Job


class ClusterChoice(Model):
    """Which cluster to run on, and how; what is left at None is found."""

    conf: Path | None = None
    """A client's configuration directory."""
    lab: str | None = None
    """A laboratory by name."""
    plan: Path | None = None
    """The plan of the cluster that ``conf`` leads to, or of the one to be simulated."""
    hdfs_dir: str | None = None
    """The directory in HDFS below which everything is written."""
    queue: str | None = None
    """The scheduler's queue."""
    deadline_s: float | None = None
    """How long a queue may give no container."""
    job_settings: dict[str, str] = Field(default_factory=dict)
    """Properties of the jobs that the user insists on."""
    probe: Path | None = None
    """The probe of a machine that was measured, whose local engine is to be simulated."""
    calibration: str | None = None
    """The calibration that a simulation rests on: a file, or ``published``."""
    replications: int | None = None
    """How many simulations its bands are over."""


class Prepared(NamedTuple):
    """A job, the engine that runs it, and what a terminal says of the two."""

    job: Job
    engine: Engine
    introduction: tuple[tuple[str, str], ...]
    """What is said before it starts: a label and a line each."""
    kept: Callable[[], Mapping[str, Sequence[str]]]
    """Where data was kept once it has run, and the names of what lies there."""
    close: Callable[[], None] = lambda: None
    """Ends what was opened to make it ready, once it has run or will not."""
