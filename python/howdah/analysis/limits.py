"""How close each phase came to the raw limits of this host, and what held it.

The limit is the time the bytes a phase must move take as plain blocks on the same disks: reads and
writes that go on at once are copies, at the raw copy rate; what is left over is a raw read or write.
So a sort in memory is compared with reading everything and then writing it, a sort that spills against
two plain copies, teragen against the raw write and teravalidate against the raw read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import Bound, FloorDistance, KnownTime, LimitShare, WorkloadTime
from howdah.analysis.evidence.use import OthersUse, StretchUse
from howdah.analysis.machines import data_dirs, on_cluster
from howdah.analysis.other_processes import DISTURBED
from howdah.analysis.phases import phase_work, replication_of, work_of, workload_times
from howdah.analysis.wording import Figure, Sure, conclude, named, percent, phrase, seconds, times, took
from howdah.model.comparison import Finding
from howdah.model.placement import placed_workers
from howdah.model.prediction import KnownTimes
from howdah.model.run import Limits, Outcome, RunRecord, WorkloadResult
from howdah.model.tables import RunData
from howdah.model.workloads.base import Moved
from howdah.model.workloads.terasort import CODEC, Codec

NEAR = 0.5  # A resource used below half of what it can do is not what a phase waits for.
ALIKE = 0.8  # If the raw times of reading and writing differ by less than this share, both limit a phase.
DEVICE_BUSY = 0.7  # A device that is busy most of the time is in the way even below its raw rate.
BEATEN = 0.95  # No workload is faster than the raw hardware; both vary by a few per cent when measured.
LEAST_LIMIT_S = 0.01  # Shorter work is over before its start-up is, and no measure of the hardware.


class MachineUse(NamedTuple):
    """How busy the machine was meanwhile, each None where it was not sampled."""

    cpu_busy: float | None = None
    disk_busy: float | None = None
    cpu_others: float | None = None


_UNSAMPLED = MachineUse()


def limit_shares(
    record: RunRecord,
    workloads: Iterable[WorkloadTime],
    uses: Iterable[StretchUse],
    others: Iterable[OthersUse],
) -> tuple[LimitShare, ...]:
    """Every finished workload and phase against the limits; empty where no limits were measured."""
    limits = record.limits
    if limits is None:
        return ()
    rates = (limits.read_bytes_per_s, limits.write_bytes_per_s, limits.copy_bytes_per_s)
    if min(*rates, limits.memory_copy_bytes_per_s) <= 0:
        return ()
    others_of = {(use.workload, use.phase): use.others for use in others}
    use_of = {
        (use.workload, use.phase): MachineUse(
            use.cpu_busy, use.disk_busy, others_of.get((use.workload, use.phase))
        )
        for use in uses
    }
    shares: list[LimitShare] = []
    for time in workloads:
        result = time.result
        work = work_of(result)
        if work is None or not any(work) or not result.workload.limited or time.elapsed_s <= 0:
            continue
        parts = [phase_work(result, work, phase.name) for phase in result.phases]
        phases = []
        for phase, part in zip(time.phases, parts, strict=True):
            if part is not None and any(part) and phase.elapsed_s > 0:
                place = (time.workload, phase.name)
                raw_s = disk_seconds(part, limits), memory_seconds(part, limits)
                use = use_of.get(place, _UNSAMPLED)
                bound = _bound(phase.elapsed_s, raw_s, part, limits, use)
                name = _name(part, limits, raw_s, None)
                phases.append(LimitShare(*place, phase.elapsed_s, *part, *raw_s, *use, bound, name))
        use = use_of.get((time.workload, None), _UNSAMPLED)
        if phases and None not in parts:
            # Phases add up to the workload only where theory knows what each of them moves.
            raw_s = sum(phase.disk_s for phase in phases), sum(phase.memory_s for phase in phases)
            bound = _longest(phases)
        else:
            # A sort in memory cannot write before it has read everything, so nothing is paired.
            apart = [Moved(work.read, 0), Moved(0, work.write)] if result.in_memory else [work]
            raw_s = sum(disk_seconds(part, limits) for part in apart), memory_seconds(work, limits)
            bound = "unknown"
        if bound == "unknown":
            # The whole may be long enough for the samples where its phases are not.
            bound = _bound(time.elapsed_s, raw_s, work, limits, use)
        if max(raw_s) >= LEAST_LIMIT_S:
            name = _name(work, limits, raw_s, result)
            whole = LimitShare(time.workload, None, time.elapsed_s, *work, *raw_s, *use, bound, name)
            shares += [whole, *phases]
    return tuple(shares)


def disk_seconds(work: Moved, limits: Limits) -> float:
    """The time the raw disks take for bytes that are read and written at once."""
    both = min(work)
    return (
        both / limits.copy_bytes_per_s
        + (work.read - both) / limits.read_bytes_per_s
        + (work.write - both) / limits.write_bytes_per_s
    )


def memory_seconds(work: Moved, limits: Limits) -> float:
    """The time one memcpy of the larger direction takes."""
    return max(work) / limits.memory_copy_bytes_per_s


def _bound(
    elapsed_s: float, raw_s: tuple[float, float], work: Moved, limits: Limits, use: MachineUse
) -> Bound:
    """The resource used closest to its limit, or a busy device; ``raw_s`` is disks' and memory's raw time."""
    disk_s, memory_s = raw_s
    disk = _direction(work.read / limits.read_bytes_per_s, work.write / limits.write_bytes_per_s)
    shares: dict[Bound, float] = {disk: disk_s / elapsed_s, "memory": memory_s / elapsed_s}
    if use.cpu_busy is not None:
        shares["CPU"] = use.cpu_busy
    nearest = max(shares, key=lambda name: shares[name])
    if shares[nearest] >= NEAR:
        # Of a CPU that others used more than the run, it did not get what it could use.
        held = nearest == "CPU" and (use.cpu_others or 0.0) >= shares["CPU"] / 2
        return "others" if held else nearest
    if (use.disk_busy or 0.0) >= DEVICE_BUSY:
        return disk
    return "unknown" if use.cpu_busy is None else "waiting"


def _direction(reading_s: float, writing_s: float) -> Bound:
    """Which way the disk was used more, by time."""
    if min(reading_s, writing_s) >= ALIKE * max(reading_s, writing_s):
        return "disk"
    return "reading" if reading_s > writing_s else "writing"


def _longest(phases: list[LimitShare]) -> Bound:
    """What limited a workload for most of its time, the directions of its disks taken together."""
    held: defaultdict[Bound, float] = defaultdict(float)
    for phase in phases:
        held[phase.bound] += phase.elapsed_s
    both = held.pop("disk", 0.0) / 2
    reading, writing = held.pop("reading", 0.0) + both, held.pop("writing", 0.0) + both
    other = max(held, key=lambda name: held[name], default=None)
    if other is None or reading + writing >= held[other]:
        return _direction(reading, writing)
    return other


def _name(work: Moved, limits: Limits, raw_s: tuple[float, float], spills: WorkloadResult | None) -> str:
    """What the limit amounts to in words; ``spills`` is a whole sort, which may have copied twice."""
    disks = "the disk" if len(limits.devices) == 1 else "the disks"
    owners = f"{disks}'" if disks.endswith("s") else f"{disks}'s"
    disk_s, memory_s = raw_s
    if memory_s > disk_s:
        return "a plain copy in memory"
    if work.write == 0:
        return f"{owners} raw read"
    if work.read == 0:
        return f"{owners} raw write"
    if spills is None or spills.counters.spilled_bytes == 0:
        return f"{owners} own copy"
    compressed = CODEC.of(spills.workload) not in (None, Codec.NONE)
    return f"plain copies of the same bytes on {disks}" if compressed else f"two plain copies on {disks}"


def limit_claim(share: LimitShare, verb: str) -> str:
    """How long it took and what limited it; ``verb`` is ``took`` or ``would take``."""
    return phrase("limit", share, words=share.bound, place=named(share.workload, share.phase), took=verb)


def limit_compared(share: LimitShare) -> str:
    """How many times its limit it took: ``1.21 × the disk's own copy (7.93 s)``."""
    return f"{times(share.times_limit)} {share.name} ({seconds(share.limit_s)})"


