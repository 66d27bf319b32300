"""The record that every engine begins with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime

import howdah
from howdah.model.job import Job
from howdah.model.run import Origin, Outcome, RunRecord


def begun_record(
    job: Job,
    *,
    engine: str,
    version: str,
    created: datetime,
    digests: Mapping[str, str],
    origin: Origin = Origin.MEASURED,
) -> RunRecord:
    """The record of a job that has not done anything yet; ``created`` is where the run's clock begins.

    To the millisecond: what others measured finds its place in the run by it.
    """
    return RunRecord(
        id=job.run_id,
        created=created.isoformat(timespec="milliseconds"),
        howdah_version=howdah.__version__,
        engine=engine,
        engine_version=version,
        origin=origin,
        command=job.command,
        seed=job.seed,
        host=job.host,
        plan=job.plan,
        suite=job.suite,
        digests=dict(digests),
        outcome=Outcome.RUNNING,
        pid=os.getpid(),
    )
