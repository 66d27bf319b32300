"""The engine protocol, a run that is ready to start, and the digests of its job."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict, Unpack

from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.plan import Plan
from howdah.model.run import RunRecord
from howdah.model.tables import Job, SampleSink
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
    """Options of every run."""

    runs_dir: Path
    command: Sequence[str]
    """The command line in the record."""
    seed: int | None
    """None for a random one."""
    keep_data: bool


class Prepared(NamedTuple):
    """A job and the engine that runs it."""

    job: Job
    engine: Engine
    introduction: tuple[tuple[str, str], ...]
    """Lines that the terminal shows before the start, each with a label."""
    kept: Callable[[], Mapping[str, Sequence[str]]]
    """Returns the folders of kept data after the run, with the names in them."""
    close: Callable[[], None] = lambda: None
    """Closes the resources of the preparation, after the run or instead of it."""


def new_job(
    suite: Suite,
    plan: Plan,
    host: Host,
    *,
    sample_interval_s: float,
    **start: Unpack[RunStart],
) -> Job:
    """Return a job that begins now, named after the minute, with a random seed unless one is given."""
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


def job_digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan and suite, by name.

    Values of a host that change every minute, free space for instance, are left out.
    """
    content = job.host.model_dump_json(
        exclude={
            "memory": {"available_bytes"},
            "file_systems": {"__all__": {"free_bytes"}},
            "virtualisation": {"steal_share"},
            "cgroup": {"memory_used_bytes"},
            "unread": True,
        }
    )
    return {"host": sha256(content), "plan": _model(job.plan), "suite": _model(job.suite)}


def sha256(content: str) -> str:
    """A text's digest in hex."""
    return hashlib.sha256(content.encode()).hexdigest()


def _model(part: Model) -> str:
    return sha256(part.model_dump_json())
