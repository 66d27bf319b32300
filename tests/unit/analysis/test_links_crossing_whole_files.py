"""Tasks that read whole files find more of them elsewhere than their own locality says."""

from __future__ import annotations

import pytest

from howdah.analysis.links import whole_files_share
from howdah.model.cluster import ReplicaSpread
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.terasort import TeraSort, TeraValidate
from support import records


def _spread(blocks: int, replication: int) -> ReplicaSpread:
    return ReplicaSpread(
        path="/out",
        blocks=blocks,
        replicas=blocks * replication,
        bytes=1,
        per_worker={},
        sharing_host=0,
        under_replicated=0,
        missing=0,
    )


def _record(blocks: int, replication: int, *, reduces: int = 10) -> tuple[RunRecord, WorkloadResult]:
    sort = WorkloadResult(
        workload=TeraSort(reduces=reduces, replication=replication),
        start_s=0,
        end_s=1,
        outcome=Outcome.SUCCEEDED,
        replicas=_spread(blocks, replication),
    )
    validate = WorkloadResult(workload=TeraValidate(), start_s=1, end_s=2, outcome=Outcome.SUCCEEDED)
    record = records.pi().record.model_copy(update={"workloads": (sort, validate)})
    return record, validate


@pytest.mark.parametrize(
    ("blocks", "replication", "local_tasks", "expected"),
    [
        # A block a file: a local task has all of it.
        (10, 3, 1.0, 1.0),
        (10, 3, 0.5, 0.5 + 0.5 * 3 / 100),
        # One replica: whoever has the first block wrote the file, and has all of it.
        (1000, 1, 1.0, 1.0),
        # Very long files: one task in three is at the writer, the others meet blocks by chance.
        (10_000_000, 3, 1.0, 1 / 3 + 2 / 3 * 3 / 100),
    ],
)
def test_a_whole_file_is_as_local_as_its_blocks(
    blocks: int, replication: int, local_tasks: float, expected: float
) -> None:
    record, validate = _record(blocks, replication)
    assert whole_files_share(record, validate, local_tasks, 100) == pytest.approx(expected, abs=1e-4)


def test_where_nothing_tells_of_blocks_nothing_is_said() -> None:
    record, validate = _record(0, 3)
    assert whole_files_share(record, validate, 1.0, 100) is None
    record, validate = _record(10, 3)
    assert whole_files_share(record, validate, None, 100) is None
    assert whole_files_share(record, record.workloads[0], 1.0, 100) is None
