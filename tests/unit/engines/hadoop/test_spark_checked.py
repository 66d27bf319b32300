"""Results of Spark's programs compared with what must come out, and answers of TPC-H with the reference."""

from __future__ import annotations

from decimal import Decimal

from howdah.engines.hadoop.spark import answer_of, canonical, differences, references

GOOD = {"expected_count": "10", "count": "10", "expected_cost": "318984.6953", "cost": "318984.69531"}


def test_equal_results_are_good() -> None:
    assert not list(differences(GOOD))


def test_a_lost_row_and_a_wrong_sum_are_errors() -> None:
    wrong = list(differences({**GOOD, "count": "9", "cost": "318000"}))
    assert [error.message for error in wrong] == [
        "count is 9, and must be 10",
        "cost is 318000, and must be 318984.6953",
    ]


def test_a_missing_result_is_an_error() -> None:
    assert [error.kind for error in differences({"expected_checksum": "a1"})] == ["checksum"]


def test_answers_are_equal_whatever_prints_them() -> None:
    assert canonical(Decimal("0.0500000")) == canonical(0.05) == canonical(" 0.05 ") == "0.05"
    assert canonical(5) == "5"
    assert canonical(None) == canonical("null")
    assert canonical("20-469-856-8873") == "20-469-856-8873"
    assert answer_of([["a", 1.004], ["b", 2]]) == answer_of([["b", "2"], ["a ", "1.00"]])
    assert answer_of([["a", 1.01]]) != answer_of([["a", 1.0]])


def test_the_reference_has_every_query_of_its_scale_factors() -> None:
    names = {f"q{number:02d}" for number in range(1, 23)}
    assert set(references()) == {"0.01", "0.1", "1"}
    assert all(set(answers) == names for answers in references().values())
    # TPC's published answers for scale factor 1 have these numbers of rows.
    one = {name: accepted[0].rows for name, accepted in references()["1"].items()}
    assert (one["q01"], one["q11"], one["q16"], one["q20"]) == (4, 1048, 18314, 186)
