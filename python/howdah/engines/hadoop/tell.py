"""What became of a job, told by the first of those who know: a run record's words for Hadoop's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.engines.hadoop.attempts import attempt_rows
from howdah.engines.hadoop.clock import RunClock
from howdah.engines.hadoop.counters import summed
from howdah.engines.hadoop.failure import cause_of
from howdah.engines.hadoop.machines import Machines
from howdah.engines.hadoop.phases import phases
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.hadoop.tellers import Account, Tellers
from howdah.model.cluster import AppMasterStart, CounterValue, HadoopJob
from howdah.model.plan import Plan
from howdah.model.run import Counters, Phase, TaskAttempt
from howdah.model.workload import WorkloadKind
from howdah.services.job import JobFacts
from howdah.services.task_log import TaskLogs

_KEPT = (
    "dfs.blocksize",
    "dfs.bytes-per-checksum",
    "dfs.client.read.shortcircuit",
    "dfs.replication",
    "io.file.buffer.size",
    "mapreduce.job.heap.memory-mb.ratio",
    "mapreduce.job.maps",
    "mapreduce.job.reduce.slowstart.completedmaps",
    "mapreduce.job.reduces",
    "mapreduce.job.ubertask.enable",
    "mapreduce.map.cpu.vcores",
    "mapreduce.map.maxattempts",
    "mapreduce.map.memory.mb",
    "mapreduce.map.output.compress",
    "mapreduce.map.output.compress.codec",
    "mapreduce.map.sort.spill.percent",
    "mapreduce.map.speculative",
    "mapreduce.output.fileoutputformat.compress",
    "mapreduce.reduce.cpu.vcores",
    "mapreduce.reduce.input.buffer.percent",
    "mapreduce.reduce.maxattempts",
    "mapreduce.reduce.memory.mb",
    "mapreduce.reduce.merge.inmem.threshold",
    "mapreduce.reduce.shuffle.input.buffer.percent",
    "mapreduce.reduce.shuffle.merge.percent",
    "mapreduce.reduce.shuffle.parallelcopies",
    "mapreduce.reduce.speculative",
    "mapreduce.task.timeout",
    "mapreduce.task.io.sort.factor",
    "mapreduce.task.io.sort.mb",
    "mapreduce.terasort.output.replication",
    "mapreduce.terasort.partitions.sample",
    "yarn.app.mapreduce.am.resource.mb",
    "yarn.client.nodemanager-connect.max-wait-ms",
)
"""Properties that a record keeps: those that readers of numbers ask about. None of them holds a secret."""


class Told(NamedTuple):
    """A job as the run record has it."""

    job: HadoopJob
    """The job itself; its diagnostics are the cause in one sentence if it did not succeed."""
    attempts: list[TaskAttempt]
    """Every attempt that began, in the order they did."""
    phases: tuple[Phase, ...]
    """Its phases; none where nobody tells of its tasks."""
    counters: Counters
    """What it did."""
    facts: JobFacts
    """What was told, as Hadoop has it."""


def tell_job(
    target: HadoopTarget,
    job_id: str,
    clock: RunClock,
    *,
    kind: WorkloadKind,
    plan: Plan,
    said: Sequence[str] = (),
    seen: JobFacts | None = None,
    staging: str = "",
) -> Told:
    """Ask what became of a job that has ended; ``said`` is what its client said, ``staging`` its directory.

    Its history file in HDFS is read first, then the history server is asked; where neither can be had,
    ``seen`` counts, what the application master told last, then the counters that the client printed. It
    raises nothing: who tells least tells of no tasks.
    """
    machines = Machines(target.machine_of, plan)
    account = Tellers(target, staging).account(job_id, said, seen, clock)
    facts = account.facts
    return Told(
        job=_job(
            account,
            machines,
            clock,
            None if facts.state == "succeeded" else _why(account, target, machines, said),
        ),
        attempts=attempt_rows(facts, kind, machines, clock),
        phases=phases(facts, kind, clock),
        counters=summed(facts),
        facts=facts,
    )


def _job(account: Account, machines: Machines, clock: RunClock, diagnostics: str | None) -> HadoopJob:
    facts = account.facts
    return HadoopJob(
        id=facts.id,
        name=facts.name,
        queue=facts.queue,
        told_by=account.told_by,
        submitted_s=clock.seconds(facts.submit_ms),
        started_s=None if facts.start_ms is None else clock.seconds(facts.start_ms),
        finished_s=None if facts.finish_ms is None else clock.seconds(facts.finish_ms),
        masters=tuple(
            AppMasterStart(
                number=one.number,
                worker=machines.worker(one.node),
                started_s=clock.seconds(one.start_ms),
            )
            for one in facts.masters
        ),
        counters={name: CounterValue(**sums._asdict()) for name, sums in sorted(facts.counters.items())},
        conf={key: facts.conf[key] for key in _KEPT if key in facts.conf},
        diagnostics=diagnostics,
    )


def _why(account: Account, target: HadoopTarget, machines: Machines, said: Sequence[str]) -> str:
    logs = TaskLogs(target.web, target.conf)
    return cause_of(account.facts, account.app, logs, machines, said)
