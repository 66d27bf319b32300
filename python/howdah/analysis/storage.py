"""The file system tests: throughput from a disk's first file to its last, and TestDFSIO's figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import sqrt
from typing import Literal

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.volumes import DfsioFigures, StorageZones
from howdah.analysis.machines import data_dirs, dir_of
from howdah.analysis.wording import conclude
from howdah.model.comparison import Finding
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


def all_figures(workloads: Iterable[WorkloadTime]) -> tuple[DfsioFigures, ...]:
    files = (time for time in workloads if isinstance(time.result.workload, DfsioFiles))
    return tuple(filter(None, (dfsio_figures(time.result, time.workload) for time in files)))


def find_dfsio(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """TestDFSIO's four figures, which are about one task and not about the whole machine."""
    for item in evidence.dfsio:
        rates = (item.throughput_mb_per_s, item.average_mb_per_s, item.deviation_mb_per_s)
        throughput, average, deviation = (rate * MIB for rate in rates)
        yield conclude("dfsio", item, throughput=throughput, average=average, deviation=deviation)


def zone_finding(evidence: Evidence, item: StorageZones, *, explained: bool = True) -> Finding:
    """How fast the first files went, how fast the last, why they may differ, and fio's raw rate."""
    first, last = ends(list(item.rates_bytes_per_s))
    raw_rates = [
        limit.write_bytes_per_s if item.operation == "write" else limit.read_bytes_per_s
        for limit in evidence.time_of(item.workload).result.raw_limits
        if limit.data_dir == item.data_dir
    ]
    slower = item.drop > ZONE_DROP
    where = ": as fast everywhere" if item.drop > -ZONE_DROP else ": faster towards its end"
    why = ": the outer and inner zones of a disk, or one that fills up" if explained else None
    return conclude(
        "storage-zones",
        item,
        verb="writes" if item.operation == "write" else "reads",
        first=first,
        last=last,
        less=item.drop if slower else None,
        where=why if slower else where,
        raw=(raw_rates[0] or None) if raw_rates else None,
    )


ZONE_DROP = 0.05  # Below this the first and last files differ by noise rather than by where they lie.


def zones(record: RunRecord, workloads: Iterable[WorkloadTime]) -> tuple[StorageZones, ...]:
    """The rates of the storage test's files in the order they were written or read, per data directory."""
    dirs = data_dirs(record)
    measured = []
    for time in workloads:
        if not time.result.workload.timed_by_file:
            continue
        rates: defaultdict[tuple[str, Literal["write", "read"]], list[float]] = defaultdict(list)
        for file in time.result.files:
            home = dir_of(dirs, file.path)
            if home is not None and file.io_s > 0:
                rates[home, file.operation].append(file.bytes / file.io_s)
        for (home, operation), values in rates.items():
            first, last = ends(values)
            drop = 1 - last / first
            measured.append(StorageZones(time.workload, home, operation, tuple(values), drop))
    return tuple(measured)


def ends(rates: list[float]) -> tuple[float, float]:
    """The median rates of the first and of the last tenth of the files, at least one file each."""
    tenth = max(1, len(rates) // 10)
    return float(np.median(rates[:tenth])), float(np.median(rates[-tenth:]))


def steepest(evidence: Evidence, workload: str) -> StorageZones | None:
    """The files that a storage test wrote whose rates fall most from first to last."""
    written = [
        zones for zones in evidence.storage if (zones.workload, zones.operation) == (workload, "write")
    ]
    return max(written, key=lambda zones: zones.drop, default=None)


def find_zones(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How much slower a disk is at its inner end, against fio's raw rate; the steepest explains why."""
    for item in evidence.storage:
        explained = item is steepest(evidence, item.workload)
        yield zone_finding(evidence, item, explained=explained)
