"""Blocks that HDFS copied or rebuilt for DataNodes that were lost or drained: how many bytes, how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from howdah.analysis.attempts import attempts_of
from howdah.analysis.evidence import Evidence, MachineOfRun, WorkerDrain, WorkloadTime
from howdah.analysis.layers import LAG_S
from howdah.analysis.machines import counted
from howdah.analysis.timeline import Timeline
from howdah.analysis.wording import listed, number, seconds
from howdah.model.cluster import Event
from howdah.model.finding import Finding, Number
from howdah.model.run import Outcome, RunRecord, TaskAttempt, WorkloadResult
from howdah.model.tables import RunData
from howdah.model.workloads.redundancy import REBUILD_TIME, REDUNDANCY
from howdah.units import format_bytes, format_counted, format_rate


def drains(
    run: RunData, timeline: Timeline, machines: tuple[MachineOfRun, ...], times: tuple[WorkloadTime, ...]
) -> tuple[WorkerDrain, ...]:
    """Every DataNode that was drained during a run, in order."""
    return tuple(
        _drain(run, timeline, machines, times, event)
        for event in run.record.events
        if event.kind == "datanode-drained"
    )


def _drain(
    run: RunData,
    timeline: Timeline,
    machines: tuple[MachineOfRun, ...],
    times: tuple[WorkloadTime, ...],
    event: Event,
) -> WorkerDrain:
    began_s = event.time_s if event.since_s is None else event.since_s
    running = [time for time in times if time.start_s <= event.time_s and began_s <= time.end_s]
    maps = [
        attempt
        for time in running
        for attempt in attempts_of(run, time)
        if attempt.kind == "map" and attempt.state == Outcome.SUCCEEDED.value
    ]
    meanwhile = [attempt for attempt in maps if attempt.start_s <= event.time_s and began_s <= attempt.end_s]
    others = [attempt for attempt in maps if attempt not in meanwhile]

    def grown(metric: str) -> float | None:
        tracks = [timeline.track(machine, metric) for machine in counted(machines, timeline, "datanode")]
        sampled = [track for track in tracks if track is not None]
        return sum(track.growth(began_s, event.time_s + LAG_S) for track in sampled) if sampled else None

    return WorkerDrain(
        worker=event.worker,
        began_s=event.since_s,
        ended_s=event.time_s,
        held_bytes=event.held_bytes,
        workloads=tuple(time.workload for time in running),
        copied_blocks=grown("datanode/copied_blocks"),
        written_bytes=grown("datanode/written_bytes"),
        during_s=_mean_s(meanwhile),
        otherwise_s=_mean_s(others),
    )


def _mean_s(attempts: Sequence[TaskAttempt]) -> float | None:
    return fmean(attempt.end_s - attempt.start_s for attempt in attempts) if attempts else None


def find_moves(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A note for each DataNode that was drained, and one for each measured rebuild."""
    for drain in evidence.drains:
        yield _drained(record, drain)
    for result in record.workloads:
        if result.workload.kind == REDUNDANCY and result.metrics:
            yield _rebuilt(record, result)


def _drained(record: RunRecord, drain: WorkerDrain) -> Finding:
    text = f"{drain.worker} was drained"
    numbers: list[Number] = []
    if drain.began_s is not None:
        text += f" in {seconds(drain.ended_s - drain.began_s)}"
        numbers.append(number("drained in", drain.ended_s - drain.began_s, "s"))
    if drain.held_bytes is not None:
        text += f" with {format_bytes(drain.held_bytes)} on its disks"
        numbers.append(number("on its disks", drain.held_bytes, "B"))
    if drain.copied_blocks is not None and drain.written_bytes is not None:
        blocks = format_counted(round(drain.copied_blocks), "block")
        text += f": DataNodes copied {blocks} and wrote {format_bytes(drain.written_bytes)} meanwhile"
        numbers.append(number("blocks copied", drain.copied_blocks, "1"))
        numbers.append(number("written meanwhile", drain.written_bytes, "B"))
    if drain.workloads:
        text += f", while {listed(drain.workloads)} ran"
    if drain.during_s is not None and drain.otherwise_s is not None:
        text += f"; maps took {seconds(drain.during_s)} then, and {seconds(drain.otherwise_s)} otherwise"
        numbers.append(number("maps meanwhile", drain.during_s, "s"))
        numbers.append(number("maps otherwise", drain.otherwise_s, "s"))
    return Finding(
        id="worker-drained",
        workload=drain.workloads[0] if drain.workloads else None,
        text=text,
        origin=record.origin,
        numbers=tuple(numbers),
    )


def _rebuilt(record: RunRecord, result: WorkloadResult) -> Finding:
    values = {metric.name: metric.value for metric in result.metrics}
    units, copied = values.get("rebuilt units", 0.0), values.get("copied blocks", 0.0)
    remaining = values.get("blocks not rebuilt", 0.0)
    parts = []
    if units:
        parts.append(
            f"{format_counted(round(units), 'unit')} of coded blocks "
            f"({format_bytes(values['rebuilt bytes of units'])}) were computed from "
            f"{format_bytes(values['bytes read to rebuild units'])}"
        )
    if copied:
        parts.append(
            f"{format_counted(round(copied), 'block')} ({format_bytes(values['copied bytes'])}) copied"
        )
    text = f"HDFS was redundant again after {seconds(values[REBUILD_TIME])}"
    if not parts:
        text = "no block had to be copied or rebuilt"
    else:
        text += f": {listed(parts)}"
    if (rate := values.get("rebuild rate")) and parts:
        text += f", {format_rate(rate)}"
    if (noticed_s := values.get("time until noticed")) is not None:
        text += f"; the NameNode began {seconds(noticed_s)} after the start"
    if remaining:
        text = f"{format_counted(round(remaining), 'block')} were not rebuilt; {text}"
    return Finding(
        id="rebuild",
        severity="warning" if remaining else "note",
        workload=result.workload.kind,
        text=f"{result.workload.kind}: {text}",
        origin=record.origin,
        numbers=tuple(number(metric.name, metric.value, metric.unit) for metric in result.metrics),
    )
