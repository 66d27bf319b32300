"""Texts as Hadoop's Configuration reads them: what its getters take, and nothing else."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.releases.values import (
    MISFITS,
    expanded,
    is_true,
    read_bool,
    read_float,
    read_int,
    read_list,
    read_positive,
    read_seconds,
    read_size,
    whole_seconds,
    winners,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("134217728", 134217728),
        ("128m", 128 << 20),
        ("1G", 1 << 30),
        ("-1", -1),
        ("2e", 2 << 60),
        # TraditionalBinaryPrefix.string2long takes one letter directly after the digits.
        ("128mb", None),
        ("128 m", None),
        ("1.5g", None),
        ("m", None),
        ("", None),
    ],
)
def test_size_has_one_letter_at_most(text: str, size: int | None) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 30), ("5M", 300), ("250ms", 0.25), ("2d", 172800), ("5 m", None), ("5min", None), ("", None)],
)
def test_duration_counts_in_the_key_s_unit_by_itself(text: str, seconds: float | None) -> None:
    assert read_seconds(text) == seconds


def test_duration_without_unit_is_refused_where_it_needs_one() -> None:
    assert read_seconds("30", None) is None
    assert read_seconds("30s", None) == 30
    assert read_seconds("30", "ms") == 0.03


def test_whole_seconds_refuse_a_fraction() -> None:
    assert whole_seconds("1500ms") is None
    assert whole_seconds("2000ms") == 2


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_long_is_read_as_it_is_written(number: int) -> None:
    assert read_int(str(number)) == number
    assert read_int(hex(number)) == number
    assert MISFITS["long"](str(number)) is None


def test_number_beyond_its_bits_does_not_fit() -> None:
    assert MISFITS["int"](str(2**31)) == "does not fit into 32 bits"
    assert MISFITS["size"]("8e") == "does not fit into 64 bits"
    assert MISFITS["long"]("9" * 5000) == "does not fit into 64 bits"


def test_words_for_true_are_refused() -> None:
    assert [read_bool(text) for text in ("true", "FALSE", "yes", "1", "")] == [True, False, None, None, None]


def test_list_has_no_empty_parts() -> None:
    assert read_list(" a, b,,c ,") == ("a", "b", "c")


def test_variables_are_replaced_in_turn_and_circles_stay() -> None:
    texts = {"a": "${b}/x", "b": "/data", "c": "${d}", "d": "${c}"}
    assert expanded("${a},${unset}", texts.get) == "/data/x,${unset}"
    assert "${" in expanded("${c}", texts.get)
    assert len(expanded("${twice}", {"twice": "${twice}${twice}"}.get)) <= 100_000


class _Entry(NamedTuple):
    name: str
    text: str
    final: bool = False


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([_Entry("a", "1"), _Entry("a", "2")], "2"),
        ([_Entry("a", "1", final=True), _Entry("a", "2")], "1"),
        ([_Entry("a", "1", final=True), _Entry("a", "2", final=True)], "1"),
        ([_Entry("a", "1"), _Entry("a", "2", final=True), _Entry("a", "3")], "2"),
        ([_Entry("former", "1", final=True), _Entry("a", "2")], "1"),
        ([_Entry("a", "1", final=True), _Entry("former", "2")], "1"),
    ],
)
def test_the_last_entry_wins_or_the_first_final_one(entries: list[_Entry], text: str) -> None:
    won = winners(entries, lambda name: ("a",) if name == "former" else (name,))
    assert {name: entry.text for name, entry in won.items()} == {"a": text}


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.8", 0.8), ("0.8f", 0.8), (".5", 0.5), ("1e-3", 0.001), ("NaN", None), ("1_0", None), ("", None)],
)
def test_a_number_may_have_javas_suffix(text: str, number: float | None) -> None:
    assert read_float(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", 3), (" 3 ", 3), ("0x10", 16), ("0", None), ("-1", None), ("", None), (None, None)],
)
def test_what_is_not_above_zero_stands_for_a_default(text: str | None, number: int | None) -> None:
    assert read_positive(text) == number


@pytest.mark.parametrize(("text", "truth"), [("true", True), ("TRUE ", True), ("1", False), (None, False)])
def test_what_is_not_true_is_not(text: str | None, truth: bool) -> None:
    assert is_true(text) is truth
