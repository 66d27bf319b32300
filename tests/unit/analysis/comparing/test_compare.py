"""Groups of runs against a baseline: verdicts, changes, places, and what is not compared."""

from __future__ import annotations

import warnings

import pytest

from howdah.analysis.comparing.compare import compare, group_repeats
from howdah.analysis.comparing.statistics import UNCALIBRATED
from howdah.calibrate.forecast import unexplained_ratios
from howdah.model.comparison import Aspect, Measure, RunGroup, Verdict
from howdah.model.run import Origin, Outcome
from howdah.simulation.calibrations import load_calibration
from support.comparing import FACTS, elapsed, group, noisy, run_figures, uncalibrated


def _verdict(base: list[float], other: list[float]) -> Verdict:
    judged = compare([group("base", base), group("other", other, "lz4")]).against[0].main
    assert judged is not None
    return judged.verdict


def test_a_difference_beyond_the_noise_is_told() -> None:
    assert _verdict(noisy(100, 5), noisy(105, 5, seed=1)) is Verdict.SLOWER
    assert _verdict(noisy(100, 5), noisy(95, 5, seed=1)) is Verdict.FASTER


def test_a_difference_within_the_noise_cannot_be_told() -> None:
    comparison = compare([group("base", noisy(100, 3, 0.05)), group("other", noisy(102, 3, 0.05, 1), "lz4")])
    judged = comparison.against[0].times[0]
    assert judged.verdict is Verdict.CANNOT_TELL
    assert judged.low is not None
    assert judged.high is not None
    assert judged.low < 1 < judged.high
    assert judged.detectable is not None
    assert judged.detectable > 1.05


def test_the_repeats_that_would_tell_are_told() -> None:
    comparison = compare(
        [group("base", [100, 104, 96, 102, 98]), group("other", [103, 107, 99, 105, 101], "lz4")]
    )
    judged = comparison.against[0].times[0]
    assert judged.verdict is Verdict.CANNOT_TELL
    # 3 % apart, 3.2 % noise: two-sample t-test, level 5 %, power 90 %.
    assert judged.repeats_needed == pytest.approx(25, abs=2)


def test_times_that_surely_differ_by_little_are_alike() -> None:
    assert _verdict(noisy(100, 8, 0.002), noisy(100.1, 8, 0.004, 3)) is Verdict.ALIKE


def test_what_a_simulator_leaves_unexplained_is_in_an_uncalibrated_interval() -> None:
    base, other = group("base", noisy(100, 5)), group("other", noisy(90, 5, seed=1), "lz4")
    (measured,) = (against.times[0] for against in compare([base, other]).against)
    assert measured.verdict is Verdict.FASTER
    (guessed,) = (against.times[0] for against in compare([uncalibrated(base), other]).against)
    assert guessed.verdict is Verdict.CANNOT_TELL
    assert "howdah calibrate" in guessed.why
    # No number of repeats would show it.
    assert (guessed.repeats_needed, guessed.detectable) == (None, None)
    assert guessed.low is not None
    assert guessed.high is not None
    assert guessed.ratio is not None
    assert guessed.low < guessed.ratio / 1.14
    assert guessed.high > guessed.ratio * 1.14
    far = group("far", noisy(60, 5, seed=1), "lz4")
    assert compare([uncalibrated(base), uncalibrated(far)]).against[0].times[0].verdict is Verdict.FASTER


def test_an_uncalibrated_simulation_is_known_no_better_than_a_calibrated_one() -> None:
    ratios = unexplained_ratios(load_calibration("published"))
    assert ratios is not None
    assert pytest.approx(ratios.relative, abs=0.005) == UNCALIBRATED


def test_one_run_on_each_side_tells_nothing() -> None:
    comparison = compare([group("base", [100]), group("other", [200], "lz4")])
    judged = comparison.against[0].times[0]
    assert (judged.verdict, judged.evidence) == (Verdict.CANNOT_TELL, None)
    assert judged.ratio == pytest.approx(2)
    assert (judged.low, judged.repeats_needed) == (None, None)
    assert "one run on each side" in judged.why
    assert comparison.tests == 0


def test_a_single_run_against_repeats_says_whose_noise_was_taken() -> None:
    comparison = compare([group("base", noisy(100, 5)), group("other", [120], "lz4")])
    judged = comparison.against[0].times[0]
    assert judged.verdict is Verdict.SLOWER
    assert judged.evidence is not None
    assert judged.evidence.method == "one noise"
    assert "its single run is taken to be as noisy" in judged.why
    other = compare([group("base", [120]), group("other", noisy(100, 5), "lz4")]).against[0].times[0]
    assert "the baseline's single run" in other.why


