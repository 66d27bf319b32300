"""What a run took, measure by measure: time, resources, tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.compute as pc

from howdah.analysis.comparing.machines import counted_uses
from howdah.analysis.evidence import StretchUse, TaskSpread, WorkloadTime
from howdah.analysis.poles import spreads, tasks_of
from howdah.model.comparison import Measure, Reading
from howdah.model.tables import RunData

ELAPSED = "elapsed"
"""The measure that is judged."""


def readings_of(run: RunData, times: tuple[WorkloadTime, ...]) -> Iterator[Reading]:
    """Every measure that the run's record, samples and tasks tell of."""
    for time in times:
        yield from _elapsed(time)
        yield from _counted(run, time)
    told = {(time.workload, phase.name) for time in times for phase in time.told_apart}
    for use in counted_uses(run, times):
        if use.phase is None or (use.workload, use.phase) in told:
            yield from _used(use)
    for spread in spreads(run, times):
        yield from _tasks(spread)


def _elapsed(time: WorkloadTime) -> Iterator[Reading]:
    stretches = [(None, time.elapsed_s), *((phase.name, phase.elapsed_s) for phase in time.told_apart)]
    for phase, elapsed_s in stretches:
        measure = Measure(workload=time.workload, phase=phase, kind="time", name=ELAPSED, unit="s")
        yield Reading(measure=measure, value=elapsed_s)


def _counted(run: RunData, time: WorkloadTime) -> Iterator[Reading]:
    """What the workload and its tasks counted themselves."""
    result = run.record.workloads[time.index]
    if result.counters.spilled_bytes:
        yield _resource(time.workload, None, "spilled", result.counters.spilled_bytes)
    tasks = tasks_of(run.tasks, result.workload.kind.value, time)
    for name, column, unit in (
        ("shuffled", "shuffled_bytes", "B"),
        ("tasks' CPU time", "cpu_s", "s"),
        ("collecting garbage", "gc_s", "s"),
    ):
        total = pc.sum(tasks.column(column)).as_py()
        if total is not None:
            yield _resource(time.workload, None, name, total, unit)


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
        yield _resource(use.workload, use.phase, "CPU time", busy_s, "s")
        yield _resource(use.workload, use.phase, "CPU time waiting for I/O", waiting_s, "s")
    if disks:
        yield _resource(use.workload, use.phase, "read from disks", sum(disk.read_bytes for disk in disks))
        yield _resource(
            use.workload, use.phase, "written to disks", sum(disk.written_bytes for disk in disks)
        )
    if nics:
        yield _resource(use.workload, use.phase, "received", sum(nic.rx_bytes for nic in nics))
        yield _resource(use.workload, use.phase, "sent", sum(nic.tx_bytes for nic in nics))


def _tasks(spread: TaskSpread) -> Iterator[Reading]:
    kind = spread.kind
    named = (
        (f"{kind} tasks", spread.tasks, "1"),
        (f"{kind} attempts lost", spread.failed, "1"),
        (f"median {kind} task", spread.median_s, "s"),
        (f"spread of {kind} tasks", spread.spread_s, "s"),
        (f"longest {kind} task", spread.longest_s, "s"),
    )
    for name, value, unit in named:
        measure = Measure(workload=spread.workload, phase=None, kind="task", name=name, unit=unit)
        yield Reading(measure=measure, value=value)


def _resource(workload: str, phase: str | None, name: str, value: float, unit: str = "B") -> Reading:
    measure = Measure(workload=workload, phase=phase, kind="resource", name=name, unit=unit)
    return Reading(measure=measure, value=value)
