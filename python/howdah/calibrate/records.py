"""Run records as cases: what was measured, on the hosts that ran it, a lab's as built, and measured links.

Of runs of YCSB, throughputs and times of operations are known.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import starmap
from statistics import fmean

import numpy as np

from howdah.calibrate.case import SHARES, WITHIN, Case, CaseWork, phase_times
from howdah.errors import UserError
from howdah.model.calibration import CORE_SPEED, CPU_QUOTA, CalibratedValue, Calibration, Parameter
from howdah.model.cluster import Laboratory
from howdah.model.inventory import CpuLayout, DiskKind, HostGroup
from howdah.model.plan import ClusterPlan
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.hadoop_programs import BOTH_WAYS
from howdah.model.workloads.ycsb import THROUGHPUT, Ycsb
from howdah.units import format_counted

_GUESSED = "from microseconds, in a cache, to what a core that is shared and not warm makes of it"
_OF_LABS = "collections of G1, and a lab's limits on CPU time"
HBASE: tuple[Parameter, ...] = (
    Parameter("hbase_client_s", "s", "CPU of a client for one operation", 6e-5, 1.5e-5, 6e-4, 0.0, _GUESSED),
    Parameter("hbase_read_s", "s", "CPU of a RegionServer for one record read",
              1e-4, 2e-5, 1e-3, 0.0, _GUESSED),
    Parameter("hbase_write_s", "s", "CPU of a RegionServer for one record written",
              1e-4, 2e-5, 1e-3, 0.0, _GUESSED),
    Parameter("hbase_byte_s", "s", "CPU of each end for each byte of a request and its answer",
              1e-8, 2e-9, 6e-8, 0.0, "copied and checked a few times: 0.02 to 0.5 GB/s a core"),
    Parameter("hbase_round_trip_s", "s", "from client to RegionServer and back without load",
              3e-4, 1e-4, 2e-3, None,
              "0.1 ms of a network and the waking of two threads; more where processors are taken"),
    Parameter("hbase_sync_s", "s",
              "what a DataNode takes to answer a sync of the log, in addition to its CPU",
              5e-4, 1e-4, 5e-3, None, "a packet of HDFS's there and back"),
    Parameter("hbase_sync_cpu_s", "s", "CPU of a DataNode for one sync of the log",
              5e-5, 1e-5, 5e-4, 0.0, _GUESSED),
    Parameter("hbase_pause_s", "s", "mean time that a RegionServer stands still at once",
              2e-2, 5e-3, 1e-1, None, _OF_LABS),
    Parameter("hbase_pause_share", "", "share of the time that a RegionServer stands still",
              2e-2, 2e-3, 2e-1, 0.0, _OF_LABS),
)  # fmt: skip
"""Fitted to runs on HBase. What these do not determine stays as expected, with its whole range."""
_PHASES = ("map-shuffle", "reduce-merge")
_RUN_TO_RUN = 0.05  # What runs are taken to differ by if none was repeated.
_LEAST_RUN_TO_RUN = 0.01


def cases_of(records: Sequence[RunRecord]) -> tuple[Case, ...]:
    """The runs as cases.

    Raises UserError for one that did not end well or was no cluster's, and for runs that are not of one
    kind: measured and simulated ones, several releases, labs with other shares of a CPU.
    """
    runs = [(record, _checked_plan(record)) for record in records]
    of_hbase = [used_hbase(record) for record in records]
    _check_same(records, "origin", [record.origin.value for record in records])
    _check_same(records, "kind of work", ["YCSB" if used else "jobs" for used in of_hbase])
    product = "HBase" if of_hbase[0] else "Hadoop"
    _check_same(records, f"release of {product}", [record.engine_version for record in records])
    _check_same(records, "share of a CPU", [f"{_share(*run):g}" for run in runs])
    if of_hbase[0]:
        return tuple(starmap(_case_of_operations, runs))
    noise = run_to_run(records)
    return tuple(_case(record, plan, noise) for record, plan in runs)


def used_hbase(record: RunRecord) -> bool:
    """Whether a run was of operations on a table rather than of jobs."""
    return any(isinstance(workload, Ycsb) for workload in record.suite.workloads)


def lab_values(records: Sequence[RunRecord]) -> tuple[CalibratedValue, ...]:
    """The share of a CPU that a lab gave to the hosts, which no plan has; nothing without a lab.

    A task of seconds has so much slower a core; an operation of a millisecond runs, or stands still.
    """
    labs = [record for record in records if record.laboratory]
    if not labs or (share := _share(labs[0], _checked_plan(labs[0]))) == 1:
        return ()
    name = CPU_QUOTA if used_hbase(records[0]) else CORE_SPEED
    return (_measured(name, share, f"run {labs[0].id}: the lab's share of a CPU for a thread"),)


def _measured(name: str, value: float, why: str) -> CalibratedValue:
    return CalibratedValue(name=name, value=value, low=value, high=value, origin="measured", rests_on=(why,))


def run_to_run(records: Sequence[RunRecord]) -> float:
    """By how much runs of the same work on the same plan differ, as a standard deviation of logarithms.

    From those that were repeated, all workloads together; a usual value if none was.
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
        engine = f"ran on one machine with the {record.engine} engine"
        problem = f"{engine}, and its simulation has no parameters to fit"
        hint = "give runs of a cluster; `howdah probe --measure` measures this machine"
        raise UserError(where, problem, hint)
    return record.plan


