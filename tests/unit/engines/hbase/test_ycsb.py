"""Why a workload on HBase failed: what was not done, and what came to something else than OK."""

from __future__ import annotations

import pytest

from howdah.engines.hbase.clients import Answered, operations_done
from howdah.engines.hbase.ycsb import operation_faults
from howdah.model.reported import LatencyHistogram, encoded
from howdah.model.workloads.ycsb import YcsbA, YcsbF


def answered(
    operations: dict[str, int], returns: dict[str, dict[str, int]], complaint: str | None = None
) -> Answered:
    return Answered(operations, returns, 0.0, 1.0, (), complaint)


def test_all_done_and_all_ok_is_no_fault() -> None:
    done = answered({"read": 6, "update": 4}, {"read": {"OK": 6}, "update": {"OK": 4}})
    assert operation_faults(YcsbA(operations=10), done) == ()


def test_both_halves_of_an_operation_are_not_two_more() -> None:
    done = answered({"read": 10, "update": 5, "read-modify-write": 5}, {"read": {"OK": 10}})
    assert operation_faults(YcsbF(operations=10), done) == ()


def test_fewer_operations_than_asked_for_are_told_with_the_reason() -> None:
    done = answered({"read": 3}, {"read": {"OK": 3}}, "HBaseBinding: the disk is full")
    (fault,) = operation_faults(YcsbA(operations=10), done)
    assert fault.message == "3 of 10 operations were done: HBaseBinding: the disk is full"


@pytest.mark.parametrize("word", ["ERROR", "NOT_FOUND"])
def test_an_answer_that_is_not_ok_is_told(word: str) -> None:
    done = answered({"read": 10}, {"read": {"OK": 8, word: 2}})
    (fault,) = operation_faults(YcsbA(operations=10), done)
    assert fault.message == f"2 of read came to {word}"


def test_what_was_timed_twice_counts_once() -> None:
    def row(operation: str) -> LatencyHistogram:
        return LatencyHistogram("ycsb-f", operation, "c", None, 0.0, 1.0, 5, encoded([0.001] * 5))

    names = ("read", "read, intended", "update", "read-modify-write", "read-modify-write, intended")
    assert operations_done(row(name) for name in names) == 5
