"""What a report says, in order, before any form is given to it.

The page, the Markdown and the terminal text are all made from one ``Content``, so they cannot differ
in what they say.
"""

from __future__ import annotations

from typing import NamedTuple

from howdah.analysis.evidence import Analysis, ByteAccount, ByteSide, Evidence
from howdah.model.finding import Finding
from howdah.model.run import DeviceLimit, Origin, Outcome, RunRecord
from howdah.model.tables import RunData
from howdah.report.figure import Table
from howdah.report.provenance import Facts, provenance
from howdah.report.words import NONE, moment, number, setting, signed_bytes, times
from howdah.units import format_rate, format_seconds


class Stat(NamedTuple):
    """One workload in the row of figures below the answer."""

    workload: str
    elapsed: str
    rate: str
    of: str
    times_limit: str
    bound: str
    outcome: str


class Said(NamedTuple):
    """One finding with its numbers written out; ``sure`` is in words."""

    severity: str
    where: str
    text: str
    sure: str
    numbers: tuple[tuple[str, str], ...]


class Group(NamedTuple):
    """The notes on one workload, or on the run as a whole."""

    about: str
    notes: tuple[Said, ...]


class Content(NamedTuple):
    """Everything a report says."""

    title: str
    kicker: tuple[str, ...]
    simulated: bool
    answer: str
    more_answers: tuple[str, ...]
    missing: tuple[str, ...]
    stats: tuple[Stat, ...]
    dfsio: Table | None
    warnings: tuple[Said, ...]
    notes: tuple[Group, ...]
    accounts: Table | None
    explanations: tuple[str, ...]
    limits: Table | None
    facts: tuple[Facts, ...]
    plan: Table


SURE = {"measured": "measured", "likely": "likely", "guess": "a guess"}


def content(run: RunData, analysis: Analysis) -> Content:
    """Put everything into words."""
    record, evidence = run.record, analysis.evidence
    answers = [finding.text for finding in analysis.findings if finding.severity == "answer"]
    answers = [_sentence(text) for text in answers] or [_plain_answer(record, evidence)]
    return Content(
        title=f"{record.suite.name} on {record.host.name}",
        kicker=(
            record.suite.name,
            f"{record.engine} engine",
            record.host.name,
            moment(record.created),
            record.origin.value,
        ),
        simulated=record.origin is Origin.SIMULATED,
        answer=answers[0],
        more_answers=tuple(answers[1:]),
        missing=_missing(run, evidence),
        stats=_stats(evidence),
        dfsio=_dfsio(evidence),
        warnings=tuple(_said(one) for one in analysis.findings if one.severity == "warning"),
        notes=_groups([one for one in analysis.findings if one.severity == "note"]),
        accounts=_accounts(evidence),
        explanations=_explanations(evidence),
        limits=_limits(record),
        facts=provenance(record),
        plan=_plan(record),
    )


def _sentence(text: str) -> str:
    """The text as a sentence of its own: a capital where it does not begin with a name, a full stop."""
    return text if text.endswith((".", "!", "?")) else text + "."


def _plain_answer(record: RunRecord, evidence: Evidence) -> str:
    if not evidence.workloads:
        return f"{record.suite.name} {record.outcome.value} before its first workload started."
    finished = [one.workload for one in evidence.workloads if one.outcome is Outcome.SUCCEEDED]
    done = f"{', '.join(finished)} finished" if finished else "no workload finished"
    return f"{record.suite.name} {record.outcome.value} after {format_seconds(record.elapsed_s)}; {done}."