def _check_same(records: Sequence[RunRecord], property_name: str, values: Sequence[str]) -> None:
    """Raise UserError if runs differ in something that no parameter is for."""
    for record, value in zip(records, values, strict=True):
        if value != values[0]:
            problem = f"has another {property_name} than run {records[0].id}: {value}, not {values[0]}"
            hint = "calibrate from each separately, into two files"
            raise UserError(f"run {record.id}", problem, hint)


def _share(record: RunRecord, plan: ClusterPlan) -> float:
    return 1.0 if record.laboratory is None else cpu_share(plan, record.laboratory)


def _case(record: RunRecord, plan: ClusterPlan, noise: float) -> Case:
    built = plan if record.laboratory is None else as_built(plan, record.laboratory)
    return timed_case(f"run {record.id}", record.engine, built, record, noise)


def timed_case(name: str, study: str, plan: ClusterPlan, record: RunRecord, noise: float) -> Case:
    """The times of a run as a case on a plan."""
    # What a run determined by itself, such as the rows of its input, is in its results alone.
    workloads = tuple(result.workload for result in record.workloads)
    times = [time for result in record.workloads for time in _times_of(result)]
    return Case(
        name=name,
        study=study,
        work=CaseWork(plan=plan, suite=record.suite.model_copy(update={"workloads": workloads})),
        known={quantity: seconds for quantity, seconds in times if seconds > 0},
        noise=noise,
    )


def _case_of_operations(record: RunRecord, plan: ClusterPlan) -> Case:
    """A run on HBase, on the plan's own hosts; ``lab_values`` has what limits left of them."""
    known = dict(known for result in record.workloads for known in metrics_of(result))
    return Case(
        name=f"run {record.id}",
        study=record.engine,
        work=CaseWork(plan=plan, suite=record.suite),
        known={name: value for name, value in known.items() if value > 0},
    )


_LEAST_OPERATIONS = 100  # The time within which 99 % of fewer ended is that of the longest one.


def metrics_of(result: WorkloadResult) -> Iterator[tuple[str, float]]:
    """Its throughput, and the times within which half and 99 % of each of its operations ended.

    Kinds of operation that a simulation may not have at all are left out.
    """
    endings = tuple(f"{100 * share:g}{WITHIN}" for share in SHARES)
    rare = tuple(f"{count.operation}, " for count in result.operations if count.done < _LEAST_OPERATIONS)
    for metric in result.metrics:
        is_time = metric.unit == "s" and metric.name.endswith(endings) and not metric.name.startswith(rare)
        if metric.name == THROUGHPUT or is_time:
            yield f"{result.workload.kind}/{metric.name}", metric.value


