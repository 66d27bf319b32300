"""What a study's paper says, in order, before any form is given to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.analysis.wording import listed, percent
from howdah.model.comparison import Aspect, Judged, Verdict
from howdah.model.run import Origin
from howdah.report.cluster import Titled
from howdah.report.comparing.content import GroupContent, changes_table, others_table, tests_table
from howdah.report.comparing.words import said, subject
from howdah.report.figure import Table
from howdah.report.study.beside import (
    agreement,
    beside_table,
    published_table,
    ratios_table,
    unmatched,
    unpublished,
)
from howdah.report.study.found import CellRuns, StratumFound, StudyFound
from howdah.report.study.masters import masters_table
from howdah.report.study.platforms import (
    facts_table,
    judgements_table,
    parameters_table,
    platforms_table,
    published_platforms_table,
    runs_table,
)
from howdah.report.study.results import Conclusion, conclusions, results_table, sizes_table
from howdah.units import format_counted


class StudySection(NamedTuple):
    """Everything said of one stratum, after its answer."""

    title: str
    parts: tuple[GroupContent, ...]
    remarks: tuple[str, ...]
    changes: Titled
    others: tuple[Titled, ...]
    tests: Titled


class StudyContent(NamedTuple):
    """Everything a study says."""

    title: str
    kicker: tuple[str, ...]
    question: str
    conclusions: tuple[Conclusion, ...]
    computed: str
    unfinished: str
    platforms: Table
    results: Table
    sizes: Table
    masters: Table
    beside: Table
    published: Table
    ratios: Table
    published_platforms: Table
    agreement: str
    best_of: str
    sections: tuple[StudySection, ...]
    open: tuple[str, ...]
    appendix: tuple[Titled, ...]


def content(found: StudyFound) -> StudyContent:
    """Put everything into words."""
    study = found.study
    runs = [run for cell in found.cells for run in cell.runs]
    origins = sorted({run.origin.value for run in runs})
    return StudyContent(
        title=study.question,
        kicker=(
            study.study,
            study.suite,
            format_counted(len(found.cells), "cell"),
            format_counted(len(runs), "run"),
            " and ".join(origins) or ("nothing has run" if _runs(found) else "only planned"),
        ),
        question=study.question,
        conclusions=conclusions(found),
        computed=_computed(found),
        unfinished=f"{format_counted(found.left, 'run')} still to be made." if found.left else "",
        platforms=platforms_table(found),
        results=results_table(found),
        sizes=sizes_table(found),
        masters=masters_table(found),
        beside=beside_table(found),
        published=published_table(found),
        ratios=ratios_table(found),
        published_platforms=published_platforms_table(found),
        agreement=agreement(found),
        best_of=_best_of(found),
        sections=tuple(_section(stratum) for stratum in found.strata),
        open=tuple(_open(found)),
        appendix=tuple(section for section in _appendix(found) if section.table.rows),
    )


def _computed(found: StudyFound) -> str:
    """A sentence on the cells whose numbers nobody measured; empty where there are none."""
    if not _runs(found):
        return "Nothing of this study runs: its cells are planned, and times are those that were published."
    names = [
        cell.cell.name for cell in found.cells if any(run.origin is Origin.SIMULATED for run in cell.runs)
    ]
    if not names:
        return ""
    whose = "All numbers" if len(names) == len(found.cells) else f"The numbers of {listed(names)}"
    return (
        f"{whose} were simulated, not measured, and are drawn hollow or dashed. Simulated repeats differ by "
        "their seeds alone: intervals show how far chance moves a simulation, not how right it is."
    )


def _runs(found: StudyFound) -> bool:
    """Whether any cell is more than planned."""
    return any(cell.cell.runs for cell in found.cells)


def _best_of(found: StudyFound) -> str:
    """What a best run is beside a mean; empty where nothing published is one."""
    most = max((publication.best_of for publication in found.study.published), default=1)
    if most == 1 or not any(run.origin is Origin.MEASURED for cell in found.cells for run in cell.runs):
        # A simulation speaks of whatever its calibration was held to.
        return ""
    return (
        f"Published times are the best of about {most} runs, found ones are means: with noise of 1 % the "
        "best of three lies about 0.8 % below their mean."
    )


def _section(stratum: StratumFound) -> StudySection:
    comparison = stratum.comparison
    base = comparison.baseline
    return StudySection(
        title=stratum.name,
        parts=tuple(
            GroupContent(each.group, tuple(said(each, base)), each.remarks) for each in comparison.against
        ),
        remarks=comparison.remarks,
        changes=Titled(
            "What changed",
            "Only what differs from the baseline; an empty cell is as the baseline's.",
            changes_table(comparison),
        ),
        others=tuple(
            Titled(f"{each.group} against {base}", "", others_table(each, base))
            for each in comparison.against
            if each.others
        ),
        tests=Titled(
            "Every test",
            "Welch's t-test on logarithms, p corrected by Holm's method for the "
            f"{format_counted(comparison.tests, 'test')} of this comparison.",
            tests_table(comparison),
        ),
    )


def _open(found: StudyFound) -> Iterator[str]:
    """What could not be concluded, and what a reader should hold against the rest."""
    for stratum in found.strata:
        where = f"{stratum.name}: " if stratum.name else ""
        for each in stratum.comparison.against:
            untold: dict[str, list[str]] = {}
            for judged in each.wholes:
                if judged.verdict is Verdict.CANNOT_TELL:
                    untold.setdefault(judged.why, []).append(_untold(judged))
            for why, several in untold.items():
                differs = f"whether {each.group} differs from {stratum.comparison.baseline}"
                yield f"{where}{differs} in {listed(several)}: {why}."
        yield from (f"{where}{each.what} is not compared: {each.why}." for each in stratum.comparison.refused)
    yield from (f"{cell.cell.name} has no run that succeeded." for cell in found.cells if _empty(cell))
    if not _runs(found):
        yield "How fast any of these platforms is: none of it ran, and none of it was simulated."
    yield from _mixed(found)
    for what in unmatched(found):
        yield f"No run was found to compare with the published time of {what}."
    missing = unpublished(found)
    if missing:
        yield f"Nothing published can be compared with {listed(missing)}."
    yield from (f"{text[0].upper()}{text[1:]}" for text in found.warnings)
    yield from found.study.cannot_show


def _untold(judged: Judged) -> str:
    """``terasort (5.1 % apart; about 12 repeats of each would show)``."""
    seen = f"{percent(abs((judged.ratio or 1) - 1))} apart"
    many = f"; about {judged.repeats_needed} repeats of each would show" if judged.repeats_needed else ""
    return f"{subject(judged.measure)} ({seen}{many})"


def _mixed(found: StudyFound) -> Iterator[str]:
    """Software that changed while the study went on, which nobody chose to vary."""
    for name in ("howdah", "kernel", "Java"):
        values = dict.fromkeys(
            fact.value
            for cell in found.cells
            for run in cell.runs
            for fact in run.facts
            if fact.aspect is Aspect.VERSIONS and fact.name == name
        )
        if len(values) > 1:
            yield f"Runs were made with different versions of {name}: {listed(list(values))}."


def _empty(cell: CellRuns) -> bool:
    return bool(cell.runs) and not cell.good


def _appendix(found: StudyFound) -> Iterator[Titled]:
    several = "Values that differ between runs are listed one after the other."
    yield Titled("Hardware", several, facts_table(found, Aspect.HARDWARE))
    yield Titled("Versions", several, facts_table(found, Aspect.VERSIONS))
    yield Titled(
        "What speaks for and against each platform",
        "The planner's rules, before anything runs, and what they are worth.",
        judgements_table(found),
    )
    yield Titled(
        "Configuration",
        "Every value that a plan sets otherwise than its release does, which cells have it, and why.",
        parameters_table(found),
    )
    warm = (
        f"{format_counted(found.warm_ups, 'run')} warmed up and is left out here." if found.warm_ups else ""
    )
    yield Titled("Runs", warm, runs_table(found))
