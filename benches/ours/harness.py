"""One run on a laboratory in this process, and what howdah itself took of it.

``python -m benches.ours.harness LAB ROWS FOLDER`` prints as JSON the seconds of CPU that this process used
while its engine ran (those of Hadoop's clients are not among them), the seconds from the process's start
to the report's end, and the seconds of the jobs.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import psutil

from howdah.engines.base import Engine
from howdah.model.job import Job
from howdah.model.run import Outcome, RunRecord
from howdah.model.sink import Progress, SampleSink
from howdah.session.engines import ClusterChoice, RunRequest, prepare
from howdah.session.runs import run


class _Nobody:
    """Watches nothing."""

    def update(self, record: RunRecord) -> None:
        """Told of the record."""

    def progress(self, progress: Progress) -> None:
        """Told of the progress."""


class _Timed:
    """An engine whose use of the CPU is known."""

    def __init__(self, engine: Engine) -> None:
        self.name = engine.name
        self.version = engine.version
        self.cpu_s = 0.0
        self._engine = engine

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job."""
        before_s = _cpu_s()
        try:
            return self._engine.run(job, sink)
        finally:
            self.cpu_s = _cpu_s() - before_s


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _measure(lab: str, rows: int, folder: Path) -> dict[str, float]:
    prepared = prepare(
        "hadoop",
        RunRequest(suite="terasuite", rows=rows),
        ClusterChoice(lab=lab),
        runs_dir=folder,
        command=("benches",),
        seed=1,
        keep_data=False,
    )
    engine = _Timed(prepared.engine)
    record = run(prepared.job, engine=engine, runs_dir=folder, observer=_Nobody()).data.record
    if record.outcome is not Outcome.SUCCEEDED:
        raise RuntimeError(record.error)
    return {
        "cpu_s": engine.cpu_s,
        "sampler_cpu_s": record.telemetry.cpu_s if record.telemetry else 0.0,
        "elapsed_s": time.time() - psutil.Process().create_time(),
        "jobs_s": sum(workload.elapsed_s for workload in record.workloads),
    }


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
