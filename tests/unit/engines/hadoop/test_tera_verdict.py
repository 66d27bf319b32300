"""What TeraValidate wrote is read as it is, and held against TeraGen's record."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from howdah.engines.base import Generated
from howdah.engines.hadoop.tera import judge

WHOLE = "checksum\t1f9ffe645ec\n"
PARTITIONING = (
    "checksum\t1f9ffe645ec\n"
    "error\tmisorder in part-r-00001 between 4a 69 6d and 4a 69 6c\n"
    "error\tbad key partitioning:\n"
    "  file part-r-00000:end key 9a 00\n"
    "  file part-r-00001:begin key 4a 69\n"
)


def test_whole_rows_have_no_faults() -> None:
    verdict = judge(WHOLE, 1000, Generated(1000, "1f9ffe645ec"))
    assert verdict.checksum == verdict.expected == "1f9ffe645ec"
    assert verdict.errors == ()


def test_rows_without_a_record_are_judged_by_their_order_alone() -> None:
    verdict = judge(WHOLE, 1000, None)
    assert verdict.checksum == "1f9ffe645ec"
    assert verdict.expected is None
    assert verdict.errors == ()


def test_a_fault_over_several_lines_is_one() -> None:
    errors = judge(PARTITIONING, 1000, None).errors
    assert [error.kind for error in errors] == ["error", "error"]
    assert errors[0].message.startswith("misorder in part-r-00001")
    assert errors[1].message.splitlines()[2] == "  file part-r-00001:begin key 4a 69"


def test_lost_rows_are_found_though_the_order_is_right() -> None:
    verdict = judge(WHOLE, 999, Generated(1000, "1f9ffe645ed"))
    assert [error.kind for error in verdict.errors] == ["rows", "checksum"]
    assert verdict.errors[0].message == "999 rows where TeraGen recorded 1000: 1 lost"
    assert "1f9ffe645ed" in verdict.errors[1].message


def test_an_empty_report_is_of_no_rows() -> None:
    verdict = judge("", 0, Generated(0, "0"))
    assert verdict.checksum is None
    assert verdict.errors == ()


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**64 - 1))
def test_the_low_64_bits_decide(total: int, change: int) -> None:
    counted = (total ^ change) & (2**64 - 1)
    verdict = judge(f"checksum\t{total:x}\n", 7, Generated(7, f"{counted:x}"))
    assert (verdict.errors == ()) is (change == 0)
    assert (verdict.checksum == verdict.expected) is (change == 0)
