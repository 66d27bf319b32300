"""Run records as cases: what was measured, on the hosts that ran it, a lab's as built, and measured links."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import starmap
from statistics import fmean

import numpy as np

from howdah.calibrate.case import Case, CaseWork, phase_times
from howdah.calibrate.hbase import asked_hbase, metrics_of
from howdah.errors import UserError
from howdah.model.calibration import CPU_QUOTA, CalibratedValue
from howdah.model.cluster import Laboratory
from howdah.model.inventory import CpuLayout, DiskKind, HostGroup
from howdah.model.plan import ClusterPlan
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.hadoop_programs import BOTH_WAYS
from howdah.units import format_counted

_PHASES = ("map-shuffle", "reduce-merge")
_RUN_TO_RUN = 0.05  # What runs are taken to differ by where none was repeated.
_LEAST_RUN_TO_RUN = 0.01
_ONE_OF_EACH = "calibrate from each separately, into two files"


def cases_of(records: Sequence[RunRecord]) -> tuple[Case, ...]:
    """The runs as cases.

    Raises UserError for one that did not end well or was no cluster's, and for runs that are not of one
    kind: measured and simulated ones, several releases, laboratories with other shares of a CPU.
    """
    plans = [_checked_plan(record) for record in records]
    _alike(records, "origin", [record.origin.value for record in records])
    _alike(records, "kind of work", ["YCSB" if asked_hbase(record) else "jobs" for record in records])
    product = "HBase" if asked_hbase(records[0]) else "Hadoop"
    _alike(records, f"release of {product}", [record.engine_version for record in records])
    _alike(records, "share of a CPU", [f"{_share(*run):g}" for run in zip(records, plans, strict=True)])
    if asked_hbase(records[0]):
        return tuple(starmap(_asked, zip(records, plans, strict=True)))
    noise = run_to_run(records)
    return tuple(_case(record, plan, noise) for record, plan in zip(records, plans, strict=True))


def laboratory_values(records: Sequence[RunRecord]) -> tuple[CalibratedValue, ...]:
    """What no plan says of the hosts: the share of a CPU that a laboratory gave them, where one did.

    A task of seconds has so much slower a core; an operation of a millisecond runs, or stands still.
    """
    labs = [record for record in records if record.laboratory]
    if not labs or (share := _share(labs[0], _checked_plan(labs[0]))) == 1:
        return ()
    rests_on = (f"run {labs[0].id}: the lab's share of a CPU for a thread",)
    name = CPU_QUOTA if asked_hbase(records[0]) else "core_speed"
    return (
        CalibratedValue(name=name, value=share, low=share, high=share, origin="measured", rests_on=rests_on),
    )


def run_to_run(records: Sequence[RunRecord]) -> float:
    """By how much runs of the same work on the same plan differ, as a standard deviation of logarithms.

    From those that were repeated, all workloads together; a usual value where none was.
    """
    repeated: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        for result in record.workloads:
            same = f"{record.digests.get('plan')} {result.workload.model_dump_json()}"
            repeated[same].append(math.log(result.elapsed_s))
    squares = [(time - fmean(times)) ** 2 for times in repeated.values() for time in times]
    freedom = len(squares) - len(repeated)
    return max(_LEAST_RUN_TO_RUN, math.sqrt(sum(squares) / freedom)) if freedom else _RUN_TO_RUN


def _checked_plan(record: RunRecord) -> ClusterPlan:
    """The plan of a run that can be a case; raises UserError for any other run."""
    where = f"run {record.id}"
    if record.outcome is not Outcome.SUCCEEDED:
        raise UserError(where, f"{record.outcome}: its time cannot be used", "give runs that succeeded")
    if not isinstance(record.plan, ClusterPlan):
        raise UserError(
            where,
            f"ran on one machine with the {record.engine} engine, and its simulation has no parameters to "
            f"fit",
            "give runs of a cluster; `howdah probe --measure` measures this machine",
        )
    return record.plan


def _alike(records: Sequence[RunRecord], what: str, values: Sequence[str]) -> None:
    """Raises UserError where runs differ in something that no parameter is for."""
    for record, value in zip(records, values, strict=True):
        if value != values[0]:
            raise UserError(
                f"run {record.id}",
                f"has another {what} than run {records[0].id}: {value}, not {values[0]}",
                _ONE_OF_EACH,
            )


def _share(record: RunRecord, plan: ClusterPlan) -> float:
    lab = record.laboratory
    return 1.0 if lab is None else cpu_share(plan, lab)


def _case(record: RunRecord, plan: ClusterPlan, noise: float) -> Case:
    lab = record.laboratory
    built = plan if lab is None else as_built(plan, lab)
    return timed_case(f"run {record.id}", record.engine, built, record, noise)


def timed_case(name: str, study: str, plan: ClusterPlan, record: RunRecord, noise: float) -> Case:
    """The times of a run as a case on a plan."""
    # What a run found out by itself, such as the rows of its input, is in its results alone.
    workloads = tuple(result.workload for result in record.workloads)
    times = [time for result in record.workloads for time in _times_of(result)]
    return Case(
        name=name,
        study=study,
        work=CaseWork(plan=plan, suite=record.suite.model_copy(update={"workloads": workloads})),
        known={quantity: seconds for quantity, seconds in times if seconds > 0},
        noise=noise,
    )


def _asked(record: RunRecord, plan: ClusterPlan) -> Case:
    """A run that asked HBase, on the plan's own hosts; ``laboratory_values`` has what limits left of them."""
    known = dict(known for result in record.workloads for known in metrics_of(result))
    return Case(
        name=f"run {record.id}",
        study=record.engine,
        work=CaseWork(plan=plan, suite=record.suite),
        known={name: value for name, value in known.items() if value > 0},
    )


