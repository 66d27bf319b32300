"""How far a run is from its floor, and a simulated run from what is known of the same work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.evidence import Evidence, FloorDistance, KnownTime, StretchUse, WorkloadTime
from howdah.analysis.machines import data_dirs, on_cluster
from howdah.analysis.phases import workload_times
from howdah.analysis.wording import listed, number, seconds, times, took
from howdah.analysis.work import replication_of
from howdah.model.finding import Finding
from howdah.model.placement import placed_workers
from howdah.model.prediction import KnownTimes
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.tables import RunData
from howdah.model.workloads.terasort import CODEC, Codec

_SAMPLED_WITHIN = 0.05
"""A limit of CPU time is known from samples, which are not all taken at one moment."""


def floors(
    run: RunData, workloads: tuple[WorkloadTime, ...], use: tuple[StretchUse, ...], floor: RunData | None
) -> tuple[FloorDistance, ...]:
    """Every workload that the floor has with as many bytes; empty without a floor."""
    if floor is None:
        return ()
    below: dict[tuple[str, int], WorkloadTime] = {}
    for time in workload_times(floor):
        if time.outcome is Outcome.SUCCEEDED:
            below[_key(floor.record.workloads[time.index])] = time
    cpus = {each.workload: _sampled_cpus(each) for each in use if each.phase is None}
    ratios = []
    for time in workloads:
        result = run.record.workloads[time.index]
        base = below.get(_key(result))
        if base is None or time.outcome is not Outcome.SUCCEEDED:
            continue
        ratios.append(
            FloorDistance(
                workload=time.workload,
                elapsed_s=time.elapsed_s,
                floor_s=base.elapsed_s,
                floor_run=floor.record.id,
                differs=tuple(
                    _differs(
                        run.record,
                        result,
                        cpus.get(time.workload),
                        floor.record,
                        floor.record.workloads[base.index],
                    )
                ),
            )
        )
    return tuple(ratios)


def _key(result: WorkloadResult) -> tuple[str, int]:
    amount = result.workload.amount(result.counters)
    return result.workload.floor or result.workload.kind, amount.number if amount else 0


def _differs(
    record: RunRecord, result: WorkloadResult, cpus: float | None, floor: RunRecord, base: WorkloadResult
) -> Iterator[str]:
    moved = result.workload.moved(result.counters)
    replicas = replication_of(result) if on_cluster(record) and moved and moved.write else None
    if replicas is not None and replicas > 1:
        yield f"{replicas:g} replicas instead of 1"
    # The floor is a run on the same machine: only limits of CPU time, which samples show, make a difference.
    threads = floor.host.cpu.threads
    if cpus and abs(cpus - threads) > _SAMPLED_WITHIN * threads:
        yield f"{cpus:.3g} instead of {threads:,} CPUs"
    disks, own_disks = _disks(record), _disks(floor)
    if disks and own_disks and disks != own_disks:
        yield f"{disks:,} data disks instead of {own_disks:,}"
    codecs = [(CODEC.of(each.workload) or Codec.NONE).value for each in (result, base)]
    if result.workload.is_shuffled and codecs[0] != codecs[1]:
        yield f"intermediate data compressed by {codecs[0]} instead of {codecs[1]}"


def _sampled_cpus(use: StretchUse) -> float:
    """The CPUs of all machines that did the work, as far as their limits allowed; zero if not sampled."""
    return sum(each.cpu.cpus for each in use.working if each.cpu is not None)


def _disks(record: RunRecord) -> int:
    """Its data disks; none where a laboratory without root has all data in directories of one file system."""
    if record.plan.cluster is None:
        return len(data_dirs(record))
    if record.cluster is not None and record.cluster.lab is not None and record.cluster.lab.rootless:
        return 0
    kinds = {kind.name: len(kind.data_dirs) for kind in record.plan.workers}
    return sum(kinds[worker.kind] for worker in placed_workers(record.plan.cluster))


def find_floors(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """The distance from the floor, workload by workload, and what else than Hadoop differs."""
    for floor in evidence.floors:
        text = (
            f"{floor.workload} {took(record)} {times(floor.ratio)} the floor "
            f"({seconds(floor.elapsed_s)} against {seconds(floor.floor_s)} in {floor.floor_run})"
        )
        yield Finding(
            id="floor",
            workload=floor.workload,
            text=f"{text}; differs from the floor's run by: {listed(floor.differs)}"
            if floor.differs
            else text,
            origin=record.origin,
            numbers=(
                number("times the floor", floor.ratio, "1"),
                number("elapsed", floor.elapsed_s, "s"),
                number("floor", floor.floor_s, "s"),
            ),
        )


def known_times(workloads: Sequence[WorkloadTime], known: Sequence[KnownTimes]) -> tuple[KnownTime, ...]:
    """Every workload and phase that is known, source by source; none of a workload that did not succeed."""
    return tuple(
        KnownTime(
            workload,
            phase,
            elapsed_s,
            known_time.times[name],
            known_time.origin,
            known_time.source,
            known_time.differs,
        )
        for known_time in known
        for workload, phase, elapsed_s in _stretches(workloads)
        if (name := workload if phase is None else f"{workload}/{phase}") in known_time.times
    )


def _stretches(workloads: Sequence[WorkloadTime]) -> Iterator[tuple[str, str | None, float]]:
    for time in workloads:
        if time.outcome is Outcome.SUCCEEDED and time.elapsed_s > 0:
            yield time.workload, None, time.elapsed_s
            for phase in time.told_apart:
                yield time.workload, phase.name, phase.elapsed_s
