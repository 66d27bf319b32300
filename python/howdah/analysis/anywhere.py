"""What TestDFSIO's reading tasks find on their own worker: they go where their control files lie, which are
not what they read, so that it is a matter of lot.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import NamedTuple

import pyarrow as pa

from howdah.analysis.cluster_work import replication_of
from howdah.analysis.crossing import Place
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workload import WorkloadKind

# Of what goes by lot, one case in four hundred lies farther from its mean than so many standard deviations.
_DEVIATIONS = 3.0


class Lot(NamedTuple):
    """The part of its input that a job should find locally, and how far the lot may have had it otherwise."""

    share: float
    wanders: float


def local_by_lot(
    record: RunRecord, result: WorkloadResult, done: pa.Table, place: Place, places: int
) -> Lot | None:
    """The lot of tasks that read anywhere; None of other programs, or where nobody says how many replicas.

    A worker's chance is the part of the files that has a replica on it, as fsck saw them after they were
    written; where nobody looked, that of an even spread. Each task reads one file, beside it or not.
    """
    if result.workload.kind is not WorkloadKind.DFSIO_READ:
        return None
    tasks = Counter(place(worker) for worker in done.column("worker").to_pylist() if worker)
    chances = _chances(record, result, place)
    if chances is None:
        replication = replication_of(result)
        if replication is None or not places:
            return None
        share = min(1.0, replication / places)
        return Lot(share, _DEVIATIONS * sqrt(share * (1 - share) / max(1, tasks.total())))
    each = [(count, min(1.0, chances.get(where, 0.0))) for where, count in tasks.items()]
    total = max(1, tasks.total())
    share = sum(count * chance for count, chance in each) / total
    spread = sum(count * chance * (1 - chance) for count, chance in each)
    return Lot(share, _DEVIATIONS * sqrt(spread) / total)


def _chances(record: RunRecord, result: WorkloadResult, place: Place) -> dict[str, float] | None:
    """The part of the blocks written before, in the same run, that each place has a replica of."""
    before = record.workloads[: record.workloads.index(result)]
    writes = [one.replicas for one in before if one.workload.kind is WorkloadKind.DFSIO_WRITE]
    if not writes or writes[-1] is None or not writes[-1].blocks:
        return None
    found: Counter[str] = Counter()
    for worker, replicas in writes[-1].per_worker.items():
        found[place(worker)] += replicas
    return {where: replicas / writes[-1].blocks for where, replicas in found.items()}