def _times_of(result: WorkloadResult) -> Iterator[tuple[str, float]]:
    """Seconds of a workload and of its phases that the simulator has, by quantity."""
    kind = result.workload.kind
    yield kind, result.elapsed_s
    for name, seconds in phase_times(result).items():
        if name in _PHASES:
            yield f"{kind}/{name}", seconds


def as_built(plan: ClusterPlan, lab: Laboratory) -> ClusterPlan:
    """The plan of a laboratory, with what its hosts really had, for the simulator.

    A limit of CPU time holds a worker as a whole. One worker with a CPU's worth of time is one core for the
    simulator, however many threads were planned; two workers that share it are two cores of half the speed,
    for neither may use what the other one leaves.
    """
    cluster = plan.cluster
    workers_on = {
        group.name: sum(kind.per_host for kind in plan.workers if kind.group in {None, group.name})
        for group in cluster.inventory.groups
    }
    groups = tuple(
        _host(group, _cpus(group, lab), workers_on[group.name]) for group in cluster.inventory.groups
    )
    cores = {group.name: group.cpu.threads for group in groups}
    kinds = tuple(
        kind.model_copy(update={"vcpus": min(kind.vcpus, cores[kind.group])})
        if kind.vcpus is not None and kind.group in cores
        else kind
        for kind in plan.workers
    )
    inventory = cluster.inventory.model_copy(update={"groups": groups})
    return plan.model_copy(
        update={"cluster": cluster.model_copy(update={"inventory": inventory}), "workers": kinds}
    )


def cpu_share(plan: ClusterPlan, lab: Laboratory) -> float:
    """What a planned thread of the workers' hosts had of a CPU, 1 for all of it."""
    groups = plan.cluster.inventory.worker_groups
    return min((_cpus(group, lab) / group.cpu.threads for group in groups), default=1.0)


def _cpus(group: HostGroup, lab: Laboratory) -> float:
    scaled = {scaling.what: scaling.lab for scaling in lab.scaling}
    return scaled.get(f"CPUs per host of {group.name}", float(group.cpu.threads))


def _host(group: HostGroup, cpus: float, workers: int) -> HostGroup:
    # A laboratory holds a disk to one rate, wherever its data lie and however many read it.
    disks = tuple(
        disk.model_copy(update={"kind": DiskKind.SSD, "inner_bytes_per_s": disk.outer_bytes_per_s})
        for disk in group.disks
    )
    if cpus >= group.cpu.threads:
        return group.model_copy(update={"disks": disks})
    cores = max(workers, math.floor(cpus), 1)
    speed = (group.cpu.speed or 1.0) * cpus / cores
    cpu = CpuLayout(sockets=1, cores_per_socket=cores, speed=speed)
    return group.model_copy(update={"disks": disks, "cpu": cpu})


LINK_SHARE = "link_share"
"""The simulator's name for what a link that is busy both ways carries, as a share of its nominal speed."""

_MOST = 1.0
_LOW, _HIGH = 5, 95


def measures_links(record: RunRecord) -> bool:
    """Whether a run measured a network rather than a workload's time."""
    return any(result.links for result in record.workloads)


def link_values(records: Sequence[RunRecord]) -> tuple[CalibratedValue, ...]:
    """The share of their nominal speed that links carry both ways: the median of all pairs, and 90 % of them.

    Raises UserError for a run that did not succeed, or of hosts whose nominal speed nothing tells.
    """
    if not records:
        return ()
    shares = [share for record in records for share in _shares(record)]
    low, value, high = (min(_MOST, float(np.percentile(shares, at))) for at in (_LOW, 50, _HIGH))
    rests_on = tuple(
        f"run {record.id}: {format_counted(len(list(_shares(record))), 'pair')} both ways"
        for record in records
    )
    return (
        CalibratedValue(
            name=LINK_SHARE,
            value=round(value, 4),
            low=round(low, 4),
            high=round(high, 4),
            origin="measured",
            rests_on=rests_on,
        ),
    )


def _shares(record: RunRecord) -> Iterator[float]:
    where = f"run {record.id}"
    if record.outcome is not Outcome.SUCCEEDED:
        raise UserError(
            where, f"{record.outcome}: the speed of its links is unknown", "give runs that succeeded"
        )
    links = [link for result in record.workloads for link in result.links if link.how == BOTH_WAYS]
    if not all(link.nominal_bits_per_s for link in links):
        raise UserError(where, "does not record the purpose of its ports", "measure the hosts of a plan")
    yield from (link.bits_per_s / link.nominal_bits_per_s for link in links if link.nominal_bits_per_s)
