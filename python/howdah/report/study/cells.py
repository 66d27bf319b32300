"""What a study's paper is written from: its cells, what they ran on, and every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from howdah.model.comparison import Aspect, Comparison, RunFigures
from howdah.model.placement import placed_workers
from howdah.model.plan import Plan, Setting
from howdah.model.run import Outcome
from howdah.model.study import PublishedPlatform, Study, matches
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.report.comparing.draw import Followed
from howdah.report.document import Table
from howdah.report.plan.words import setting_value, weight_text
from howdah.report.words import NONE, moment, source_text, table_of
from howdah.study.matrix import Cell, named
from howdah.units import format_counted, format_gib, listed

BLOCK_SIZE = "dfs.blocksize"
ALL = "all"


class CellRuns(NamedTuple):
    """A cell of the matrix and its runs, warm-ups aside."""

    cell: Cell
    runs: tuple[RunFigures, ...]
    plan: Plan | None = None  # What it runs on; none before a run of it, where its engine makes the plan.
    parameters: tuple[Setting, ...] = ()  # What the plan sets otherwise than by default.

    @property
    def block_bytes(self) -> int | None:
        """The block size that it requests, or its plan has."""
        if self.cell.settings.block_size is not None or self.plan is None:
            return self.cell.settings.block_size
        planned = next((setting.value for setting in self.plan.settings if setting.key == BLOCK_SIZE), None)
        return planned if isinstance(planned, int) else None

    @property
    def blocks(self) -> float | None:
        """Blocks that each of its workloads writes or reads, replicas aside; none where it is not said."""
        settings = self.cell.settings
        data_bytes, files, file_bytes = settings.dataset, settings.of(FILES), settings.of(FILE_SIZE)
        if files is not None and file_bytes is not None:
            data_bytes = files * file_bytes
        return data_bytes / self.block_bytes if data_bytes and self.block_bytes else None

    @property
    def good(self) -> tuple[RunFigures, ...]:
        return tuple(run for run in self.runs if run.outcome is Outcome.SUCCEEDED)

    def values(self, name: str, workload: str, phase: str | None) -> list[float]:
        """What the good runs came to in one measure."""
        return [
            reading.value
            for run in self.good
            for reading in run.readings
            if (reading.measure.name, reading.measure.workload, reading.measure.phase)
            == (name, workload, phase)
        ]


class StratumFound(NamedTuple):
    """Cells compared with one another, and what resources did in them."""

    name: str
    comparison: Comparison
    followed: Followed


class StudyFound(NamedTuple):
    """Everything a study has found so far."""

    study: Study
    cells: tuple[CellRuns, ...]
    strata: tuple[StratumFound, ...]
    warnings: tuple[str, ...]  # What runs warned of, each once.
    remaining: int  # Runs that are still to be made.
    warm_ups: int  # Runs that do not count.


def where(study: Study, some: Collection[int], of: Sequence[CellRuns]) -> str:
    """The cells with these numbers: all of them, those of some levels of one factor, or one by one."""
    cells = [cell.cell for cell in of]
    chosen = [cell for cell in cells if cell.number in some]
    if len(chosen) == len(cells) > 1:
        return ALL
    for factor in study.factors:
        labels = dict.fromkeys(cell.levels[factor.vary] for cell in chosen)
        if len(chosen) == sum(cell.levels[factor.vary] in labels for cell in cells):
            return listed([named(study, {factor.vary: label}) for label in labels])
    return listed([cell.name for cell in chosen])


class PlatformWorkers(NamedTuple):
    """Workers of one kind on a platform."""

    workers: int
    cpus: int | None
    memory_bytes: int
    disks: int | None
    maps: int
    reduces: int
    masters: str


def platforms_table(findings: StudyFound) -> Table:
    """Each way in which hosts are divided, with the cells that have it; empty where there is no cluster."""
    cells: dict[PlatformWorkers, list[int]] = {}
    for cell in findings.cells:
        for division in _divisions(cell.plan):
            cells.setdefault(division, []).append(cell.cell.number)
    return table_of(
        cells.items(),
        "platform {where} | workers {workers:,} | CPUs of each {cpus:?,} | memory {memory} | "
        "data disks {disks:?,} | maps at once {maps:?,} | reduces at once {reduces:?,} | "
        "masters take {masters}",
        where=lambda pair: where(findings.study, pair[1], findings.cells),
        memory=lambda pair: format_gib(pair[0].memory_bytes),
        label="Platforms",
    )


def published_platforms_table(findings: StudyFound) -> Table:
    """Published divisions beside the planned ones, number by number."""
    columns = ("platform", "what", "published", "planned", "source")
    seen: dict[tuple[str, ...], None] = {}
    for published in findings.study.published:
        for platform in published.platforms:
            of = [cell for cell in findings.cells if matches(platform.at, dict(cell.cell.levels))]
            division = next((some for cell in of for some in _divisions(cell.plan)), None)
            if division is not None:
                name = where(findings.study, [cell.cell.number for cell in of], findings.cells)
                for quantity, study_value, planned in _compared(platform, division):
                    seen[(name, quantity, study_value, planned, published.source)] = None
    return Table(columns, tuple(seen), label="Published platforms and planned ones")


def judgements_table(findings: StudyFound) -> Table:
    """What the planner's rules say for and against each platform, and what each is worth of the time."""
    cells: dict[tuple[str, str, str], list[int]] = {}
    for cell in findings.cells:
        cluster = cell.plan.cluster if cell.plan else None
        for candidate in cluster.candidates if cluster else ():
            for judged in candidate.judgements if candidate.verdict == "recommended" else ():
                judgement = (judged.verdict, weight_text(judged), judged.text)
                cells.setdefault(judgement, []).append(cell.cell.number)
    rows = ((where(findings.study, numbers, findings.cells), *facts) for facts, numbers in cells.items())
    return Table(
        ("platform", "for or against", "worth", "what"),
        tuple(rows),
        "Pros and cons of each platform",
        "The planner's rules, before anything runs, and what they are worth.",
    )


