"""A Spark application: where its time went, what each executor did, what lost executors cost, and findings.

The times of other numbers of executors are estimated as by Sparklens: the measured tasks are placed again on
another number of cores, and the time without tasks stays as it was."""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import ExecutorEstimate, ExecutorUse, SparkUse
from howdah.analysis.fault_effects import was_meant
from howdah.analysis.phases import attempts_of
from howdah.analysis.wording import conclude, percent, seconds
from howdah.model.cluster import OF_ONE_STAGE, SparkExecutorRun, SparkRun
from howdah.model.comparison import Finding
from howdah.model.placement import most_at_once, stretches
from howdah.model.run import Outcome, RunRecord, TaskAttempt
from howdah.model.tables import RunData
from howdah.units import format_counted, listed

_FACTORS = (0.5, 1.0, 2.0, 4.0)  # Executors of an estimate, as multiples of those that ran.
Stages = Mapping[int, Sequence[float]]  # By stage the seconds of each of its tasks.


def spark_uses(run: RunData, times: tuple[WorkloadTime, ...]) -> tuple[SparkUse, ...]:
    result = []
    for time in times:
        spark = time.result.spark
        attempts = attempts_of(run, time) if spark is not None and spark.end_s > spark.start_s else ()
        if spark is not None and any(task.succeeded for task in attempts):
            result.append(_use(time.workload, spark, attempts))
    return tuple(result)


