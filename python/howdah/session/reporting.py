"""What is made of a stored run: its analysis, its report, and samples that are added to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence import Analysis
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.phases import workload_times as _workload_times
from howdah.calibrate.case import phase_times
from howdah.calibrate.scoring import other_plan, other_work
from howdah.errors import RecordError, UserError
from howdah.extras import check_extras
from howdah.hadoop.config_files import foreign_file
from howdah.model.placement import placed_hosts
from howdah.model.prediction import KnownTimes
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, ListedRecord, RunData
from howdah.model.workloads.terasort import TeraRows
from howdah.report.document import Document
from howdah.report.renderer import Renderer
from howdah.report.run import run_report
from howdah.report.write import write_document
from howdah.services.web import Web
from howdah.store.archive import attach_samples, export_run, import_run
from howdah.store.reader import RunSummary, find_run, list_runs, read_record, read_run
from howdah.telemetry.importers.prometheus import parse_query, read_prometheus
from howdah.telemetry.importers.recordings import is_esxtop, is_sadf, read_esxtop, read_sadf
from howdah.telemetry.importers.stretch import Imported, Machines, Window, onto_run, span, window_of

_MOST_RUNS = 3  # Of many measured runs the newest are shown.
_HEAD = 4096


def find_floor(record: RunRecord, runs_dir: Path) -> RunData | None:
    """The newest run next to this one that sorted as many rows on this machine without a cluster, if any."""
    rows, cluster = _sorted_rows(record), record.cluster
    if cluster is None or not rows:
        return None
    # The machine that a run was started on must be the one that did its work.
    machines = {name.partition(".")[0].lower() for name in cluster.nodemanagers}
    if cluster.lab is None and not machines <= {"localhost", record.host.name.partition(".")[0].lower()}:
        return None
    for summary in reversed(list_runs(runs_dir, ListedRecord)):
        candidate = summary.record
        if (
            candidate is not None
            and _is_measured(candidate)
            and candidate.cluster is None
            and candidate.host.name == record.host.name
            and _sorted_rows(candidate) == rows
        ):
            with suppress(RecordError):
                return read_run(summary.path)
    return None


def _is_measured(record: RunRecord) -> bool:
    return record.origin is Origin.MEASURED and record.outcome is Outcome.SUCCEEDED


def _sorted_rows(record: RunRecord) -> set[tuple[str, int]]:
    """The workloads over rows as a run without a cluster has them, with how many."""
    workloads = [result.workload for result in record.workloads]
    sorts = [workload for workload in workloads if isinstance(workload, TeraRows)]
    return {(workload.floor or workload.kind, workload.rows) for workload in sorts if workload.rows}


def known_times(record: RunRecord, runs_dir: Path) -> tuple[KnownTimes, ...]:
    """Published figures of the same work, then the newest measured runs of it; nothing of a measured run."""
    if record.origin is not Origin.SIMULATED:
        return ()
    # What a report of measured times does without.
    from howdah.simulation.published_runs import published_times  # noqa: PLC0415

    candidates = (summary.record for summary in reversed(list_runs(runs_dir)))
    same = (run for run in candidates if run is not None and _is_measured(run) and _same(record, run))
    times = ((run.id, _times(run)) for run in islice(same, _MOST_RUNS))
    measured = (KnownTimes(origin="measured", source=run_id, times=elapsed_s) for run_id, elapsed_s in times)
    return (*published_times(record), *measured)


def _same(record: RunRecord, candidate: RunRecord) -> bool:
    # A plan of one machine names no machine.
    if record.plan.cluster is None and candidate.host.name != record.host.name:
        return False
    return not (other_work(record.suite, candidate.suite) or other_plan(record.plan, candidate.plan))


def _times(record: RunRecord) -> dict[str, float]:
    times: dict[str, float] = {}
    for result in record.workloads:
        kind = result.workload.kind
        times[kind] = result.elapsed_s
        times |= {f"{kind}/{phase}": elapsed_s for phase, elapsed_s in phase_times(result).items()}
    return {name: elapsed_s for name, elapsed_s in times.items() if elapsed_s > 0}


class Spent(NamedTuple):
    """Seconds by the clock on the wall."""

    engine_s: float
    recording_s: float
    reporting_s: float


class FinishedRun(NamedTuple):
    """A run with its analysis and its files."""

    data: RunData
    analysis: Analysis
    path: Path
    report: Path | None
    spent: Spent | None = None


def report_run(path: Path, renderer: Renderer | None = None) -> FinishedRun:
    """Analyse a stored run and write its report beside it; ``renderer`` is one that was called before."""
    with renderer or Renderer() as drawing:
        data, analysis = analyse_run(path)
        return FinishedRun(data, analysis, path, write_document(run_report(data, analysis), path, drawing))


def analyse_run(path: Path, runs_dir: Path | None = None) -> tuple[RunData, Analysis]:
    """Read and analyse a stored run; ``runs_dir`` has runs to compare it with, if they are not next to it."""
    data = read_run(path)
    runs_dir = runs_dir or path.parent
    floor, times = find_floor(data.record, runs_dir), known_times(data.record, runs_dir)
    return data, analyse(data, floor, times)


def stored_runs(runs_dir: Path) -> list[RunSummary]:
    """Every run in a directory, the oldest first, unreadable ones with the reason."""
    return list_runs(runs_dir)


def show(runs_dir: Path, name: str) -> FinishedRun:
    """The run of this name with its analysis, and its report if one was written."""
    path = find_run(runs_dir, name)
    page = path / "report.html"
    return FinishedRun(*analyse_run(path), path, page if page.exists() else None)


def report_again(runs_dir: Path, name: str) -> Path | None:
    """Write the report of a stored run again; return its path."""
    return report_run(find_run(runs_dir, name)).report


def export(runs_dir: Path, name: str, file: Path | None) -> Path:
    """Pack a run into one file, by default named after it; return its path."""
    path = find_run(runs_dir, name)
    target = file or Path(f"{path.name}.howdah")
    export_run(path, target)
    return target


def import_exported(file: Path, runs_dir: Path) -> Path | None:
    """Unpack an exported run and write its report; return the report's path."""
    return report_run(import_run(file, runs_dir)).report


