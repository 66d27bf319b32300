"""What a reader should know of the repeats themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from statistics import stdev

from howdah.analysis.wording import percent
from howdah.model.comparison import RunGroup
from howdah.model.run import Origin

NOISY = 0.1
"""Repeats whose times deviate by more than this share were disturbed by something."""


def remarks(groups: Sequence[RunGroup]) -> Iterator[str]:
    """What befell single runs, and the repeats that lie farthest apart, if that is far."""
    for group in groups:
        for run in group.runs:
            yield from (f"{run.run}: {remark}" for remark in run.remarks)
    noise = [
        (deviation, workload, group)
        for group in groups
        for workload, deviation in _noise(group).items()
        if deviation > NOISY
    ]
    if noise:
        deviation, workload, group = max(noise, key=lambda one: one[0])
        simulated = all(run.origin is Origin.SIMULATED for run in group.runs)
        yield (
            f"repeats deviate by as much as {percent(deviation)} ({workload} of {group.name}): "
            + (
                "seeds alone move a simulation so far, and more repeats would tell more"
                if simulated
                else "a quieter machine would tell more than more repeats"
            )
        )


def _noise(group: RunGroup) -> dict[str, float]:
    """The deviation of the logarithms of a workload's times, by its name."""
    times: dict[str, list[float]] = {}
    for run in group.runs:
        for one in run.readings:
            if one.measure.kind == "time" and one.measure.phase is None and one.value > 0:
                times.setdefault(one.measure.workload, []).append(log(one.value))
    return {name: stdev(some) for name, some in times.items() if len(some) > 1}
