"""What a study's paper says, in order, before any form is given to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.analysis.wording import listed, percent
from howdah.model.comparison import Aspect, Judged, Verdict
from howdah.model.run import Origin
from howdah.report.comparing.content import GroupContent, changes_table, others_table, parts, tests_table
from howdah.report.comparing.words import subject
from howdah.report.document import Table
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
from howdah.report.study.saturation import saturation_table
from howdah.report.study.unanswered import unanswered_table
from howdah.units import format_counted


class StudySection(NamedTuple):
    """Everything said of one stratum, after its answer."""

    title: str
    parts: tuple[GroupContent, ...]
    remarks: tuple[str, ...]
    changes: Table
    others: tuple[Table, ...]
    tests: Table


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
    saturation: Table
    unanswered: Table
    beside: Table
    published: Table
    ratios: Table
    published_platforms: Table
    agreement: str
    best_of: str
    sections: tuple[StudySection, ...]
    open: tuple[str, ...]
    appendix: tuple[Table, ...]


def content(findings: StudyFound) -> StudyContent:
    """Put everything into words."""
    study = findings.study
    runs = [run for cell in findings.cells for run in cell.runs]
    origins = sorted({run.origin.value for run in runs})
    return StudyContent(
        title=study.question,
        kicker=(
            study.study,
            study.suite,
            format_counted(len(findings.cells), "cell"),
            format_counted(len(runs), "run"),
            " and ".join(origins) or ("nothing has run" if _runs(findings) else "only planned"),
        ),
        question=study.question,
        conclusions=conclusions(findings),
        computed=_computed(findings),
        unfinished=f"{format_counted(findings.left, 'run')} still to be made." if findings.left else "",
        platforms=platforms_table(findings),
        results=results_table(findings),
        sizes=sizes_table(findings),
        masters=masters_table(findings),
        saturation=saturation_table(findings),
        unanswered=unanswered_table(findings),
        beside=beside_table(findings),
        published=published_table(findings),
        ratios=ratios_table(findings),
        published_platforms=published_platforms_table(findings),
        agreement=agreement(findings),
        best_of=_best_of(findings),
        sections=tuple(_section(stratum) for stratum in findings.strata),
        open=tuple(_open(findings)),
        appendix=tuple(section for section in _appendix(findings) if section.rows),
    )


def _computed(findings: StudyFound) -> str:
    """A sentence on the cells whose numbers nobody measured; empty where there are none."""
    if not _runs(findings):
        return "Nothing of this study runs: its cells are planned, and times are those that were published."
    names = [
        cell.cell.name for cell in findings.cells if any(run.origin is Origin.SIMULATED for run in cell.runs)
    ]
    if not names:
        return ""
    whose = "All numbers" if len(names) == len(findings.cells) else f"The numbers of {listed(names)}"
    return (
        f"{whose} were simulated, not measured, and are drawn hollow or dashed. Simulated repeats differ "
        "only in their seeds: intervals show the effect of chance on the times, not their accuracy."
    )


def _runs(findings: StudyFound) -> bool:
    """Whether any cell is more than planned."""
    return any(cell.cell.runs for cell in findings.cells)


def _best_of(findings: StudyFound) -> str:
    """What a best run is beside a mean; empty where nothing published is one."""
    most = max((publication.best_of for publication in findings.study.published), default=1)
    if most == 1 or not any(run.origin is Origin.MEASURED for cell in findings.cells for run in cell.runs):
        # A simulation speaks of whatever its calibration was held to.
        return ""
    return (
        f"Published times are the best of about {most} runs, those of this study are means: with noise of "
        "1 % the best of three lies about 0.8 % below their mean."
    )


def _section(stratum: StratumFound) -> StudySection:
    comparison = stratum.comparison
    base = comparison.baseline
    return StudySection(
        title=stratum.name,
        parts=parts(comparison),
        remarks=comparison.remarks,
        changes=changes_table(comparison)._replace(
            title="What changed",
            about="Differences from the baseline; an empty cell has the baseline's value.",
        ),
        others=tuple(
            others_table(each, base)._replace(title=f"{each.group} against {base}")
            for each in comparison.against
            if each.others
        ),
        tests=tests_table(comparison)._replace(
            title="Every test",
            about="Welch's t-test on logarithms, p corrected by Holm's method for the "
            f"{format_counted(comparison.tests, 'test')} of this comparison.",
        ),
    )


def _open(findings: StudyFound) -> Iterator[str]:
    """What could not be concluded, and what a reader should hold against the rest."""
    for stratum in findings.strata:
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
    yield from (f"{cell.cell.name} has no run that succeeded." for cell in findings.cells if _empty(cell))
    if not _runs(findings):
        yield "How fast any of these platforms is: none of it ran, and none of it was simulated."
    yield from _mixed(findings)
    for what in unmatched(findings):
        yield f"No run was found to compare with the published time of {what}."
    missing = unpublished(findings)
    if missing:
        yield f"No published time can be compared with {listed(missing)}."
    yield from (f"{text[0].upper()}{text[1:]}" for text in findings.warnings)
    yield from findings.study.cannot_show


def _untold(judged: Judged) -> str:
    """``terasort (5.1 % apart; about 12 repeats of each would show it)``."""
    seen = f"{percent(abs((judged.ratio or 1) - 1))} apart"
    many = f"; about {judged.repeats_needed} repeats of each would show it" if judged.repeats_needed else ""
    return f"{subject(judged.measure)} ({seen}{many})"


def _mixed(findings: StudyFound) -> Iterator[str]:
    """Software that changed while the study went on, which nobody chose to vary."""
    for name in ("howdah", "kernel", "Java"):
        values = dict.fromkeys(
            fact.value
            for cell in findings.cells
            for run in cell.runs
            for fact in run.facts
            if fact.aspect is Aspect.VERSIONS and fact.name == name
        )
        if len(values) > 1:
            yield f"Runs were made with different versions of {name}: {listed(list(values))}."


def _empty(cell: CellRuns) -> bool:
    return bool(cell.runs) and not cell.good


def _appendix(findings: StudyFound) -> Iterator[Table]:
    several = "Values that differ between runs are listed one after the other."
    yield facts_table(findings, Aspect.HARDWARE)._replace(title="Hardware", about=several)
    yield facts_table(findings, Aspect.VERSIONS)._replace(title="Versions", about=several)
    yield judgements_table(findings)._replace(
        title="Pros and cons of each platform",
        about="The planner's rules, before anything runs, and what they are worth.",
    )
    yield parameters_table(findings)._replace(
        title="Configuration",
        about="Every value that a plan sets otherwise than its release does, which cells have it, and why.",
    )
    warm = (
        f"{format_counted(findings.warm_ups, 'run')} to warm up, left out here." if findings.warm_ups else ""
    )
    yield runs_table(findings)._replace(title="Runs", about=warm)
