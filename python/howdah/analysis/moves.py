"""Blocks that HDFS copied or rebuilt for DataNodes that were lost or drained: how many bytes, how long."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.wording import listed, number, seconds
from howdah.model.cluster import Event
from howdah.model.finding import Finding, Number
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workloads.redundancy import REBUILD_TIME, REDUNDANCY
from howdah.units import format_bytes, format_counted, format_rate


def find_moves(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A note for each DataNode that was drained, and one for each measured rebuild."""
    for event in record.events:
        if event.kind == "datanode-drained":
            yield _drained(record, event)
    for result in record.workloads:
        if result.workload.kind == REDUNDANCY and result.metrics:
            yield _rebuilt(record, result)


def _drained(record: RunRecord, event: Event) -> Finding:
    began_s = event.time_s if event.since_s is None else event.since_s
    running = [
        result for result in record.workloads if result.start_s <= event.time_s and began_s <= result.end_s
    ]
    text = f"{event.worker} was drained"
    numbers: list[Number] = []
    if event.since_s is not None:
        took_s = event.time_s - event.since_s
        text += f" in {seconds(took_s)}"
        numbers.append(number("drained in", took_s, "s"))
    if event.held_bytes is not None:
        text += f": other DataNodes now have its blocks, {format_bytes(event.held_bytes)}"
        numbers.append(number("blocks moved", event.held_bytes, "B"))
    if running:
        text += f", while {listed([result.workload.kind for result in running])} ran"
    return Finding(
        id="worker-drained",
        severity="note",
        workload=running[0].workload.kind if running else None,
        text=text,
        sure="measured",
        origin=record.origin,
        numbers=tuple(numbers),
    )


def _rebuilt(record: RunRecord, result: WorkloadResult) -> Finding:
    counted = {metric.name: metric.value for metric in result.metrics}
    units, copied = counted.get("rebuilt units", 0.0), counted.get("copied blocks", 0.0)
    remaining = counted.get("blocks not rebuilt", 0.0)
    parts = []
    if units:
        parts.append(
            f"{format_counted(round(units), 'unit')} of coded blocks "
            f"({format_bytes(counted['rebuilt bytes of units'])}) were computed from "
            f"{format_bytes(counted['bytes read to rebuild units'])}"
        )
    if copied:
        parts.append(
            f"{format_counted(round(copied), 'block')} ({format_bytes(counted['copied bytes'])}) copied"
        )
    text = f"HDFS was redundant again after {seconds(counted[REBUILD_TIME])}"
    if not parts:
        text = "no block had to be copied or rebuilt"
    else:
        text += f": {listed(parts)}"
    if (rate := counted.get("rebuild rate")) and parts:
        text += f", {format_rate(rate)}"
    if (noticed_s := counted.get("time until noticed")) is not None:
        text += f"; the NameNode began {seconds(noticed_s)} after the start"
    if remaining:
        text = f"{format_counted(round(remaining), 'block')} were not rebuilt; {text}"
    return Finding(
        id="rebuild",
        severity="warning" if remaining else "note",
        workload=result.workload.kind,
        text=f"{result.workload.kind}: {text}",
        sure="measured",
        origin=record.origin,
        numbers=tuple(number(metric.name, metric.value, metric.unit) for metric in result.metrics),
    )
