"""What a comparison's page says, in order, before any form is given to it."""

from __future__ import annotations

from typing import NamedTuple

from howdah.analysis.wording import listed
from howdah.model.comparison import Comparison
from howdah.model.run import Origin
from howdah.report.cluster import Titled
from howdah.report.comparing.sentences import answer, said
from howdah.report.comparing.tables import (
    changes_table,
    others_table,
    runs_table,
    tests_table,
    times_table,
)
from howdah.report.figure import Table
from howdah.units import format_counted


class GroupContent(NamedTuple):
    """What is said of one group."""

    group: str
    sentences: tuple[str, ...]
    remarks: tuple[str, ...]


class ComparisonContent(NamedTuple):
    """Everything a comparison says."""

    title: str
    kicker: tuple[str, ...]
    computed: str
    answer: str
    times: Table
    parts: tuple[GroupContent, ...]
    changes: Table
    refused: tuple[str, ...]
    remarks: tuple[str, ...]
    others: tuple[Titled, ...]
    tests: Titled
    runs: Table


def content(comparison: Comparison) -> ComparisonContent:
    """Put everything into words."""
    base = comparison.groups[0]
    runs = sum(len(group.runs) for group in comparison.groups)
    origins = {run.origin.value for group in comparison.groups for run in group.runs}
    return ComparisonContent(
        title=f"{base.runs[0].suite}: {format_counted(len(comparison.groups), 'group')} compared",
        kicker=(
            base.runs[0].suite,
            f"{format_counted(runs, 'run')} in {format_counted(len(comparison.groups), 'group')}",
            f"baseline {comparison.baseline}",
            " and ".join(sorted(origins)),
        ),
        computed=_computed(comparison),
        answer=answer(comparison),
        times=times_table(comparison),
        parts=tuple(
            GroupContent(each.group, tuple(said(each, comparison.baseline)), each.remarks)
            for each in comparison.against
        ),
        changes=changes_table(comparison),
        refused=tuple(f"{one.what} is not compared: {one.why}." for one in comparison.refused),
        remarks=comparison.remarks,
        others=tuple(
            Titled(f"{each.group} against {comparison.baseline}", "", others_table(each, comparison.baseline))
            for each in comparison.against
            if each.others
        ),
        tests=Titled("Every test", _about(comparison), tests_table(comparison)),
        runs=runs_table(comparison),
    )


def _computed(comparison: Comparison) -> str:
    """A sentence on the groups whose numbers nobody measured; empty where there are none."""
    names = [
        group.name for group in comparison.groups if any(run.origin is Origin.SIMULATED for run in group.runs)
    ]
    if not names:
        return ""
    whose = "all groups" if len(names) == len(comparison.groups) else listed(names)
    return f"The numbers of {whose} were simulated, not measured; they are drawn hollow or dashed."


def _about(comparison: Comparison) -> str:
    tests = format_counted(comparison.tests, "test")
    return (
        "Welch's t-test on logarithms; a single run is taken to be as noisy as the "
        "other side's repeats, and where there are no repeats there is no test. p is corrected by Holm's "
        f"method for all {tests}, so that the chance of calling any difference where "
        f"there is none is at most {100 * comparison.level:g} %. The effect is the difference over the noise "
        "(Hedges' g); what would show is found nine times in ten."
    )
