"""YCSB's programs: what they ask for, and mixes of one's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.workloads.suite import read_workload, suites
from howdah.model.workloads.ycsb import EVERY, YcsbE, YcsbF, YcsbLoad, YcsbMix, YcsbOwnMix
from howdah.model.workloads.ycsb_options import OPERATIONS_OF, WARM_UP, read_mix


@pytest.mark.parametrize("program", [program for program in EVERY if issubclass(program, YcsbMix)])
def test_the_shares_of_a_mix_are_all_of_it(program: type[YcsbMix]) -> None:
    assert sum(program.model_validate({"operations": 1}).shares.values()) == pytest.approx(1)


def test_those_that_add_records_come_last() -> None:
    kinds = suites()["ycsb"]
    assert kinds[0] == "ycsb-load"
    assert kinds[-2:] == ("ycsb-d", "ycsb-e")
    assert "ycsb-mix" not in kinds


def test_a_workload_says_what_it_asks_for() -> None:
    load = YcsbLoad(records=1000, fields=10, field_bytes=100)
    assert load.written_bytes == 1_000_000
    assert load.in_words() == ("1,000 records of 1.00 kB",)
    assert YcsbF(operations=10).in_words() == ("10 operations", "50 % read + 50 % read-modify-write")


@given(st.lists(st.sampled_from(OPERATIONS_OF), min_size=1, unique=True))
def test_a_mix_of_ones_own_is_read_back(operations: list[str]) -> None:
    share = 1 / len(operations)
    text = read_mix(",".join(f"{name}={share:.4f}" for name in operations), "--mix")
    workload = read_workload(YcsbOwnMix(mix=text).model_dump())
    assert isinstance(workload, YcsbOwnMix)
    assert {*workload.shares} == {*operations}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("read=0.5,update=0.4", "sum to 0.9"),
        ("read=0.5,read=0.5", "twice"),
        ("reads=1", "not an operation"),
        ("read=half", "no share"),
        ("read", "no share"),
        ("read=1.5", "no share"),
        ("", "not an operation"),
    ],
)
def test_what_is_no_mix_is_refused(text: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        read_mix(text, "--mix")


@pytest.mark.parametrize(("text", "seconds"), [("10 ms", 0.01), ("0.5", 0.5), ("2s", 2.0)])
def test_a_warm_up_is_a_time_with_a_unit_or_in_seconds(text: str, seconds: float) -> None:
    assert WARM_UP.parse(text, WARM_UP.flag) == seconds


def test_scans_and_inserts_are_shares_of_e() -> None:
    assert YcsbE(operations=1).shares == {"insert": 0.05, "scan": 0.95}
