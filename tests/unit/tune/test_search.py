"""The search on functions whose best candidate is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.model.tuning import KeptRules, Trial, TuneParameter
from howdah.tune.search import Search

WORDS = ("none", "lz4", "zstd")


def parameter(name: str, levels: Sequence[str], planned: str, *, ordered: bool = True) -> TuneParameter:
    """A parameter that no plan has."""
    return TuneParameter(name=name, unit="", levels=tuple(levels), ordered=ordered, planned=planned, about="")


def numbers(name: str, count: int, planned: int) -> TuneParameter:
    """A parameter with so many numbers."""
    return parameter(name, [str(number) for number in range(count)], str(planned))


class Bowl:
    """Takes 100 s at the best candidate and more the further away one is; counts what was tried.

    Candidates with ``a`` above 5 break a rule, those with ``b`` above 7 are refused.
    """

    def __init__(self, best: Mapping[str, float], word: str = "lz4") -> None:
        self.best = best
        self.word = word
        self.tried: list[Mapping[str, str]] = []
        self.planned: dict[str, str] = {}

    def __call__(self, several: Sequence[Mapping[str, str]], /) -> list[Trial]:
        self.tried += several
        return [self._trial(values) for values in several]

    def _trial(self, values: Mapping[str, str]) -> Trial:
        all_values = self.planned | dict(values)
        if float(all_values.get("b", 0)) > 7:
            return Trial(values=values, elapsed_s=None, breaks=("b.limit",), refused="b is above 7")
        away = sum((float(all_values[name]) - best) ** 2 for name, best in self.best.items())
        away += 5 * (all_values.get("word", self.word) != self.word)
        breaks = ("a.rule",) if float(all_values.get("a", 0)) > 5 else ()
        return Trial(values=values, elapsed_s=100 + away, breaks=breaks)


def search(
    space: Sequence[TuneParameter], bowl: Bowl, *, budget: int, kept: KeptRules, seed: int = 1
) -> Trial:
    """The best candidate that a search finds."""
    bowl.planned = {one.name: one.planned for one in space}
    return Search(space, bowl, kept=kept, budget=budget, seed=seed).best_from({})


SPACE = (
    numbers("a", 10, 1),
    numbers("b", 10, 1),
    numbers("c", 12, 11),
    numbers("d", 12, 0),
    parameter("word", WORDS, "none", ordered=False),
)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_seventeen_thousand_candidates_is_found(seed: int) -> None:
    bowl = Bowl({"a": 4, "b": 6, "c": 3, "d": 8})
    best = search(SPACE, bowl, budget=300, kept=KeptRules.RULES, seed=seed)
    assert best.values == {"a": "4", "b": "6", "c": "3", "d": "8", "word": "lz4"}
    assert best.elapsed_s == 100


def test_a_search_within_the_rules_stops_at_the_rule_and_one_beyond_them_does_not() -> None:
    best = {"a": 9.0, "b": 9.0, "c": 3.0, "d": 8.0}
    within = search(SPACE, Bowl(best), budget=300, kept=KeptRules.RULES)
    beyond = search(SPACE, Bowl(best), budget=300, kept=KeptRules.LIMITS)
    assert (within.values["a"], within.values["b"], within.breaks) == ("5", "7", ())
    assert (beyond.values["a"], beyond.values["b"], beyond.breaks) == ("9", "7", ("a.rule",))


def test_a_small_space_is_tried_completely() -> None:
    space = (numbers("a", 4, 0), parameter("word", WORDS, "none", ordered=False))
    bowl = Bowl({"a": 2})
    assert search(space, bowl, budget=12, kept=KeptRules.RULES).values == {"a": "2", "word": "lz4"}
    assert len(bowl.tried) <= 12


def test_values_that_bring_nothing_stay_as_the_rules_decide() -> None:
    best = search((*SPACE, numbers("idle", 9, 4)), Bowl({"a": 4, "c": 3}), budget=300, kept=KeptRules.RULES)
    assert set(best.values) == {"a", "c", "word"}


def test_a_fixed_value_is_part_of_every_candidate() -> None:
    space = (*SPACE, parameter("fixed", ["7"], "1"))
    bowl = Bowl({"a": 4})
    assert search(space, bowl, budget=60, kept=KeptRules.RULES).values["fixed"] == "7"
    assert all(values["fixed"] == "7" for values in bowl.tried)


@settings(max_examples=25)
@given(
    sizes=st.lists(st.integers(2, 6), min_size=1, max_size=5),
    words=st.integers(0, 2),
    budget=st.integers(1, 80),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_no_candidate_is_tried_twice_none_beyond_the_budget_and_a_seed_repeats_a_search(
    sizes: list[int], words: int, budget: int, seed: int, data: st.DataObject
) -> None:
    space = [
        numbers(f"n{place}", size, data.draw(st.integers(0, size - 1))) for place, size in enumerate(sizes)
    ]
    space += [parameter(f"w{place}", WORDS, "zstd", ordered=False) for place in range(words)]
    bowl, again = (Bowl({"n0": 1}) for _ in range(2))
    best = search(space, bowl, budget=budget, kept=KeptRules.RULES, seed=seed)
    tried = [tuple(sorted(values.items())) for values in bowl.tried]
    assert len(set(tried)) == len(tried)
    # Leaving out what brings nothing is tried beyond the budget, once for each parameter.
    assert len(tried) <= budget + len(space)
    assert best.elapsed_s == min(trial.elapsed_s or 0 for trial in bowl(bowl.tried[:]))
    assert search(space, again, budget=budget, kept=KeptRules.RULES, seed=seed) == best
