"""What other processes and labs used of the machines of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.use import DiskShare, FloatArray, NeighbourUse, OthersUse, Series, StretchUse
from howdah.analysis.machines import MODES, Timeline, on_cluster
from howdah.analysis.use import cpu_share
from howdah.analysis.wording import conclude, percent
from howdah.model.comparison import Finding
from howdah.model.run import RunRecord

_NOTED = 0.03
_MUCH = 0.1  # From a tenth of a link or of CPUs on, times are not those without the neighbour.


def neighbour_uses(
    record: RunRecord, timeline: Timeline, stretches: Iterable[StretchUse]
) -> tuple[NeighbourUse, ...]:
    """What each had of the hosts in every workload; empty where nobody else was on them."""
    cluster = record.plan.cluster
    if cluster is None or cluster.request.sharing is None:
        return ()
    labs: defaultdict[str, list[str]] = defaultdict(list)
    for host in timeline.hosts:
        for lab in timeline.instances(host, "neighbour"):
            labs[lab].append(host)
    uses = []
    for stretch, (lab, hosts) in product(stretches, labs.items()):
        if stretch.phase is None and not stretch.coarse:
            span, ports, name = (stretch.start_s, stretch.end_s), cluster.port_bits_per_s, f"neighbour/{lab}"
            cpu_s = sum(timeline.growth(host, f"{name}/cpu_s", *span) for host in hosts)
            link = max(
                timeline.growth(host, f"{name}/{way}_bytes", *span) / stretch.seconds * 8 / ports[host]
                for host in hosts
                for way in ("sent", "received")
            )
            uses.append(NeighbourUse(stretch.workload, lab, tuple(hosts), cpu_s / stretch.seconds, link))
    return tuple(uses)


def find_neighbours(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding for each laboratory that was at work on the same hosts meanwhile."""
    for lab in dict.fromkeys(use.lab for use in evidence.neighbours):
        uses = [use for use in evidence.neighbours if use.lab == lab and use.link >= _NOTED]
        much = any(use.link >= _MUCH for use in uses)
        if uses:
            yield conclude(
                "neighbours",
                warns=much,
                numbers=((f"link, {use.workload}", use.link, "1") for use in uses),
                lab=lab,
                hosts=uses[0].hosts,
                noted=[
                    f"{percent(use.link)} of a host's link and {use.cpus:.2g} CPUs during {use.workload}"
                    for use in uses
                ],
                disturbed=": times of this run are not those of hosts without neighbours" if much else None,
            )


DISTURBED = 0.1  # Other processes always take a few per cent; from a tenth on they change times.
# The kernel counts what CPUs did at its ticks, so that less than this may be chance.
LEAST_CPU_S = 0.2
MIN_SAMPLES = 2


def machine_of(record: RunRecord) -> str | None:
    """The machine that a run had to share, if it was sampled; none of a cluster that is no laboratory."""
    if not on_cluster(record):
        return record.host.name
    return record.laboratory.machine if record.laboratory else None


def _sampled(record: RunRecord, timeline: Timeline) -> str | None:
    """That machine, if what the run itself used of it was sampled: all else would look like others'."""
    machine = machine_of(record)
    most = "lab" if on_cluster(record) else "howdah"
    return machine if machine and most in timeline.instances(machine, "own") else None


def others_uses(
    record: RunRecord, timeline: Timeline, stretches: Iterable[StretchUse]
) -> tuple[OthersUse, ...]:
    """Who used that machine in every workload and phase; empty where the run's own use was not sampled."""
    machine = _sampled(record, timeline)
    if machine is None:
        return ()
    uses = (_others(timeline, machine, stretch) for stretch in stretches if not stretch.coarse)
    return tuple(use for use in uses if use is not None)


