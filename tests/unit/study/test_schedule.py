"""Which runs a study comes to, whatever happens between them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.run import Outcome
from howdah.model.study import Study
from howdah.model.workloads.terasort import CODEC
from howdah.study.matrix import cells_of, strata_of
from howdah.study.schedule import Due, due, expected_s, half_width, lab_count, tuning_runs
from support.studies import all_runs, ended, study


def test_every_cell_has_the_levels_of_its_combination() -> None:
    cells = cells_of(study())
    assert [cell.name for cell in cells] == [
        "codec none, dataset 1GB",
        "codec none, dataset 2GB",
        "codec lz4, dataset 1GB",
        "codec lz4, dataset 2GB",
    ]
    assert [cell.settings.dataset for cell in cells] == [10**9, 2 * 10**9, 10**9, 2 * 10**9]
    assert {cell.settings.engine for cell in cells} == {"local"}


def test_a_level_goes_before_the_studys_own_settings_and_overrides_are_joined() -> None:
    settings = {"codec": "zstd", "overrides": {"dfs.blocksize": "64MiB", "a.b": 1}}
    levels = [{"label": "big", "codec": "lz4", "overrides": {"dfs.blocksize": "1GiB"}}]
    (cell,) = cells_of(study(settings=settings, factors=[{"vary": "x", "levels": levels}], baseline={}))
    assert cell.name == "big"
    assert CODEC.of(cell.settings) == "lz4"
    assert cell.settings.overrides == {"dfs.blocksize": "1GiB", "a.b": 1}


def test_cells_are_held_against_the_baseline_of_their_own_size() -> None:
    whole = study()
    strata = strata_of(whole, cells_of(whole))
    assert [(one.name, [cell.name for cell in one.cells]) for one in strata] == [
        ("dataset 1GB", ["codec none", "codec lz4"]),
        ("dataset 2GB", ["codec none", "codec lz4"]),
    ]


def test_a_study_without_a_baseline_compares_nothing() -> None:
    whole = study(baseline={})
    assert strata_of(whole, cells_of(whole)) == ()


def test_each_round_has_every_cell_once_in_an_order_of_its_own() -> None:
    made = all_runs(study(repeats={"least": 5, "most": 5}))
    rounds = [[run.cell.number for run in made[start : start + 4]] for start in range(0, 20, 4)]
    assert all(sorted(one) == [0, 1, 2, 3] for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1
    assert [run.repeat for run in made] == [repeat for repeat in range(1, 6) for _ in range(4)]


def test_the_order_and_the_seeds_are_the_seeds_own() -> None:
    same, again, other = (all_runs(study(seed=seed)) for seed in (1, 1, 2))
    assert same == again
    assert [run.cell.number for run in same] != [run.cell.number for run in other]
    assert len({run.seed for run in same}) == len(same)


@given(
    seed=st.integers(0, 50),
    most=st.integers(2, 6),
    stopped=st.integers(0, 24),
    times=st.lists(st.floats(5, 15), min_size=24, max_size=24),
)
def test_a_study_that_was_stopped_makes_the_same_runs(
    seed: int, most: int, stopped: int, times: list[float]
) -> None:
    whole = study(seed=seed, repeats={"least": 2, "most": most, "until": 0.2})
    took = {(cell, repeat): times[cell * 6 + repeat - 1] for cell in range(4) for repeat in range(1, 7)}
    made = all_runs(whole, lambda one: ended(one, took[one.cell.number, one.repeat]))
    before = [ended(one, took[one.cell.number, one.repeat]) for one in made[:stopped]]
    # Records are read back in the order of their names, not of their making.
    before.sort(key=lambda run: run.figures.run)
    after = all_runs(whole, lambda one: ended(one, took[one.cell.number, one.repeat]), before)
    assert made[stopped:] == after
    assert len({run.run_id for run in made}) == len(made)


def test_repeats_end_when_the_mean_is_known_well_enough() -> None:
    whole = study(repeats={"least": 3, "most": 9, "until": 0.02})
    # The first cell is noisy, the others are not.
    noisy = [10.0, 14.0, 10.0, 14.0, 10.0, 14.0, 10.0, 14.0, 10.0]
    made = all_runs(whole, lambda one: ended(one, noisy[one.repeat - 1] if one.cell.number == 0 else 10.0))
    assert Counter(run.cell.number for run in made) == {0: 9, 1: 3, 2: 3, 3: 3}


def test_a_cell_that_fails_twice_is_left_and_the_others_go_on() -> None:
    def end(one):  # type: ignore[no-untyped-def]
        return ended(one, outcome=Outcome.FAILED if one.cell.number == 2 else Outcome.SUCCEEDED)

    made = all_runs(study(repeats={"least": 4, "most": 4}), end)
    assert Counter(run.cell.number for run in made) == {0: 4, 1: 4, 2: 2, 3: 4}


def test_a_budget_ends_a_study() -> None:
    runs = study(repeats={"least": 2, "most": 9, "until": 0.001}, budget={"runs": 11})
    assert len(all_runs(runs, lambda one: ended(one, 10.0 + one.repeat))) == 11
    hours = study(budget={"hours": 0.01})
    # 36 seconds are spent with the fourth run of ten seconds.
    assert len(all_runs(hours)) == 4


def test_warm_ups_come_first_and_do_not_count() -> None:
    made = all_runs(study(warm_up=2, budget={"runs": 12}))
    assert [run.repeat for run in made[:3]] == [0, 0, 1]
    assert [run.run_id for run in made[:2]] == ["warm-up-01", "warm-up-02"]
    assert len(made) == 14


def test_what_is_left_is_expected_to_take_as_long_as_what_has_run() -> None:
    whole = study()
    cells = cells_of(whole)
    first, second, *_ = due(whole, cells, [])
    assert expected_s(whole, [first], []) is None
    done = [ended(first, 10.0), ended(second, 30.0)]
    left = list(due(whole, cells, done))
    # Two repeats of each that has run, three of each other at their mean.
    assert expected_s(whole, left, done) == pytest.approx(2 * 10 + 2 * 30 + 6 * 20)


def test_what_is_guessed_of_cells_counts_until_they_have_run_and_no_more_than_the_budget() -> None:
    whole = study(settle_s=1.0)
    cells = cells_of(whole)
    left = list(due(whole, cells, []))
    assert expected_s(whole, left, [], {0: 5.0, 1: 7.0}) == pytest.approx(3 * (5 + 7 + 6 + 6) + 12)
    first = left[0]
    done = [ended(first, 10.0)]
    guessed = {cell.number: 5.0 for cell in cells}
    rest = list(due(whole, cells, done))
    assert expected_s(whole, rest, done, guessed) == pytest.approx(2 * 10 + 9 * 5 + 11)
    short = study(budget={"hours": 0.01})
    assert expected_s(short, left, done, guessed) == pytest.approx(36 - 10)


def on_laboratories(**changes: Any) -> Study:
    """Three protections on two datasets, each protection on a laboratory of its own."""
    said: dict[str, Any] = {
        "settings": {"engine": "hadoop", "inventory": "hosts.yaml"},
        "factors": [
            {"vary": "protection", "values": ["none", "ha", "ft"]},
            {"vary": "dataset", "values": ["1GB", "2GB"]},
        ],
        "baseline": {"protection": "none"},
    }
    return study(**(said | changes))


@given(seed=st.integers(0, 1000), repeats=st.integers(1, 5), warm_up=st.integers(0, 2))
def test_laboratories_are_brought_up_as_rarely_as_rounds_allow(seed: int, repeats: int, warm_up: int) -> None:
    whole = on_laboratories(seed=seed, repeats={"least": repeats, "most": repeats}, warm_up=warm_up)
    runs = list(due(whole, cells_of(whole), ()))
    rounds = [[run for run in runs if run.repeat == repeat + 1] for repeat in range(repeats)]
    for one in rounds:
        assert Counter(run.cell.number for run in one) == dict.fromkeys(range(6), 1)
    # All three in the first round, and two in each that begins where the one before it ended.
    assert lab_count(runs) == 3 + 2 * (repeats - 1)


def test_a_study_that_goes_on_keeps_its_order_of_laboratories() -> None:
    whole = on_laboratories(repeats={"least": 2, "most": 2})
    cells = cells_of(whole)
    runs = list(due(whole, cells, ()))
    for count in range(len(runs)):
        assert list(due(whole, cells, [ended(one) for one in runs[:count]])) == runs[count:]


def test_only_what_a_plan_says_makes_another_laboratory() -> None:
    cells = cells_of(on_laboratories())
    assert len({cell.lab_key for cell in cells}) == 3
    assert all(cell.planned for cell in cells)
    other = [
        {"vary": "codec", "values": ["none", "lz4"]},
        {"vary": "block_size", "values": ["4MiB", "64MiB"]},
    ]
    assert len({cell.lab_key for cell in cells_of(on_laboratories(factors=other, baseline={}))}) == 1
    keys = [{"vary": "dfs.namenode.handler.count", "values": [10, 100]}]
    assert len({cell.lab_key for cell in cells_of(on_laboratories(factors=keys, baseline={}))}) == 2
    for engine in ("sim", "plan"):
        settings = {"engine": engine, "inventory": "hosts.yaml"}
        assert {cell.lab_key for cell in cells_of(on_laboratories(settings=settings))} == {None}
    assert lab_count(list(due(study(), cells_of(study()), ()))) == 0


def test_what_is_only_planned_never_runs() -> None:
    planned = study(settings={"engine": "plan", "inventory": "hosts.yaml"}, warm_up=2)
    assert all_runs(planned) == []


def test_half_an_interval_is_students() -> None:
    assert half_width([10.0]) is None
    # Logarithms ± 0.01 of two runs: t(0.975, 1) = 12.706, standard error 0.01.
    times = [10.0 * 2.718281828 ** (0.01 * sign) for sign in (-1, 1)]
    assert half_width(times) == pytest.approx(2.718281828 ** (12.7062 * 0.01) - 1, rel=1e-3)


def outcomes(*failed_applications: int) -> list[Outcome]:
    """How runs of a tuning count, the last one of another codec, if so many applications failed in them."""
    whole = study()
    base, *_, other = cells_of(whole)
    *of_base, last = failed_applications
    places = [*((base, repeat + 1, failed) for repeat, failed in enumerate(of_base)), (other, 1, last)]
    runs = [
        ended(Due(cell, repeat, 0)).model_copy(update={"failed_applications": failed})
        for cell, repeat, failed in places
    ]
    return [run.figures.outcome for run in tuning_runs(whole, cells_of(whole), runs)]


def test_in_a_tuning_a_run_fails_with_applications_that_do_not_fail_with_the_baseline() -> None:
    good, bad = Outcome.SUCCEEDED, Outcome.FAILED
    assert outcomes(0, 0) == [good, good]
    assert outcomes(0, 1) == [good, bad]
    assert outcomes(1, 1) == [good, good], "one always fails"
    assert outcomes(1, 2) == [good, bad]
    assert outcomes(1, 0, 1) == [bad, good, bad], "the baseline's does not always"
    assert outcomes(1) == [bad], "nothing is known of the baseline"
