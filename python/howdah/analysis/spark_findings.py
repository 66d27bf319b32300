"""What a report concludes of Spark applications: the driver's part, executors, stages that waited, losses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import SparkLoss
from howdah.analysis.fault_effects import was_meant
from howdah.analysis.wording import Figure, finding, listed, percent, seconds, times
from howdah.model.cluster import SparkStageRun
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord
from howdah.units import format_bytes, format_counted

DRIVER_SHARE = 0.3  # From this part of the time on, the driver limits: more executors do not shorten it.
WAITING_SHARE = 0.1  # Waits for shuffle data and garbage collection are reported from this part on.
_WORTH = 0.05  # An estimate that changes the time by less than this fraction is no gain.
_CONTAINER = re.compile(r":? container_\w+(?: on host: [\w.-]+)?")
_NODE_LOST = "Exit status: -100"  # YARN's status of containers that it ended with their node.


def find_driver(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How long no task of an application ran, which no number of executors changes."""
    for use in evidence.spark:
        share = use.driver_s / use.elapsed_s
        yield finding(
            "spark-driver",
            f"{use.workload}: no task ran for {seconds(use.driver_s)} of {seconds(use.elapsed_s)} "
            f"({percent(share)}): {seconds(use.before_s)} before the first task, while the driver and its "
            f"executors started, {seconds(use.between_s)} between tasks and {seconds(use.after_s)} after the "
            "last; more executors do not shorten this",
            ("before the first task", use.before_s, "s"),
            ("between tasks", use.between_s, "s"),
            ("after the last task", use.after_s, "s"),
            severity="warning" if share >= DRIVER_SHARE else "note",
            workload=use.workload,
        )


