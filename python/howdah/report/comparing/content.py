"""The page of a comparison: the answer, every time, what changed, and every test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import log
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from howdah.analysis.comparing.compare import CAUSES
from howdah.analysis.comparing.readings import ELAPSED, PARTS
from howdah.analysis.wording import percent, probability
from howdah.model.comparison import Aspect, Comparison, Measure, RunGroup, Verdict
from howdah.report import document as doc
from howdah.report.comparing.words import (
    answer,
    group_sentences,
    interval,
    mean,
    measured,
    place,
    ratio,
    simulated,
)
from howdah.report.words import NONE, moment, optional, sentence, table_of
from howdah.units import format_counted, listed

if TYPE_CHECKING:
    # A terminal has no figures, and does without what draws them.
    from howdah.report.comparing.draw import ComparisonFigures


MOST_CHANGES = 24  # The terminal leaves more rows than this to the page and to JSON.
MOST_REFUSED = 2  # The terminal counts further runs that are not compared.


def document(comparison: Comparison, figures: ComparisonFigures | None = None) -> doc.Document:
    """The page of a comparison; without figures it is for a terminal."""
    base, claim = comparison.groups[0], answer(comparison)
    runs = sum(len(group.runs) for group in comparison.groups)
    origins = {run.origin.value for group in comparison.groups for run in group.runs}
    groups = format_counted(len(comparison.groups), "group")
    names = [group.name for group in comparison.groups if group.is_simulated]
    hollow = "were simulated, not measured; they are drawn hollow or dashed."
    mixed = names and not simulated(comparison.groups)
    label = "Elapsed times, their ratios to the baseline's and verdicts"
    times = times_table(comparison)._replace(label=label)
    tests = tests_table(comparison)._replace(label="Every test", style="titled", fold=True)
    tests_about = (
        "Welch's t-test on logarithms; a single run is taken to be as noisy as the "
        "other side's repeats, and where there are no repeats there is no test. p is corrected by Holm's "
        f"method for all {format_counted(comparison.tests, 'test')}, so that the chance of calling any "
        f"difference where there is none is at most {100 * comparison.level:g} %. The effect is the "
        "difference over the noise (Hedges' g); a difference that would show is found nine times in ten."
    )
    return doc.Document.of(
        "compare",
        f"{base.runs[0].suite}: {groups} compared",
        (
            base.runs[0].suite,
            f"{format_counted(runs, 'run')} in {groups}",
            f"baseline {comparison.baseline}",
            listed(sorted(origins)),
        ),
        claim.text,
        doc.Paragraph(claim.statistics, "lead"),
        doc.Paragraph(f"The numbers of {listed(names)} {hollow}" if mixed else "", "lead"),
        *_refused(comparison),
        figures.answer if figures is not None else None,
        doc.Only(doc.PAGES, (times.without_empty_columns(),)),
        doc.Only(doc.TERMINAL, (_below_one_another(times),)),
        sections=(
            doc.Section.of(
                "Groups",
                *notes(comparison),
                *explained(comparison),
                doc.Bullets(tuple(map(sentence, comparison.remarks)), "remark"),
                title="Group by group",
            ),
            _changes(comparison),
            doc.Section.of("Repeats", *(figures.repeats if figures else ()), title="Run by run"),
            doc.Section.of(
                "Over time",
                *(figures.over_time if figures else ()),
                about=figures.followed_runs if figures else "",
                anchor="time",
            ),
            doc.Section.of(
                "Resources",
                *resource_tables(comparison),
                title="Resources and tasks",
                anchor="where",
                forms=doc.PAGES,
            ),
            doc.Section.of("Tests", tests, title="Every test", about=tests_about, forms=doc.PAGES),
            doc.Section.of("Runs", runs_table(comparison), forms=doc.PAGES),
        ),
    )


def _refused(comparison: Comparison) -> tuple[doc.Only, doc.Only]:
    """The runs that are not compared; the terminal has the first of them."""
    refused = tuple(f"{refusal.what} is not compared: {refusal.why}." for refusal in comparison.refused)
    more = len(refused[MOST_REFUSED:])
    counted = (f"and {more} more runs are not compared; --json lists them",) if more else ()
    summary = f"{len(refused)} {'run is' if len(refused) == 1 else 'runs are'} not compared"
    folded = doc.FoldedBlocks(summary, doc.present(doc.Bullets(refused)), open=len(refused) <= MOST_REFUSED)
    shown = doc.Bullets((*refused[:MOST_REFUSED], *counted), "missing")
    return doc.Only(doc.PAGES, doc.present(folded)), doc.Only(doc.TERMINAL, doc.present(shown))


def _changes(comparison: Comparison) -> doc.Section:
    table = changes_table(comparison)._replace(label="What changed", style="titled", fold=True)
    more = len(table.rows) - MOST_CHANGES
    elsewhere = doc.Paragraph(f"and {more} more, which --output and --json list" if more > 0 else "", "about")
    blocks: tuple[doc.Block, ...] = (
        doc.Only(doc.PAGES, (table,)),
        doc.Only(doc.TERMINAL, (table._replace(rows=table.rows[:MOST_CHANGES]), *doc.present(elsewhere))),
    )
    about = "Differences from the baseline; an empty cell has the baseline's value."
    if not table.rows:
        none = doc.Paragraph("According to the records nothing changed between these runs.")
        blocks, about = ((none,) if comparison.against else ()), ""
    return doc.Section.of("What changed", *blocks, about=about, anchor="changes")


def notes(comparison: Comparison) -> tuple[doc.Notes, ...]:
    """Group by group, what follows and how to read it."""
    base = comparison.baseline
    return tuple(
        doc.Notes(
            compared.group,
            tuple(map(doc.FindingText, group_sentences(compared, base))),
            tuple(map(sentence, compared.remarks)),
        )
        for compared in comparison.against
    )


def explained(comparison: Comparison) -> Iterator[doc.Table]:
    """The parts of the time and the causes of differences, for workloads of which programs differ."""
    locations = [location for compared in comparison.against for location in compared.locations]
    for workload in dict.fromkeys(location.workload for location in locations if location.parts):
        rows = [
            (name, *cells)
            for name in (ELAPSED, *PARTS, *CAUSES)
            if any(cells := [_mean_of(group, workload, name) for group in comparison.groups])
        ]
        columns = ("what", *(group.name for group in comparison.groups))
        yield doc.Table(columns, tuple(rows), title=f"Parts of the time and resources: {workload}")


def _mean_of(group: RunGroup, workload: str, name: str) -> str:
    """A group's mean of one measure of a whole workload; empty if it has none."""
    for measure, values in group.values.items():
        if (measure.workload, measure.phase, measure.name) == (workload, None, name):
            return measured(measure, mean(values) if measure.is_judged else fmean(values))
    return ""


