"""What the simulator is told of each of YCSB's programs."""

from __future__ import annotations

from howdah.model.workloads.ycsb import KEY_BYTES, MOST_SCANNED, Ycsb, YcsbLoad, YcsbMix
from howdah.model.workloads.ycsb_options import Distribution, Durability
from howdah.simulation.scenario import AskingProgram, OperationShares

_SCANNED = (1 + MOST_SCANNED) / 2


def load(workload: YcsbLoad, regions: int) -> AskingProgram:
    """Records that are inserted, each into any region: their names are hashed."""
    return _program(workload, regions, workload.records or 1, Distribution.UNIFORM)


def mix(workload: YcsbMix, regions: int) -> AskingProgram:
    """Operations that are asked of the whole table."""
    return _program(workload, regions, workload.operations or 1, workload.distribution or workload.usual)


def _program(workload: Ycsb, regions: int, operations: int, distribution: Distribution) -> AskingProgram:
    fields = workload.fields or 1
    stored_bytes = (workload.field_bytes or 0) + KEY_BYTES
    return AskingProgram(
        kind=workload.kind,
        records=workload.records or 1,
        record_bytes=float(fields * stored_bytes),
        update_bytes=float((fields if workload.replaces_whole else 1) * stored_bytes),
        scanned=_SCANNED,
        regions=regions,
        operations=operations,
        shares=OperationShares.model_validate(dict(workload.shares)),
        distribution=distribution,
        durability=workload.durability or Durability.SYNC_WAL,
        clients=workload.clients or 1,
        threads=workload.threads or 1,
        target_per_s=workload.target,
    )
