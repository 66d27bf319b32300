"""What it costs to sample: into a real record, with nothing to watch."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from pathlib import Path

from howdah.engines.local.preparation import prepare_local
from howdah.model.engines import DATA_DIR
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.run_request import RunRequest
from howdah.store.writer import RunWriter
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import Source


def sample(sources: Sequence[Source], interval_s: float, seconds: float, folder: Path) -> dict[str, float]:
    """Sample for so many seconds: what that cost as the sampler says, and as the kernel does."""
    request = RunRequest(suite="pi", given={DATA_DIR.name: (folder,)})
    job = prepare_local(request, runs_dir=folder, command=("benches",), seed=None, keep_data=False).job
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
        sampler = Sampler(writer, sources, run_start_ns=time.monotonic_ns(), interval_s=interval_s)
        sampler.start()
        time.sleep(seconds)
        cost = sampler.stop()
        process_s = _process_cpu_s() - before_s
        writer.finish(record.model_copy(update={"outcome": Outcome.SUCCEEDED}))
    if sampler.warnings:
        raise RuntimeError("; ".join(warning.text for warning in sampler.warnings))
    return {
        "sampler_share": cost.cpu_s / cost.elapsed_s,
        "process_share": process_s / cost.elapsed_s,
        "ticks": cost.ticks,
        "late_ticks": cost.late_ticks,
    }


def _process_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