def resource_tables(comparison: Comparison) -> Iterator[doc.Table]:
    """Resources and tasks of each group, compared with the baseline's."""
    for against in comparison.against:
        columns = ("of", "what", comparison.baseline, against.group, "ratio", "95 % interval")
        rows = [
            (
                place(contrast.measure),
                contrast.measure.name,
                *(measured(contrast.measure, value) for value in (contrast.base_mean, contrast.other_mean)),
                ratio(contrast),
                interval(contrast),
            )
            for contrast in against.others
        ]
        yield doc.Table(columns, tuple(rows), f"{against.group} against {comparison.baseline}")


def _below_one_another(table: doc.Table) -> doc.Table:
    """The times with every workload above its groups, without repeats needed, to fit into eighty columns."""
    if table.columns[1] != "group":
        return table
    rows: list[tuple[str, ...]] = []
    for measure, same in groupby(table.rows, key=lambda row: row[0]):
        rows.append((measure, *("" for _ in table.columns[2:-1])))
        rows += [(f"  {row[1]}", *row[2:-1]) for row in same]
    return doc.Table(("", *table.columns[2:-1]), tuple(rows))


def times_table(comparison: Comparison) -> doc.Table:
    """Every workload and phase, the baseline and then group by group."""
    base = comparison.groups[0]
    if not comparison.against:
        return _repeats_table(comparison)
    rows: list[tuple[str, ...]] = []
    for measure, values in _judged_of(base):
        value = measured(measure, mean(values))
        rows.append((place(measure), base.name, str(len(values)), value, "1", NONE, "", ""))
        for compared in comparison.against:
            if (result := compared.of(measure)) is not None:
                needed = ""
                if result.evidence is not None and result.verdict is Verdict.CANNOT_TELL:
                    needed = f"{result.repeats_needed} each" if result.repeats_needed else "> 100 each"
                value, verdict = measured(result.measure, result.other_mean), result.verdict.value
                cells = (str(len(result.other)), value, ratio(result), interval(result), verdict, needed)
                rows.append((place(measure), compared.group, *cells))
    shown = {measure for measure, _ in _judged_of(base)}
    for group in comparison.groups[1:]:
        # The phases of another program have no counterpart.
        rows += [
            (place(measure), group.name, str(len(values)), measured(measure, mean(values)), "", "", "", "")
            for measure, values in _judged_of(group)
            if measure not in shown
        ]
    columns = (
        "what", "group", "runs", _headed(comparison), "ratio", "95 % interval", "verdict", "repeats needed",
    )  # fmt: skip
    return doc.Table(columns, tuple(rows))


