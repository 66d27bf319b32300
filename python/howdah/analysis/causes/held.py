"""Whether a worker used something at one steady rate, as it does where a limit holds it.

What is held by a limit moves most of its bytes at nearly one rate; what follows demand moves them at
many. The rate near which it stayed, and for how long, can be held against its peers'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence import FloatArray
from howdah.analysis.timeline import Timeline, Track

# The rate that so much of the amount did not exceed. A limit shows at the top; the very top is noise.
TOP = 0.95
# So far around that rate still counts as the same.
NEAR = 0.15
# A sampler that was held up so many intervals lost what lies between.
GAP = 2.0
# Where more than the rest moved in gaps, what is left tells nothing.
KNOWN = 0.5
# Fewer sample intervals than this tell nothing about steadiness.
LEAST_INTERVALS = 4


class Held(NamedTuple):
    """The rate at the top, the part of the time near it, and the part of the amount moved there."""

    level: float
    time_share: float
    amount_share: float


def held(timeline: Timeline, machine: str, metrics: Sequence[str], span: tuple[float, float]) -> Held | None:
    """How a machine used the sum of some counters; None where nothing moved, or too little was sampled."""
    tracks = [track for metric in metrics if (track := timeline.track(machine, metric)) is not None]
    if not tracks:
        return None
    times = edges(tracks[0], span)
    if len(times) <= LEAST_INTERVALS:
        return None
    lengths = np.diff(times)
    amounts = np.maximum(sum((np.diff(track.at(times)) for track in tracks), np.zeros(len(lengths))), 0.0)
    # At which rates a gap's amount moved, nobody knows: its mean would look like a low limit.
    known = lengths <= GAP * np.median(lengths)
    total = float(amounts[known].sum())
    if total <= 0 or total < KNOWN * amounts.sum():
        return None
    lengths, amounts = lengths[known], amounts[known]
    rates = amounts / lengths
    order = np.argsort(rates)
    reached = np.cumsum(amounts[order]) / total
    level = float(rates[order][int(np.searchsorted(reached, TOP - 1e-9))])
    near = np.abs(rates - level) <= NEAR * level
    return Held(level, float(lengths[near].sum() / lengths.sum()), float(amounts[near].sum() / total))


def edges(track: Track, span: tuple[float, float]) -> FloatArray:
    """The samples to look between; one that a gap follows was held up itself and read who knows when."""
    times = track.times_s[(track.times_s >= span[0]) & (track.times_s <= span[1])]
    if len(times) <= LEAST_INTERVALS:
        return times
    lengths = np.diff(times)
    late = np.append(lengths > GAP * np.median(lengths), False)
    return np.delete(times, np.flatnonzero(late))