def test_repeats_without_noise_tell_nothing() -> None:
    comparison = compare([group("base", [100, 100]), group("other", [120, 120], "lz4")])
    judged = comparison.against[0].times[0]
    assert (judged.verdict, judged.evidence) == (Verdict.CANNOT_TELL, None)
    assert "all equal" in judged.why


def test_a_side_without_noise_is_held_against_the_others_noise() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _verdict([100, 100, 100], noisy(105, 5)) is Verdict.SLOWER


def test_many_groups_are_corrected_for() -> None:
    base = group("base", noisy(100, 3))
    # By itself this one would pass.
    near = group("near", [value * 1.022 for value in noisy(100, 3, seed=7)], "near")
    alone = compare([base, near]).against[0].times[0]
    assert alone.verdict is Verdict.SLOWER
    many = [group(f"g{seed}", noisy(100, 3, seed=seed + 10), f"g{seed}") for seed in range(20)]
    comparison = compare([base, near, *many])
    among = comparison.against[0].times[0]
    assert comparison.tests == 21
    assert among.evidence is not None
    assert alone.evidence is not None
    assert among.evidence.p == alone.evidence.p
    assert among.evidence.p_adjusted > alone.evidence.p_adjusted
    assert among.verdict is Verdict.CANNOT_TELL
    assert "not for one of 21" in among.why


def test_the_baseline_may_be_any_group() -> None:
    groups = [group("a", noisy(100, 3)), group("b", noisy(110, 3), "lz4")]
    comparison = compare(groups, "b")
    assert [each.name for each in comparison.groups] == ["b", "a"]
    assert comparison.against[0].times[0].verdict is Verdict.FASTER


def test_runs_that_differ_in_nothing_are_repeats() -> None:
    lz4 = {(Aspect.WORKLOAD, "codec of terasort"): "lz4"}
    runs = [
        run_figures("a", {elapsed("terasort"): 1.0}),
        run_figures("b", {elapsed("terasort"): 2.0}, facts=lz4),
        run_figures("c", {elapsed("terasort"): 3.0}),
    ]
    groups = group_repeats(runs)
    assert [[run.run for run in each.runs] for each in groups] == [["a", "c"], ["b"]]
    assert [each.name for each in groups] == ["codec none", "codec lz4"]


def test_groups_with_much_between_them_are_called_after_their_first_run() -> None:
    keys = [(Aspect.CONFIGURATION, f"key.{number}") for number in range(4)]
    runs = [
        run_figures(name, {elapsed("terasort"): 1.0}, facts=dict.fromkeys(keys, name)) for name in ("a", "b")
    ]
    assert [each.name for each in group_repeats(runs)] == ["a", "b"]


def test_a_platform_names_groups_whatever_follows_from_it() -> None:
    keys = [(Aspect.CONFIGURATION, f"key.{number}") for number in range(4)]
    runs = [
        run_figures(
            name,
            {elapsed("terasort"): 1.0},
            facts={
                (Aspect.WORKLOAD, "map tasks of teragen"): f"{number}",
                (Aspect.PLAN, "platform"): name,
                **dict.fromkeys(keys, name),
            },
        )
        for number, name in enumerate(("native", "4 per host", "2 per host"))
    ]
    assert [each.name for each in group_repeats(runs)] == ["native", "4 per host", "2 per host"]


def test_only_differences_are_changes() -> None:
    facts = {**FACTS, (Aspect.HARDWARE, "memory"): "64 GiB", (Aspect.VERSIONS, "kernel"): "6.1"}
    changed = {**facts, (Aspect.VERSIONS, "kernel"): "6.6", (Aspect.PLAN, "map slots"): "8"}
    del changed[Aspect.HARDWARE, "memory"]
    base = RunGroup(name="a", runs=(run_figures("a", {elapsed("terasort"): 1.0}, facts=facts),))
    other = RunGroup(name="b", runs=(run_figures("b", {elapsed("terasort"): 1.0}, facts=changed),))
    against = compare([base, other]).against[0]
    assert [(one.aspect, one.name, one.base, one.other) for one in against.changes] == [
        (Aspect.PLAN, "map slots", None, "8"),
        (Aspect.HARDWARE, "memory", "64 GiB", None),
        (Aspect.VERSIONS, "kernel", "6.1", "6.6"),
    ]


