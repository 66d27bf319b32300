"""A run reduced to what a comparison needs, whatever the size of its tables.

Its figures are a few kilobytes; the courses of its resources over a workload's time have as many steps as a
chart has room for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from howdah.analysis.comparing.compare import amount_of
from howdah.analysis.comparing.readings import readings_of, seen_in
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.machines import (
    Timeline,
    all_series,
    counted,
    machines_of,
    means_within,
    moments,
    peaks_within,
)
from howdah.analysis.other_processes import disturbed
from howdah.analysis.phases import numbered, workload_times
from howdah.analysis.wording import FORMS, filled, percent
from howdah.model.cluster import Laboratory, Scaling
from howdah.model.comparison import Aspect, Fact, RunFigures
from howdah.model.host import Host
from howdah.model.inventory import HostGroup
from howdah.model.placement import placed_workers
from howdah.model.plan import Cluster, Plan
from howdah.model.run import Outcome, RunRecord
from howdah.model.tables import RunData
from howdah.model.workloads.suite import options
from howdah.units import format_bits_per_s, format_bytes, format_counted, format_memory, format_rate, listed

NamedValue = tuple[str, str]


@cache
def _templates() -> Mapping[str, Mapping[str, str]]:
    """The facts of each kind of thing, by their names."""
    path = files("howdah.analysis.comparing").joinpath("facts.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _facts(kind: str, item: object, **values: object) -> Iterator[NamedValue]:
    """The known facts of a thing, in the order of the file."""
    for name, template in _templates()[kind].items():
        if (value := filled(template, item, **values)) is not None:
            yield name, value


def configuration_facts(record: RunRecord) -> Iterator[NamedValue]:
    """The properties by name; where a job ran with another value than is configured, that, too."""
    configured: dict[str, str] = {}
    for setting in record.plan.settings:
        if setting.file is not None:
            owner = setting.worker or setting.group
            configured[f"{setting.key} of {owner}" if owner else setting.key] = _text(setting.value)
    lab = record.laboratory
    if lab is not None:
        configured |= {deviation.key: deviation.used for deviation in lab.deviations}
    yield from configured.items()
    for result in record.workloads:
        for key, value in result.job.conf.items() if result.job else ():
            if not _same(configured.get(key), value):
                yield f"{key} of {result.workload.kind}", value


def _text(value: int | float | str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _same(configured: str | None, used: str) -> bool:
    """Whether two texts are one value: a number may be written as ``0.80`` and as ``0.8``."""
    if configured is None or configured == used:
        return configured == used
    try:
        return float(configured) == float(used)
    except ValueError:
        return False


def hardware_facts(record: RunRecord) -> Iterator[NamedValue]:
    """The cluster's hosts group by group, a laboratory's means, and this machine."""
    planned, cluster = record.plan.cluster, record.cluster
    if planned is not None:
        for group in planned.inventory.groups:
            for name, value in _group(group):
                yield f"{name} of {group.name}", value
    elif cluster is not None:
        yield "DataNodes", f"{len(cluster.datanodes):,}"
        yield "NodeManagers", f"{len(cluster.nodemanagers):,}"
        yield "space of HDFS", format_bytes(cluster.capacity_bytes)
    # Of hosts without Hadoop there is no cluster to tell of it.
    if record.laboratory is not None:
        for name, value in _laboratory(record.laboratory):
            yield f"lab's {name}", value
    owner = "" if planned is None and cluster is None else " of the machine it was started on"
    for name, value in _host(record.host):
        yield name + owner, value


def _group(group: HostGroup) -> Iterator[NamedValue]:
    disks = ", ".join(
        f"{disk.count} × {disk.kind} {format_bytes(disk.size_bytes)} for {disk.role}"
        + (f" at {format_rate(disk.outer_bytes_per_s)}" if disk.outer_bytes_per_s else "")
        + (f" to {format_rate(disk.inner_bytes_per_s)}" if disk.inner_bytes_per_s else "")
        for disk in group.disks
    )
    network = ", ".join(f"{nic.count} × {format_bits_per_s(nic.speed_bits_per_s)}" for nic in group.nics)
    model = f"{group.cpu.model}, " if group.cpu.model else ""
    return _facts("group", group, model=model, disks=disks, network=network)


def _laboratory(lab: Laboratory) -> Iterator[NamedValue]:
    yield "root", "without" if lab.rootless else "with"
    if lab.beside:
        words = (f"{other.name} {'at work' if other.at_work else 'idle'}" for other in lab.beside)
        yield "neighbours", ", ".join(words)
    for means in lab.isolation:
        yield means.what, f"kept: {means.how}" if means.kept else "lost"
    for scaling in lab.scaling:
        yield scaling.what, f"{_amount(scaling, scaling.lab)} of {_amount(scaling, scaling.planned)} planned"


def _amount(scaling: Scaling, value: float) -> str:
    form = "memory" if scaling.unit == "B" and scaling.what.startswith("memory") else scaling.unit
    return FORMS[form](value) if form in FORMS else f"{value:g}"


def _host(host: Host) -> Iterator[NamedValue]:
    cpu, memory, virtual = host.cpu, host.memory, host.virtualisation
    limit = host.cgroup.memory_limit_bytes
    yield from _facts(
        "host",
        host,
        model=cpu.model or cpu.architecture,
        numa_nodes=len(cpu.numa_nodes),
        turbo=None if cpu.turbo is None else "on" if cpu.turbo else "off",
        limit=f", limit {format_memory(limit)}" if limit else "",
        huge_pages=str(memory.transparent_huge_pages),
    )
    # A loop device is a file of somebody's, a laboratory's for instance, and no hardware.
    for disk in host.disks:
        if disk.kind != "loop":
            parts = (disk.kind, disk.model, format_bytes(disk.size_bytes), disk.scheduler)
            yield f"disk {disk.name}", ", ".join(part for part in parts if part)
    for nic in host.nics:
        speed = format_bits_per_s(nic.speed_bits_per_s) if nic.speed_bits_per_s else "speed not reported"
        yield f"network port {nic.name}", speed
    machine = (virtual.hypervisor or "virtual") if virtual.is_virtual else "physical"
    yield from _facts("machine", host, machine=machine, container=virtual.container or None)


def plan_facts(plan: Plan) -> Iterator[NamedValue]:
    """The plan's own numbers; Hadoop's properties are the configuration's."""
    yield "platform", plan.platform
    if plan.cluster is not None:
        yield from _cluster(plan.cluster)
    for worker in plan.workers:
        # The only worker of one machine bears that machine's name, which says nothing about the plan.
        owner = f"{worker.name}: " if len(plan.workers) > 1 else ""
        directories, daemons = ", ".join(worker.data_dirs), ", ".join(worker.roles) or None
        for name, value in _facts("worker", worker, directories=directories, daemons=daemons):
            yield owner + name, value
    for setting in plan.settings:
        if setting.key == "sample interval":
            yield setting.key, f"{setting.value} s"