def limit_cpu(share: LimitShare) -> str:
    """How busy the CPU was; empty where that was not sampled."""
    if share.cpu_busy is None:
        return ""
    if share.bound == "others":
        return f"this run had {percent(share.cpu_own or 0.0)} of the CPU"
    if share.cpu_own is not None and (share.cpu_others or 0.0) >= DISTURBED:
        return f"CPU {percent(share.cpu_own)} busy with this run"
    return f"CPU {percent(share.cpu_busy)} busy"


def find_beaten(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Workloads that beat their limit, which says that the limit was measured under worse conditions."""
    beaten = [share for share in evidence.limits if share.phase is None and share.times_limit < BEATEN]
    if beaten:
        yield conclude(
            "limit-beaten",
            numbers=((f"{share.workload}, times the limit", share.times_limit, "1") for share in beaten),
            names=[
                f"{share.workload} ({seconds(share.elapsed_s)} against {seconds(share.limit_s)})"
                for share in beaten
            ],
        )


def share_numbers(share: LimitShare) -> list[Figure]:
    """The numbers of how close something came to its limit."""
    return [
        ("elapsed", share.elapsed_s, "s"),
        ("limit", share.limit_s, "s"),
        ("disk limit", share.disk_s, "s"),
        ("memory limit", share.memory_s, "s"),
        ("times the limit", share.times_limit, "1"),
        ("CPU busy", share.cpu_busy, "1"),
        ("busiest data disk", share.disk_busy, "1"),
    ]


def share_sure(share: LimitShare) -> Sure:
    """Without samples the limit is known but not what else the phase was busy with."""
    return "likely" if share.cpu_busy is not None else "guess"


_SAMPLED_WITHIN = 0.05  # A limit of CPU time is known from samples, which are not all taken at one moment.


def floors(
    run: RunData, workloads: tuple[WorkloadTime, ...], use: tuple[StretchUse, ...], floor: RunData | None
) -> tuple[FloorDistance, ...]:
    """Every workload that the floor has with as many bytes; empty without a floor."""
    if floor is None:
        return ()
    below: dict[tuple[str, int], WorkloadTime] = {}
    for time in workload_times(floor):
        if time.outcome is Outcome.SUCCEEDED:
            below[_key(time.result)] = time
    # The CPUs of all machines that did the work, as far as their limits allowed; zero if not sampled.
    cpus = {
        stretch.workload: sum(machine.cpu.cpus for machine in stretch.working if machine.cpu is not None)
        for stretch in use
        if stretch.phase is None
    }
    ratios = []
    for time in workloads:
        base = below.get(_key(time.result))
        if base is None or time.outcome is not Outcome.SUCCEEDED:
            continue
        differs = tuple(_differs(run.record, time.result, cpus.get(time.workload), floor.record, base.result))
        ratios.append(FloorDistance(time.workload, time.elapsed_s, base.elapsed_s, floor.record.id, differs))
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
    codecs = [(CODEC.of(run_result.workload) or Codec.NONE).value for run_result in (result, base)]
    if result.workload.is_shuffled and codecs[0] != codecs[1]:
        yield f"intermediate data compressed by {codecs[0]} instead of {codecs[1]}"


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
        yield conclude("floor", floor, took=took(record), differences=floor.differs or None)


def known_times(workloads: Sequence[WorkloadTime], references: Sequence[KnownTimes]) -> tuple[KnownTime, ...]:
    """Every workload and phase that is known, source by source; none of a workload that did not succeed."""
    return tuple(
        KnownTime(
            time.workload,
            phase,
            elapsed_s,
            reference.times[name],
            reference.origin,
            reference.source,
            reference.differs,
        )
        for reference in references
        for time in workloads
        if time.outcome is Outcome.SUCCEEDED and time.elapsed_s > 0
        for phase, elapsed_s in (
            (None, time.elapsed_s),
            *((part.name, part.elapsed_s) for part in time.told_apart),
        )
        if (name := time.workload if phase is None else f"{time.workload}/{phase}") in reference.times
    )
