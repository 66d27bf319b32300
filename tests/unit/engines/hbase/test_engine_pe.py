"""What PerformanceEvaluation is asked for, and what it prints."""

from __future__ import annotations

from howdah.engines.hbase.engine import arguments, read_evaluated, splits
from howdah.model.workloads.ycsb import EVALUATIONS, PeRead

SAID = """\
INFO PerformanceEvaluation: Latency (us) : mean=71.20, 50th=70.00, 99th=812.00, 99.9th=2
INFO PerformanceEvaluation: Latency (us) : mean=71.20, 50th=70.00, 99th=1204.50, 99.9th=2
INFO PerformanceEvaluation: [RandomReadTest] Summary of timings (ms): [1500, 2000]
"""


def test_its_slowest_thread_is_its_time() -> None:
    found = read_evaluated(SAID.splitlines())
    assert found is not None
    assert found.seconds == 2.0
    assert found.within_s == (812e-6, 1204.5e-6)


def test_one_that_did_not_come_to_its_end_told_nothing() -> None:
    assert read_evaluated(SAID.splitlines()[:2]) is None


def test_each_thread_has_its_own_rows() -> None:
    asked = PeRead(records=1001, field_bytes=1000, threads=4)
    words = arguments(asked, "howdah-1")
    assert "--rows=251" in words
    assert asked.rows == 4 * 251
    assert words[-2:] == ["randomRead", "4"]


def test_regions_are_of_as_many_rows_each() -> None:
    keys = splits(1000, 4)
    assert [int(key) for key in keys] == [250, 500, 750]
    assert {len(key) for key in keys} == {26}
    assert splits(1000, 1) == []


def test_every_command_has_a_name_and_an_operation() -> None:
    assert all(program.command and program.operation for program in EVALUATIONS)