def _compared(published: PublishedPlatform, planned: PlatformWorkers) -> Iterator[tuple[str, str, str]]:
    counts = (
        ("workers", published.workers, planned.workers),
        ("CPUs of each", published.cpus, planned.cpus),
        ("data disks", published.disks, planned.disks),
        ("maps at once", published.slots, planned.maps),
    )
    yield from ((name, _count(value), _count(own)) for name, value, own in counts if value is not None)
    if published.memory is not None:
        yield "memory", format_gib(published.memory), format_gib(planned.memory_bytes)


def _divisions(plan: Plan | None) -> Iterator[PlatformWorkers]:
    if plan is None or plan.cluster is None:
        return
    counts = Counter(worker.kind for worker in placed_workers(plan.cluster))
    whole = len({master.host for master in plan.cluster.masters if master.whole_host})
    sharing = len({master.host for master in plan.cluster.masters if master.shares and not master.whole_host})
    places = sum(len(master.takes) for master in plan.cluster.masters if not master.whole_host)
    parts = [
        *([f"{whole} of the hosts"] if whole else []),
        *([f"{places} workers' places"] if places > 1 else ["1 worker's place"] if places else []),
        *([f"shared with workers on {sharing}"] if sharing else []),
    ]
    shadowed = ", shadowed" if any(master.shadow_host for master in plan.cluster.masters) else ""
    masters = f"{listed(parts) or NONE}{shadowed}"
    for kind in plan.workers:
        sizes = (kind.vcpus, kind.memory_bytes, kind.data_disks, kind.map_slots, kind.reduce_slots)
        yield PlatformWorkers(counts[kind.name], *sizes, masters)


def _count(value: int | None) -> str:
    return f"{value:,}" if value else NONE


def facts_table(findings: StudyFound, aspect: Aspect) -> Table:
    """What all runs have in common of one kind, and what differs, cell by cell, as a list of values."""
    values: dict[str, dict[str, None]] = {}
    for cell in findings.cells:
        for run in cell.runs:
            for fact in run.facts:
                if fact.aspect is aspect:
                    values.setdefault(fact.name, {})[fact.value] = None
    rows = tuple((name, "; ".join(some)) for name, some in values.items())
    about = "Values that differ between runs are listed one after the other."
    return Table(("what", "value"), rows, aspect.value.capitalize(), about)


def parameters_table(findings: StudyFound) -> Table:
    """Every value of any plan that is not the release's default, the cells that have it, and its reason."""
    planned = [cell for cell in findings.cells if cell.parameters]
    values: dict[str, dict[tuple[str, str, str], list[int]]] = {}
    for cell in planned:
        for setting in cell.parameters:
            key = setting.key + (f" ({setting.worker})" if setting.worker else "")
            # What the plan took from its user is the study's.
            grounds = (setting.reason, source_text(setting.source))
            grounds = ("given by the study", "its file") if setting.origin == "user" else grounds
            value = (setting_value(setting), *grounds)
            values.setdefault(key, {}).setdefault(value, []).append(cell.cell.number)
    rows = tuple(
        (key, where(findings.study, cells, planned), *value)
        for key, several in values.items()
        for value, cells in several.items()
    )
    return Table(
        ("parameter", "cells", "value", "why", "source"),
        rows,
        "Configuration",
        "Every value that a plan sets otherwise than its release does, which cells have it, and why.",
    )


def runs_table(findings: StudyFound) -> Table:
    return table_of(
        [(cell.cell.name, run) for cell in findings.cells for run in cell.runs],
        "cell {0} | run {1.run} | started {started} | engine {1.engine} | numbers {1.origin.value} | "
        "outcome {outcome}",
        "Runs",
        f"{format_counted(findings.warm_ups, 'run')} to warm up, left out here." if findings.warm_ups else "",
        started=lambda pair: moment(pair[1].created),
        outcome=lambda pair: ": ".join(filter(None, (pair[1].outcome.value, pair[1].error))),
    )
