"""Tables of a run's report on its cluster: losses, causes, costs, RegionServers, and Spark applications."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import MasterLoss, WorkerLoss
from howdah.analysis.evidence.operations import RegionUse
from howdah.analysis.evidence.times import FloorDistance, Straggler
from howdah.analysis.evidence.use import SparkUse
from howdah.analysis.tails import WORDS, measured
from howdah.analysis.wording import delay, listed, named, percent, seconds, times
from howdah.model.cluster import Scaling, SparkRun
from howdah.model.comparison import Number
from howdah.model.run import RunRecord
from howdah.report.document import Table
from howdah.report.words import NONE, nonzero, number, optional
from howdah.units import format_bytes

HOTTEST = 10  # Regions that are listed for each workload.


def region_server_tables(evidence: Evidence) -> Iterator[Table]:
    """What the slowest requests coincided with, and what each RegionServer did."""
    yield Table.of(
        [(tail, cause) for tail in evidence.tails for cause in (*tail.causes, *tail.steady)],
        {
            "workload": lambda pair: pair[0].workload,
            "99 % within": lambda pair: delay(pair[0].within_s),
            "coincided with": lambda pair: WORDS[pair[1].kind],
            "of slower requests": lambda pair: percent(pair[1].caught),
            "of all requests": lambda pair: percent(pair[1].held),
            "99 % within without": lambda pair: optional(pair[1].without_s, delay),
            "most of it": lambda pair: f"{pair[1].measure} {measured(pair[1])}",
            "on": lambda pair: pair[1].machine,
        },
        "What the slowest requests coincided with",
        "A cause counts where at least twice as many of the slower requests met it as of all; a request "
        "counts for the first that does. What lasted nearly all the time is shown without comparison.",
    )
    yield Table.of(
        evidence.region_servers,
        {
            "workload": lambda use: use.workload,
            "on": lambda use: use.machine,
            "requests/s": lambda use: f"{use.requests / use.seconds:,.0f}",
            "gets": lambda use: f"{use.gets:,.0f}",
            "mutations": lambda use: f"{use.mutations:,.0f}",
            "scans": lambda use: f"{use.scans:,.0f}",
            "regions": lambda use: f"{use.regions:.0f}",
            "cache hits": lambda use: optional(use.hit_share, percent),
            "local files": lambda use: optional(use.local_share, percent),
            "cores": lambda use: f"{use.cpu_s / use.seconds:.2f}",
            "collecting": lambda use: percent(use.gc_share),
            "longest pause": lambda use: optional(use.longest_pause_s, delay),
        },
        "What RegionServers answered",
    )
    yield Table.of(
        [use for use in evidence.region_servers if use.wal_appends or use.flushes or use.compactions],
        {
            "workload": lambda use: use.workload,
            "on": lambda use: use.machine,
            "WAL entries": lambda use: f"{use.wal_appends:,.0f}",
            "WAL": lambda use: format_bytes(use.wal_bytes),
            # HBase reports whole milliseconds.
            "mean sync": lambda use: optional(
                use.sync_s, lambda sync_s: delay(sync_s) if sync_s else "< 1 ms"
            ),
            "memstores": lambda use: format_bytes(use.memstore_bytes),
            "flushes": lambda use: f"{use.flushes:,.0f}",
            "flushed": lambda use: format_bytes(use.flushed_bytes),
            "compactions": lambda use: f"{use.compactions:,.0f}",
            "compacted": lambda use: format_bytes(use.compacted_bytes),
            "queue": lambda use: f"{use.compaction_queue:.0f}",
            "held up": lambda use: seconds(use.blocked_s),
        },
        "What RegionServers wrote",
        "Memstores and the queue of compactions are the largest samples; full memstores delay writes.",
    )
    yield _regions(evidence)


def cluster_tables(record: RunRecord, evidence: Evidence) -> Iterator[Table]:
    """What befell the cluster and what Hadoop took."""

    def since(loss: WorkerLoss | MasterLoss, moment_s: float | None) -> str:
        """A moment of a loss as its distance from the job's start."""
        if moment_s is None:
            return NONE
        after_s = moment_s - evidence.time_of(loss.workload).start_s
        return seconds(after_s) if after_s >= 0 else f"{seconds(-after_s)} before"

    yield Table.of(
        evidence.stragglers,
        {
            "worker": lambda straggler: straggler.worker,
            "host": lambda straggler: straggler.host,
            "job": lambda straggler: straggler.workload,
            "what was slow": lambda straggler: (
                "the worker" if straggler.task is None else f"{straggler.kind} {straggler.task}"
            ),
            "slowdown": lambda straggler: times(straggler.slowdown),
            "most likely cause": lambda straggler: straggler.cause,
            "sure": lambda straggler: percent(straggler.confidence),
            "evidence": _strongest_sign,
        },
        "What slowed other tasks down",
        "A slowdown is the time per byte over the median of the peers.",
    )
    yield Table.of(
        evidence.losses,
        {
            "worker": lambda loss: loss.worker,
            "host": lambda loss: loss.host,
            "lost": lambda loss: listed(loss.daemons),
            "during": lambda loss: named(loss.workload, loss.phase),
            "at": lambda loss: since(loss, loss.lost_s),
            "noticed": lambda loss: since(loss, loss.noticed_s),
            "given up": lambda loss: since(loss, loss.given_up_s),
            "back": lambda loss: since(loss, loss.back_s),
            "attempts lost": lambda loss: f"{len(loss.ended):,}",
            "work lost": lambda loss: seconds(loss.wasted_s),
            "waited": lambda loss: seconds(loss.waited_s) if loss.waits else NONE,
            "done again": lambda loss: seconds(loss.rerun_s),
            "end held up": lambda loss: seconds(loss.delay_s),
        },
        "Workers lost",
        "Times are since the job's start. It was lost at its last sign of life; the work lost is the time of "
        "the attempts that ended with it until then; it was not repeated during the time waited.",
    )
    yield Table.of(
        evidence.master_losses,
        {
            "master": lambda loss: loss.daemon,
            "lost on": lambda loss: NONE if loss.lost_s is None else loss.machine,
            "was": lambda loss: "standby" if loss.standby else "active",
            "during": lambda loss: named(loss.workload, loss.phase),
            "at": lambda loss: since(loss, loss.lost_s),
            "taken over on": lambda loss: loss.successor or NONE,
            "active at": lambda loss: since(loss, loss.active_s),
            "back": lambda loss: since(loss, loss.back_s),
            "without one": lambda loss: optional(loss.unserved_s, seconds),
            "attempts failed": lambda loss: f"{len(loss.failed):,} of {loss.under_way:,}",
        },
        "Masters lost, and those that took over",
        "Times are since the job's start; attempts are those under way when it was lost.",
    )
    yield Table.of(
        record.events,
        {
            "at": lambda event: seconds(event.time_s),
            "where": lambda event: event.worker,
            "what": lambda event: event.text,
        },
        "What happened to the cluster",
        "Times are since the start of the run.",
    )
    yield floors_table(evidence.floors)
    yield Table.of(
        evidence.overheads,
        {
            "job": lambda overhead: overhead.workload,
            "before first task": lambda overhead: seconds(overhead.before_s),
            "after last task": lambda overhead: seconds(overhead.after_s),
            "tasks": lambda overhead: f"{overhead.tasks:,}",
            "slots": lambda overhead: f"{overhead.slots:,}",
            "waves": lambda overhead: f"{overhead.waves:.1f}",
            "between tasks": lambda overhead: optional(overhead.turnaround_s, seconds),
            "shortest task": lambda overhead: seconds(overhead.least_task_s),
            "CPU": lambda overhead: optional(overhead.cpu_share, percent),
            "garbage": lambda overhead: optional(overhead.gc_share, percent),
        },
        "Overheads of jobs",
        "Tasks, slots and waves are those of the most frequent kind; the last two are fractions of the time "
        "of all tasks.",
    )
    yield Table.of(
        evidence.masters,
        {
            "workload": lambda load: load.workload,
            "master": lambda load: load.daemon,
            "on": lambda load: load.machine,
            "of one core": lambda load: percent(load.busy),
            "calls/s": lambda load: optional(load.calls_per_s, lambda calls: f"{calls:,.0f}"),
        },
        "How busy the masters were",
        "By the CPU time of their processes; a master may use more than one core.",
    )


