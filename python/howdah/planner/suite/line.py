"""The planned work in one line."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Plan
from howdah.model.workload import ROW_BYTES, Suite, Workload, WorkloadKind
from howdah.units import format_bytes, format_counted, format_memory


def plan_line(plan: Plan, suite: Suite) -> str:
    """The work and its memory: ``10,000,000 rows · 1.00 GB · 4 maps, 4 reduces · 2 GiB memory``."""
    return " · ".join([*_work(suite), f"{format_memory(plan.workers[0].memory_bytes)} memory"])


def suite_line(suite: Suite) -> str:
    """The work alone: ``10,000,000 rows · 1.00 GB · 4 reduces``."""
    return " · ".join(_work(suite))


def _work(suite: Suite) -> Iterator[str]:
    rows = next((item.rows for item in suite.workloads if item.rows is not None), None)
    if rows is not None:
        yield format_counted(rows, "row")
        yield format_bytes(rows * ROW_BYTES)
    for workload in suite.workloads:
        if workload.kind is WorkloadKind.TERASORT:
            tasks = (("map", workload.maps), ("reduce", workload.reduces))
            yield ", ".join(_counted(count, noun) for noun, count in tasks if count is not None)
        elif workload.kind is WorkloadKind.PI:
            yield f"{_counted(workload.maps, 'map')} × {_counted(workload.samples, 'sample')}"
        elif workload.kind is WorkloadKind.NNBENCH:
            yield f"{_counted(workload.maps, 'map')} × {_counted(workload.operations, 'file')}"
    files = next((item for item in suite.workloads if item.files is not None), None)
    if files is not None:
        yield _files(files)


def _files(workload: Workload) -> str:
    return f"{_counted(workload.files, 'file')} × {format_bytes(workload.file_bytes or 0)}"


def _counted(value: int | None, noun: str) -> str:
    return format_counted(value or 0, noun)
