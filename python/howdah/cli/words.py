"""Runs in words and numbers, one line each, as the terminal shows them."""

from __future__ import annotations

from pathlib import Path

from howdah.model.job import Job
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.sink import Progress
from howdah.model.workload import WorkloadKind
from howdah.session import host_line as _host_line
from howdah.units import format_bytes, format_count, format_memory, format_rate, format_seconds

_ROW_BYTES = 100


def host_line(job: Job) -> str:
    """The machine: ``2 cores · 23.4 GiB · ext4 on vda (virtual machine, KVM)``."""
    return _host_line(job.host, [Path(path) for path in job.plan.workers[0].data_dirs])


def plan_line(job: Job) -> str:
    """The work: ``10,000,000 rows · 1.00 GB · 4 maps, 4 reduces · 2 GiB memory``."""
    parts: list[str] = []
    rows = next((item.rows for item in job.suite.workloads if item.rows is not None), None)
    if rows is not None:
        parts += [f"{format_count(rows)} rows", format_bytes(rows * _ROW_BYTES)]
    for workload in job.suite.workloads[:2]:
        if workload.kind is WorkloadKind.TERASORT:
            parts.append(f"{workload.maps} maps, {workload.reduces} reduces")
        elif workload.kind is WorkloadKind.PI:
            parts.append(f"{workload.maps} maps × {format_count(workload.samples or 0)} samples")
    files = next((item for item in job.suite.workloads if item.files is not None), None)
    if files is not None:
        parts.append(f"{files.files} files × {format_bytes(files.file_bytes or 0)}")
    return " · ".join([*parts, f"{format_memory(job.plan.workers[0].memory_bytes)} memory"])


def result_line(result: WorkloadResult) -> str:
    """A workload that ended: its time, its rate, and its phases where it has several."""
    if result.outcome is not Outcome.SUCCEEDED and not result.validation_errors:
        return f"{result.outcome.value} after {format_seconds(result.elapsed_s)}"
    parts = [f"{format_seconds(result.elapsed_s):>8}"]
    moved = _moved_bytes(result)
    if moved and result.elapsed_s > 0:
        parts.append(f"{format_rate(moved / result.elapsed_s):>10}")
    if len(result.phases) > 1 and result.workload.kind is WorkloadKind.TERASORT:
        parts.append(
            " · ".join(
                f"{phase.name} {format_seconds(phase.end_s - phase.start_s).removesuffix(' s')}"
                for phase in result.phases
            )
        )
    return "   ".join([*parts, *_verdict(result)])


def _moved_bytes(result: WorkloadResult) -> int:
    """The volume a person has in mind: what was written, or read where nothing was written."""
    return result.counters.written_bytes or result.counters.read_bytes


def _verdict(result: WorkloadResult) -> list[str]:
    if result.validation_errors:
        return [result.validation_errors[0].message]
    if result.answer is not None:
        return [f"pi = {result.answer}"]
    if result.workload.kind is WorkloadKind.TERAVALIDATE:
        if result.expected_checksum is None:
            return [f"in order · checksum {result.checksum}"]
        return [f"in order · checksum {result.checksum} matches"]
    return []


def progress_state(step: Progress) -> str:
    """A workload under way: seconds so far, rate, time left, phase."""
    parts = [f"{format_seconds(step.elapsed_s):>8}"]
    if step.elapsed_s > 0 and step.done_bytes:
        rate = step.done_bytes / step.elapsed_s
        left_s = max(0, step.total_bytes - step.done_bytes) / rate
        parts += [f"{format_rate(rate):>10}", f"{format_seconds(left_s)} left"]
    return "   ".join([*parts, step.phase])