def _times_of(result: WorkloadResult) -> Iterator[tuple[str, float]]:
    """Seconds of a workload and of its phases that the simulator has, by quantity."""
    kind = result.workload.kind
    yield kind, result.elapsed_s
    for name, seconds in phase_times(result).items():
        if name in _PHASES:
            yield f"{kind}/{name}", seconds


def as_built(plan: ClusterPlan, lab: Laboratory) -> ClusterPlan:
    """The plan of a lab, with what its hosts really had, for the simulator.

    A limit of CPU time is one for a whole worker. One worker with a CPU's worth of time is one core for the
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


def in_lab(
    plan: ClusterPlan, lab: Laboratory, calibration: Calibration | None, *, operations: bool
) -> tuple[ClusterPlan, Calibration | None]:
    """A lab's plan and a calibration as they are simulated: the lab's own limits replace those calibrated.

    Limits of CPU time are slower cores for jobs. For ``operations`` on HBase they are limits, on the hosts as
    planned, if the calibration was made with such limits.
    """
    if calibration is None:
        return as_built(plan, lab), None
    limits = [value for value in calibration.parameters if value.name == CPU_QUOTA]
    parameters = [value for value in calibration.parameters if value.name not in (CORE_SPEED, CPU_QUOTA)]
    has_limits = operations and bool(limits)
    if has_limits and (share := cpu_share(plan, lab)) < 1:
        parameters.append(_measured(CPU_QUOTA, share, "the limits of the lab"))
    own = calibration.model_copy(update={"parameters": tuple(parameters)})
    return plan if has_limits else as_built(plan, lab), own


def cpu_share(plan: ClusterPlan, lab: Laboratory) -> float:
    """What a planned thread of the workers' hosts had of a CPU, 1 for all of it."""
    groups = plan.cluster.inventory.worker_groups
    return min((_cpus(group, lab) / group.cpu.threads for group in groups), default=1.0)


def _cpus(group: HostGroup, lab: Laboratory) -> float:
    scaled = {scaling.what: scaling.lab for scaling in lab.scaling}
    return scaled.get(f"CPUs per host of {group.name}", float(group.cpu.threads))


def _host(group: HostGroup, cpus: float, workers: int) -> HostGroup:
    # A lab limits a disk to one rate, wherever its data lie and however many read it.
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


def measures_links(record: RunRecord) -> bool:
    """Whether a run measured a network rather than a workload's time."""
    return any(result.links for result in record.workloads)


def link_values(records: Sequence[RunRecord]) -> tuple[CalibratedValue, ...]:
    """The share of their nominal speed that links carry both ways: the median of all pairs, and 90 % of them.

    Raises UserError for a run that did not succeed, or of hosts without a nominal speed.
    """
    if not records:
        return ()
    shares = [share for record in records for share in _shares(record)]
    low, value, high = (round(min(1.0, float(np.percentile(shares, at))), 4) for at in (5, 50, 95))
    rests_on = tuple(
        f"run {record.id}: {format_counted(len(list(_shares(record))), 'pair')} both ways"
        for record in records
    )
    return (
        CalibratedValue(
            name=LINK_SHARE, value=value, low=low, high=high, origin="measured", rests_on=rests_on
        ),
    )


def _shares(record: RunRecord) -> Iterator[float]:
    where = f"run {record.id}"
    if record.outcome is not Outcome.SUCCEEDED:
        problem = f"{record.outcome}: the speed of its links is unknown"
        raise UserError(where, problem, "give runs that succeeded")
    links = [link for result in record.workloads for link in result.links if link.how == BOTH_WAYS]
    if not all(link.nominal_bits_per_s for link in links):
        raise UserError(where, "does not record the purpose of its ports", "measure the hosts of a plan")
    yield from (link.bits_per_s / link.nominal_bits_per_s for link in links if link.nominal_bits_per_s)