def grounds(record: RunRecord) -> Iterator[Table]:
    """What the numbers rest on besides the plan: the lab, and the jobs' properties."""
    if record.laboratory is not None:
        yield Table.of(
            record.laboratory.isolation,
            {
                "what": lambda isolation: isolation.what,
                "as planned": lambda isolation: "kept" if isolation.kept else "lost",
                "how, or what is missing": lambda isolation: isolation.how,
            },
            "How the lab follows the plan",
            "Where something is missing, the numbers say nothing about it.",
        )
        yield Table.of(
            record.laboratory.scaling,
            {
                "what": lambda scaling: scaling.what,
                "planned": lambda scaling: _quantity(scaling, scaling.planned),
                "in the lab": lambda scaling: _quantity(scaling, scaling.lab),
            },
            "Smaller than planned",
        )
        yield Table.of(
            record.laboratory.deviations,
            {
                "property": lambda deviation: deviation.key,
                "as rendered": lambda deviation: deviation.planned or NONE,
                "as used": lambda deviation: deviation.used,
                "why": lambda deviation: deviation.why,
            },
            "Properties that are not as rendered",
        )
    jobs = [(result.workload.kind, result.job) for result in record.workloads if result.job]
    keys = sorted({key for _, job in jobs for key in job.conf})
    rows = tuple((key, *(job.conf.get(key, NONE) for _, job in jobs)) for key in keys)
    yield Table(("property", *(name for name, _ in jobs)), rows, "Properties of the jobs as they ran")