def _cluster(cluster: Cluster) -> Iterator[NamedValue]:
    for layout in cluster.layouts:
        yield f"division of hosts in {layout.group}", layout.platform
    yield "workers", f"{sum(1 for _ in placed_workers(cluster)):,}"
    for master in cluster.masters:
        shadow = f", shadow on {master.shadow_host}" if master.shadow_host else ""
        yield f"master {master.name}", f"{', '.join(master.roles)} on {master.host}{shadow}"
        yield f"vCPUs of {master.name}", str(master.vcpus)
        yield f"memory of {master.name}", format_memory(master.memory_bytes)
    hypervisor, topology = cluster.request.hypervisor, cluster.topology
    yield from _facts(
        "cluster",
        cluster,
        hypervisor=hypervisor.value if hypervisor else "left to the planner",
        racks=f"{len(topology.racks)}{'' if topology.real_racks else ', not the real ones'}",
    )


def version_facts(record: RunRecord) -> Iterator[NamedValue]:
    """Engine, howdah, Hadoop and the operating system; of a simulation, what it rests on."""
    yield from _facts("versions", record)
    if record.simulated is not None:
        yield "calibration", record.simulated.calibration or "none: parameters are defaults"
        for name, parameter in sorted(record.simulated.parameters.items()):
            yield f"parameter {name}", f"{parameter:.6g}"


def workload_facts(record: RunRecord) -> Iterator[NamedValue]:
    workloads = record.suite.workloads
    for workload, name in zip(workloads, numbered(workload.kind for workload in workloads), strict=True):
        named: dict[str, NamedValue] = {}
        for option in options().values():
            value = option.of(workload)
            if option.fact is not None and value is not None:
                # Several options may be of one field, of different programs.
                named.setdefault(option.field, (f"{option.fact} of {name}", option.text_of(value)))
        yield from named.values()


