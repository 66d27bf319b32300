"""One run on a laboratory in this process, and what howdah itself took of it.

``python -m benches.ours.harness LAB ROWS FOLDER`` prints as JSON the seconds of the jobs, those before the
first of them since the process's start, those between them, those after the last until the report is
written, and the seconds of CPU that this process used while they ran (those of Hadoop's clients are not
among them).
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from benches.ours.meter import Meter, own_cpu_s
from howdah.model.engines import LAB
from howdah.model.run import Outcome, RunRecord
from howdah.model.run_request import RunRequest
from howdah.model.tables import Progress
from howdah.model.workloads.terasort import ROWS
from howdah.session.runs import prepare, run

_START_TICKS = 19
"""The place of a process's start in its ``/proc/…/stat``, counted behind its name."""


class _Nobody:
    """Watches nothing."""

    def update(self, record: RunRecord) -> None:
        """Told of the record."""

    def progress(self, progress: Progress) -> None:
        """Told of the progress."""


def _measure(lab: str, rows: int, folder: Path) -> dict[str, float]:
    born_s = _born_s()
    with Meter(own_cpu_s) as meter:
        prepared = prepare(
            "hadoop",
            RunRequest(suite="terasuite", given={ROWS.name: rows, LAB.name: lab}),
            runs_dir=folder,
            command=("benches",),
            seed=1,
            keep_data=False,
        )
        record = run(prepared.job, engine=prepared.engine, runs_dir=folder, observer=_Nobody()).data.record
        ended_s = time.time()
    if record.outcome is not Outcome.SUCCEEDED:
        raise RuntimeError(record.error)
    began_s = datetime.fromisoformat(record.created).timestamp()
    jobs = [(began_s + one.start_s, began_s + one.end_s) for one in record.workloads]
    return {
        "jobs_s": sum(one.elapsed_s for one in record.workloads),
        "before_s": jobs[0][0] - born_s,
        "between_s": sum(later[0] - earlier[1] for earlier, later in pairwise(jobs)),
        "after_s": ended_s - jobs[-1][1],
        "cpu_s": sum(meter.growth(*job) for job in jobs),
        "sampler_cpu_s": record.telemetry.cpu_s if record.telemetry else 0.0,
    }


def _born_s() -> float:
    """The time of day at which this process was started.

    It is worked out from the seconds since the machine's start: its time of day is kept in whole seconds.
    """
    said = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    since_start_s = int(said[_START_TICKS]) / os.sysconf("SC_CLK_TCK")
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - since_start_s)


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