def _others(timeline: Timeline, machine: str, stretch: StretchUse) -> OthersUse | None:
    start_s, end_s = stretch.start_s, stretch.end_s
    cpu = cpu_share(timeline, machine, start_s, end_s)
    if cpu is None:
        return None
    whole_s = cpu.cpus * stretch.seconds
    own = min(cpu.busy, own_growth(timeline, machine, "cpu_s", start_s, end_s) / whole_s)
    threads = timeline.track(machine, "kernel/cpu_s")
    kernel = None if threads is None else min(cpu.busy - own, threads.growth(start_s, end_s) / whole_s)
    queue = timeline.track(machine, "load/runnable")
    waits = timeline.track(machine, "pressure/cpu_some_s")
    return OthersUse(
        workload=stretch.workload,
        phase=stretch.phase,
        machine=machine,
        seconds=stretch.seconds,
        cpus=round(cpu.cpus),
        own=own,
        kernel=kernel,
        others=max(0.0, cpu.busy - own - (kernel or 0.0)),
        steal=cpu.steal,
        idle=cpu.idle + cpu.iowait,
        runnable=None if queue is None else queue.mean(start_s, end_s),
        waited=None if waits is None else min(1.0, waits.growth(start_s, end_s) / stretch.seconds),
        disk=_disk(timeline, machine, stretch),
    )


def shared_series(record: RunRecord, timeline: Timeline) -> tuple[Series, ...]:
    """Who had that machine's CPUs between its samples, as shares of all of them."""
    machine = _sampled(record, timeline)
    parts = timeline.instances(machine, "own") if machine else ()
    first = timeline.track(machine, f"own/{parts[0]}/cpu_s") if machine else None
    if machine is None or first is None or len(first.times_s) < MIN_SAMPLES:
        return ()
    edges = first.times_s
    cpus = timeline.instances(machine, "cpu")

    def grown(metrics: Iterable[str]) -> FloatArray:
        tracks = [track for metric in metrics if (track := timeline.track(machine, metric)) is not None]
        return sum((np.diff(track.at(edges)) for track in tracks), np.zeros(len(edges) - 1))

    spent = {mode: np.maximum(grown(f"cpu/{cpu}/{mode}_s" for cpu in cpus), 0.0) for mode in MODES}
    busy = spent["user"] + spent["system"]
    own = np.minimum(grown(f"own/{part}/cpu_s" for part in parts), busy)
    kernel = np.minimum(grown(["kernel/cpu_s"]), busy - own)
    seconds = {"own": own, "kernel": kernel, "others": busy - own - kernel, "steal": spent["steal"]}
    whole = sum(spent.values(), np.zeros(len(edges) - 1))
    shares = (np.divide(some, whole, out=np.zeros_like(some), where=whole > 0) for some in seconds.values())
    return tuple(
        Series(machine, "shared", "all", name, "1", edges, values)
        for name, values in zip(seconds, shares, strict=True)
    )


def own_growth(timeline: Timeline, machine: str, quantity: str, start_s: float, end_s: float) -> float:
    """How much a counter of the run's own use grew, all its parts together."""
    parts = timeline.instances(machine, "own")
    return sum(timeline.growth(machine, f"own/{part}/{quantity}", start_s, end_s) for part in parts)


def _disk(timeline: Timeline, machine: str, stretch: StretchUse) -> DiskShare | None:
    """The disk that was busiest, with all that the run moved compared with it: on which disk is not known."""
    here = next((host for host in stretch.hosts if host.host == machine), None)
    if here is None or not here.disks:
        return None
    span = stretch.start_s, stretch.end_s
    busiest = max(here.disks, key=lambda disk: disk.busy_share)
    ways = ("read_bytes", "written_bytes")
    return DiskShare(
        disk=busiest.disk,
        busy_share=busiest.busy_share,
        all_bytes=busiest.read_bytes + busiest.written_bytes,
        own_bytes=sum(own_growth(timeline, machine, way, *span) for way in ways),
        seconds=stretch.seconds,
    )


def disturbed(use: OthersUse) -> bool:
    """Whether others had so much of the CPUs that a time is not the run's own."""
    return use.others >= DISTURBED and use.others_cpu_s >= LEAST_CPU_S


def disturbance_of(evidence: Evidence, workload: str) -> OthersUse | None:
    """What others used in a workload, if that is much."""
    return next(
        (use for use in evidence.others if use.workload == workload and use.phase is None and disturbed(use)),
        None,
    )


def used_meanwhile(use: OthersUse) -> str:
    """The clause that a sentence about something slow ends with."""
    return f"others used {percent(use.others)} of {use.machine}'s CPU time meanwhile"
