"""What a report says of a run on a cluster in tables of its own: costs, causes, losses, and its grounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.analysis.evidence import Evidence, Sign, Straggler, WorkerLoss
from howdah.analysis.wording import listed, named, percent, seconds, times
from howdah.model.cluster import Scaling
from howdah.model.finding import Number
from howdah.model.run import RunRecord
from howdah.report.figure import Table
from howdah.report.words import NONE, number
from howdah.units import format_bits_per_s, format_bytes


class Titled(NamedTuple):
    """A table with what it shows and, where that is not plain, a sentence on it."""

    title: str
    about: str
    table: Table


def cluster_tables(record: RunRecord, evidence: Evidence) -> tuple[Titled, ...]:
    """What befell the cluster and what Hadoop took, each where there is anything to say."""
    tables = (
        _stragglers(evidence),
        _losses(evidence),
        _master_losses(evidence),
        _events(record),
        _floors(evidence),
        _overheads(evidence),
        _masters(evidence),
    )
    return tuple(one for one in tables if one.table.rows)


def grounds(record: RunRecord) -> tuple[Titled, ...]:
    """What the numbers rest on beside the plan: the laboratory, and the jobs' properties."""
    tables = (*_laboratory(record), _properties(record))
    return tuple(one for one in tables if one.table.rows)


def _stragglers(evidence: Evidence) -> Titled:
    rows = tuple(
        (
            one.worker,
            one.host,
            one.workload,
            "the worker" if one.task is None else f"{one.kind} {one.task}",
            times(one.slowdown),
            one.cause,
            percent(one.confidence),
            _sign(one),
        )
        for one in evidence.stragglers
    )
    columns = (
        "worker",
        "host",
        "job",
        "what was slow",
        "slowdown",
        "most likely cause",
        "sure",
        "sign of it",
    )
    about = "A slowdown is the time per byte over the median of the peers."
    return Titled("What held others up", about, Table(columns, rows))


def _sign(one: Straggler) -> str:
    """The strongest sign, which speaks for the cause."""
    return _said(one.signs[0]) if one.signs else NONE


def _said(sign: Sign) -> str:
    value, reference = (
        number(Number(name=sign.quantity, value=float(f"{amount:.3g}"), unit=sign.unit))
        for amount in (sign.value, sign.reference)
    )
    whose = "peers" if sign.against == "peers" else "planned"
    return f"{sign.quantity}: {value}, {whose} {reference}"


def _losses(evidence: Evidence) -> Titled:
    rows = tuple(_loss(evidence, one) for one in evidence.losses)
    columns = (
        "worker", "host", "lost", "during", "at", "noticed", "given up", "back", "attempts lost", "work lost",
        "waited", "done again", "end held up",
    )  # fmt: skip
    about = (
        "Times are since the job's start. It was lost at its last sign of life; the work lost is the time of "
        "the attempts that ended with it until then, and for the time waited nobody did it again."
    )
    return Titled("Workers lost", about, Table(columns, rows))


def _loss(evidence: Evidence, one: WorkerLoss) -> tuple[str, ...]:
    began_s = evidence.time_of(one.workload).start_s
    return (
        one.worker,
        one.host,
        listed(one.daemons),
        named(one.workload, one.phase),
        _since(one.lost_s, began_s),
        _since(one.noticed_s, began_s),
        _since(one.given_up_s, began_s),
        _since(one.back_s, began_s),
        f"{len(one.ended):,}",
        seconds(one.wasted_s),
        seconds(one.waited_s) if one.waits else NONE,
        seconds(one.rerun_s),
        seconds(one.delay_s),
    )


def _master_losses(evidence: Evidence) -> Titled:
    rows = tuple(
        (
            one.daemon,
            one.machine if one.lost_s is not None else NONE,
            "standby" if one.standby else "active",
            named(one.workload, one.phase),
            _since(one.lost_s, evidence.time_of(one.workload).start_s),
            one.successor or NONE,
            _since(one.active_s, evidence.time_of(one.workload).start_s),
            _since(one.back_s, evidence.time_of(one.workload).start_s),
            seconds(one.unserved_s) if one.unserved_s is not None else NONE,
            f"{len(one.failed):,} of {one.under_way:,}",
        )
        for one in evidence.master_losses
    )
    columns = (
        "master", "lost on", "was", "during", "at", "taken over on", "active at", "back", "without one",
        "attempts failed",
    )  # fmt: skip
    about = "Times are since the job's start; attempts are those under way when it was lost."
    return Titled("Masters lost, and those that took over", about, Table(columns, rows))


