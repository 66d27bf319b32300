"""Numbers of predictions as people read them."""

from __future__ import annotations

from howdah.analysis.wording import percent, seconds
from howdah.model.prediction import Forecast

SIMULATED = "Simulated, nothing measured."


def between(low_s: float, high_s: float) -> str:
    """Both ends of an interval of times."""
    return f"{seconds(low_s)} to {seconds(high_s)}"


def width(forecast: Forecast) -> str:
    """How far an interval reaches to its farther side."""
    return f"± {percent(forecast.width)}"


def longer(share: float) -> str:
    """How much longer something takes: ``12 % longer``, ``3.4 % shorter``."""
    return f"{percent(abs(share))} {'longer' if share > 0 else 'shorter'}"
