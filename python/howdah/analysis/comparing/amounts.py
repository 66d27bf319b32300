"""How much work a workload was: the only thing that must be the same for times to be held together."""

from __future__ import annotations

from howdah.analysis.work import rows_of
from howdah.model.comparison import Amount
from howdah.model.run import WorkloadResult
from howdah.model.workload import WorkloadKind
from howdah.units import format_counted, format_memory


def amount_of(name: str, result: WorkloadResult) -> Amount:
    """The amount of one workload, ``name`` being its name in the run."""
    return Amount(workload=name, size=_size(result))


def _size(result: WorkloadResult) -> str:
    workload = result.workload
    match workload.kind:
        case WorkloadKind.DFSIO_WRITE | WorkloadKind.DFSIO_READ | WorkloadKind.STORAGE:
            return format_memory((workload.files or 0) * (workload.file_bytes or 0))
        case WorkloadKind.PI:
            return format_counted((workload.maps or 0) * (workload.samples or 0), "point")
        case WorkloadKind.NNBENCH:
            return format_counted((workload.maps or 0) * (workload.operations or 0), "file")
        case _:
            return format_counted(rows_of(result) or 0, "row")
