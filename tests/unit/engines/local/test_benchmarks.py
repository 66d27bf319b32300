"""What the local engine prints as Hadoop does: TestDFSIO's log and pi's digits; and its digests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from howdah.engines.local.benchmarks import estimate, results_block
from howdah.engines.local.engine import digests
from howdah.model.plan import Worker, WorkerPlan
from howdah.model.reported import FileRate
from howdah.model.tables import Job
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import TeraSort
from howdah.units import MIB
from support.machine import host

BLOCK = """\
----- TestDFSIO ----- : write
             Date & time: Fri Nov 20 18:13:34 UTC 2026
         Number of files: 2
  Total MBytes processed: 96
       Throughput mb/sec: 0.8
  Average IO rate mb/sec: 1.12
   IO rate std deviation: 0.48
      Test exec time sec: 0.09

"""


def test_testdfsios_block_has_its_labels_digits_and_figures() -> None:
    files = [FileRate(path="a", bytes=64 * MIB, io_s=100.0), FileRate(path="b", bytes=32 * MIB, io_s=20.0)]
    moment = datetime(2026, 11, 20, 18, 13, 34, tzinfo=UTC)
    # 96 MB in 120 s of I/O; the files' own rates are 0.64 and 1.6 MB/s.
    assert results_block("write", files, 0.09, moment) == BLOCK


@pytest.mark.parametrize(
    ("inside", "total", "printed"),
    [
        (785, 1000, "3.14000000000000000000"),
        (1, 3, "1.33333333333333333333"),
        (2, 3, "2.66666666666666666667"),
        (0, 7, "0.00000000000000000000"),
    ],
)
def test_pi_is_printed_with_twenty_decimals_rounded_half_up(inside: int, total: int, printed: str) -> None:
    assert estimate(inside, total) == printed


def job(tmp_path: Path, available: int, inputs: tuple[str, ...] | None = None) -> Job:
    machine = host()
    memory = machine.memory.model_copy(update={"available_bytes": available})
    worker = Worker(name="h", map_slots=1, reduce_slots=1, memory_bytes=1, data_dirs=(str(tmp_path),))
    sort = TeraSort(inputs=inputs)
    return Job(
        run_id="r",
        command=(),
        host=machine.model_copy(update={"memory": memory}),
        plan=WorkerPlan(platform="native", workers=(worker,), settings=()),
        suite=Suite(name="terasort", workloads=(sort,)),
        seed=1,
        keep_data=False,
        sample_interval_s=1,
        results_dir=tmp_path,
    )


def test_digests_tell_machines_and_inputs_apart_but_not_minutes(tmp_path: Path) -> None:
    assert digests(job(tmp_path, 1)) == digests(job(tmp_path, 2))
    file = tmp_path / "rows"
    file.write_bytes(bytes(100))
    first = digests(job(tmp_path, 1, (str(file),)))
    file.write_bytes(bytes(200))
    second = digests(job(tmp_path, 1, (str(file),)))
    assert first["host"] == second["host"]
    assert first["inputs"] != second["inputs"]
