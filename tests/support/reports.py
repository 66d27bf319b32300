"""The runs whose reports are looked at in tests, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from howdah.model.tables import RunData
from support import cluster_reports, records
from support.network_run import network
from support.sim_runs import small_run
from support.table_runs import TableScene, table_run

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
    "network": network,
    "ycsb": partial(table_run, TableScene(cause="collector")),
    "lossy": cluster_reports.lossy,
    "laboratory": cluster_reports.laboratory,
}

PAGES: dict[str, Callable[[], RunData]] = RUNS | {"simulated_cluster": partial(small_run, 5)}
"""With those whose words are not the same on every machine."""
