"""What each parameter matters around a candidate: what it costs when it is wrong, and which ones interact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from howdah.model.tuning import Interaction, LevelCost, Sensitivity, Trial, TuneParameter
from howdah.tune.search import Attempt

_INTERACTING = 10
"""So many of the parameters that cost most are tried in pairs."""
_LEAST_SHARE = 0.03
"""An effect of a pair below this part of the time is left out."""


def sensitivities(
    space: Sequence[TuneParameter], best: Trial, decided: Mapping[str, str], attempt: Attempt
) -> tuple[tuple[Sensitivity, ...], tuple[Interaction, ...]]:
    """Every parameter at each of its levels with all others as in ``best``, and pairs of the costliest.

    ``decided`` are the values in the plan of ``best``: what the rules decide depends on the others.
    """
    assert best.elapsed_s is not None
    best_s = best.elapsed_s
    varied = [parameter for parameter in space if len(parameter.levels) > 1]
    moves = [(parameter, level) for parameter in varied for level in parameter.levels]
    trials = attempt([_moved(best.values, parameter, level) for parameter, level in moves])
    shares = {
        (parameter.name, level): None if trial.elapsed_s is None else trial.elapsed_s / best_s - 1
        for (parameter, level), trial in zip(moves, trials, strict=True)
    }
    result = [
        Sensitivity(
            name=parameter.name,
            best=decided[parameter.name],
            levels=tuple(
                LevelCost(
                    value=decided[parameter.name]
                    if level == best.values.get(parameter.name, parameter.planned)
                    else level,
                    share=shares[parameter.name, level],
                )
                for level in parameter.levels
            ),
        )
        for parameter in varied
    ]
    result.sort(key=lambda parameter: -parameter.cost)
    return tuple(result), _interactions(varied, result, best, shares, attempt)


def _interactions(
    varied: Sequence[TuneParameter],
    result: Sequence[Sensitivity],
    best: Trial,
    shares: Mapping[tuple[str, str], float | None],
    attempt: Attempt,
) -> tuple[Interaction, ...]:
    """Pairs of the costliest parameters that together take longer or shorter than one by one."""
    assert best.elapsed_s is not None
    by_name = {parameter.name: parameter for parameter in varied}
    moved = {
        sensitivity.name: level
        for sensitivity in result[:_INTERACTING]
        if (level := _typical_move(sensitivity)) in by_name[sensitivity.name].levels and level is not None
    }
    pairs = list(combinations(moved, 2))
    trials = attempt(
        [
            _moved(_moved(best.values, by_name[name], moved[name]), by_name[other], moved[other])
            for name, other in pairs
        ]
    )
    interactions = []
    for (name, other), trial in zip(pairs, trials, strict=True):
        first, second = shares[name, moved[name]], shares[other, moved[other]]
        if trial.elapsed_s is None or first is None or second is None:
            continue
        share = trial.elapsed_s / best.elapsed_s / ((1 + first) * (1 + second)) - 1
        if abs(share) >= _LEAST_SHARE:
            interactions.append(
                Interaction(names=(name, other), values=(moved[name], moved[other]), share=share)
            )
    return tuple(sorted(interactions, key=lambda interaction: -abs(interaction.share)))


def _moved(values: Mapping[str, str], parameter: TuneParameter, level: str) -> dict[str, str]:
    others = {name: value for name, value in values.items() if name != parameter.name}
    return others if level == parameter.planned else others | {parameter.name: level}


def _typical_move(sensitivity: Sensitivity) -> str | None:
    """The level with the cost nearest to half of the worst: far enough to matter, not absurd."""
    others = [
        level for level in sensitivity.levels if level.share is not None and level.value != sensitivity.best
    ]
    if not others or sensitivity.cost <= 0:
        return None
    return min(others, key=lambda level: abs((level.share or 0.0) - sensitivity.cost / 2)).value
