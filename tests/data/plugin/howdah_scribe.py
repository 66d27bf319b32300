"""An engine of another package: it writes the words of textwriter itself, into a directory here."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from howdah_textwriter import TextWriter, pace

from howdah.engines.base import Prepared, RunUnderWay, begun_record, job_digests
from howdah.model.engines import SAMPLE_INTERVAL, RegisteredEngine
from howdah.model.placement import AtOnce
from howdah.model.plan import Worker, WorkerPlan
from howdah.model.reported import Counters
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.run_request import RunRequest
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.option import Option
from howdah.planner.suite.cluster import size_suite
from howdah.probe import probe_host
from howdah.store.layout import new_run_id
from howdah.units import MIB

SCRIBE = "scribe"
PAPER = Option[str](
    name="paper",
    field="paper",
    help="The directory to write into.",
    metavar="DIR",
    parse=lambda text, flag: text,
    studied=None,
    engines=(SCRIBE,),
)
ENGINE = RegisteredEngine(
    SCRIBE, "a directory, by a pen", "By a scribe", (SAMPLE_INTERVAL, PAPER), "howdah_scribe:prepare_scribe"
)


def write_here(workload: TextWriter, folder: Path) -> Counters:
    """Write the words, map by map."""
    for number in range(workload.maps or 1):
        words = bytes(random.choices(b"abcdefgh ", k=workload.text_bytes or 0))
        (folder / f"words-{number}").write_bytes(words)
    return Counters(written_bytes=workload.written_bytes)


class ScribeEngine:
    """Runs what has a program here; see ``howdah.engines.base.Engine``."""

    name = SCRIBE
    version = "1"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job to its end."""
        record = begun_record(
            job, engine=SCRIBE, version="1", created=datetime.now(UTC), digests=job_digests(job)
        )
        run, began_s = RunUnderWay(record, sink), time.monotonic()
        run.change()
        with run.ending((OSError,)):
            for workload in job.suite.workloads:
                assert isinstance(workload, TextWriter)
                start_s = time.monotonic() - began_s
                counters = write_here(workload, self._folder)
                end_s = time.monotonic() - began_s
                run.add(
                    WorkloadResult(
                        workload=workload,
                        start_s=start_s,
                        end_s=end_s,
                        outcome=Outcome.SUCCEEDED,
                        metrics=(pace(workload, end_s - start_s),),
                        counters=counters,
                    )
                )
            sink.measured()
            run.change(outcome=Outcome.SUCCEEDED, elapsed_s=time.monotonic() - began_s)
        return run.record


def prepare_scribe(
    request: RunRequest, *, runs_dir: Path, command: Sequence[str], seed: int | None, keep_data: bool
) -> Prepared:
    """Make a run ready; nothing is written."""
    suite = size_suite(request, AtOnce(2, 1), engine=SCRIBE).suite
    paper = request.of(PAPER)
    folder = Path(paper or ".")
    worker = Worker(name="scribe", map_slots=1, reduce_slots=0, memory_bytes=MIB)
    job = Job(
        run_id=new_run_id(datetime.now(), request.suite, runs_dir),
        command=tuple(command),
        host=probe_host(),
        plan=WorkerPlan(platform="paper", workers=(worker,), settings=()),
        suite=suite,
        seed=seed or 0,
        keep_data=keep_data,
        sample_interval_s=request.of(SAMPLE_INTERVAL) or 1.0,
        results_dir=folder,
    )
    return Prepared(job=job, engine=ScribeEngine(folder), introduction=(("paper", str(folder)),), kept=dict)
