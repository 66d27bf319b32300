"""Values of flags that several commands share."""

from __future__ import annotations

import pytest

from howdah.cli.arguments import parse_duration, parse_measuring_time
from howdah.errors import UserError


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90.0), ("40m", 2400.0), ("40min", 2400.0), ("1.5h", 5400.0)]
)
def test_a_duration_has_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text, "--budget") == seconds


@pytest.mark.parametrize("text", ["", "40", "-5m", "0h", "nanm", "infh", "1e999h", "2 days", "m"])
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError, match="is not a duration") as refused:
        parse_duration(text, "--budget")
    assert refused.value.hint == "give for instance 40m or 2h"


@pytest.mark.parametrize(
    ("text", "problem"), [("1", "too short"), ("5000", "too long"), ("soon", "not a number")]
)
def test_a_time_to_measure_is_neither_too_short_nor_too_long(text: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem) as refused:
        parse_measuring_time(text)
    assert refused.value.hint == "give seconds from 10 to 3600"
