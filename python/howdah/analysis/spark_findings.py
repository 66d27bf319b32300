"""What a report concludes of Spark applications: the driver's part, executors, stages that waited, losses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from howdah.analysis.evidence import Evidence
from howdah.analysis.fault_effects import was_meant
from howdah.analysis.wording import conclude, listed, percent, seconds
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord
from howdah.units import format_counted

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
        spark = record.workloads[time.index].spark
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
        spark = record.workloads[time.index].spark
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
    for loss in evidence.spark_losses:
        by_reason: dict[str, list[str]] = {}
        for executor in loss.executors:
            names = by_reason.setdefault(_reason(executor.removal_reason), [])
            names.append(f"executor {executor.id} on {executor.worker}")
        lost = "; ".join(
            f"{listed(names)} {'was' if len(names) == 1 else 'were'} lost: {reason}"
            for reason, names in by_reason.items()
        )
        work = []
        if loss.ended:
            work.append(
                f"{format_counted(loss.ended, 'attempt')} under way ({seconds(loss.ended_s)} of work)"
            )
        if loss.undone:
            tasks = format_counted(loss.undone, "finished task")
            work.append(f"the output of {tasks} ({seconds(loss.undone_s)} of work)")
        meant = all(was_meant(record, evidence, executor.worker, loss.lost_s) for executor in loss.executors)
        late_s = loss.removed_s - loss.lost_s
        yield conclude(
            "spark-lost-executors",
            loss,
            warns=not meant,
            lost=lost,
            late_s=late_s if late_s > 0 else None,
            them="it" if len(loss.executors) == 1 else "them",
            work=work or None,
            fetches=loss.fetch_failed or None,
            ran_again=[f"stage {stage}" for stage in loss.stages] or None,
            begun_after_s=None if loss.begun_s is None else loss.begun_s - loss.lost_s,
            redone_after_s=None if loss.redone_s is None else loss.redone_s - loss.lost_s,
            lost_executors=len(loss.executors),
            repeated_stages=len(loss.stages),
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
            yield conclude("spark-driver-restarted", workload=time.workload, spark=spark, begun_s=begun_s)
        if spark is not None and spark.outcome == "unfinished":
            read = "up to its last complete line" if spark.truncated else "as far as it was written"
            lived_s = spark.end_s - spark.start_s
            yield conclude("spark-driver-lost", workload=time.workload, lived_s=lived_s, read=read)
