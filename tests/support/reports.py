"""The runs whose reports are looked at in tests, by name."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.tables import RunData
from support import cluster_reports, records

RUNS: dict[str, Callable[[], RunData]] = {
    "terasuite": records.terasuite,
    "spilled": records.spilled,
    "failed": records.failed,
    "aborted": records.aborted,
    "simulated": records.simulated,
    "with_warnings": records.with_warnings,
    "dfsio": records.dfsio,
    "storage": records.storage,
    "pi": records.pi,
    "lossy": cluster_reports.lossy,
    "laboratory": cluster_reports.laboratory,
}
