"""What clients of a simulated HBase saw, in the record's words: histograms, counts, throughput."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.latencies import LatencyHistogram, encoded_counts
from howdah.model.reported import OperationCount
from howdah.model.run import Outcome, Phase, WorkloadResult
from howdah.model.simulated import PhaseUse, WorkUse
from howdah.model.workloads.base import Workload
from howdah.model.workloads.ycsb import results
from howdah.simulation.outcome import AskedOutcome, WorkloadOutcome

CLIENTS = "clients"
"""The machine that all histograms are of: the simulator tells clients apart no more than their results do."""
_NS_PER_S = 1e9
_INTENDED = ", intended"


def histograms(workload: Workload, said: WorkloadOutcome, asked: AskedOutcome) -> list[LatencyHistogram]:
    """The operations that were simulated, second by second: a part of a long run's."""
    start_s = said.start_ns / _NS_PER_S
    return [
        LatencyHistogram(
            workload=workload.kind,
            operation=times.operation,
            host=CLIENTS,
            peer=None,
            start_s=start_s + interval.start_s,
            end_s=start_s + interval.end_s,
            operations=sum(times.counts),
            histogram=encoded_counts(zip(times.microseconds, times.counts, strict=True)),
        )
        for interval in asked.intervals
        for times in interval.latencies
    ]


def asked_result(
    workload: Workload, said: WorkloadOutcome, asked: AskedOutcome, timed: Sequence[LatencyHistogram]
) -> WorkloadResult:
    """A program of YCSB's as it ran; ``timed`` stand for all of its operations."""
    operations = workload.asked.number if workload.asked else 0
    start_s, end_s = said.start_ns / _NS_PER_S, said.end_ns / _NS_PER_S
    share = operations / asked.simulated
    return WorkloadResult(
        workload=workload,
        start_s=start_s,
        end_s=end_s,
        outcome=Outcome.SUCCEEDED,
        phases=tuple(
            Phase(name=phase.name, start_s=phase.start_ns / _NS_PER_S, end_s=phase.end_ns / _NS_PER_S)
            for phase in said.phases
        ),
        operations=tuple(
            OperationCount(operation=times.operation, done=round(share * sum(times.counts)))
            for times in asked.latencies
            if not times.operation.endswith(_INTENDED)
        ),
        metrics=results(operations, end_s - start_s, timed),
        used=WorkUse(
            remote_read_bytes=0.0,
            phases=tuple(
                PhaseUse.model_validate(
                    {"phase": phase.name, **phase.model_dump(exclude={"name", "start_ns", "end_ns"})}
                )
                for phase in said.phases
            ),
            in_memory=asked.in_memory,
            stations=asked.stations,
        ),
    )
