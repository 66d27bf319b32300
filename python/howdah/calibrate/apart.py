"""How far two plans may be apart beyond what is simulated: what is left unexplained of their ratio.

Single figures do not tell it. Runs of one study on the same data had the same hosts and programs, and share a
part of the simulator's error; and the figures that are furthest off, of the smallest runs, have no other run
on the same data. So the ratios of such runs are looked at themselves, each run as it was predicted by those
that did not know it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import NamedTuple

import numpy as np

from howdah.calibrate.forecast import unexplained
from howdah.calibrate.leave_out import NINETY, enough_to_cover
from howdah.calibrate.tables import named_run
from howdah.model.calibration import Calibration, CalibrationCell


class RunRatio(NamedTuple):
    """A figure of two published runs of one study on the same data, one over the other."""

    one: CalibrationCell
    other: CalibrationCell

    @property
    def off(self) -> float:
        """How far off the ratio is with each run left out in turn, as a logarithm."""
        return _off(self.one) - _off(self.other)


class Apart(NamedTuple):
    """What is left unexplained of the ratios of plans."""

    relative: float
    """Standard deviation of a ratio's logarithm, beyond what parameters and seeds explain."""
    ratios: tuple[RunRatio, ...]
    """What it was found from."""


def own_part(calibration: Calibration | None, workload: str, elapsed_s: float) -> float:
    """Standard deviation of a time's logarithm of which two make up what is unexplained of a ratio.

    All that is unexplained of the time where the calibration knows no ratios: those that rest on runs of
    one's own do not.
    """
    whole = unexplained(calibration, workload, elapsed_s)
    ratios = unexplained_ratios(calibration) if calibration is not None else None
    return whole if ratios is None else min(whole, ratios.relative / math.sqrt(2))


def unexplained_ratios(calibration: Calibration) -> Apart | None:
    """What is unexplained of ratios: enough to cover nine of ten of those left out; None without any.

    One number for all workloads, platforms, replicas and block sizes: each by itself has too few figures.
    """
    ratios = tuple(_ratios(calibration))
    if not ratios:
        return None
    off = np.array([ratio.off for ratio in ratios])
    explained = np.array(
        [
            math.hypot(_explained(calibration, ratio.one), _explained(calibration, ratio.other))
            for ratio in ratios
        ]
    )
    return Apart(enough_to_cover(off, explained), ratios)


def _ratios(calibration: Calibration) -> list[RunRatio]:
    alike: defaultdict[tuple[str, int, str], list[CalibrationCell]] = defaultdict(list)
    for cell in calibration.cells:
        run = named_run(cell.case)
        if run is not None and cell.unit == "s" and cell.left_out is not None:
            alike[run.study, run.setting.dataset_bytes, cell.quantity].append(cell)
    return [RunRatio(*pair) for cells in alike.values() for pair in combinations(cells, 2)]


def _off(cell: CalibrationCell) -> float:
    assert cell.left_out is not None
    return math.log(cell.left_out / cell.known)


def _explained(calibration: Calibration, cell: CalibrationCell) -> float:
    """What parameters and seeds explain of a left-out figure: its interval without the residual."""
    if cell.left_out is None or cell.high is None:
        return 0.0
    whole = math.log(cell.high / cell.left_out) / NINETY
    rest = unexplained(calibration, cell.quantity.partition("/")[0], cell.left_out)
    return math.sqrt(max(0.0, whole**2 - rest**2))
