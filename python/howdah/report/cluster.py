"""Sections of a run's report on its cluster: costs, causes, losses, RegionServers, the slowest requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import WorkerLoss
from howdah.analysis.evidence.operations import RegionServerUse, TailCause
from howdah.analysis.evidence.times import FloorDistance, Sign, Straggler
from howdah.analysis.tails import WORDS
from howdah.analysis.wording import delay, listed, named, percent, seconds, times
from howdah.model.cluster import Scaling
from howdah.model.finding import Number
from howdah.model.run import RunRecord
from howdah.report.document import Table
from howdah.report.words import NONE, number
from howdah.units import format_bits_per_s, format_bytes

HOTTEST = 10
"""Regions that are told of each workload."""


def region_server_tables(evidence: Evidence) -> tuple[Table, ...]:
    """What the slowest requests coincided with, and what each RegionServer did."""
    tables = (_tails(evidence), _answered(evidence), _wrote(evidence), _regions(evidence))
    return tuple(table for table in tables if table.rows)


def _tails(evidence: Evidence) -> Table:
    rows = tuple(
        (
            tail.workload,
            delay(tail.within_s),
            WORDS[cause.kind],
            percent(cause.caught),
            percent(cause.held),
            delay(cause.without_s) if cause.without_s is not None else NONE,
            f"{cause.measure} {_value(cause)}",
            cause.machine,
        )
        for tail in evidence.tails
        for cause in (*tail.causes, *tail.steady)
    )
    columns = (
        "workload", "99 % within", "coincided with", "of slower requests", "of all requests",
        "99 % within without", "most of it", "on",
    )  # fmt: skip
    about = (
        "A cause counts where at least twice as many of the slower requests met it as of all; a request "
        "counts for the first that does. What held nearly all the time is told without comparison."
    )
    return Table(columns, rows, "What the slowest requests coincided with", about)


def _value(cause: TailCause) -> str:
    return {"s": delay(cause.most), "share": percent(cause.most)}.get(cause.unit, f"{cause.most:.3g}")


def _answered(evidence: Evidence) -> Table:
    rows = tuple(
        (
            use.workload,
            use.machine,
            f"{use.requests / use.seconds:,.0f}",
            f"{use.gets:,.0f}",
            f"{use.mutations:,.0f}",
            f"{use.scans:,.0f}",
            f"{use.regions:.0f}",
            percent(use.hit_share) if use.hit_share is not None else NONE,
            percent(use.local_share) if use.local_share is not None else NONE,
            f"{use.cpu_s / use.seconds:.2f}",
            percent(use.gc_share),
            delay(use.longest_pause_s) if use.longest_pause_s is not None else NONE,
        )
        for use in evidence.region_servers
    )
    columns = (
        "workload", "on", "requests/s", "gets", "mutations", "scans", "regions", "cache hits", "local files",
        "cores", "collecting", "longest pause",
    )  # fmt: skip
    return Table(columns, rows, "What RegionServers answered")


def _wrote(evidence: Evidence) -> Table:
    rows = tuple(
        (
            use.workload,
            use.machine,
            f"{use.wal_appends:,.0f}",
            format_bytes(use.wal_bytes),
            delay(use.sync_s) if use.sync_s else _short(use),
            format_bytes(use.memstore_bytes),
            f"{use.flushes:,.0f}",
            format_bytes(use.flushed_bytes),
            f"{use.compactions:,.0f}",
            format_bytes(use.compacted_bytes),
            f"{use.compaction_queue:.0f}",
            seconds(use.blocked_s) if use.blocked_s else "0 s",
        )
        for use in evidence.region_servers
        if use.wal_appends or use.flushes or use.compactions
    )
    columns = (
        "workload", "on", "WAL entries", "WAL", "mean sync", "memstores", "flushes", "flushed",
        "compactions", "compacted", "queue", "held up",
    )  # fmt: skip
    about = "Memstores and the queue of compactions are the largest samples; full memstores delay writes."
    return Table(columns, rows, "What RegionServers wrote", about)


def _regions(evidence: Evidence) -> Table:
    rows = []
    for workload in dict.fromkeys(use.workload for use in evidence.regions):
        mine = [use for use in evidence.regions if use.workload == workload]
        every = sum(use.rows for use in mine)
        rows += [
            (workload, use.region, use.machine, f"{use.rows:,.0f}", percent(use.rows / every))
            for use in mine[:HOTTEST]
        ]
    about = f"At most the {HOTTEST} hottest; a region that was split or moved is counted again."
    return Table(("workload", "region", "on", "rows", "of all"), tuple(rows), "Regions", about)


def _short(use: RegionServerUse) -> str:
    """A mean of no whole millisecond."""
    return "< 1 ms" if use.sync_s is not None else NONE


def cluster_tables(record: RunRecord, evidence: Evidence) -> tuple[Table, ...]:
    """What befell the cluster and what Hadoop took, each where there is anything to say."""
    tables = (
        _stragglers(evidence),
        _losses(evidence),
        _master_losses(evidence),
        _events(record),
        floors_table(evidence.floors),
        _overheads(evidence),
        _masters(evidence),
    )
    return tuple(section for section in tables if section.rows)


def grounds(record: RunRecord) -> tuple[Table, ...]:
    """What the numbers rest on beside the plan: the laboratory, and the jobs' properties."""
    tables = (*_laboratory(record), _properties(record))
    return tuple(section for section in tables if section.rows)


