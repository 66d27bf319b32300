"""TestDFSIO's figures, by its own definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt

from howdah.analysis.evidence import DfsioFigures, Evidence, WorkloadTime
from howdah.analysis.wording import number, seconds
from howdah.model.finding import Finding
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workloads.dfsio import DfsioFiles
from howdah.units import MIB


def dfsio_figures(result: WorkloadResult, workload: str | None = None) -> DfsioFigures | None:
    """TestDFSIO's figures for one workload; None where no file was timed.

    MB is 2**20 bytes. Throughput divides all MB by the sum of the files' I/O seconds, so it is the
    rate of one task and not of the cluster (TestDFSIO.analyzeResult, Hadoop 3.5.0).
    """
    files = [file for file in result.files if file.io_s > 0]
    if not files:
        return None
    rates = [file.bytes / MIB / file.io_s for file in files]
    average = sum(rates) / len(rates)
    squares = sum(rate * rate for rate in rates) / len(rates)
    total_mb = sum(file.bytes for file in files) / MIB
    return DfsioFigures(
        workload=workload or result.workload.kind,
        files=len(files),
        total_mb=total_mb,
        throughput_mb_per_s=total_mb / sum(file.io_s for file in files),
        average_mb_per_s=average,
        deviation_mb_per_s=sqrt(abs(squares - average * average)),
        exec_s=result.elapsed_s,
    )


def all_figures(record: RunRecord, workloads: Iterable[WorkloadTime]) -> tuple[DfsioFigures, ...]:
    """The figures of every dfsio workload."""
    results = ((time.workload, record.workloads[time.index]) for time in workloads)
    figures = (
        dfsio_figures(result, name) for name, result in results if isinstance(result.workload, DfsioFiles)
    )
    return tuple(figure for figure in figures if figure is not None)


def find_dfsio(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """TestDFSIO's four figures, which are about one task and not about the whole machine."""
    for item in evidence.dfsio:
        yield Finding(
            id="dfsio",
            severity="note",
            workload=item.workload,
            text=f"{item.workload}: throughput {item.throughput_mb_per_s:,.2f} MB/s per task, "
            f"average I/O rate {item.average_mb_per_s:,.2f} MB/s, standard "
            f"deviation {item.deviation_mb_per_s:,.2f} MB/s, "
            f"{item.files} files in {seconds(item.exec_s)} (TestDFSIO's definitions, MB = 2^20 bytes)",
            sure="measured",
            origin=record.origin,
            numbers=(
                number("throughput", item.throughput_mb_per_s * MIB, "B/s"),
                number("average I/O rate", item.average_mb_per_s * MIB, "B/s"),
                number("I/O rate deviation", item.deviation_mb_per_s * MIB, "B/s"),
                number("execution time", item.exec_s, "s"),
            ),
        )
