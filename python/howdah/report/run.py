"""The report of a run: what it did, how far that is from the limits, and where its time and bytes went."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from howdah.analysis.evidence import Analysis, Evidence
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.volumes import ByteExplanation
from howdah.analysis.wording import seconds, times
from howdah.model.comparison import Finding
from howdah.model.run import Origin, RunRecord
from howdah.model.tables import RunData
from howdah.report import document as doc
from howdah.report.cluster import SPARK_ABOUT, cluster_tables, grounds, region_server_tables, spark_tables
from howdah.report.provenance import provenance, simulated_tables
from howdah.report.words import (
    NONE,
    cited,
    in_unit,
    moment,
    sentence,
    setting,
    signed_bytes,
    source_text,
    table_of,
)
from howdah.units import format_rate

if TYPE_CHECKING:
    from howdah.report.figures import Figures


SURE = {"measured": "measured", "likely": "likely", "guess": "a guess"}
SIMULATED = "simulated"  # How sure a simulated run's own numbers are: what would be measured of a real one.
WORTH_TELLING = 0.005  # Parts of a layer's difference below this part of its bytes are in the sum alone.


def _accounts(evidence: Evidence) -> tuple[doc.Table, str, tuple[str, ...]]:
    """The layers' accounts if jobs reported them, otherwise the devices'.

    Returns the table, what its columns are, and the known parts of its differences one by one.
    """
    rows: list[tuple[str, ...]] = []
    explanations: list[str] = []
    if not evidence.flows:
        sides = [
            (f"{account.workload} {verb}", side)
            for account in evidence.accounts
            for verb, side in (("reads", account.read), ("writes", account.write))
        ]
        for name, side in sides:
            if side.should or side.reported or side.devices:
                volumes = (side.should, side.reported, side.devices, side.remainder, side.unexplained)
                rows.append((name, *map(signed_bytes, volumes)))
            explanations += [_explained(name, part) for part in side.explained if part.bytes]
        columns = ("account", "should", "reported", "devices", "remainder", "unexplained")
        about = (
            "What each workload should move, what it reports, what the data disks counted meanwhile, and "
            "the difference between the last two."
        )
        return doc.Table(columns, tuple(rows)), about, tuple(explanations)
    for flow in evidence.flows:
        for layer in flow.layers:
            name = f"{flow.workload}, {layer.layer} {layer.direction}"
            explained = sum(part.bytes for part in layer.explained)
            layer_volumes = (layer.theory, layer.counted, layer.remainder, explained, layer.unexplained)
            rows.append((name, *map(signed_bytes, layer_volumes)))
            least = WORTH_TELLING * max(layer.theory, layer.counted)
            explanations += [_explained(name, part) for part in layer.explained if abs(part.bytes) > least]
    columns = ("account", "theory", "counted", "remainder", "explained", "unexplained")
    about = (
        "Every layer from the disks read to the disks written: what it counted itself, compared with what "
        "the rows, their replicas and the compression ratio require."
    )
    return doc.Table(columns, tuple(rows)), about, tuple(explanations)


def _explained(name: str, part: ByteExplanation) -> str:
    return f"{name}: {signed_bytes(part.bytes)} {part.reason} ({SURE[part.sure]})."


DFSIO_ABOUT = "By TestDFSIO's own definitions; a MB is 2²⁰ bytes there."
THROUGHPUT_ABOUT = (
    "Of single tasks and files, each over its own time; a task's bytes are the larger of its input and its "
    "output."
)
LIMITS_ABOUT = "Plain copies measured in the same run, no record touched: the most that this hardware can do."
BOUNDS = {"disk": "reading and writing", "others": "other processes"}  # Readers' words for what limits a run.
MISSING = ("unfinished", "never-began", "missing")  # Findings about what is missing, right below the answer.
TABLED = ("byte-accounting", "dfsio")  # Notes with all their numbers in a table of their own.


def run_report(run: RunData, analysis: Analysis, *, drawn: bool = True) -> doc.Document:
    """The report of a run; without drawings it is for a terminal."""
    record, evidence = run.record, analysis.evidence
    figures: Figures | None = None
    if drawn:
        # A terminal does without what draws figures.
        from howdah.report.figures import draw  # noqa: PLC0415
        from howdah.report.figures.timeaxis import FigureSource  # noqa: PLC0415

        figures = draw(FigureSource(run, evidence))
    (answer,) = (finding.text for finding in analysis.findings if finding.severity == "answer")
    first, *more = [sentence(text) for text in answer.split("; ")]
    missing = tuple(sentence(finding.text) for finding in analysis.findings if finding.id in MISSING)
    where = _where(record)
    computed = ", simulated" if record.origin is Origin.SIMULATED else ""
    return doc.Document.of(
        "report",
        f"{record.suite.name} on {where}{computed}",
        (record.suite.name, f"{record.engine} engine", where, moment(record.created), record.origin.value),
        first,
        doc.Paragraph(" ".join(more), "lead"),
        doc.Bullets(missing, "missing"),
        _stats(evidence),
        figures.answer if figures else None,
        sections=tuple(_sections(record, analysis, figures)),
        save_name=record.id,
    )


def _sections(record: RunRecord, analysis: Analysis, figures: Figures | None) -> Iterator[doc.Section]:
    evidence = analysis.evidence
    tabled = {test.workload for test in evidence.dfsio}
    metric_rows = tuple(
        (time.workload, metric.name, metric.in_words(), metric.better, metric.over or "")
        for time in evidence.workloads
        if time.workload not in tabled
        for metric in time.result.metrics
        # Of what is neither better nor worse the answer tells.
        if metric.better is not None
    )
    metric_columns = ("workload", "metric", "value", "better", "over")
    metrics = doc.Table(metric_columns, metric_rows, label="Reported by the programs")
    yield doc.Section("dfsio", "", "TestDFSIO's figures", doc.present(_dfsio(evidence)), DFSIO_ABOUT)
    yield doc.Section("reported", "", "Reported by the programs", doc.present(metrics))
    yield doc.Section.of("Findings", *_findings(analysis))
    spark = spark_tables(evidence)
    yield doc.Section.of("Spark", *spark, title="Stages and executors", about=SPARK_ABOUT, forms=doc.PAGES)
    if figures:
        about = "Every chart has the same time axis; the bands are the phases."
        about = " ".join((about, *figures.not_shown))
        yield doc.Section.of("Over time", *figures.over_time, about=about, anchor="time")
        tables = (
            *region_server_tables(evidence),
            *simulated_tables(record, evidence),
            *cluster_tables(record, evidence),
        )
        yield doc.Section.of("Cluster", *figures.places, *tables, title="The cluster", forms=doc.PAGES)
        yield doc.Section.of("Throughput", *figures.throughput, about=THROUGHPUT_ABOUT)
    account, about, explained = _accounts(evidence)
    blocks = doc.present(*(figures.flows if figures else ()), account._replace(label="Byte accounting"))
    explanations = doc.present(doc.Bullets(explained, "remark"))
    if blocks:
        blocks = (*blocks, doc.Only(doc.PAGES, explanations))
    yield doc.Section.of("Bytes", *blocks, title="Where the bytes went", about=about)
    limits = _limits(record)
    yield doc.Section.of("Limits", limits, title="Raw limits", about=LIMITS_ABOUT, forms=doc.PAGES)
    settings = record.plan.settings
    plan = table_of(
        settings,
        "setting {key} | value {value} | reason {reason} | source {source}",
        label="Plan values with reason and source",
        style="plan",
        fold=True,
        value=lambda entry: setting(entry.key, entry.value),
        source=lambda entry: source_text(entry.source),
    )
    yield doc.Section.of(
        "Provenance",
        *provenance(record),
        *grounds(record),
        doc.Heading("Plan") if plan.rows else None,
        plan,
        doc.Paragraph(cited(entry.source for entry in settings) if plan.rows else "", "note"),
        forms=doc.PAGES,
    )


def _findings(analysis: Analysis) -> Iterator[doc.Block]:
    """Warnings, then the notes by workload in the order these ran, those on the whole run at the end."""
    # The numbers of a cluster's account are so many that only a table shows them.
    tabled = TABLED if analysis.evidence.flows else ()
    findings = [finding for finding in analysis.findings if finding.id not in (*MISSING, "simulated")]
    warnings = tuple(
        _worded(finding)._replace(numbers=()) if finding.id in tabled else _worded(finding)
        for finding in findings
        if finding.severity == "warning"
    )
    if warnings:
        yield doc.Warnings(warnings)
    notes = [finding for finding in findings if finding.severity == "note" and finding.id not in TABLED]
    names = [workload.workload for workload in analysis.evidence.workloads]
    for name in names:
        yield from _notes(name, [note for note in notes if note.workload == name])
    yield from _notes("the run", [note for note in notes if note.workload not in names])


def _notes(title: str, findings: list[Finding]) -> Iterator[doc.Notes]:
    if findings:
        yield doc.Notes(title, tuple(map(_worded, findings)))


def _where(record: RunRecord) -> str:
    planned = record.plan.cluster
    if record.origin is not Origin.SIMULATED or planned is None:
        if record.laboratory is not None:
            return f"lab {record.laboratory.name}"
        if record.cluster is not None:
            return record.cluster.default_fs
    return record.host.name if planned is None else f"cluster {planned.inventory.cluster}"


def _stats(evidence: Evidence) -> doc.Table:
    """A row of figures for each workload, without empty columns, and without outcomes if all succeeded."""
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
                _rate(workload),
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
    label = "Elapsed time, rate and distance from the limit of each workload"
    return doc.Table(columns, tuple(rows), label=label, style="stats").only(kept)


def _rate(time: WorkloadTime) -> str:
    """Bytes in a second, or operations where those are what it did."""
    if time.rate is not None:
        return format_rate(time.rate.bytes_per_s)
    counted = time.result.primary if time.result.operations else None
    return counted.in_words() if counted is not None else NONE


def _dfsio(evidence: Evidence) -> doc.Table:
    return table_of(
        evidence.dfsio,
        "workload {workload} | files {files} | total MB {total_mb:.2f} | "
        "throughput MB/s {throughput_mb_per_s:.2f} | average MB/s {average_mb_per_s:.2f} | "
        "deviation MB/s {deviation_mb_per_s:.2f} | exec s {exec_s:.2f}",
        label="TestDFSIO's figures",
    )


def _worded(finding: Finding) -> doc.FindingText:
    place = " · ".join(part for part in (finding.workload, finding.phase) if part)
    numbers = tuple((quantity.name, in_unit(quantity.value, quantity.unit)) for quantity in finding.numbers)
    computed = finding.origin is Origin.SIMULATED and finding.sure == "measured"
    certainty = SIMULATED if computed else SURE[finding.sure]
    return doc.FindingText(sentence(finding.text), place, certainty, numbers)


def _limits(record: RunRecord) -> doc.Table:
    """What was measured of every device, then of all of them and of the memory."""
    limits = record.limits
    devices = [device for result in record.workloads for device in result.raw_limits]
    table = table_of(
        [*devices, *(limits.devices if limits else ())],
        "where {data_dir} | device {device} | read {read_bytes_per_s:B/s} | "
        "write {write_bytes_per_s:B/s} | copy {copy_bytes_per_s:B/s} | measured by {tool}",
        label="Raw limits",
    )
    if limits is None:
        return table
    together = (limits.read_bytes_per_s, limits.write_bytes_per_s, limits.copy_bytes_per_s)
    every = ("all data directories", "", *map(format_rate, together), "")
    memory = ("memory", "", "", "", format_rate(limits.memory_copy_bytes_per_s), "")
    return table._replace(rows=(*table.rows, every, memory))