def _refused(**changes: object) -> str:
    base = RunGroup(name="a", runs=(run_figures("a", {elapsed("terasort"): 1.0}),))
    other = RunGroup(name="b", runs=(run_figures("b", {elapsed("terasort"): 1.0}, **changes),))  # type: ignore[arg-type]
    comparison = compare([base, other])
    assert comparison.against == ()
    assert [each.name for each in comparison.groups] == ["a"]
    (refused,) = comparison.refused
    assert refused.what == "b"
    return refused.why


def test_another_size_is_not_compared() -> None:
    why = _refused(sizes={"terasort": "20,000,000 rows"})
    assert why == "different dataset size: 20,000,000 rows in all, the baseline has 10,000,000 rows"


def test_another_suite_is_not_compared() -> None:
    assert _refused(suite="dfsio") == "it ran dfsio, the baseline terasuite"


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome.FAILED, "it failed: no space left on device"),
        (Outcome.ABORTED, "it was aborted: no space left on device"),
        (Outcome.RUNNING, "it is still running: no space left on device"),
    ],
)
def test_a_run_that_did_not_succeed_is_not_compared(outcome: Outcome, why: str) -> None:
    assert _refused(outcome=outcome) == why


def test_a_baseline_without_a_run_that_succeeded_is_an_error() -> None:
    failed = RunGroup(name="a", runs=(run_figures("a", {}, outcome=Outcome.FAILED),))
    with pytest.raises(ValueError, match="no run of the baseline a succeeded"):
        compare([failed, group("b", [1.0])])


def test_simulated_against_measured_is_compared_and_said() -> None:
    base = group("a", noisy(100, 3))
    other = RunGroup(name="b", runs=(run_figures("b", {elapsed("terasort"): 90.0}, origin=Origin.SIMULATED),))
    against = compare([base, other]).against[0]
    assert against.times
    assert against.remarks[0].startswith("simulated numbers against measured ones: those of b")


def test_what_befell_a_run_is_said() -> None:
    base = RunGroup(
        name="a",
        runs=(run_figures("a", {elapsed("terasort"): 1.0}, remarks=["h2-2: its DataNode was lost"]),),
    )
    comparison = compare([base, group("b", [1.0], "lz4")])
    assert comparison.remarks == ("a: h2-2: its DataNode was lost",)


def test_repeats_that_lie_far_apart_are_remarked() -> None:
    comparison = compare([group("a", [100, 101]), group("b", [100, 150], "lz4")])
    (remark,) = comparison.remarks
    assert remark.startswith("repeats deviate by as much as 29 % (terasort of b)")


def _with_parts(name: str, map_s: float, reduce_s: float, read: float, written: float) -> RunGroup:
    def resource(what: str, phase: str) -> Measure:
        return Measure(workload="terasort", phase=phase, kind="resource", name=what, unit="B")

    facts = {(Aspect.WORKLOAD, "codec of terasort"): name}
    rows = zip(noisy(map_s, 5), noisy(reduce_s, 5, seed=5), strict=True)
    return RunGroup(
        name=name,
        runs=tuple(
            run_figures(
                f"{name}-{number}",
                {
                    elapsed("terasort"): first + second,
                    elapsed("terasort", "map-shuffle"): first,
                    elapsed("terasort", "reduce-merge"): second,
                    resource("read from disks", "map-shuffle"): read,
                    resource("written to disks", "map-shuffle"): written,
                    resource("received", "map-shuffle"): 1e3 * number,
                    resource("read from disks", "reduce-merge"): 5 * read,
                },
                facts=facts,
            )
            for number, (first, second) in enumerate(rows)
        ),
    )


def test_a_difference_is_placed_in_its_phase_with_what_shows_there() -> None:
    base = _with_parts("none", 60, 40, 1e9, 1e9)
    (place,) = compare([base, _with_parts("lz4", 80, 39, 1.01e9, 3e9)]).against[0].locations
    assert (place.workload, place.phase) == ("terasort", "map-shuffle")
    assert place.difference_s == pytest.approx(19, abs=1)
    assert place.phase_difference_s == pytest.approx(20, abs=1)
    # A hundredth more was read, hardly anything came over the network: neither explains anything.
    assert [sign.measure.name for sign in place.signs] == ["written to disks"]


def test_what_cannot_be_told_has_no_place() -> None:
    base = _with_parts("none", 60, 40, 1e9, 1e9)
    assert compare([base, _with_parts("lz4", 60.1, 40, 1e9, 3e9)]).against[0].locations == ()


def test_a_comparison_is_stored_and_read_back() -> None:
    comparison = compare([group("a", noisy(100, 3)), group("b", noisy(110, 3), "lz4")])
    assert type(comparison).model_validate_json(comparison.model_dump_json()) == comparison