def facts_of(record: RunRecord) -> tuple[Fact, ...]:
    """All facts of a run, what users change first; no reasons, seed, hour or what changes by itself."""
    aspects = (
        (Aspect.WORKLOAD, workload_facts(record)),
        (Aspect.PLAN, plan_facts(record.plan)),
        (Aspect.CONFIGURATION, configuration_facts(record)),
        (Aspect.HARDWARE, hardware_facts(record)),
        (Aspect.VERSIONS, version_facts(record)),
    )
    return tuple(
        Fact(aspect=aspect, name=name, value=value) for aspect, values in aspects for name, value in values
    )


LATE_SHARE = 0.05  # From this share of samplings on, late ones say that something else had the machine.


def figures_of(run: RunData) -> RunFigures:
    """What a comparison sees of a run; one that did not succeed has no readings."""
    record = run.record
    times = workload_times(run)
    seen = seen_in(run, times) if record.outcome is Outcome.SUCCEEDED else None
    # That others had much of the machine: in one sentence for all workloads.
    noted = [use for use in (seen.others if seen else ()) if use.phase is None and disturbed(use)]
    shares = listed([f"{percent(use.others)} in {use.workload}" for use in noted])
    disturbances = [f"other processes used CPU time on {use.machine}: {shares}" for use in noted[:1]]
    return RunFigures(
        run=record.id,
        created=record.created,
        engine=record.engine,
        origin=record.origin,
        uncalibrated=record.simulated is not None and record.simulated.calibration is None,
        suite=record.suite.name,
        outcome=record.outcome,
        error=record.error,
        amounts=tuple(amount_of(time.workload, time.result) for time in times),
        facts=facts_of(record),
        readings=() if seen is None else tuple(readings_of(run, times, seen)),
        remarks=(*_remarks(record), *disturbances),
    )


def _remarks(record: RunRecord) -> Iterator[str]:
    for event in record.events:
        if event.kind.endswith(("-lost", "failover")):
            yield f"{event.worker}: {event.text}"
    cost = record.telemetry
    if cost is not None and cost.late_ticks > LATE_SHARE * cost.ticks:
        samples = f"{cost.late_ticks:,} of {format_counted(cost.ticks, 'sample')}"
        yield f"{samples} came late: other processes may have used the machine"
    if any(result.buffered_io for result in record.workloads):
        yield "direct I/O was refused, so the page cache served part of it"


MOST_STEPS = 240  # More steps than this are narrower than two pixels of half a page's width.


class FollowedQuantity(NamedTuple):
    """One thing that is followed over time: its name, and the series it is made of."""

    name: str
    subject: str
    parts: tuple[str, ...]
    unit: str


QUANTITIES = (
    FollowedQuantity("CPU busy", "cpu", ("user", "system"), "1"),
    FollowedQuantity("disks read", "disk", ("read",), "B/s"),
    FollowedQuantity("disks written", "disk", ("write",), "B/s"),
    FollowedQuantity("network received", "nic", ("rx",), "B/s"),
)


@dataclass(frozen=True, eq=False)
class Course:
    """One quantity of one run over one workload, all machines that did the work together."""

    run: str
    quantity: FollowedQuantity
    edges_s: FloatArray  # Seconds since the workload's start.
    means: FloatArray  # From each edge to the next, shares of all CPUs or bytes per second.
    peaks: FloatArray


def courses(run: RunData, workload: str) -> tuple[Course, ...]:
    """Every quantity that was sampled during the workload; empty where it did not run."""
    time = next((pair for pair in workload_times(run) if pair.workload == workload), None)
    timeline = Timeline(run.samples)
    if time is None or time.elapsed_s <= 0 or not timeline.covers(time.start_s, time.end_s):
        return ()
    machines = machines_of(run, timeline)
    series = [curve for curve in all_series(timeline) if curve.instance != "lo"]
    result = []
    for quantity in QUANTITIES:
        working = set(counted(machines, timeline, quantity.subject))
        mine = [
            curve
            for curve in series
            if curve.subject == quantity.subject
            and curve.quantity in quantity.parts
            and curve.host in working
        ]
        if not mine:
            continue
        # Shares of several machines' CPUs are shares of all of them, with equal weights.
        among = len({curve.host for curve in mine}) if quantity.unit == "1" else 1
        edges = moments(mine, time.start_s, time.end_s)
        if len(edges) - 1 > MOST_STEPS:
            edges = np.linspace(time.start_s, time.end_s, MOST_STEPS + 1)
        together = sum((means_within(values, edges) for values in mine), np.zeros(len(edges) - 1))
        means, peaks = together / among, peaks_within(mine, edges) / among
        result.append(Course(run.record.id, quantity, edges - time.start_s, means, peaks))
    return tuple(result)
