"""The floor of a cluster's run: what the same rows took on the same machine without Hadoop."""

from __future__ import annotations

from pathlib import Path

from howdah.errors import RecordError
from howdah.model.cluster import ClusterState
from howdah.model.listed_run import ListedRecord
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.tables import RunData
from howdah.model.workloads.terasort import TeraRows
from howdah.store.listing import list_runs
from howdah.store.reader import read_run


def find_floor(record: RunRecord, runs_dir: Path) -> RunData | None:
    """The newest run beside this one that sorted as many rows on the same machine with no cluster.

    None for a run that is such a one itself, for one on a cluster of other machines, and where there is none.
    """
    rows = _sorted_rows(record)
    if record.cluster is None or not rows or not _on_its_host(record.cluster, record.host.name):
        return None
    for summary in reversed(list_runs(runs_dir, ListedRecord)):
        candidate = summary.record
        if (
            candidate is not None
            and candidate.cluster is None
            and candidate.origin is Origin.MEASURED
            and candidate.outcome is Outcome.SUCCEEDED
            and candidate.host.name == record.host.name
            and _sorted_rows(candidate) == rows
        ):
            try:
                return read_run(summary.path)
            except RecordError:
                continue
    return None


def _on_its_host(cluster: ClusterState, host: str) -> bool:
    """Whether the machine that a run was started on is also the one that did its work."""
    own = {"localhost", _label(host)}
    return cluster.lab is not None or {_label(name) for name in cluster.nodemanagers} <= own


def _label(name: str) -> str:
    """A host's name without its domain."""
    return name.partition(".")[0].lower()


def _sorted_rows(record: RunRecord) -> set[tuple[str, int]]:
    """The workloads over rows, with how many."""
    workloads = [result.workload for result in record.workloads]
    return {
        (workload.kind, workload.rows)
        for workload in workloads
        if isinstance(workload, TeraRows) and workload.rows
    }
