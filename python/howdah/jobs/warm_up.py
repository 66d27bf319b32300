"""How much longer an executor's first tasks take: each executor loads and compiles its code again.

An event log counts the processor time of tasks, not of the compiler, so the tasks' whole time is compared:
the first tasks of a stage on each core of an executor with the later ones there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import sqrt
from statistics import NormalDist, median, stdev
from typing import Any

from howdah.model.user_job import WarmUp

_SURE = NormalDist().inv_cdf(0.95)
_MOST_WAVES = 4  # Tasks on a core compared with later ones: HotSpot compiles again after more calls.
_UNKNOWN_SPREAD = 0.25  # Spread of tasks' times, by their median, if too few ran to show it.
_MOST_UNSEEN_S, _MOST_UNSEEN_SHARE = 10.0, 0.9  # The longest unseen warm-up, and as part of a task.

_Row = Mapping[str, Any]


def waves_of(rows: Sequence[_Row], cores: int) -> list[int]:
    """How many tasks of its stage each task's core ran before it; ``rows`` are in the order of starts."""
    ran: defaultdict[tuple[int, str], int] = defaultdict(int)
    result = []
    for row in rows:
        place = row["stage"], row["executor"]
        result.append(ran[place] // cores)
        ran[place] += 1
    return result


def warm_ups(rows: Sequence[_Row], waves: Sequence[int]) -> Mapping[int, WarmUp]:
    """By stage, how much longer its first tasks took."""
    stages: defaultdict[int, defaultdict[int, list[_Row]]] = defaultdict(lambda: defaultdict(list))
    for row, wave in zip(rows, waves, strict=True):
        stages[row["stage"]][wave].append(row)
    return {stage: _warm_up([own[wave] for wave in sorted(own)]) for stage, own in stages.items()}


def _warm_up(waves: Sequence[Sequence[_Row]]) -> WarmUp:
    if len(waves) == 1:
        most_s = min(_MOST_UNSEEN_S, _MOST_UNSEEN_SHARE * median(map(_seconds, waves[0])))
        return WarmUp((0.0,), (most_s / 2,), (most_s,))
    warming = min(_MOST_WAVES, len(waves) // 2)
    later = [row for wave in waves[warming:] for row in wave]
    longer_s = [_longer_s(wave, later) for wave in waves[:warming]]
    # A core only ever becomes quicker.
    return WarmUp(*(tuple(accumulate(bound, min)) for bound in zip(*longer_s, strict=True)))


def _longer_s(wave: Sequence[_Row], later: Sequence[_Row]) -> tuple[float, float, float]:
    """At least, likely, and at most."""
    wave_s, later_s = list(map(_seconds, wave)), list(map(_seconds, later))
    middle_s = median(wave_s)
    # Tasks with more data would take longer anyway.
    moved, moved_later = median(map(_bytes, wave)), median(map(_bytes, later))
    more = moved / moved_later if moved and moved_later else 1.0
    by_bytes_s, by_task_s = (middle_s - median(later_s) * factor for factor in (more, 1.0))
    error_s = _error_s(wave_s, later_s)
    # Later tasks may still be compiling: the quickest shows how far that goes.
    least_s = min(by_bytes_s, by_task_s) - error_s
    most_s = max(by_bytes_s + error_s, by_task_s + error_s, middle_s - min(later_s))
    least_s, likely_s, most_s = (min(middle_s, max(0.0, s)) for s in (least_s, by_bytes_s, most_s))
    return least_s, likely_s, most_s


def _error_s(wave_s: Sequence[float], later_s: Sequence[float]) -> float:
    """How far the difference of two medians may be off, wider for few tasks."""

    def spread_s(times_s: Sequence[float]) -> float:
        return stdev(times_s) if len(times_s) > 2 else _UNKNOWN_SPREAD * median(times_s)

    variance = sum((spread_s(times) ** 2) / len(times) for times in (wave_s, later_s))
    freedom = max(1, len(wave_s) + len(later_s) - 2)
    return _SURE * (1 + (_SURE**2 + 1) / (4 * freedom)) * sqrt(variance)


def _seconds(row: _Row) -> float:
    return max(0.0, float(row["end_s"]) - float(row["start_s"]))


def _bytes(row: _Row) -> int:
    names = ("input_bytes", "shuffle_remote_read_bytes", "shuffle_local_read_bytes")
    return sum(row[name] or 0 for name in names)
