"""What a comparison's page says, in words and numbers."""

from __future__ import annotations

import pytest

from howdah.analysis.comparing.compare import compare
from howdah.model.comparison import Aspect, Comparison, RunGroup
from howdah.model.run import Origin
from howdah.report.comparing.content import document
from howdah.report.comparing.draw import ratios
from howdah.report.comparing.words import more_time
from howdah.report.document import Form
from support.comparing import elapsed, group, noisy, run_figures, uncalibrated
from support.shown import leads, notes, terminal_text

TIMES = "Elapsed times, their ratios to the baseline's and verdicts"


def _of(*groups: RunGroup) -> Comparison:
    return compare(list(groups))


def test_a_told_difference_is_the_answer() -> None:
    said = document(_of(group("none", noisy(100, 5)), group("lz4", noisy(80, 5, seed=1), "lz4")))
    assert said.answer == "With lz4, terasort takes 20 % less time than with none."
    assert leads(said)[0].startswith("Ratio 0.80")
    assert notes(said)[0].findings[0].text.startswith("Faster than none: terasort, 20 % less time (0.")


def test_what_cannot_be_told_says_why_and_what_would() -> None:
    said = document(
        _of(group("none", [100, 104, 96, 102, 98]), group("lz4", [103, 107, 99, 105, 101], "lz4"))
    )
    assert said.answer == "lz4 cannot be distinguished from none."
    assert leads(said)[0].startswith("terasort took 3.0 % more time, but the difference is within the noise;")
    assert leads(said)[0].endswith("repeats of each would show a difference like this one.")
    (finding,) = notes(said)[0].findings
    assert finding.text.startswith("Not distinguishable from noise: terasort (3.0 % more time; about 2")


def test_single_runs_are_told_with_what_they_took() -> None:
    said = document(_of(group("none", [100]), group("lz4", [250], "lz4")))
    assert leads(said)[0] == (
        "terasort took 2.5 × the time, but one run on each side does not show how much repeats differ; "
        "repeat both."
    )
    assert {row[5] for row in said.tables()[TIMES].rows if row[1] == "lz4"} == {"unknown"}
    assert "Every test" not in said.in_form(Form.HTML).tables()


def test_alike_is_an_answer() -> None:
    said = document(_of(group("none", noisy(100, 8, 0.002)), group("lz4", noisy(100.1, 8, 0.002, 3), "lz4")))
    assert said.answer == "No workload differs by more than 2.0 % between lz4 and none."


def test_of_several_groups_the_fastest_is_the_answer() -> None:
    groups = [group("native", noisy(100, 3))]
    groups += [
        group(f"{many} per host", noisy(time_s, 3, seed=many), str(many))
        for many, time_s in ((2, 90), (4, 80))
    ]
    said = document(_of(*groups))
    assert said.answer == "terasort is fastest with 4 per host: 20 % less time than with native."
    slower = [
        group("native", noisy(100, 3)),
        group("a", noisy(120, 3, seed=1), "a"),
        group("b", [100, 90], "b"),
    ]
    said = document(_of(*slower))
    assert said.answer == "No group is faster in terasort than native."
    assert leads(said)[0] == "Slower: a (20 % more time); for b no difference is certain."


def test_of_several_groups_none_of_which_can_be_told_the_nearest_to_it_is_named() -> None:
    noise = [100, 104, 96, 102, 98]
    groups = [group("none", noise)]
    groups += [group(f"{more} s more", [one + more for one in noise], str(more)) for more in (1, 3)]
    said = document(_of(*groups))
    assert said.answer == "No group can be distinguished from none in terasort."
    assert leads(said)[0].startswith(
        "The closest is 3 s more, 3.0 % more time, but the difference is within the noise; about "
    )
    assert leads(said)[0].endswith(" repeats of each would show a difference like this one.")


def test_several_groups_may_all_be_alike() -> None:
    groups = [group(name, noisy(100, 8, 0.002, seed), name) for seed, name in enumerate("abc")]
    assert document(_of(*groups)).answer == ("No group differs from a in terasort by more than 2.0 %.")


