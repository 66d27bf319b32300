"""The papers' file-system test: files written one after another on each data disk.

The first files lie on a fresh disk's outer zone and the last ones on its inner zone, so the
throughput per file shows the zones, and XFS's allocation groups (D0, Appendix B).
"""

from __future__ import annotations

from howdah import _native
from howdah.engines.local import limits
from howdah.engines.local.context import LocalContext, file_rates
from howdah.engines.local.work import Watch
from howdah.engines.under_way import PartialResult
from howdah.model.counters import Counters
from howdah.model.reported import FileRate
from howdah.model.workloads.storage import STORAGE, Storage, zone_rates


def storage(context: LocalContext, workload: Storage, watch: Watch) -> PartialResult:
    """Write, then read, the files of each data directory in turn; fio's raw rate if fio is here."""
    rates: list[FileRate] = []
    measured = []
    direct = True
    for folder in context.workspace.fresh(STORAGE, scratch=True):
        names = [str(folder / f"file-{number:05d}") for number in range(workload.files or 1)]
        written = watch.follow(_native.storage_write(context.pool, names, workload.file_bytes or 0))
        read = watch.follow(_native.storage_read(context.pool, names))
        rates += [*file_rates(written, "write"), *file_rates(read, "read")]
        direct = direct and written.direct and read.direct
        raw = limits.raw_limit(folder, workload.file_bytes or 0, context.job.host)
        if raw:
            measured.append(raw)
    return PartialResult(
        counters=Counters(written_bytes=_total(rates, "write"), read_bytes=_total(rates, "read")),
        files=tuple(rates),
        metrics=zone_rates(rates),
        raw_limits=tuple(measured),
        buffered_io=not direct,
    )


def _total(rates: list[FileRate], operation: str) -> int:
    return sum(rate.bytes for rate in rates if rate.operation == operation)
