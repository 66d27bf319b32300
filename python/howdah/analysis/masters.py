"""How busy the masters were, by the CPU time of their processes."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, MasterLoad, WorkloadTime
from howdah.analysis.timeline import Timeline, Track
from howdah.analysis.wording import listed, number, percent
from howdah.model.finding import Finding
from howdah.model.run import RunRecord

_MASTERS = {"NameNode": "namenode", "ResourceManager": "resourcemanager"}
# A master that was not asked for this share of a workload may have done anything meanwhile.
_UNSEEN = 0.05


def master_loads(timeline: Timeline, times: tuple[WorkloadTime, ...]) -> tuple[MasterLoad, ...]:
    """Every master of every workload; none of a run whose daemons were not asked for their CPU time."""
    return tuple(load for time in times for load in _loads(timeline, time))


def _loads(timeline: Timeline, time: WorkloadTime) -> Iterator[MasterLoad]:
    for name, daemon in _MASTERS.items():
        for machine in timeline.hosts:
            used = timeline.track(machine, f"jvm/{daemon}/cpu_s")
            if used is None or not _saw(used, time):
                continue
            calls = timeline.track(machine, f"{daemon}/calls")
            yield MasterLoad(
                workload=time.workload,
                daemon=name,
                machine=machine,
                busy=used.growth(time.start_s, time.end_s) / time.elapsed_s,
                calls_per_s=calls.growth(time.start_s, time.end_s) / time.elapsed_s if calls else None,
            )


def _saw(track: Track, time: WorkloadTime) -> bool:
    """Whether the samples reach from the start of a workload to its end, or nearly so."""
    unseen_s = max(track.times_s[0] - time.start_s, 0.0) + max(time.end_s - track.times_s[-1], 0.0)
    return time.elapsed_s > 0 and bool(unseen_s <= _UNSEEN * time.elapsed_s)


def find_masters(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One note for each workload: how much of a core every master used."""
    for workload in dict.fromkeys(load.workload for load in evidence.masters):
        loads = [load for load in evidence.masters if load.workload == workload]
        each = [f"the {load.daemon} on {load.machine} {percent(load.busy)}" for load in loads]
        yield Finding(
            id="masters",
            severity="note",
            workload=workload,
            text=f"{workload}: of one core, {listed(each)} was used",
            sure="measured",
            origin=record.origin,
            numbers=tuple(number(f"{load.daemon} on {load.machine}", load.busy, "1") for load in loads),
        )
