"""Numbers as people write them, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.units import (
    format_bytes,
    format_count,
    format_memory,
    format_ranges,
    format_rate,
    format_seconds,
    parse_bytes,
    parse_count,
    parse_duration,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096),
        ("0", 0),
        ("1kB", 1000),
        ("1KiB", 1024),
        ("1.5 GB", 1_500_000_000),
        ("512MiB", 512 * 2**20),
        (" 2 gib ", 2 * 2**30),
        ("0.5TiB", 2**39),
        ("1PB", 10**15),
        ("1_000_000", 1_000_000),
        ("1,000,000 B", 1_000_000),
    ],
)
def test_sizes_are_parsed(text: str, value: int) -> None:
    assert parse_bytes(text, "--memory") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10M", 10**7),
        ("1.5B", 15 * 10**8),
        ("10_000_000", 10**7),
        ("2k", 2000),
        ("1T", 10**12),
        ("1g", 10**9),
    ],
)
def test_counts_are_parsed(text: str, value: int) -> None:
    assert parse_count(text, "--rows") == value


@pytest.mark.parametrize("text", ["600Gb", "1 Tb", "128Mib"])
def test_bits_are_no_bytes(text: str) -> None:
    with pytest.raises(UserError, match="is in bits") as caught:
        parse_bytes(text, "--need")
    assert caught.value.hint.endswith(f"{text[:-1]}B")


@pytest.mark.parametrize("parse", [parse_bytes, parse_count])
@pytest.mark.parametrize(
    "text", ["", "many", "-5", "+5", "1e6", "10 furlongs", "1..5", ".5", "0x10", "1 2", "½", "GB"]
)
def test_what_is_no_quantity_is_refused_by_name(parse: Callable[[str, str], int], text: str) -> None:
    with pytest.raises(UserError) as error:
        parse(text, "--rows")
    assert error.value.where == "--rows"
    assert repr(text) in error.value.what
    assert error.value.hint.startswith("give for instance ")


def test_parts_of_a_byte_or_a_row_are_refused() -> None:
    with pytest.raises(UserError, match="not a whole number"):
        parse_bytes("1.0001kB", "--memory")
    with pytest.raises(UserError, match="not a whole number"):
        parse_count("10.5", "--rows")


@given(st.integers(0, 10**15), st.sampled_from(["kB", "MiB", "GB", "TiB"]))
def test_no_digit_is_lost(number: int, unit: str) -> None:
    factor = {"kB": 10**3, "MiB": 2**20, "GB": 10**9, "TiB": 2**40}[unit]
    assert parse_bytes(f"{number}{unit}", "") == number * factor
    assert parse_count(format_count(number), "") == number


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_one_error(text: str) -> None:
    with suppress(UserError):
        assert parse_bytes(text, "--memory") >= 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (10**9, "1.00 GB"),
        (12_345_678_901, "12.3 GB"),
        (2.5e15, "2.50 PB"),
    ],
)
def test_volumes_have_three_digits(value: float, text: str) -> None:
    assert format_bytes(value) == text
    assert format_rate(value) == f"{text}/s"


@given(st.floats(1000, 9.99e17))
@example(9.996e9)
@example(99.96e6)
def test_a_volume_is_said_within_its_three_digits(value: float) -> None:
    text = format_bytes(value)
    number, unit = text.split()
    assert re.fullmatch(r"\d\.\d\d|\d\d\.\d|\d{3}", number), text
    factor = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}[unit]
    assert float(number) * factor == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (2**31, "2 GiB"),
        (23.4 * 2**30, "23.4 GiB"),
        (1536, "1.5 KiB"),
        (2**40, "1 TiB"),
    ],
)
def test_memory_is_said_in_powers_of_1024(value: float, text: str) -> None:
    assert format_memory(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 s"),
        (0.411, "0.41 s"),
        (9.994, "9.99 s"),
        (9.996, "10.0 s"),
        (12.34, "12.3 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (60, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3599.4, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (3 * 3600 + 7 * 60 + 29, "3 h 07 min"),
    ],
)
def test_durations_are_said_as_one_would(value: float, text: str) -> None:
    assert format_seconds(value) == text


@given(st.floats(0, 1e6))
@example(0.6015625)
@example(59.96)
@example(59.9999)
@example(3599.7)
def test_a_duration_never_shows_sixty_of_anything(value: float) -> None:
    assert not re.search(r"(?<![.\d])60 (s|min)", format_seconds(value))


@pytest.mark.parametrize(
    ("numbers", "text"), [((), ""), ((4,), "4"), ((1, 2), "1-2"), ((0, 1, 2, 8, 10, 11), "0-2, 8, 10-11")]
)
def test_runs_of_numbers_are_joined(numbers: tuple[int, ...], text: str) -> None:
    assert format_ranges(numbers) == text
    assert format_ranges(numbers, ",") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500ms", 0.5),
        ("20s", 20.0),
        ("2min", 120.0),
        ("2m", 120.0),
        ("1.5h", 5400.0),
        (".5h", 1800.0),
        ("7d", 604800.0),
        ("1w", 604800.0),
        ("1e3s", 1000.0),
        ("20", None),
        ("-5m", None),
        ("2 h", None),
        ("infh", None),
    ],
)
def test_durations_are_parsed(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == seconds