def _headed(comparison: Comparison) -> str:
    """What a column of times is called, in which there may be metrics, too."""
    several = any(measure.kind == "metric" for measure, _ in _judged_of(comparison.groups[0]))
    return "mean" if several else "elapsed"


def _repeats_table(comparison: Comparison) -> doc.Table:
    """One group alone: how far its runs lie apart; the noise is the deviation of the times' logarithms."""
    rows = tuple(
        (
            place(measure),
            str(len(values)),
            *(measured(measure, of(values)) for of in (mean, min, max)),
            percent(stdev(map(log, values))) if len(values) > 1 and min(values) > 0 else NONE,
        )
        for measure, values in _judged_of(comparison.groups[0])
    )
    return doc.Table(("what", "runs", _headed(comparison), "least", "most", "noise"), rows)


def _judged_of(group: RunGroup) -> list[tuple[Measure, list[float]]]:
    return [(measure, values) for measure, values in group.values.items() if measure.is_judged]


def changes_table(comparison: Comparison) -> doc.Table:
    """Every fact in which some group differs, a column for each group; blank where it is the baseline's."""
    by_group = [
        {(change.aspect, change.name): change for change in compared.changes}
        for compared in comparison.against
    ]
    bases = {key: change.base for changes in by_group for key, change in changes.items()}
    aspects = list(Aspect)
    rows: list[tuple[str, ...]] = []
    for key in sorted(bases, key=lambda key: aspects.index(key[0])):
        cells = ((changes[key].other or NONE) if key in changes else "" for changes in by_group)
        rows.append((key[0].value, key[1], bases[key] or NONE, *cells))
    return doc.Table(("aspect", "what", *(group.name for group in comparison.groups)), tuple(rows))


def tests_table(comparison: Comparison) -> doc.Table:
    """Every test with its outcome; empty where there were none."""
    return table_of(
        [
            (f"{compared.group}: {place(result.measure)}", result)
            for compared in comparison.against
            for result in compared.judged
            if comparison.tests
        ],
        "what {0} | noise {1.evidence.noise:%} | p {p} | p corrected {adjusted} | effect {effect} | "
        "would show from {detectable} | verdict {1.verdict.value} | why {1.why}",
        p=lambda pair: optional(pair[1].evidence, lambda evidence: _p(evidence.p)),
        adjusted=lambda pair: optional(pair[1].evidence, lambda evidence: _p(evidence.p_adjusted)),
        effect=lambda pair: optional(
            pair[1].evidence, lambda evidence: f"{evidence.effect:z.1f}".replace("-", "\N{MINUS SIGN}")
        ),
        detectable=lambda pair: optional(pair[1].detectable, lambda ratio: percent(ratio - 1)),
    )


def _p(p: float) -> str:
    return probability(p).removeprefix("= ")


def runs_table(comparison: Comparison) -> doc.Table:
    return table_of(
        [(group.name, run) for group in comparison.groups for run in group.runs],
        "group {0} | run {1.run} | started {started} | engine {1.engine} | numbers {1.origin.value}",
        label="Runs of each group",
        style="titled",
        fold=True,
        started=lambda pair: moment(pair[1].created),
    )
