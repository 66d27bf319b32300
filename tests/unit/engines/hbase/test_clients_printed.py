"""What YCSB prints, and what its measurements are of."""

from __future__ import annotations

import pytest

from howdah.engines.hbase.clients import done_so_far, named, read_printed

SAID = """\
2026-11-25 10:00:01:123 4 sec: 3210 operations; 802.5 current ops/sec; est completion in 2 seconds [READ: …]
[HOWDAH], Begun(ms), 1764064800123
[HOWDAH], Ended(ms), 1764064804456
[OVERALL], RunTime(ms), 6021
[TOTAL_GCs], Count, 7
[READ], Operations, 2990
[READ], 99thPercentileLatency(us), 4123
[READ], Return=OK, 2990
[READ], Return=NOT_FOUND, 10
[READ-MODIFY-WRITE], Operations, 210
[READ-FAILED], Operations, 10
[CLEANUP], Operations, 8
"""


def test_operations_and_what_they_came_to_are_read() -> None:
    printed = read_printed(SAID.splitlines())
    assert printed is not None
    assert printed.operations == {"read": 2990, "read-modify-write": 210}
    assert printed.returns == {"read": {"OK": 2990, "NOT_FOUND": 10}}
    assert printed.ended_ms - printed.begun_ms == 4333


def test_a_client_that_did_not_come_to_its_end_printed_nothing() -> None:
    assert read_printed(SAID.splitlines()[:1]) is None


def test_a_status_line_says_how_far_it_is() -> None:
    first, *rest = SAID.splitlines()
    assert done_so_far(first) == 3210
    assert [done_so_far(line) for line in rest] == [None] * len(rest)


@pytest.mark.parametrize(
    ("section", "operation"),
    [
        ("READ", "read"),
        ("Intended-READ", "read, intended"),
        ("READ-MODIFY-WRITE", "read-modify-write"),
        ("UPDATE-FAILED", "update, failed"),
        ("Intended-UPDATE-FAILED", "update, failed, intended"),
        ("CLEANUP", None),
        ("VERIFY", None),
    ],
)
def test_measurements_are_named_as_operations(section: str, operation: str | None) -> None:
    assert named(section) == operation