def _stragglers(evidence: Evidence) -> Table:
    rows = tuple(
        (
            straggler.worker,
            straggler.host,
            straggler.workload,
            "the worker" if straggler.task is None else f"{straggler.kind} {straggler.task}",
            times(straggler.slowdown),
            straggler.cause,
            percent(straggler.confidence),
            _sign(straggler),
        )
        for straggler in evidence.stragglers
    )
    columns = (
        "worker",
        "host",
        "job",
        "what was slow",
        "slowdown",
        "most likely cause",
        "sure",
        "evidence",
    )
    about = "A slowdown is the time per byte over the median of the peers."
    return Table(columns, rows, "What slowed other tasks down", about)


def _sign(straggler: Straggler) -> str:
    """The strongest sign, which speaks for the cause."""
    return _sign_text(straggler.signs[0]) if straggler.signs else NONE


def _sign_text(sign: Sign) -> str:
    value, reference = (
        number(Number(name=sign.quantity, value=float(f"{amount:.3g}"), unit=sign.unit))
        for amount in (sign.value, sign.reference)
    )
    base = "peers" if sign.against == "peers" else "planned"
    return f"{sign.quantity}: {value}, {base} {reference}"


def _losses(evidence: Evidence) -> Table:
    rows = tuple(_loss(evidence, loss) for loss in evidence.losses)
    columns = (
        "worker", "host", "lost", "during", "at", "noticed", "given up", "back", "attempts lost", "work lost",
        "waited", "done again", "end held up",
    )  # fmt: skip
    about = (
        "Times are since the job's start. It was lost at its last sign of life; the work lost is the time of "
        "the attempts that ended with it until then; it was not repeated during the time waited."
    )
    return Table(columns, rows, "Workers lost", about)


def _loss(evidence: Evidence, loss: WorkerLoss) -> tuple[str, ...]:
    began_s = evidence.time_of(loss.workload).start_s
    return (
        loss.worker,
        loss.host,
        listed(loss.daemons),
        named(loss.workload, loss.phase),
        _since(loss.lost_s, began_s),
        _since(loss.noticed_s, began_s),
        _since(loss.given_up_s, began_s),
        _since(loss.back_s, began_s),
        f"{len(loss.ended):,}",
        seconds(loss.wasted_s),
        seconds(loss.waited_s) if loss.waits else NONE,
        seconds(loss.rerun_s),
        seconds(loss.delay_s),
    )


def _master_losses(evidence: Evidence) -> Table:
    rows = tuple(
        (
            loss.daemon,
            loss.machine if loss.lost_s is not None else NONE,
            "standby" if loss.standby else "active",
            named(loss.workload, loss.phase),
            _since(loss.lost_s, evidence.time_of(loss.workload).start_s),
            loss.successor or NONE,
            _since(loss.active_s, evidence.time_of(loss.workload).start_s),
            _since(loss.back_s, evidence.time_of(loss.workload).start_s),
            seconds(loss.unserved_s) if loss.unserved_s is not None else NONE,
            f"{len(loss.failed):,} of {loss.under_way:,}",
        )
        for loss in evidence.master_losses
    )
    columns = (
        "master", "lost on", "was", "during", "at", "taken over on", "active at", "back", "without one",
        "attempts failed",
    )  # fmt: skip
    about = "Times are since the job's start; attempts are those under way when it was lost."
    return Table(columns, rows, "Masters lost, and those that took over", about)