def _since(moment: float | None, began_s: float) -> str:
    """A moment by its distance from a job's start."""
    if moment is None:
        return NONE
    return seconds(moment - began_s) if moment >= began_s else f"{seconds(began_s - moment)} before"


def _events(record: RunRecord) -> Titled:
    rows = tuple((seconds(one.time_s), one.worker, one.text) for one in record.events)
    about = "Times are since the start of the run."
    return Titled("What happened to the cluster", about, Table(("at", "where", "what"), rows))


def _floors(evidence: Evidence) -> Titled:
    rows = tuple(
        (
            one.workload,
            seconds(one.elapsed_s),
            seconds(one.floor_s),
            times(one.ratio),
            one.floor_run,
            "; ".join(one.differs) or "nothing",
        )
        for one in evidence.floors
    )
    columns = ("workload", "took", "floor", "× floor", "run of the floor", "what else differs")
    about = "The floor is the same work on the same hardware with no Hadoop in the way."
    return Titled("Distance from the floor", about, Table(columns, rows))


def _overheads(evidence: Evidence) -> Titled:
    rows = tuple(
        (
            one.workload,
            seconds(one.before_s),
            seconds(one.after_s),
            f"{one.tasks:,}",
            f"{one.slots:,}",
            f"{one.waves:.1f}",
            seconds(one.turnaround_s) if one.turnaround_s is not None else NONE,
            seconds(one.least_task_s),
            percent(one.cpu_share) if one.cpu_share is not None else NONE,
            percent(one.gc_share) if one.gc_share is not None else NONE,
        )
        for one in evidence.overheads
    )
    columns = (
        "job", "before first task", "after last task", "tasks", "slots", "waves", "between tasks",
        "shortest task", "computing", "collecting garbage",
    )  # fmt: skip
    about = (
        "Tasks, slots and waves are those of the kind there are most of; the last two are shares of the "
        "time of all tasks."
    )
    return Titled("What Hadoop took for itself", about, Table(columns, rows))


def _masters(evidence: Evidence) -> Titled:
    rows = tuple(
        (
            one.workload,
            one.daemon,
            one.machine,
            percent(one.busy),
            f"{one.calls_per_s:,.0f}" if one.calls_per_s is not None else NONE,
        )
        for one in evidence.masters
    )
    about = "By the CPU time of their processes; a master may use more than one core."
    return Titled(
        "How busy the masters were",
        about,
        Table(("workload", "master", "on", "of one core", "calls/s"), rows),
    )


def _laboratory(record: RunRecord) -> Iterator[Titled]:
    lab = record.laboratory
    if lab is None:
        return
    isolated = tuple((one.what, "kept" if one.kept else "lost", one.how) for one in lab.isolation)
    about = "Where something is lost, the numbers say nothing about it."
    yield Titled(
        "What the laboratory holds to the plan",
        about,
        Table(("what", "as planned", "how, or what is lost"), isolated),
    )
    scaled = tuple((one.what, _quantity(one, one.planned), _quantity(one, one.lab)) for one in lab.scaling)
    yield Titled("Smaller than planned", "", Table(("what", "planned", "in the laboratory"), scaled))
    changed = tuple((one.key, one.planned or NONE, one.used, one.why) for one in lab.deviations)
    columns = ("property", "as rendered", "as used", "why")
    yield Titled("Properties that are not as rendered", "", Table(columns, changed))


def _quantity(one: Scaling, value: float) -> str:
    match one.unit:
        case "bit/s":
            return format_bits_per_s(value)
        case "B":
            return format_bytes(value)
        case unit:
            return number(Number(name=one.what, value=value, unit=unit or "1"))


def _properties(record: RunRecord) -> Titled:
    """Every property that the record keeps of the jobs, a column for each job."""
    jobs = [(result.workload.kind, result.job) for result in record.workloads if result.job]
    keys = sorted({key for _, job in jobs for key in job.conf})
    rows = tuple((key, *(job.conf.get(key, NONE) for _, job in jobs)) for key in keys)
    columns = ("property", *(name for name, _ in jobs))
    return Titled("Properties of the jobs as they ran", "", Table(columns, rows))
