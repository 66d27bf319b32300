"""Peaks that the mean of a step hides."""

from __future__ import annotations

import numpy as np

from howdah.analysis.evidence import FloatArray

_LINE = 0.01
"""The width of a line beside the figure's height."""


def hidden(means: FloatArray, peaks: FloatArray) -> bool:
    """Whether a step holds samples that differ by more than a line is wide."""
    return bool(np.any(peaks > means + _LINE * peaks.max()))