def _since(moment: float | None, began_s: float) -> str:
    """A moment by its distance from a job's start."""
    if moment is None:
        return NONE
    return seconds(moment - began_s) if moment >= began_s else f"{seconds(began_s - moment)} before"


def _events(record: RunRecord) -> Table:
    rows = tuple((seconds(event.time_s), event.worker, event.text) for event in record.events)
    about = "Times are since the start of the run."
    return Table(("at", "where", "what"), rows, "What happened to the cluster", about)


def floors_table(floors: Iterable[FloorDistance]) -> Table:
    """Programs next to the same work without Hadoop."""
    rows = tuple(
        (
            floor.workload,
            seconds(floor.elapsed_s),
            seconds(floor.floor_s),
            times(floor.ratio),
            floor.floor_run,
            "; ".join(floor.differs) or "nothing",
        )
        for floor in floors
    )
    columns = ("workload", "took", "floor", "× floor", "run of the floor", "what else differs")
    about = "The floor is the same work on the same hardware without Hadoop."
    return Table(columns, rows, "Distance from the floor", about)


def _overheads(evidence: Evidence) -> Table:
    rows = tuple(
        (
            overhead.workload,
            seconds(overhead.before_s),
            seconds(overhead.after_s),
            f"{overhead.tasks:,}",
            f"{overhead.slots:,}",
            f"{overhead.waves:.1f}",
            seconds(overhead.turnaround_s) if overhead.turnaround_s is not None else NONE,
            seconds(overhead.least_task_s),
            percent(overhead.cpu_share) if overhead.cpu_share is not None else NONE,
            percent(overhead.gc_share) if overhead.gc_share is not None else NONE,
        )
        for overhead in evidence.overheads
    )
    columns = (
        "job", "before first task", "after last task", "tasks", "slots", "waves", "between tasks",
        "shortest task", "computing", "collecting garbage",
    )  # fmt: skip
    about = (
        "Tasks, slots and waves are those of the most frequent kind; the last two are shares of the "
        "time of all tasks."
    )
    return Table(columns, rows, "What Hadoop itself needed", about)


def _masters(evidence: Evidence) -> Table:
    rows = tuple(
        (
            load.workload,
            load.daemon,
            load.machine,
            percent(load.busy),
            f"{load.calls_per_s:,.0f}" if load.calls_per_s is not None else NONE,
        )
        for load in evidence.masters
    )
    about = "By the CPU time of their processes; a master may use more than one core."
    return Table(
        ("workload", "master", "on", "of one core", "calls/s"), rows, "How busy the masters were", about
    )


def _laboratory(record: RunRecord) -> Iterator[Table]:
    lab = record.laboratory
    if lab is None:
        return
    isolated = tuple(
        (isolation.what, "kept" if isolation.kept else "lost", isolation.how) for isolation in lab.isolation
    )
    about = "Where something is missing, the numbers say nothing about it."
    yield Table(
        ("what", "as planned", "how, or what is missing"), isolated, "How the lab follows the plan", about
    )
    scaled = tuple(
        (scaling.what, _quantity(scaling, scaling.planned), _quantity(scaling, scaling.lab))
        for scaling in lab.scaling
    )
    yield Table(("what", "planned", "in the lab"), scaled, "Smaller than planned")
    changed = tuple(
        (deviation.key, deviation.planned or NONE, deviation.used, deviation.why)
        for deviation in lab.deviations
    )
    columns = ("property", "as rendered", "as used", "why")
    yield Table(columns, changed, "Properties that are not as rendered")


def _quantity(scaling: Scaling, value: float) -> str:
    match scaling.unit:
        case "bit/s":
            return format_bits_per_s(value)
        case "B":
            return format_bytes(value)
        case unit:
            return number(Number(name=scaling.what, value=value, unit=unit or "1"))


def _properties(record: RunRecord) -> Table:
    """Every property that the record keeps of the jobs, a column for each job."""
    jobs = [(result.workload.kind, result.job) for result in record.workloads if result.job]
    keys = sorted({key for _, job in jobs for key in job.conf})
    rows = tuple((key, *(job.conf.get(key, NONE) for _, job in jobs)) for key in keys)
    columns = ("property", *(name for name, _ in jobs))
    return Table(columns, rows, "Properties of the jobs as they ran")
