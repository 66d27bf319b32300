"""What dfsio and the storage test measured of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class DfsioFigures:
    """TestDFSIO's figures by its own definitions; MB is 2**20 bytes there.

    Throughput is all MB over the sum of the files' I/O seconds; the average is the mean of the files'
    own rates, the deviation sqrt(|mean of squared rates - squared mean|).
    """

    workload: str
    files: int
    total_mb: float
    throughput_mb_per_s: float
    average_mb_per_s: float
    deviation_mb_per_s: float
    exec_s: float


@dataclass(frozen=True)
class StorageZones:
    """Throughput of files written or read one after another on one data directory, first to last.

    ``drop`` is the share lost between the outermost and the innermost files (robustly: medians of the
    first and last tenth).
    """

    workload: str
    data_dir: str
    operation: Literal["write", "read"]
    rates_bytes_per_s: tuple[float, ...]
    drop: float