def _use(workload: str, spark: SparkRun, attempts: Sequence[TaskAttempt]) -> SparkUse:
    tasks = [task for task in attempts if task.succeeded]
    covered = stretches((task.start_s, task.end_s) for task in tasks)
    between_s = sum(later[0] - former[1] for former, later in pairwise(covered))
    before_s, after_s = max(0.0, covered[0][0] - spark.start_s), max(0.0, spark.end_s - covered[-1][1])
    lives = [(executor.start_s, executor.end_s or spark.end_s) for executor in spark.executors]
    executors = max(1, most_at_once(lives))
    cores = max((executor.cores for executor in spark.executors), default=1)
    idle_s = before_s + between_s + after_s
    parents = {stage.id: stage.parents for stage in spark.stages}
    parts = [_part(stretch, tasks) for stretch in covered]
    whole_s = sum(task.elapsed_s for task in tasks)
    held_s = sum(
        executor.cores * max(0.0, end_s - start_s)
        for executor, (start_s, end_s) in zip(spark.executors, lives, strict=True)
    )
    counts = sorted({max(1, round(factor * executors)) for factor in _FACTORS})
    hosts: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for task in tasks:
        hosts[stage_of(task), task.attempt // OF_ONE_STAGE].add(task.host)
    return SparkUse(
        workload=workload,
        elapsed_s=spark.end_s - spark.start_s,
        executors=executors,
        cores=cores,
        before_s=before_s,
        between_s=between_s,
        after_s=after_s,
        critical_s=idle_s + sum(_critical_s(part, parents) for part in parts),
        ideal_s=idle_s + whole_s / (executors * cores),
        idle_share=max(0.0, 1 - whole_s / held_s) if held_s > 0 else 0.0,
        estimates=tuple(
            ExecutorEstimate(count, idle_s + sum(placed_s(part, parents, count * cores) for part in parts))
            for count in counts
        ),
        cpu_floor_s=sum(task.cpu_s or 0.0 for task in tasks) / (executors * cores),
        by_executor=executor_uses(spark, attempts),
        hosts={stage: len(names) for stage, names in hosts.items()},
    )


def _part(stretch: tuple[float, float], tasks: Sequence[TaskAttempt]) -> Stages:
    """The tasks of a stretch by stage, in the order in which they began."""
    result: defaultdict[int, list[float]] = defaultdict(list)
    for task in tasks:
        if stretch[0] <= task.start_s and task.end_s <= stretch[1]:
            result[stage_of(task)].append(task.elapsed_s)
    return result


def stage_of(task: TaskAttempt) -> int:
    return int(task.kind.rpartition(" ")[2])


def _critical_s(part: Stages, parents: Mapping[int, tuple[int, ...]]) -> float:
    """The time of a stretch if every task ran at once: the longest chain of the longest tasks."""
    ends: dict[int, float] = {}
    for stage in sorted(part):
        ready_s = max((ends.get(parent, 0.0) for parent in parents.get(stage, ())), default=0.0)
        ends[stage] = ready_s + max(part[stage])
    return max(ends.values(), default=0.0)


def placed_s(
    part: Stages,
    parents: Mapping[int, tuple[int, ...]],
    cores: int,
    warm_ups_s: Mapping[int, Sequence[float]] = MappingProxyType({}),
) -> float:
    """The time of a stretch on so many cores; first tasks on each take its stage's ``warm_ups_s`` longer."""
    free = [(0.0, core) for core in range(cores)]
    ends: dict[int, float] = {}
    for stage in sorted(part):
        ready_s = max((ends.get(parent, 0.0) for parent in parents.get(stage, ())), default=0.0)
        ends[stage] = ready_s
        warm_up_s, ran = warm_ups_s.get(stage, ()), [0] * cores
        for length_s in part[stage]:
            free_s, core = heapq.heappop(free)
            end_s = max(ready_s, free_s) + length_s
            if ran[core] < len(warm_up_s):
                end_s += warm_up_s[ran[core]]
            ran[core] += 1
            heapq.heappush(free, (end_s, core))
            ends[stage] = max(ends[stage], end_s)
    return max(ends.values(), default=0.0)


def executor_uses(spark: SparkRun, attempts: Sequence[TaskAttempt]) -> tuple[ExecutorUse, ...]:
    """The executors in the order of their numbers, those without a task included."""
    own: defaultdict[str | None, list[TaskAttempt]] = defaultdict(list)
    for attempt in attempts:
        own[attempt.executor].append(attempt)
    numbers = {executor.id: int(executor.id) if executor.id.isdigit() else 0 for executor in spark.executors}
    ordered = sorted(spark.executors, key=lambda executor: (numbers[executor.id], executor.id))
    return tuple(_executor_use(executor, spark.end_s, own[executor.id]) for executor in ordered)


def _executor_use(executor: SparkExecutorRun, end_s: float, attempts: Sequence[TaskAttempt]) -> ExecutorUse:
    good = [attempt for attempt in attempts if attempt.succeeded]
    lived_s = max(0.0, (end_s if executor.end_s is None else executor.end_s) - executor.start_s)
    busy_s = sum(attempt.elapsed_s for attempt in attempts)
    peak, heap = executor.peak_heap_bytes, executor.heap_bytes
    return ExecutorUse(
        id=executor.id,
        worker=executor.worker,
        host=attempts[0].host if attempts else "",
        cores=executor.cores,
        lived_s=lived_s,
        tasks=len(good),
        failed=sum(attempt.state == Outcome.FAILED.value for attempt in attempts),
        busy_share=min(1.0, busy_s / (lived_s * executor.cores)) if lived_s * executor.cores > 0 else 0.0,
        task_s=sum(attempt.elapsed_s for attempt in good),
        cpu_s=sum(attempt.cpu_s or 0.0 for attempt in good),
        gc_s=sum(attempt.gc_s or 0.0 for attempt in good),
        fetch_wait_s=sum(attempt.fetch_wait_s or 0.0 for attempt in good),
        # Of a task that read no file, the record has the shuffle data as its input.
        input_bytes=sum(
            attempt.input_bytes for attempt in good if attempt.input_bytes != attempt.shuffled_bytes
        ),
        shuffle_read_bytes=sum(attempt.shuffled_bytes or 0 for attempt in good),
        written_bytes=sum(attempt.output_bytes for attempt in good),
        peak_heap_share=peak / heap if peak and heap else None,
    )


FETCH_FAILED = "FetchFailed"  # How the error of a task begins that could not fetch shuffle data.
_EARLY_S = 2.0  # The driver notes the end of an executor's tasks a little earlier than that of the executor.
_IN_ORDER = ("idle", "driver's request", "killed by driver", "shutdown", "finished", "decommission")
"""Words in Spark's reasons for the removal of executors that nothing happened to."""


def is_lost(executor: SparkExecutorRun) -> bool:
    """Whether an executor was lost, rather than given back or ended with its application."""
    reason = executor.removal_reason.lower()
    return executor.end_s is not None and bool(reason) and not any(word in reason for word in _IN_ORDER)


def undone_attempts(attempts: Sequence[TaskAttempt]) -> tuple[TaskAttempt, ...]:
    """Attempts of tasks of Spark that succeeded, and whose output was lost: another one succeeded later."""
    done: defaultdict[tuple[int, int], list[TaskAttempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.succeeded and attempt.executor is not None:
            done[stage_of(attempt), attempt.task].append(attempt)
    return tuple(
        attempt
        for attempts_of_task in done.values()
        for attempt in sorted(attempts_of_task, key=lambda task: task.end_s)[:-1]
    )


DRIVER_SHARE = 0.3  # From this part of the time on, the driver limits: more executors do not shorten it.
WAITING_SHARE = 0.1  # Waits for shuffle data and garbage collection are reported from this part on.
_WORTH = 0.05  # An estimate that changes the time by less than this fraction is no gain.
_CONTAINER = re.compile(r":? container_\w+(?: on host: [\w.-]+)?")
_NODE_LOST = "Exit status: -100"  # YARN's status of containers that it ended with their node.


def find_driver(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How long no task of an application ran, which no number of executors changes."""
    for use in evidence.spark:
        share = use.driver_s / use.elapsed_s
        yield conclude("spark-driver", use, warns=share >= DRIVER_SHARE, share=share)


def find_scaling(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What other numbers of executors would do to an application."""
    for use in evidence.spark:
        own = next(estimate for estimate in use.estimates if estimate.executors == use.executors)
        more = [estimate for estimate in use.estimates if estimate.executors > use.executors]
        gain = max((1 - estimate.elapsed_s / own.elapsed_s for estimate in more), default=0.0)
        hardly = "more executors would hardly help"
        yield conclude(
            "spark-scaling",
            use,
            sure="likely" if abs(use.error) <= WAITING_SHARE else "guess",
            numbers=(
                (f"{format_counted(estimate.executors, 'executor')}, estimated", estimate.elapsed_s, "s")
                for estimate in use.estimates
            ),
            verdict=hardly if gain < _WORTH else f"more executors would save up to {percent(gain)}",
            times=", ".join(
                f"{seconds(estimate.elapsed_s)} with {estimate.executors:,}" for estimate in use.estimates
            ),
        )


def find_cpu_floor(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How far an application is from the CPU time of its tasks on all its cores, which is its least time."""
    for use in evidence.spark:
        if use.cpu_floor_s > 0:
            ratio, all_cores = use.elapsed_s / use.cpu_floor_s, use.executors * use.cores
            yield conclude("spark-floor", use, ratio=ratio, all_cores=all_cores)


def find_stage_waits(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Stages that spilled, waited for shuffle data of others, or collected garbage for long."""
    for time in evidence.workloads:
        spark = time.result.spark
        for stage in spark.stages if spark else ():
            place = {"workload": time.workload, "phase": f"stage {stage.id}"}
            values: dict[str, Any] = {**place, "stage": stage, "what": stage.what or stage.name}
            if stage.memory_spilled_bytes:
                yield conclude("spark-spill", **values)
            for id_, part_s in (("spark-fetch-wait", stage.fetch_wait_s), ("spark-gc", stage.gc_s)):
                share = part_s / stage.run_s if stage.run_s > 0 else 0.0
                if share >= WAITING_SHARE:
                    yield conclude(id_, **values, share=share)


def find_memory(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How much of their heaps executors used."""
    for time in evidence.workloads:
        spark = time.result.spark
        used = [
            (executor.peak_heap_bytes / executor.heap_bytes, executor)
            for executor in (spark.executors if spark else ())
            if executor.heap_bytes and executor.peak_heap_bytes
        ]
        if used:
            share, most = max(used, key=lambda pair: pair[0])
            yield conclude("spark-memory", most, workload=time.workload, share=share)


def find_lost_executors(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Executors that were lost, the work that was lost with them, and what Spark computed again."""
    for time in evidence.workloads:
        spark = time.result.spark
        if spark is not None and any(map(is_lost, spark.executors)):
            yield _lost_executors(record, evidence, time, spark)


def _lost_executors(record: RunRecord, evidence: Evidence, time: WorkloadTime, spark: SparkRun) -> Finding:
    lost, attempts = list(filter(is_lost, spark.executors)), attempts_of(evidence.timed.run, time)
    removals = {executor.id: executor.end_s for executor in lost if executor.end_s is not None}
    # A worker's last sign of life is earlier than the moment at which the driver was informed.
    signs = {
        executor.id: min(
            removals[executor.id],
            *(
                loss.lost_s
                for loss in evidence.losses
                if (loss.workload, loss.worker) == (time.workload, executor.worker)
            ),
            math.inf,
        )
        for executor in lost
    }
    lost_s = min(signs.values())
    late_s = min(removals.values()) - lost_s
    failed = [attempt for attempt in attempts if not attempt.succeeded]
    fetches = [attempt for attempt in failed if (attempt.error or "").startswith(FETCH_FAILED)]
    under_way = [
        attempt
        for attempt in failed
        if (end_s := removals.get(attempt.executor or "")) is not None
        and attempt.start_s <= end_s <= attempt.end_s + _EARLY_S
    ]
    undone = undone_attempts(attempts)
    wasted = {*fetches, *under_way, *undone}
    tasks = {(attempt.kind, attempt.task) for attempt in wasted}
    again = [
        attempt
        for attempt in attempts
        if (attempt.kind, attempt.task) in tasks and attempt.start_s > lost_s and attempt not in wasted
    ]
    work = list(_lost_work(under_way, undone, signs))
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for executor in lost:
        by_reason[_reason(executor.removal_reason)].append(f"executor {executor.id} on {executor.worker}")
    stages = sorted({stage.id for stage in spark.stages if stage.attempt > 0})
    repeated = stretches((attempt.start_s, attempt.end_s) for attempt in again)
    return conclude(
        "spark-lost-executors",
        warns=not all(was_meant(record, evidence, executor.worker, lost_s) for executor in lost),
        workload=time.workload,
        lost="; ".join(
            f"{listed(names)} {'was' if len(names) == 1 else 'were'} lost: {reason}"
            for reason, names in by_reason.items()
        ),
        late_s=late_s if late_s > 0 else None,
        them="it" if len(lost) == 1 else "them",
        work=work or None,
        fetches=len(fetches) or None,
        ran_again=[f"stage {stage}" for stage in stages] or None,
        begun_after_s=min((attempt.start_s for attempt in again), default=lost_s) - lost_s,
        redone_after_s=max(attempt.end_s for attempt in again) - lost_s if again else None,
        again_s=sum(end_s - start_s for start_s, end_s in repeated),
        lost_executors=len(lost),
        ended=len(under_way),
        undone=len(undone),
        fetch_failed=len(fetches),
        repeated_stages=len(stages),
        again=len(again),
    )


def _lost_work(
    under_way: Sequence[TaskAttempt], undone: Sequence[TaskAttempt], signs: Mapping[str, float]
) -> Iterator[str]:
    """Attempts that ended with their executors, and tasks whose output was lost, each with its time."""
    if under_way:
        ended_s = (
            min(signs[attempt.executor or ""], attempt.end_s) - attempt.start_s for attempt in under_way
        )
        worked_s = sum(max(0.0, worked_s) for worked_s in ended_s)
        yield f"{format_counted(len(under_way), 'attempt')} under way ({seconds(worked_s)} of work)"
    if undone:
        undone_s = sum(attempt.elapsed_s for attempt in undone)
        yield f"the output of {format_counted(len(undone), 'finished task')} ({seconds(undone_s)} of work)"


def _reason(reason: str) -> str:
    """Spark's reason in one line; what follows the exit status are guesses and an empty diagnosis."""
    text = " ".join(reason.split()).partition(" Possible causes:")[0].rstrip(". ")
    # The same for several executors, if their containers are not named.
    text = _CONTAINER.sub("", text)
    return f"{text} (YARN gave up the node)" if text.endswith(_NODE_LOST) else text


def find_killed_driver(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Applications whose driver was started again, or whose event log has no end."""
    for time in evidence.workloads:
        spark = time.result.spark
        if spark is not None and spark.attempt > 1:
            begun_s = spark.start_s - time.start_s
            yield conclude("spark-driver-restarted", workload=time.workload, spark=spark, begun_s=begun_s)
        if spark is not None and spark.outcome == "unfinished":
            read = "up to its last complete line" if spark.truncated else "as far as it was written"
            lived_s = spark.end_s - spark.start_s
            yield conclude("spark-driver-lost", workload=time.workload, lived_s=lived_s, read=read)
