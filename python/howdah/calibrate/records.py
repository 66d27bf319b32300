"""Run records as cases: what was measured, on the hosts it was measured on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import starmap
from statistics import fmean

from howdah.calibrate.built import as_built, cpu_share
from howdah.calibrate.case import Case, CaseWork, phase_times
from howdah.calibrate.hbase import asked_hbase, metrics_of
from howdah.errors import UserError
from howdah.model.calibration import CalibratedValue
from howdah.model.parameter import CPU_QUOTA
from howdah.model.plan import ClusterPlan
from howdah.model.run import Outcome, RunRecord, WorkloadResult

_PHASES = ("map-shuffle", "reduce-merge")
_RUN_TO_RUN = 0.05
"""What runs are taken to differ by where none was repeated."""
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
    # What a run found out by itself, such as the rows of its input, is in its results alone.
    suite = record.suite.model_copy(
        update={"workloads": tuple(workload.workload for workload in record.workloads)}
    )
    return Case(
        name=f"run {record.id}",
        study=record.engine,
        work=CaseWork(plan=plan if lab is None else as_built(plan, lab), suite=suite),
        known={
            name: seconds
            for workload in record.workloads
            for name, seconds in times_of(workload)
            if seconds > 0
        },
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


def times_of(result: WorkloadResult) -> Iterator[tuple[str, float]]:
    """Seconds of a workload and of its phases that the simulator has, by quantity."""
    kind = result.workload.kind
    yield kind, result.elapsed_s
    for name, seconds in phase_times(result).items():
        if name in _PHASES:
            yield f"{kind}/{name}", seconds