def _regions(evidence: Evidence) -> Table:
    uses: dict[str, list[RegionUse]] = {}
    for use in evidence.regions:
        uses.setdefault(use.workload, []).append(use)
    all_rows = {workload: sum(use.rows for use in some) for workload, some in uses.items()}
    return Table.of(
        [use for some in uses.values() for use in some[:HOTTEST]],
        {
            "workload": lambda use: use.workload,
            "region": lambda use: use.region,
            "on": lambda use: use.machine,
            "rows": lambda use: f"{use.rows:,.0f}",
            "of all": lambda use: percent(use.rows / all_rows[use.workload]),
        },
        "Regions",
        f"At most the {HOTTEST} hottest; a region that was split or moved is counted again.",
    )


def _strongest_sign(straggler: Straggler) -> str:
    if not straggler.signs:
        return NONE
    sign = straggler.signs[0]
    value, reference = (
        number(Number(name=sign.quantity, value=float(f"{amount:.3g}"), unit=sign.unit))
        for amount in (sign.value, sign.reference)
    )
    return f"{sign.quantity}: {value}, {'peers' if sign.against == 'peers' else 'planned'} {reference}"


def floors_table(floors: Iterable[FloorDistance]) -> Table:
    """Programs next to the same work without Hadoop."""
    return Table.of(
        floors,
        {
            "workload": lambda floor: floor.workload,
            "took": lambda floor: seconds(floor.elapsed_s),
            "floor": lambda floor: seconds(floor.floor_s),
            "× floor": lambda floor: times(floor.ratio),
            "run of the floor": lambda floor: floor.floor_run,
            "what else differs": lambda floor: "; ".join(floor.differs) or "nothing",
        },
        "Distance from the floor",
        "The floor is the same work on the same hardware without Hadoop.",
    )


def _quantity(scaling: Scaling, value: float) -> str:
    return number(Number(name=scaling.what, value=value, unit=scaling.unit or "1"))


SPARK_ABOUT = (
    "Sums over tasks that succeeded. CPU, garbage and waits are fractions of tasks' time; an executor is "
    "busy while its cores run tasks."
)


def spark_tables(record: RunRecord, evidence: Evidence) -> Iterator[Table]:
    """The stages and executors of every Spark application; nothing without any."""
    uses = {use.workload: use for use in evidence.spark}
    for time in evidence.workloads:
        spark, use = record.workloads[time.index].spark, uses.get(time.workload)
        if spark is not None and use is not None:
            yield _stages(spark, use)
            yield Table.of(
                use.by_executor,
                {
                    "executor": lambda executor: executor.id,
                    "worker": lambda executor: executor.worker,
                    "host": lambda executor: executor.host or NONE,
                    "cores": lambda executor: f"{executor.cores:,}",
                    "lived": lambda executor: seconds(executor.lived_s),
                    "busy": lambda executor: percent(executor.busy_share),
                    "tasks": lambda executor: f"{executor.tasks:,}",
                    "failed": lambda executor: nonzero(executor.failed, "{:,}".format),
                    "CPU": lambda executor: _share(executor.cpu_s, executor.task_s),
                    "garbage": lambda executor: _share(executor.gc_s, executor.task_s),
                    "waits": lambda executor: _share(executor.fetch_wait_s, executor.task_s),
                    "input": lambda executor: nonzero(executor.input_bytes, format_bytes),
                    "shuffled in": lambda executor: nonzero(executor.shuffle_read_bytes, format_bytes),
                    "written": lambda executor: nonzero(executor.written_bytes, format_bytes),
                    "heap": lambda executor: optional(executor.peak_heap_share, percent),
                },
                f"Executors of {use.workload}",
                fold=True,
            ).without_empty_columns()


def _stages(spark: SparkRun, use: SparkUse) -> Table:
    return Table.of(
        spark.stages,
        {
            "stage": lambda stage: (
                f"{stage.id}, attempt {stage.attempt + 1}" if stage.attempt else str(stage.id)
            ),
            "computes": lambda stage: (
                (stage.what or stage.name.partition(" at ")[0]) + (" (failed)" if stage.failure else "")
            ),
            "time": lambda stage: seconds(stage.end_s - stage.start_s),
            "tasks": lambda stage: f"{stage.tasks:,}",
            "hosts": lambda stage: f"{use.hosts.get((stage.id, stage.attempt), 0):,}",
            "CPU": lambda stage: _share(stage.cpu_s, stage.run_s),
            "garbage": lambda stage: _share(stage.gc_s, stage.run_s),
            "waits": lambda stage: _share(stage.fetch_wait_s, stage.run_s),
            "input": lambda stage: nonzero(stage.input_bytes, format_bytes),
            "shuffled in": lambda stage: nonzero(stage.shuffle_read_bytes, format_bytes),
            "shuffled out": lambda stage: nonzero(stage.shuffle_write_bytes, format_bytes),
            "output": lambda stage: nonzero(stage.output_bytes, format_bytes),
            "spilled": lambda stage: nonzero(stage.disk_spilled_bytes, format_bytes),
        },
        f"Stages of {use.workload}",
        fold=True,
    ).without_empty_columns()


def _share(part_s: float, whole_s: float) -> str:
    return percent(part_s / whole_s) if whole_s > 0 else NONE
