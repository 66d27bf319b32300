"""What others measured while a run went, added to its record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.hadoop.config_files import foreign_file
from howdah.model.placement import placed_hosts
from howdah.model.run import RunRecord
from howdah.services.web import Web
from howdah.session.run.reporting import report_run
from howdah.store.archive import attach_samples
from howdah.store.reader import read_record
from howdah.telemetry.importers.prometheus import parse_query, read_prometheus
from howdah.telemetry.importers.recordings import is_esxtop, is_sadf, read_esxtop, read_sadf
from howdah.telemetry.importers.stretch import Imported, Machines, Window, onto_run, span, window_of

_HEAD = 4096


class Attached(NamedTuple):
    """What was added to a run: metrics by machine, those it had already, and what there is no metric for."""

    new: Mapping[str, int]
    kept: Mapping[str, int]
    left_out: tuple[str, ...]
    report: Path | None


class _Source(NamedTuple):
    """A file or a server by its name, and what was read from it."""

    name: str
    imported: Imported


def attach(
    path: Path, *, files: Sequence[Path], prometheus: str | None, queries: Sequence[str], host: str | None
) -> Attached:
    """Read files of sysstat and esxtop and a Prometheus server, add what they say, and report anew.

    Nothing is written unless all of them can be read. Raises UserError for what is none of these, is
    of another machine or of another time.
    """
    if not files and prometheus is None:
        raise UserError("FILE", "is missing", "give files of `sadf -j` or `esxtop -b`, or --prometheus URL")
    if queries and prometheus is None:
        raise UserError("--query", "has no effect without a server", "add --prometheus URL")
    check_extras("howdah runs attach", "charts")
    record = read_record(path)
    machines = Machines(tuple(dict.fromkeys(_machines(record))), host)
    window = window_of(record)
    sources = [_Source(str(file), _read(file, machines)) for file in files]
    if prometheus is not None:
        metrics = [parse_query(query) for query in queries]
        with Web() as web:
            read = read_prometheus(prometheus, metrics, web, machines, window)
        sources.append(_Source(prometheus, read))
    for source in sources:
        _check_time(source, window)
    stretches = [stretch for source in sources for stretch in source.imported.stretches]
    names = ", ".join(source.name for source in sources)
    added = attach_samples(path, onto_run(stretches, window), f"samples were attached from {names}")
    return Attached(
        _by_machine(added.new),
        _by_machine(added.kept),
        tuple(sorted({name for source in sources for name in source.imported.unmapped})),
        report_run(path).report,
    )


def _machines(record: RunRecord) -> Iterator[str]:
    """Every machine that a run's samples may be of."""
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


def _check_time(source: _Source, window: Window) -> None:
    """Refuse a source that says nothing of the time of the run."""
    stretches = source.imported.stretches
    if not stretches:
        raise UserError(
            source.name, "contains no value that howdah has a metric for", "sadf: add `-- -A`; esxtop: -a"
        )
    start_s, end_s = (
        min(stretch.start_s for stretch in stretches),
        max(stretch.end_s for stretch in stretches),
    )
    if end_s <= window.start_s or start_s >= window.end_s:
        raise UserError(
            source.name,
            f"covers {span(start_s, end_s)}, the run lasted from {span(window.start_s, window.end_s)}",
            "give files measured during the run, and check both clocks",
        )


def _by_machine(keys: Iterable[tuple[str, str]]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for machine, _ in keys:
        counts[machine] = counts.get(machine, 0) + 1
    return counts
