"""howdah's telemetry by itself: everything a run samples, into a real record, with nothing to watch.

``python -m benches.ours.telemetry INTERVAL_S SECONDS FOLDER`` prints the CPU time it took as JSON: what
the sampler says of itself, and what the kernel says of the whole process meanwhile.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from howdah.model.run import Origin, Outcome, RunRecord
from howdah.session.engines import RunRequest
from howdah.session.local import prepare_local
from howdah.store.writer import RunWriter
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import this_machine


def sample(interval_s: float, seconds: float, folder: Path) -> dict[str, float]:
    """Sample for so many seconds and return what that cost."""
    job = prepare_local(
        RunRequest(suite="pi", data_dirs=(folder,)), runs_dir=folder, command=("benches",)
    ).job
    record = RunRecord(
        id=job.run_id,
        created="",
        howdah_version="",
        engine="none",
        engine_version="",
        origin=Origin.MEASURED,
        command=job.command,
        seed=job.seed,
        host=job.host,
        plan=job.plan,
        suite=job.suite,
        digests={},
        outcome=Outcome.RUNNING,
    )
    with RunWriter(folder, record) as writer:
        before_s = _process_cpu_s()
        machine = this_machine(job.host.name)
        sampler = Sampler(writer, [machine], run_start_ns=time.monotonic_ns(), interval_s=interval_s)
        sampler.start()
        time.sleep(seconds)
        cost = sampler.stop()
        process_s = _process_cpu_s() - before_s
        writer.finish(record.model_copy(update={"outcome": Outcome.SUCCEEDED}))
    return {
        "sampler_share": cost.cpu_s / cost.elapsed_s,
        "process_share": process_s / cost.elapsed_s,
        "ticks": cost.ticks,
        "late_ticks": cost.late_ticks,
    }


def _process_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    print(json.dumps(sample(float(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))))
