"""The local engine stays within its memory, and says what it spilled for it."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from howdah.model.run import Outcome
from support.rigs import LocalRig
from support.sinks import MemorySink

pytestmark = pytest.mark.slow

MIB = 2**20
# More rows than the budget below holds.
MANY_ROWS = 4_000_000


def tight_budget() -> int:
    """Memory for this process, however much other tests have left in it, and too little for MANY_ROWS."""
    return max(192 * MIB, psutil.Process().memory_info().rss + 48 * MIB) + 192 * MIB


def test_the_peak_of_memory_stays_within_the_budget(tmp_path: Path) -> None:
    rig, budget = LocalRig(tmp_path), tight_budget()
    record = rig.engine.run(rig.make_job("terasuite", rows=MANY_ROWS, memory_bytes=budget), MemorySink())
    sorted_ = record.workloads[1]
    assert record.outcome is Outcome.SUCCEEDED
    assert sorted_.in_memory is False
    assert sorted_.counters.spilled_rows >= MANY_ROWS
    assert sorted_.peak_rss_bytes is not None
    assert sorted_.peak_rss_bytes <= budget


@pytest.mark.parametrize("codec", ["lz4", "snappy", "zstd"])
def test_compressed_spills_report_both_sizes(tmp_path: Path, codec: str) -> None:
    rig = LocalRig(tmp_path)
    job = rig.make_job("terasuite", rows=MANY_ROWS, memory_bytes=tight_budget(), codec=codec)
    record = rig.engine.run(job, MemorySink())
    counters = record.workloads[1].counters
    assert record.outcome is Outcome.SUCCEEDED
    assert 0 < counters.spilled_bytes < counters.spilled_raw_bytes
    assert counters.spilled_raw_bytes >= 100 * MANY_ROWS
