"""Times of single operations, compared."""

from __future__ import annotations

from howdah.analysis.comparing.compare import compare, group_repeats
from howdah.analysis.comparing.figures import figures_of
from howdah.model.comparison import Comparison
from howdah.report.comparing.content import document
from howdah.report.comparing.words import measured
from support.table_runs import TableScene, table_run


def _compared() -> Comparison:
    """Three runs whose tail nothing known set, and three with twice the threads and pauses."""
    figures = []
    for threads, cause in ((1, None), (2, "collector")):
        for seed in (3, 4, 5):
            run = table_run(TableScene(cause=cause, seed=seed, seconds=60))
            (result,) = run.record.workloads
            workload = result.workload.model_copy(update={"threads": threads})
            result = result.model_copy(update={"workload": workload})
            changes = {"id": f"run-{threads}-{seed}", "seed": seed, "workloads": (result,)}
            suite = run.record.suite.model_copy(update={"workloads": (workload,)})
            record = run.record.model_copy(update={**changes, "suite": suite})
            figures.append(figures_of(run._replace(record=record)))
    return compare(list(group_repeats(figures)))


def test_the_answer_is_what_differs_most_and_keeps_milliseconds() -> None:
    comparison = _compared()
    said = document(comparison)
    assert "ycsb-a's read, 99 % within is worse" in said.answer
    (against,) = comparison.against
    (slow,) = [one for one in against.wholes if one.measure.name == "read, 99 % within"]
    assert measured(slow.measure, slow.base_mean).endswith(" ms")
    assert measured(slow.measure, 0.0399) == "39.9 ms"
