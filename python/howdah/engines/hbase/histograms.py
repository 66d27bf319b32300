"""The histograms that YCSB writes each second, one file for each kind of operation, read while it runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from howdah.engines.hbase.printed import named
from howdah.model.latencies import LatencyHistogram, counted

_BASE = re.compile(r"^#\[(?:StartTime|BaseTime): ([\d.]+) ")
_SUFFIX = ".hdr"


class HistogramLogs:
    """The logs of one client, below a folder; what was read once is not read again.

    ``run_s`` is when a moment, in seconds since the epoch, was on the run's clock.
    """

    def __init__(self, folder: Path, workload: str, host: str, run_s: Callable[[float], float]) -> None:
        self._folder = folder
        self._workload = workload
        self._host = host
        self._run_s = run_s
        self._read: dict[Path, int] = {}
        self._base_s: dict[Path, float] = {}

    def rows(self) -> list[LatencyHistogram]:
        """The intervals that have ended since it was last asked, those without an operation left out."""
        return [row for path in sorted(self._folder.glob(f"*{_SUFFIX}")) for row in self._of(path)]

    def _of(self, path: Path) -> Iterator[LatencyHistogram]:
        operation = named(path.name.removesuffix(_SUFFIX))
        if operation is None:
            return
        with path.open("rb") as file:
            file.seek(self._read.get(path, 0))
            content = file.read()
        # A line that is being written is left for the next time.
        whole = content[: content.rfind(b"\n") + 1]
        self._read[path] = self._read.get(path, 0) + len(whole)
        for line in whole.decode("ascii", errors="replace").splitlines():
            if (base := _BASE.match(line)) is not None:
                self._base_s[path] = float(base[1])
            elif (row := self._row(path, operation, line)) is not None:
                yield row

    def _row(self, path: Path, operation: str, line: str) -> LatencyHistogram | None:
        """An interval of a line ``start, length, longest, histogram``, seconds since the log's own start."""
        parts = line.split(",")
        if line.startswith(("#", '"')) or len(parts) != 4:
            return None
        start_s = self._base_s.get(path, 0.0) + float(parts[0])
        histogram, operations = counted(parts[3])
        if operations == 0:
            return None
        return LatencyHistogram(
            workload=self._workload,
            operation=operation,
            host=self._host,
            peer=None,
            start_s=self._run_s(start_s),
            end_s=self._run_s(start_s + float(parts[1])),
            operations=operations,
            histogram=histogram,
        )
