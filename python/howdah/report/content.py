"""What a report says, in order, before any form is given to it.

The page, the Markdown and the terminal text are all made from one ``RunContent``, so they cannot differ
in what they say.
"""

from __future__ import annotations

from typing import NamedTuple

from howdah.analysis.evidence import Analysis, Evidence, WorkloadTime
from howdah.analysis.wording import seconds, times
from howdah.model.finding import Finding
from howdah.model.run import DeviceLimit, Origin, RunRecord, WorkloadResult
from howdah.model.tables import RunData
from howdah.report.accounts import SIMULATED, SURE, accounts
from howdah.report.cluster import cluster_tables, grounds
from howdah.report.document import Facts, Table
from howdah.report.provenance import provenance
from howdah.report.region_servers import region_server_tables
from howdah.report.simulated import simulated_tables
from howdah.report.sources import cited, source_text
from howdah.report.words import NONE, moment, number, sentence, setting
from howdah.units import format_rate


class Said(NamedTuple):
    """One finding with its numbers written out; ``sure`` is in words."""

    severity: str
    where: str
    text: str
    sure: str
    numbers: tuple[tuple[str, str], ...]


class NoteGroup(NamedTuple):
    """The notes on one workload, or on the run as a whole."""

    about: str
    notes: tuple[Said, ...]


class RunContent(NamedTuple):
    """Everything a report says."""

    title: str
    kicker: tuple[str, ...]
    answer: str
    more_answers: tuple[str, ...]
    missing: tuple[str, ...]
    stats: Table | None
    dfsio: Table | None
    metrics: Table | None
    warnings: tuple[Said, ...]
    notes: tuple[NoteGroup, ...]
    accounts: Table | None
    accounts_about: str
    explanations: tuple[str, ...]
    cluster: tuple[Table, ...]
    grounds: tuple[Table, ...]
    limits: Table | None
    facts: tuple[Facts, ...]
    plan: Table
    plan_sources: str


BOUNDS = {"disk": "reading and writing", "others": "other processes"}
"""What analysis calls a bound, where a reader needs other words for it."""

MISSING = ("unfinished", "never-began", "missing")
"""Findings that say what a reader will look for in vain; they stand right below the answer."""

TABLED = ("byte-accounting", "dfsio")
"""Notes whose every number stands in a table of their own."""


def content(run: RunData, analysis: Analysis) -> RunContent:
    """Put everything into words."""
    record, evidence = run.record, analysis.evidence
    (answer,) = (finding.text for finding in analysis.findings if finding.severity == "answer")
    answers = [sentence(text) for text in answer.split("; ")]
    rest = [finding for finding in analysis.findings if finding.id not in (*MISSING, "simulated")]
    account = accounts(evidence)
    # The numbers of a cluster's account are so many that only a table shows them.
    tabled = TABLED if evidence.flows else ()
    return RunContent(
        title=f"{record.suite.name} on {_where(record)}"
        + (", simulated" if record.origin is Origin.SIMULATED else ""),
        kicker=(
            record.suite.name,
            f"{record.engine} engine",
            _where(record),
            moment(record.created),
            record.origin.value,
        ),
        answer=answers[0],
        more_answers=tuple(answers[1:]),
        missing=tuple(sentence(finding.text) for finding in analysis.findings if finding.id in MISSING),
        stats=_stats(record, evidence),
        dfsio=_dfsio(evidence),
        metrics=_metrics(record, evidence),
        warnings=tuple(
            _said(finding)._replace(numbers=()) if finding.id in tabled else _said(finding)
            for finding in rest
            if finding.severity == "warning"
        ),
        notes=_groups(
            [finding for finding in rest if finding.severity == "note" and finding.id not in TABLED], evidence
        ),
        accounts=account.table,
        accounts_about=account.about,
        explanations=account.explanations,
        cluster=(
            *region_server_tables(evidence),
            *simulated_tables(record, evidence),
            *cluster_tables(record, evidence),
        ),
        grounds=grounds(record),
        limits=_limits(record),
        facts=provenance(record),
        plan=_plan(record),
        plan_sources=cited(entry.source for entry in record.plan.settings),
    )


def _where(record: RunRecord) -> str:
    """The machine or the cluster it ran on, or would run on."""
    planned = record.plan.cluster
    if record.origin is not Origin.SIMULATED or planned is None:
        if record.laboratory is not None:
            return f"lab {record.laboratory.name}"
        if record.cluster is not None:
            return record.cluster.default_fs
    return record.host.name if planned is None else f"cluster {planned.inventory.cluster}"


