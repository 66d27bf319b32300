"""Numbers of a comparison as people read them."""

from __future__ import annotations

from howdah.analysis.wording import named, percent, seconds, times
from howdah.model.comparison import Contrast, Measure
from howdah.report.words import NONE, signed_bytes

_MANY_TIMES = 1.5
"""From here on a ratio says more than per cent."""

_NARROW = 0.02
"""An interval narrower than this needs three decimals to be one."""


def measured(measure: Measure, value: float) -> str:
    """A value with its unit."""
    match measure.unit:
        case "s":
            return seconds(value)
        case "B":
            return signed_bytes(value)
        case "share":
            return percent(value)
        case _:
            return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def place(measure: Measure) -> str:
    """The workload, or the phase of it, that a measure is of."""
    return named(measure.workload, measure.phase)


def ratio(contrast: Contrast) -> str:
    """The ratio, with as many decimals as its interval warrants."""
    return NONE if contrast.ratio is None else f"{contrast.ratio:.{_decimals(contrast)}f}"


def interval(contrast: Contrast) -> str:
    """The ratio's interval; a dash where there is none."""
    if contrast.low is None or contrast.high is None:
        return NONE
    decimals = _decimals(contrast)
    return f"{contrast.low:.{decimals}f} to {contrast.high:.{decimals}f}"


def more_time(value: float) -> str:
    """A ratio of times: ``12 % more time``, ``20 % less time``, ``2.8 × the time``."""
    if value >= _MANY_TIMES:
        return f"{times(value)} the time"
    return f"{percent(abs(value - 1))} {'more' if value > 1 else 'less'} time"


def than(value: float, base: str) -> str:
    """The same beside what it is held against: ``12 % more time than with …``, ``2.8 × the time of …``."""
    return f"{more_time(value)} {'of' if value >= _MANY_TIMES else 'than with'} {base}"


def signed_seconds(value: float) -> str:
    """A difference of times with its sign."""
    return f"{'+' if value > 0 else chr(0x2212)}{seconds(abs(value))}"


def _decimals(contrast: Contrast) -> int:
    if contrast.low is None or contrast.high is None:
        return 2
    return 3 if contrast.high - contrast.low < _NARROW else 2
