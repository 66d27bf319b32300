"""The engine protocol, and a run that is ready to start."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict, Unpack

from howdah.model.host import Host
from howdah.model.job import Job
from howdah.model.plan import Plan
from howdah.model.run import RunRecord
from howdah.model.sink import SampleSink
from howdah.model.workloads.suite import Suite
from howdah.store.layout import new_run_id


class Engine(Protocol):
    """Executes a Job and returns its record; one contract suite runs over every engine.

    ``run`` sends samples, task attempts, progress and the record so far to the sink, and returns
    the final record whatever happened: a failed or interrupted job is an outcome, not an
    exception. It raises UserError only before anything was written.
    """

    @property
    def name(self) -> str:
        """The engine's name on the command line."""

    @property
    def version(self) -> str:
        """The version written into the record."""

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job to its end."""


class RunStart(TypedDict):
    """How a run is recorded, whatever it runs."""

    runs_dir: Path
    command: Sequence[str]
    """The command line that is written into the record."""
    seed: int | None
    """None for a random one."""
    keep_data: bool


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


def new_job(
    suite: Suite,
    plan: Plan,
    host: Host,
    *,
    sample_interval_s: float,
    **start: Unpack[RunStart],
) -> Job:
    """A job that begins now: named after the minute, with a seed of its own where none was given."""
    return Job(
        run_id=new_run_id(datetime.now(), suite.name, start["runs_dir"]),
        command=tuple(start["command"]),
        host=host,
        plan=plan,
        suite=suite,
        seed=secrets.randbelow(2**32) if start["seed"] is None else start["seed"],
        keep_data=start["keep_data"],
        sample_interval_s=sample_interval_s,
        results_dir=Path.cwd(),
    )