def workload_times(record: RunRecord) -> tuple[WorkloadTime, ...]:
    """When the workloads of a record ran and how fast they were, while its run may still go."""
    tables = TASKS_SCHEMA.empty_table(), SAMPLES_SCHEMA.empty_table()
    return _workload_times(RunData(record, *tables))


def write_page(document: Document, out_dir: Path) -> Path:
    """Write a page into a directory and return its path; raises UserError if it cannot be written."""
    try:
        return write_document(document, out_dir)
    except OSError as error:
        hint = "give a writable directory on a disk with free space"
        raise UserError(str(out_dir), f"the page cannot be written: {error.strerror}", hint) from error


class Attached(NamedTuple):
    """What was added to a run: metrics by machine, those it had already, and what there is no metric for."""

    new: Mapping[str, int]
    kept: Mapping[str, int]
    left_out: tuple[str, ...]
    report: Path | None


def attach(
    runs_dir: Path,
    name: str,
    *,
    files: Sequence[Path],
    prometheus: str | None,
    queries: Sequence[str],
    host: str | None,
) -> Attached:
    """Add samples of sysstat, esxtop and Prometheus, if all are readable and of this run; report again."""
    path = find_run(runs_dir, name)
    if not files and prometheus is None:
        raise UserError("FILE", "is missing", "give files of `sadf -j` or `esxtop -b`, or --prometheus URL")
    if queries and prometheus is None:
        raise UserError("--query", "has no effect without a server", "add --prometheus URL")
    check_extras("howdah runs attach", "charts")
    record = read_record(path)
    machines = Machines(tuple(dict.fromkeys(_machines(record))), host)
    window = window_of(record)
    sources = [(str(file), _read(file, machines)) for file in files]
    if prometheus is not None:
        metrics = [parse_query(query) for query in queries]
        with Web() as web:
            sources.append((prometheus, read_prometheus(prometheus, metrics, web, machines, window)))
    for source, imported in sources:
        _check_time(source, imported, window)
    stretches = [stretch for _, imported in sources for stretch in imported.stretches]
    names = ", ".join(source for source, _ in sources)
    added = attach_samples(path, onto_run(stretches, window), f"samples were attached from {names}")
    new, kept = (Counter(machine for machine, _ in pairs) for pairs in (added.new, added.kept))
    left_out = sorted({metric for _, imported in sources for metric in imported.unmapped})
    return Attached(new, kept, tuple(left_out), report_run(path).report)


def _machines(record: RunRecord) -> Iterator[str]:
    yield record.host.name
    if record.plan.cluster is not None:
        for host in placed_hosts(record.plan.cluster):
            yield host.name
            yield from (worker.name for worker in host.workers)
            yield from (master.address for master in host.masters)
    if record.cluster is not None:
        # A cluster that was found running may have no plan that says where its workers are.
        yield from (*record.cluster.datanodes, *record.cluster.nodemanagers)


def _read(path: Path, machines: Machines) -> Imported:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(str(path), f"cannot be read: {error.strerror}", "give a file that exists") from error
    except UnicodeDecodeError as error:
        hint = "convert sysstat's own files with `sadf -j FILE -- -A`"
        raise UserError(str(path), "is not text", hint) from error
    head = text[:_HEAD]
    if is_sadf(head):
        return read_sadf(text, str(path), machines)
    if is_esxtop(head):
        return read_esxtop(text, str(path), machines)
    if foreign := foreign_file(head):
        raise UserError(str(path), f"is {foreign.what}, not telemetry", foreign.hint)
    raise UserError(str(path), "is not output of `sadf -j` or `esxtop -b`", "give one of these")


def _check_time(name: str, imported: Imported, window: Window) -> None:
    if not imported.stretches:
        hint = "sadf: add `-- -A`; esxtop: -a"
        raise UserError(name, "contains no value that howdah has a metric for", hint)
    start_s = min(stretch.start_s for stretch in imported.stretches)
    end_s = max(stretch.end_s for stretch in imported.stretches)
    if end_s <= window.start_s or start_s >= window.end_s:
        problem = f"covers {span(start_s, end_s)}, the run lasted from {span(window.start_s, window.end_s)}"
        raise UserError(name, problem, "give files measured during the run, and check both clocks")
