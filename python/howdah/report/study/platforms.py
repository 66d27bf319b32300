"""What a study ran on: how each platform divides the hosts, every value its plans set, and every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from howdah.analysis.wording import listed
from howdah.model.comparison import Aspect
from howdah.model.placement import placed_workers
from howdah.model.plan import Cluster, Plan, Setting, value_text
from howdah.model.study import PublishedPlatform, matches
from howdah.report.document import Table
from howdah.report.plan.words import size_note, weight_text
from howdah.report.study.cells import StudyFound, where
from howdah.report.words import NONE, moment, source_text
from howdah.units import format_gib

_COLUMNS = (
    "platform",
    "workers",
    "CPUs of each",
    "memory",
    "data disks",
    "maps at once",
    "reduces at once",
    "masters take",
)


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
    rows = tuple(
        (
            where(findings.study, numbers, findings.cells),
            f"{platform.workers:,}",
            _count(platform.cpus),
            format_gib(platform.memory_bytes),
            _count(platform.disks),
            _count(platform.maps),
            _count(platform.reduces),
            platform.masters,
        )
        for platform, numbers in cells.items()
    )
    return Table(_COLUMNS, rows)


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
                for what, study_value, planned in _beside(platform, division):
                    seen[(name, what, study_value, planned, published.source)] = None
    return Table(columns, tuple(seen))


def judgements_table(findings: StudyFound) -> Table:
    """What the planner's rules say for and against each platform, and what each is worth of the time."""
    cells: dict[tuple[str, str, str], list[int]] = {}
    for cell in findings.cells:
        cluster = cell.plan.cluster if cell.plan else None
        chosen = (
            [candidate for candidate in cluster.candidates if candidate.verdict == "recommended"]
            if cluster
            else []
        )
        for judged in (judged for candidate in chosen for judged in candidate.judgements):
            judgement = (judged.verdict, weight_text(judged), judged.text)
            cells.setdefault(judgement, []).append(cell.cell.number)
    rows = tuple(
        (where(findings.study, numbers, findings.cells), *judgement) for judgement, numbers in cells.items()
    )
    return Table(("platform", "for or against", "worth", "what"), rows)


def _beside(published: PublishedPlatform, planned: PlatformWorkers) -> Iterator[tuple[str, str, str]]:
    counts = (
        ("workers", published.workers, planned.workers),
        ("CPUs of each", published.cpus, planned.cpus),
        ("data disks", published.disks, planned.disks),
        ("maps at once", published.slots, planned.maps),
    )
    yield from (
        (what, _count(study_value), _count(own))
        for what, study_value, own in counts
        if study_value is not None
    )
    if published.memory is not None:
        yield "memory", format_gib(published.memory), format_gib(planned.memory_bytes)


def _divisions(plan: Plan | None) -> Iterator[PlatformWorkers]:
    if plan is None or plan.cluster is None:
        return
    counts = Counter(worker.kind for worker in placed_workers(plan.cluster))
    masters = _masters(plan.cluster)
    for kind in plan.workers:
        yield PlatformWorkers(
            workers=counts[kind.name],
            cpus=kind.vcpus,
            memory_bytes=kind.memory_bytes,
            disks=kind.data_disks,
            maps=kind.map_slots,
            reduces=kind.reduce_slots,
            masters=masters,
        )


def _masters(cluster: Cluster) -> str:
    """Where masters are, in the fewest words: what they take of the hosts, and who shadows them."""
    whole = len({master.host for master in cluster.masters if master.whole_host})
    beside = len({master.host for master in cluster.masters if master.shares and not master.whole_host})
    places = sum(len(master.takes) for master in cluster.masters if not master.whole_host)
    parts = [
        *([f"{whole} of the hosts"] if whole else []),
        *([f"{places} workers' places"] if places > 1 else ["1 worker's place"] if places else []),
        *([f"shared with workers on {beside}"] if beside else []),
    ]
    shadowed = ", shadowed" if any(master.shadow_host for master in cluster.masters) else ""
    return f"{listed(parts) or NONE}{shadowed}"


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
    return Table(("what", "value"), tuple((name, "; ".join(some)) for name, some in values.items()))


def parameters_table(findings: StudyFound) -> Table:
    """Every value of any plan that is not the release's default, the cells that have it, and its reason."""
    planned = [cell for cell in findings.cells if cell.parameters]
    values: dict[str, dict[tuple[str, str, str], list[int]]] = {}
    for cell in planned:
        for setting in cell.parameters:
            key = setting.key + (f" ({setting.worker})" if setting.worker else "")
            value = (_value(setting), *_grounds(setting))
            values.setdefault(key, {}).setdefault(value, []).append(cell.cell.number)
    rows = tuple(
        (key, where(findings.study, cells, planned), *value)
        for key, several in values.items()
        for value, cells in several.items()
    )
    return Table(("parameter", "cells", "value", "why", "source"), rows)


def _value(setting: Setting) -> str:
    """A value as Hadoop reads it, with its size in words where it is one."""
    note = size_note(setting)
    return f"{value_text(setting.value)} ({note})" if note else value_text(setting.value)


def _grounds(setting: Setting) -> tuple[str, str]:
    """Why, and where that is from; what the plan took from its user is the study's."""
    if setting.origin == "user":
        return "given by the study", "its file"
    return setting.reason, source_text(setting.source)


def runs_table(findings: StudyFound) -> Table:
    """Every run that counts."""
    rows = tuple(
        (
            cell.cell.name,
            run.run,
            moment(run.created),
            run.engine,
            run.origin.value,
            run.outcome.value + (f": {run.error}" if run.error else ""),
        )
        for cell in findings.cells
        for run in cell.runs
    )
    return Table(("cell", "run", "started", "engine", "numbers", "outcome"), rows)