def _missing(run: RunData, evidence: Evidence) -> tuple[str, ...]:
    """What a reader would look for and not find, and why."""
    record = run.record
    said = []
    if record.outcome is Outcome.FAILED:
        said.append(f"The run failed: {_sentence(record.error or 'the record holds no message')}")
    elif record.outcome is not Outcome.SUCCEEDED:
        said.append("The run was stopped before its end; what it had recorded until then is shown.")
    begun = len(record.workloads)
    if begun < len(record.suite.workloads):
        names = ", ".join(one.kind.value for one in record.suite.workloads[begun:])
        said.append(f"Never started: {names}.")
    if not evidence.series:
        said.append("The record holds no samples: CPU, storage and network over time cannot be shown.")
    if record.limits is None:
        said.append("The raw limits were not measured in this run: nothing can be held against them.")
    if not run.tasks.num_rows:
        said.append("The record holds no tasks: neither swim-lanes nor throughput per task can be shown.")
    return tuple(said)


def _stats(evidence: Evidence) -> tuple[Stat, ...]:
    limits = {one.workload: one for one in evidence.limits if one.phase is None}
    stats = []
    for one in evidence.workloads:
        limit = limits.get(one.workload)
        stats.append(
            Stat(
                workload=one.workload,
                elapsed=format_seconds(one.elapsed_s),
                rate=format_rate(one.rate.bytes_per_s) if one.rate else NONE,
                of=one.rate.of if one.rate else "",
                times_limit=times(limit.times_limit) if limit and limit.times_limit else NONE,
                bound=limit.bound if limit else NONE,
                outcome=one.outcome.value,
            )
        )
    return tuple(stats)


def _dfsio(evidence: Evidence) -> Table | None:
    if not evidence.dfsio:
        return None
    columns = ("workload", "files", "total MB", "throughput MB/s", "average MB/s", "deviation MB/s", "exec s")
    rows = tuple(
        (
            one.workload,
            str(one.files),
            f"{one.total_mb:.2f}",
            f"{one.throughput_mb_per_s:.2f}",
            f"{one.average_mb_per_s:.2f}",
            f"{one.deviation_mb_per_s:.2f}",
            f"{one.exec_s:.2f}",
        )
        for one in evidence.dfsio
    )
    return Table(columns, rows)


def _said(finding: Finding) -> Said:
    where = " · ".join(part for part in (finding.workload, finding.phase) if part)
    numbers = tuple((one.name, number(one)) for one in finding.numbers)
    return Said(finding.severity, where, _sentence(finding.text), SURE[finding.sure], numbers)


def _groups(notes: list[Finding]) -> tuple[Group, ...]:
    """The notes by workload in the order these first appear, those on the whole run at the end."""
    names = dict.fromkeys(one.workload for one in notes if one.workload)
    groups = [Group(name, tuple(_said(one) for one in notes if one.workload == name)) for name in names]
    rest = tuple(_said(one) for one in notes if not one.workload)
    return (*groups, *([Group("the run", rest)] if rest else []))


def _account_row(account: ByteAccount, verb: str, side: ByteSide) -> tuple[str, ...]:
    volumes = (side.should, side.said, side.devices, side.remainder, side.unexplained)
    return (f"{account.workload} {verb}", *(signed_bytes(volume) for volume in volumes))


def _accounts(evidence: Evidence) -> Table | None:
    rows = []
    for account in evidence.accounts:
        rows.append(_account_row(account, "reads", account.read))
        rows.append(_account_row(account, "writes", account.write))
    if not rows:
        return None
    return Table(("", "should", "says", "devices", "remainder", "unexplained"), tuple(rows))


def _explanations(evidence: Evidence) -> tuple[str, ...]:
    said = []
    for account in evidence.accounts:
        for verb, side in (("reads", account.read), ("writes", account.write)):
            for part in side.explained:
                said.append(
                    f"{account.workload} {verb}: {signed_bytes(part.bytes)} {part.what} ({SURE[part.sure]})."
                )
    return tuple(said)


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
        (
            one.key,
            setting(one.value),
            one.reason,
            one.source if one.origin == "rule" else f"{one.source} (given)",
        )
        for one in record.plan.settings
    )
    return Table(("setting", "value", "reason", "source"), rows)
