"""Numbers of a comparison as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, geometric_mean

from howdah.analysis.wording import named, percent, seconds, times
from howdah.model.comparison import Contrast, Measure
from howdah.model.reported import format_value
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
        case "1":
            return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
        case _:
            return format_value(value, measure.unit)


def mean(values: Sequence[float]) -> float:
    """The mean of what is judged, geometric as its noise is a share of it."""
    return geometric_mean(values) if min(values) > 0 else fmean(values)


def place(measure: Measure) -> str:
    """The workload, the phase of it, or the metric of it that a measure is of."""
    if measure.kind == "metric":
        return f"{measure.workload}: {measure.name}"
    return named(measure.workload, measure.phase)


def subject(measure: Measure) -> str:
    """What is judged, in a sentence: ``terasort``, whose time is meant, or ``nnbench's create_write``."""
    return f"{measure.workload}'s {measure.name}" if measure.kind == "metric" else measure.workload


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


def more(contrast: Contrast) -> str:
    """How much more or less of a measure there is: ``12 % more time``, ``31 % lower``, ``2.8 × as high``."""
    value = ratio_or_one(contrast)
    if contrast.measure.kind == "time":
        return more_time(value)
    if value >= _MANY_TIMES:
        return f"{times(value)} as high"
    return f"{percent(abs(value - 1))} {'higher' if value > 1 else 'lower'}"


def than(contrast: Contrast, base: str) -> str:
    """The same beside the baseline's: ``12 % more time than with …``, ``2.8 × the time of …``."""
    if ratio_or_one(contrast) < _MANY_TIMES:
        return f"{more(contrast)} than with {base}"
    return f"{more(contrast)} {'of' if contrast.measure.kind == 'time' else 'as with'} {base}"


def ratio_or_one(contrast: Contrast) -> float:
    """The ratio; 1 where there is none, which is so where the baseline has nothing."""
    return contrast.ratio if contrast.ratio is not None else 1.0


def signed_seconds(value: float) -> str:
    """A difference of times with its sign."""
    return f"{'+' if value > 0 else chr(0x2212)}{seconds(abs(value))}"


def _decimals(contrast: Contrast) -> int:
    if contrast.low is None or contrast.high is None:
        return 2
    return 3 if contrast.high - contrast.low < _NARROW else 2
