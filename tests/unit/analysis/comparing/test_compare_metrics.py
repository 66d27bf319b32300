"""What programs report of themselves, judged as better and worse."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from howdah.analysis.comparing.compare import compare
from howdah.analysis.comparing.figures import figures_of
from howdah.model.comparison import Aspect, Comparison, Measure, RunGroup, Verdict
from howdah.model.reported import ResultMetric
from howdah.model.workloads.hadoop_programs import operations_per_s
from howdah.report.comparing.content import times_table
from howdah.report.comparing.words import answer, group_sentences
from support.building import RunBuilder, Stage, kind
from support.comparing import elapsed, noisy, run_figures

RATE = Measure(
    workload="nnbench", kind="metric", name="create_write", unit="1/s", better="higher", primary=True
)
LATENCY = Measure(workload="nnbench", kind="metric", name="latency", unit="s", better="lower")
ESTIMATE = Measure(workload="nnbench", kind="metric", name="estimate", unit="1")
SIZES = {"nnbench": "4,000 files"}


def _group(name: str, values: Sequence[float], measure: Measure = RATE, elapsed_s: float = 60.0) -> RunGroup:
    """Repeats that came to these values and took equally long, but for noise."""
    facts = {(Aspect.WORKLOAD, "handlers"): name}
    times = noisy(elapsed_s, len(values), seed=len(name))
    return RunGroup(
        name=name,
        runs=tuple(
            run_figures(
                f"{name}-{number}",
                {measure: value, elapsed("nnbench"): time_s},
                facts=facts,
                sizes=SIZES,
                suite="nnbench",
            )
            for number, (value, time_s) in enumerate(zip(values, times, strict=True))
        ),
    )


def _compared(base: float, other: float, measure: Measure = RATE) -> Comparison:
    return compare([_group("few", noisy(base, 5), measure), _group("many", noisy(other, 5, seed=1), measure)])


@pytest.mark.parametrize(
    ("measure", "base", "other", "verdict"),
    [
        (RATE, 500, 600, Verdict.BETTER),
        (RATE, 600, 500, Verdict.WORSE),
        (LATENCY, 0.005, 0.006, Verdict.WORSE),
        (LATENCY, 0.006, 0.005, Verdict.BETTER),
    ],
)
def test_more_is_better_or_worse_as_the_metric_says(
    measure: Measure, base: float, other: float, verdict: Verdict
) -> None:
    (judged,) = _compared(base, other, measure).against[0].metrics
    assert judged.verdict is verdict


def test_the_primary_metric_is_the_answer_and_not_the_time() -> None:
    comparison = _compared(500, 600)
    (against,) = comparison.against
    assert against.main.measure == RATE
    assert str(answer(comparison)).startswith(
        "With many, nnbench's create_write is better: 20 % higher than with few. Ratio 1.20"
    )
    assert next(iter(group_sentences(against, "few"))).startswith(
        "Better than few: nnbench's create_write, 20 % higher (1.1"
    )


def test_of_several_groups_the_best_is_named() -> None:
    groups = [_group(name, noisy(rate, 5)) for name, rate in (("a", 500), ("b", 600), ("c", 900), ("d", 400))]
    assert str(answer(compare(groups))).startswith(
        "nnbench's create_write is best with c: 1.8 × as high as with a"
    )
    assert str(answer(compare([groups[2], groups[0], groups[1]]))) == (
        "No group is better in nnbench's create_write than c. Worse: a (44 % lower) and b (33 % lower)."
    )


def test_times_of_a_workload_with_metrics_are_judged_as_well() -> None:
    base, other = _group("few", noisy(500, 5)), _group("many", noisy(500, 5), elapsed_s=90)
    comparison = compare([base, other])
    assert "nnbench takes 1.5 × the time of few" in str(answer(comparison))
    table = times_table(comparison)
    assert table.columns[3] == "mean"
    assert [(row[0], row[1], row[3]) for row in table.rows] == [
        ("nnbench: create_write", "few", "500/s"),
        ("nnbench: create_write", "many", "500/s"),
        ("nnbench", "few", "59.9 s"),
        ("nnbench", "many", "1 min 30 s"),
    ]


def test_a_number_of_which_none_is_better_is_only_set_side_by_side() -> None:
    (against,) = _compared(3.14, 3.15, ESTIMATE).against
    assert against.metrics == ()
    assert ESTIMATE in [one.measure for one in against.others]


def test_a_workload_whose_time_is_what_counts_keeps_it_first() -> None:
    secondary = RATE.model_copy(update={"primary": False})
    assert _compared(500, 600, secondary).against[0].main.measure == elapsed("nnbench")


def test_a_run_tells_its_metrics_and_which_of_them_it_is_for() -> None:
    run = RunBuilder(suite="nnbench")
    metrics: tuple[ResultMetric, ...] = (
        operations_per_s("open_read", 902),
        operations_per_s("create_write", 531),
    )
    run.workload(kind("nnbench", maps=2, operations=10), [Stage("map", 4.0)], metrics=metrics)
    readings = figures_of(run.build()).readings
    found = {one.measure.name: one for one in readings if one.measure.kind == "metric"}
    assert {name: one.value for name, one in found.items()} == {"open_read": 902, "create_write": 531}
    assert [name for name, one in found.items() if one.measure.primary] == ["create_write"]
