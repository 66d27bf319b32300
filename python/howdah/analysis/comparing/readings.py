"""What a run took, measure by measure: time, resources, tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pyarrow.compute as pc

from howdah.analysis.comparing.machines import Seen
from howdah.analysis.comparing.masters import master_readings
from howdah.analysis.comparing.resource import Unit, resource
from howdah.analysis.comparing.simulated import simulated_readings
from howdah.analysis.evidence import StretchUse, TaskSpread, WorkloadTime
from howdah.analysis.poles import spreads, tasks_of
from howdah.model.comparison import Measure, Reading
from howdah.model.tables import RunData

ELAPSED = "elapsed"
"""The measure that is judged."""

LEFT = "CPU left by others"
"""Of the machine that the run shared with others: so that from little to hardly any is no difference."""


_TASK_SUMS: tuple[tuple[str, str, Unit], ...] = (
    ("shuffled", "shuffled_bytes", "B"),
    ("tasks' CPU time", "cpu_s", "s"),
    ("collecting garbage", "gc_s", "s"),
)
"""What tasks counted themselves, by the column that holds it."""


def readings_of(run: RunData, times: tuple[WorkloadTime, ...], seen: Seen) -> Iterator[Reading]:
    """Every measure that the run's record, samples and tasks tell of."""
    for time in times:
        yield from _elapsed(time)
        yield from _counted(run, time)
        told = {phase.name for phase in time.told_apart}
        simulated = run.record.workloads[time.index].used
        if simulated is not None:
            yield from simulated_readings(time, simulated)
        else:
            for use in seen.uses:
                if use.workload == time.workload and (use.phase is None or use.phase in told):
                    yield from _used(use)
            for other in seen.others:
                if other.workload == time.workload and (other.phase is None or other.phase in told):
                    yield resource(other.workload, other.phase, LEFT, 1 - other.others, "share")
            yield from master_readings(seen.timeline, time)
    found = spreads(run, times)
    jobs = Counter((spread.workload, spread.kind) for spread in found)
    for spread in found:
        several = jobs[spread.workload, spread.kind] > 1
        yield from _tasks(spread, spread.phase if several else None)


def _elapsed(time: WorkloadTime) -> Iterator[Reading]:
    stretches = [(None, time.elapsed_s), *((phase.name, phase.elapsed_s) for phase in time.told_apart)]
    for phase, elapsed_s in stretches:
        measure = Measure(workload=time.workload, phase=phase, kind="time", name=ELAPSED, unit="s")
        yield Reading(measure=measure, value=elapsed_s)


def _counted(run: RunData, time: WorkloadTime) -> Iterator[Reading]:
    """What the workload and its tasks counted themselves."""
    result = run.record.workloads[time.index]
    if result.counters.spilled_bytes:
        yield resource(time.workload, None, "spilled", result.counters.spilled_bytes)
    tasks = tasks_of(run.tasks, result.workload.kind.value, time)
    for name, column, unit in _TASK_SUMS:
        total = pc.sum(tasks.column(column)).as_py()
        if total is not None:
            yield resource(time.workload, None, name, total, unit)


def _used(use: StretchUse) -> Iterator[Reading]:
    """What the machines that did the work were seen to do meanwhile, all of them together."""
    if use.coarse:
        return
    shares = [host.cpu for host in use.working if host.cpu is not None]
    disks = [disk for host in use.working for disk in host.disks if disk.data]
    nics = [nic for host in use.working for nic in host.nics if nic.nic != "lo"]
    if shares:
        busy_s = sum(share.busy * share.cpus for share in shares) * use.seconds
        waiting_s = sum(share.iowait * share.cpus for share in shares) * use.seconds
        yield resource(use.workload, use.phase, "CPU time", busy_s, "s")
        if use.cpu_busy is not None:
            yield resource(use.workload, use.phase, "CPU busy", use.cpu_busy, "share")
        yield resource(use.workload, use.phase, "CPU time waiting for I/O", waiting_s, "s")
    if disks:
        yield resource(use.workload, use.phase, "read from disks", sum(disk.read_bytes for disk in disks))
        yield resource(use.workload, use.phase, "written to disks", sum(disk.written_bytes for disk in disks))
    if nics:
        yield resource(use.workload, use.phase, "received", sum(nic.rx_bytes for nic in nics))
        yield resource(use.workload, use.phase, "sent", sum(nic.tx_bytes for nic in nics))


def _tasks(spread: TaskSpread, phase: str | None) -> Iterator[Reading]:
    """A job's tasks; ``phase`` tells jobs of one workload apart."""
    kind = spread.kind
    named: tuple[tuple[str, float, Unit], ...] = (
        (f"{kind} tasks", spread.tasks, "1"),
        (f"{kind} attempts lost", spread.failed, "1"),
        (f"median {kind} task", spread.median_s, "s"),
        (f"spread of {kind} tasks", spread.spread_s, "s"),
        (f"longest {kind} task", spread.longest_s, "s"),
    )
    for name, value, unit in named:
        measure = Measure(workload=spread.workload, phase=phase, kind="task", name=name, unit=unit)
        yield Reading(measure=measure, value=value)