def _stats(record: RunRecord, evidence: Evidence) -> Table | None:
    """A row of figures for each workload, without the columns in which none has anything to say.

    The outcome is a column only where not all succeeded.
    """
    columns = ("workload", "elapsed", "rate", "of", "× limit", "× floor", "limited by", "outcome")
    limits = {share.workload: share for share in evidence.limits if share.phase is None}
    floors = {floor.workload: times(floor.ratio) for floor in evidence.floors}
    rows = []
    for workload in evidence.workloads:
        limit = limits.get(workload.workload)
        rows.append(
            (
                workload.workload,
                seconds(workload.elapsed_s),
                _rate(record.workloads[workload.index], workload),
                workload.rate.of if workload.rate else "",
                times(limit.times_limit) if limit and limit.times_limit else NONE,
                floors.get(workload.workload, NONE),
                BOUNDS.get(limit.bound, limit.bound) if limit else NONE,
                workload.outcome.value,
            )
        )
    empty = {"", NONE}
    if all(row[-1] == "succeeded" for row in rows):
        empty.add("succeeded")
    kept = [index for index in range(len(columns)) if any(row[index] not in empty for row in rows)]
    shown = (tuple(row[index] for index in kept) for row in (columns, *rows))
    return Table(next(shown), tuple(shown)) if rows else None


def _rate(result: WorkloadResult, time: WorkloadTime) -> str:
    """Bytes in a second, or operations where those are what it did."""
    if time.rate is not None:
        return format_rate(time.rate.bytes_per_s)
    counted = result.primary if result.operations else None
    return counted.in_words() if counted is not None else NONE


def _dfsio(evidence: Evidence) -> Table | None:
    if not evidence.dfsio:
        return None
    columns = ("workload", "files", "total MB", "throughput MB/s", "average MB/s", "deviation MB/s", "exec s")
    rows = tuple(
        (
            test.workload,
            str(test.files),
            f"{test.total_mb:.2f}",
            f"{test.throughput_mb_per_s:.2f}",
            f"{test.average_mb_per_s:.2f}",
            f"{test.deviation_mb_per_s:.2f}",
            f"{test.exec_s:.2f}",
        )
        for test in evidence.dfsio
    )
    return Table(columns, rows)


def _metrics(record: RunRecord, evidence: Evidence) -> Table | None:
    """What programs report of themselves, but for those of which a table of their own tells."""
    tabled = {test.workload for test in evidence.dfsio}
    rows = tuple(
        (time.workload, metric.name, metric.in_words(), metric.better, metric.over or "")
        for time in evidence.workloads
        if time.workload not in tabled
        for metric in record.workloads[time.index].metrics
        # Of what is neither better nor worse the answer tells.
        if metric.better is not None
    )
    return Table(("workload", "metric", "value", "better", "over"), rows) if rows else None


def _said(finding: Finding) -> Said:
    where = " · ".join(part for part in (finding.workload, finding.phase) if part)
    numbers = tuple((quantity.name, number(quantity)) for quantity in finding.numbers)
    computed = finding.origin is Origin.SIMULATED and finding.sure == "measured"
    sure = SIMULATED if computed else SURE[finding.sure]
    return Said(finding.severity, where, sentence(finding.text), sure, numbers)


def _groups(notes: list[Finding], evidence: Evidence) -> tuple[NoteGroup, ...]:
    """The notes by workload in the order these ran, those on the whole run at the end."""
    names = [workload.workload for workload in evidence.workloads]
    groups = [
        NoteGroup(name, tuple(_said(finding) for finding in notes if finding.workload == name))
        for name in names
    ]
    groups = [group for group in groups if group.notes]
    rest = tuple(_said(finding) for finding in notes if finding.workload not in names)
    return (*groups, *([NoteGroup("the run", rest)] if rest else []))


def _device(device: DeviceLimit) -> tuple[str, ...]:
    return (
        device.data_dir,
        device.device,
        format_rate(device.read_bytes_per_s),
        format_rate(device.write_bytes_per_s),
        format_rate(device.copy_bytes_per_s) if device.copy_bytes_per_s is not None else NONE,
        device.tool,
    )


def _limits(record: RunRecord) -> Table | None:
    rows = [_device(device) for result in record.workloads for device in result.raw_limits]
    limits = record.limits
    if limits is not None:
        rows += [_device(device) for device in limits.devices]
        together = (limits.read_bytes_per_s, limits.write_bytes_per_s, limits.copy_bytes_per_s)
        rows.append(("all data directories", "", *(format_rate(rate) for rate in together), ""))
        rows.append(("memory", "", "", "", format_rate(limits.memory_copy_bytes_per_s), ""))
    return Table(("where", "device", "read", "write", "copy", "measured by"), tuple(rows)) if rows else None


def _plan(record: RunRecord) -> Table:
    rows = tuple(
        (entry.key, setting(entry.key, entry.value), entry.reason, source_text(entry.source))
        for entry in record.plan.settings
    )
    return Table(("setting", "value", "reason", "source"), rows)
