"""A sweep's table in a narrow terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from howdah.model.prediction import Point, Sweep
from howdah.report.prediction.growth import growth
from howdah.report.terminal import terminal
from support.varied import predicted as forecast

MINUTE = 60.0
SWEEP = Sweep(
    suite="terasuite",
    quantity="hosts",
    calibration="published",
    replications=3,
    seed=1,
    points=tuple(
        Point(
            hosts=hosts,
            dataset_bytes=hosts * 10**12,
            elapsed_s=(16 + hosts / 500) * MINUTE,
            low_s=15.5 * MINUTE,
            high_s=(17.5 + hosts / 500) * MINUTE,
            forecasts=(forecast("terasort", (16 + hosts / 500) * MINUTE),),
            namenode=0.02,
            scheduler=0.14,
        )
        for hosts in (10, 100, 1000)
    ),
    warnings=(),
)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_number_loses_a_digit_to_a_bar(width: int) -> None:
    text = io.StringIO()
    Console(file=text, width=width, highlight=False).print(terminal(growth(SWEEP, None)))
    shown = text.getvalue()
    assert "…" not in shown
    assert all(len(line) <= width for line in shown.splitlines())
    for number in ("1,000", "1.00 PB", "18 min 00 s", "15 min 30 s", "926 GB/s", "scheduler"):
        assert number in shown