def test_repeats_alone_say_how_far_they_lie_apart() -> None:
    said = document(_of(group("a", [100, 110])))
    assert said.answer == "2 repeats of the same work, between which nothing changed."
    assert leads(said)[0] == "terasort 1 min 40 s to 1 min 50 s."
    times = said.tables()[TIMES]
    assert times.columns[-1] == "noise"
    assert said.tables()[TIMES].rows == (
        ("terasort", "2", "1 min 45 s", "1 min 40 s", "1 min 50 s", "6.7 %"),
    )


def test_an_uncalibrated_simulation_is_called_so() -> None:
    def guessed(name: str, times_s: list[float]) -> RunGroup:
        return uncalibrated(group(name, times_s, codec=name))

    both = document(_of(guessed("none", noisy(100, 3)), guessed("lz4", noisy(35, 3, seed=1))))
    assert leads(both)[0].endswith("The simulations are not calibrated: their error is unknown.")
    one = document(_of(group("none", noisy(100, 3)), guessed("lz4", noisy(35, 3, seed=1))))
    assert "The simulations of lz4 are not calibrated" in leads(one)[0]
    measured = document(_of(group("none", noisy(100, 3)), group("lz4", noisy(35, 3, seed=1), codec="lz4")))
    assert "calibrated" not in leads(measured)[0]


def test_simulated_numbers_are_said_and_drawn_hollow() -> None:
    facts = {(Aspect.WORKLOAD, "codec of terasort"): "lz4"}
    simulated = run_figures("s", {elapsed("terasort"): 90.0}, facts=facts, origin=Origin.SIMULATED)
    comparison = _of(RunGroup(name="a", runs=(simulated,)), RunGroup(name="b", runs=(simulated,) * 2))
    assert document(comparison).kicker[-1] == "simulated"
    assert len(leads(document(comparison))) == 1
    assert "took" not in leads(document(comparison))[0]
    comparison = _of(group("none", noisy(100, 3)), RunGroup(name="lz4", runs=(simulated,)))
    assert leads(document(comparison))[1].startswith("The numbers of lz4 were simulated, not measured")
    assert document(comparison).kicker[-1] == "measured and simulated"
    figure = ratios(comparison)
    assert figure is not None
    drawn = next(layer for layer in figure.spec["layer"] if layer.get("name") == "data")
    assert [one["solid"] for one in drawn["data"]["values"]] == [0]


def test_only_what_differs_is_in_the_table_of_changes() -> None:
    said = document(_of(group("none", [1.0]), group("lz4", [1.0], "lz4"), group("zstd", [1.0], "zstd")))
    assert said.tables()["What changed"].columns == ("aspect", "what", "none", "lz4", "zstd")
    assert said.tables()["What changed"].rows == (("workload", "codec of terasort", "none", "lz4", "zstd"),)


def test_a_fact_that_one_group_shares_with_the_baseline_is_blank_there() -> None:
    said = document(_of(group("a", [1.0], "none"), group("b", [1.0], "lz4"), group("c", [1.0], "none")))
    assert said.tables()["What changed"].rows == (("workload", "codec of terasort", "none", "lz4", ""),)


def test_an_interval_that_goes_on_is_cut_at_the_edge() -> None:
    comparison = _of(group("none", [100, 300]), group("lz4", [110, 340], "lz4"))
    judged = comparison.against[0].times[0]
    assert judged.high is not None
    assert judged.high > 10
    figure = ratios(comparison)
    assert figure is not None
    (bar,) = next(layer for layer in figure.spec["layer"] if layer.get("name") == "data")["data"]["values"]
    assert bar["high"] < 10
    # So wide an interval is not worth its digits.
    assert bar["interval"] == "unknown"


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (1.123, "12 % more time"),
        (0.8, "20 % less time"),
        (2.84, "2.8 × the time"),
        (0.996, "0.4 % less time"),
    ],
)
def test_ratios_in_words(ratio: float, said: str) -> None:
    assert more_time(ratio) == said


def test_the_times_fit_into_eighty_columns() -> None:
    groups = (
        group("dfs.replication 3", noisy(1000, 5)),
        group("dfs.replication 2", noisy(900, 5, seed=1), "2"),
    )
    text = terminal_text(document(_of(*groups)))
    lines = text.splitlines()
    assert "…" not in text
    assert max(map(len, lines)) <= 80
    head = [line.rstrip() for line in lines].index("terasort")
    assert lines[head + 1].startswith("  dfs.replication 3")
    assert lines[head + 2].startswith("  dfs.replication 2")
    assert lines[head + 2].rstrip().endswith("faster")
