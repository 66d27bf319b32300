"""Quantities with their units survive being read and written."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from howdah.model.base import Rate, Size, Speed

_KINDS: list[tuple[Any, str]] = [(Size, "B"), (Rate, "B/s"), (Speed, "b/s")]
_ADAPTERS = {unit: TypeAdapter(kind) for kind, unit in _KINDS}


@pytest.mark.parametrize("unit", ["B", "B/s"])
@given(st.integers(1, 2**63 - 1))
@example(241 * 2**30)
@example(600 * 10**9)
@example(64692944896)
def test_bytes_survive_exactly(unit: str, value: int) -> None:
    adapter = _ADAPTERS[unit]
    read = adapter.validate_python(f"{value}{unit}")
    assert read == value
    assert adapter.validate_python(adapter.dump_python(read)) == value


@given(st.integers(1, 10**13))
def test_speeds_survive_exactly(value: int) -> None:
    adapter = _ADAPTERS["b/s"]
    text = adapter.dump_python(value)
    assert adapter.validate_python(text) == value


@pytest.mark.parametrize(
    ("unit", "text", "value"),
    [
        ("B", "256GiB", 256 * 2**30),
        ("B", "600 GB", 600 * 10**9),
        ("B", "60.25GiB", 64692944896),
        ("B/s", "190MiB/s", 190 * 2**20),
        ("b/s", "25GbE", 25 * 10**9),
        ("b/s", "2.5Gbps", 25 * 10**8),
        ("b/s", "100Mbit/s", 10**8),
    ],
)
def test_what_people_write(unit: str, text: str, value: int) -> None:
    adapter = _ADAPTERS[unit]
    assert adapter.validate_python(text) == value
    pattern = adapter.json_schema()["pattern"]
    assert re.search(pattern, text), "an editor must not refuse what howdah reads"


@pytest.mark.parametrize("unit", ["B", "B/s", "b/s"])
@pytest.mark.parametrize(
    "value", [256, 2.5, "256", "", " ", "-1GB", "0GB", None, True, ["1GB"], "1e9GB", "GB", "9" * 99]
)
def test_what_is_refused(unit: str, value: object) -> None:
    with pytest.raises(ValidationError):
        _ADAPTERS[unit].validate_python(value)


def test_units_are_not_mixed_up() -> None:
    for unit, text in [
        ("B", "10Gb/s"),
        ("B", "190MiB/s"),
        ("B/s", "190MiB"),
        ("b/s", "10GB/s"),
        ("b/s", "10Gb"),
    ]:
        with pytest.raises(ValidationError):
            _ADAPTERS[unit].validate_python(text)