def find_scaling(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """What other numbers of executors would do to an application."""
    for use in evidence.spark:
        own = next(estimate for estimate in use.estimates if estimate.executors == use.executors)
        more = [estimate for estimate in use.estimates if estimate.executors > use.executors]
        estimates = ", ".join(
            f"{seconds(estimate.elapsed_s)} with {estimate.executors:,}" for estimate in use.estimates
        )
        gain = max((1 - estimate.elapsed_s / own.elapsed_s for estimate in more), default=0.0)
        verdict = (
            "more executors would hardly help"
            if gain < _WORTH
            else f"more executors would save up to {percent(gain)}"
        )
        yield finding(
            "spark-scaling",
            f"{use.workload}: {verdict}; its critical path is {seconds(use.critical_s)}. Estimated "
            f"time by executors of {format_counted(use.cores, 'core')}: {estimates}; with {use.executors:,} "
            f"it took {seconds(use.elapsed_s)}. Cores ran no task for {percent(use.idle_share)} of their "
            "executors' time",
            ("critical path", use.critical_s, "s"),
            ("tasks on all cores without gaps", use.ideal_s, "s"),
            ("idle cores", use.idle_share, "1"),
            *(
                (f"{format_counted(estimate.executors, 'executor')}, estimated", estimate.elapsed_s, "s")
                for estimate in use.estimates
            ),
            workload=use.workload,
            sure="likely" if abs(use.error) <= WAITING_SHARE else "guess",
        )


def find_cpu_floor(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How far an application is from the CPU time of its tasks on all its cores, which is its least time."""
    for use in evidence.spark:
        if use.cpu_floor_s <= 0:
            continue
        ratio = use.elapsed_s / use.cpu_floor_s
        yield finding(
            "spark-floor",
            f"{use.workload} took {times(ratio)} the CPU time of its tasks on all "
            f"{use.executors * use.cores:,} cores of its executors ({seconds(use.elapsed_s)} against "
            f"{seconds(use.cpu_floor_s)}), which is its least time with so many cores",
            ("times the CPU time", ratio, "1"),
            ("CPU time on all cores", use.cpu_floor_s, "s"),
            workload=use.workload,
        )


def find_stage_waits(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Stages that spilled, waited for shuffle data of others, or collected garbage for long."""
    for time in evidence.workloads:
        spark = record.workloads[time.index].spark
        for stage in spark.stages if spark else ():
            for id_, text, figure in _troubles(stage):
                yield finding(
                    id_,
                    f"{time.workload}: stage {stage.id} ({stage.what or stage.name}) {text}",
                    figure,
                    severity="warning" if id_ == "spark-spill" else "note",
                    workload=time.workload,
                    phase=f"stage {stage.id}",
                )


def _troubles(stage: SparkStageRun) -> Iterator[tuple[str, str, Figure]]:
    """What a stage lost time with: the finding's id, a text and its number."""
    if stage.memory_spilled_bytes:
        yield (
            "spark-spill",
            f"spilled {format_bytes(stage.memory_spilled_bytes)} of its data, "
            f"{format_bytes(stage.disk_spilled_bytes)} on disk, because each task had too little memory; "
            "--partitions makes tasks smaller, --executor-memory gives more memory",
            ("spilled from memory", stage.memory_spilled_bytes, "B"),
        )
    for id_, part_s, activity in (
        ("spark-fetch-wait", stage.fetch_wait_s, "waiting for shuffle data of other executors"),
        ("spark-gc", stage.gc_s, "collecting garbage"),
    ):
        share = part_s / stage.run_s if stage.run_s > 0 else 0.0
        if share >= WAITING_SHARE:
            yield id_, f"spent {percent(share)} of its tasks' time {activity}", (activity, share, "1")


def find_memory(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How much of their heaps executors used."""
    for time in evidence.workloads:
        spark = record.workloads[time.index].spark
        used = [
            (executor.peak_heap_bytes / executor.heap_bytes, executor)
            for executor in (spark.executors if spark else ())
            if executor.heap_bytes and executor.peak_heap_bytes
        ]
        if not used:
            continue
        share, most = max(used, key=lambda pair: pair[0])
        yield finding(
            "spark-memory",
            f"{time.workload}: executors used at most {format_bytes(most.peak_heap_bytes or 0)} "
            f"({percent(share)}) of their heaps of {format_bytes(most.heap_bytes or 0)}, executor "
            f"{most.id} on {most.worker}",
            ("most of a heap", share, "1"),
            workload=time.workload,
        )


def find_lost_executors(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Executors that were lost, the work that was lost with them, and what Spark computed again."""
    for loss in evidence.spark_losses:
        meant = all(was_meant(record, evidence, executor.worker, loss.lost_s) for executor in loss.executors)
        redone_s = None if loss.redone_s is None else loss.redone_s - loss.lost_s
        yield finding(
            "spark-lost-executors",
            "; ".join(_loss_clauses(loss)),
            ("lost executors", len(loss.executors), "1"),
            ("attempts lost", loss.ended, "1"),
            ("tasks whose output was lost", loss.undone, "1"),
            ("attempts that could not fetch shuffle data", loss.fetch_failed, "1"),
            ("repeated stages", len(loss.stages), "1"),
            ("attempts that repeated work", loss.again, "1"),
            ("repeating work", loss.again_s, "s"),
            ("from the loss until all was done again", redone_s, "s"),
            severity="note" if meant else "warning",
            workload=loss.workload,
        )


def _loss_clauses(loss: SparkLoss) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for executor in loss.executors:
        names = by_reason.setdefault(_reason(executor.removal_reason), [])
        names.append(f"executor {executor.id} on {executor.worker}")
    clauses = [
        f"{listed(names)} {'was' if len(names) == 1 else 'were'} lost: {reason}"
        for reason, names in by_reason.items()
    ]
    text = f"{loss.workload}: {'; '.join(clauses)}"
    if loss.removed_s > loss.lost_s:
        text += f"; the driver removed the first {seconds(loss.removed_s - loss.lost_s)} after its last sign"
    yield text
    lost = []
    if loss.ended:
        lost.append(f"{format_counted(loss.ended, 'attempt')} under way ({seconds(loss.ended_s)} of work)")
    if loss.undone:
        tasks = format_counted(loss.undone, "finished task")
        lost.append(f"the output of {tasks} ({seconds(loss.undone_s)} of work)")
    if lost:
        yield f"with {'it' if len(loss.executors) == 1 else 'them'} {listed(lost)}"
    if loss.fetch_failed:
        yield f"{format_counted(loss.fetch_failed, 'attempt')} could not fetch shuffle data (FetchFailed)"
    if loss.stages:
        stages = listed([f"stage {stage}" for stage in loss.stages])
        yield f"{stages} ran again for lost data"
    if loss.redone_s is not None and loss.begun_s is not None:
        repeated = f"{format_counted(loss.again, 'attempt')} repeated the work in {seconds(loss.again_s)}"
        yield (
            f"{repeated}, the first {seconds(loss.begun_s - loss.lost_s)} after the loss; "
            f"{seconds(loss.redone_s - loss.lost_s)} after it all was done again"
        )


def _reason(reason: str) -> str:
    """Spark's reason in one line; what follows the exit status are guesses and an empty diagnosis."""
    text = " ".join(reason.split()).partition(" Possible causes:")[0].rstrip(". ")
    # The same for several executors, if their containers are not named.
    text = _CONTAINER.sub("", text)
    return f"{text} (YARN gave up the node)" if text.endswith(_NODE_LOST) else text


def find_killed_driver(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Applications whose driver was started again, or whose event log has no end."""
    for time in evidence.workloads:
        spark = record.workloads[time.index].spark
        if spark is not None and spark.attempt > 1:
            begun_s = spark.start_s - time.start_s
            yield finding(
                "spark-driver-restarted",
                f"{time.workload}: its driver was lost or failed, and YARN started it again: the report "
                f"describes driver {spark.attempt}, which began {seconds(begun_s)} after the program and did "
                "all work again",
                ("until the last driver began", begun_s, "s"),
                severity="warning",
                workload=time.workload,
            )
        if spark is None or spark.outcome != "unfinished":
            continue
        read = "up to its last complete line" if spark.truncated else "as far as it was written"
        yield finding(
            "spark-driver-lost",
            f"{time.workload}: its driver was killed or lost {seconds(spark.end_s - spark.start_s)} "
            f"after its start; the event log was read {read}",
            ("until the driver was lost", spark.end_s - spark.start_s, "s"),
            severity="warning",
            workload=time.workload,
        )
