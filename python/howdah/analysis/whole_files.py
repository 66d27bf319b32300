"""How much of a file lies on the worker whose task reads all of it: its first block alone placed the task."""

from __future__ import annotations

from howdah.analysis.cluster_work import replication_of
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workload import WorkloadKind


def whole_files_share(
    record: RunRecord, result: WorkloadResult, local_tasks: float | None, places: int
) -> float | None:
    """The part of TeraValidate's input that crosses no network; ``local_tasks`` is the part of its tasks.

    A task that is local runs beside a replica of its file's first block. With r replicas every r-th such
    task is on the worker that wrote the file and has a replica of each block; elsewhere other blocks are met
    by chance: r of so many ``places`` with network interfaces of their own have them. None of other programs,
    and where nothing tells how many blocks a file has.
    """
    sort = _sort_before(record, result)
    if sort is None or sort.replicas is None or local_tasks is None or places < 1:
        return None
    files, replication = sort.workload.reduces, replication_of(sort)
    if not files or not replication or not sort.replicas.blocks:
        return None
    first = min(1.0, files / sort.replicas.blocks)
    by_chance = min(1.0, replication / places)
    at_writer = 1 / replication
    elsewhere = first + (1 - first) * by_chance
    local = at_writer + (1 - at_writer) * elsewhere
    return local_tasks * local + (1 - local_tasks) * by_chance


def _sort_before(record: RunRecord, result: WorkloadResult) -> WorkloadResult | None:
    """The sort whose output a TeraValidate read: the last one before it in the same run."""
    if result.workload.kind is not WorkloadKind.TERAVALIDATE or result.workload.inputs:
        return None
    before = record.workloads[: record.workloads.index(result)]
    sorts = [one for one in before if one.workload.kind is WorkloadKind.TERASORT]
    return sorts[-1] if sorts else None
