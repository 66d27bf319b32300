"""Tables of a run's report on its cluster: losses, causes, costs, RegionServers, and Spark applications."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import MasterLoss, WorkerLoss
from howdah.analysis.evidence.times import FloorDistance, Straggler
from howdah.analysis.evidence.use import SparkUse
from howdah.analysis.phases import grouped
from howdah.analysis.tails import WORDS, measured
from howdah.analysis.wording import delay, named, percent, seconds
from howdah.model.cluster import SparkRun
from howdah.model.run import RunRecord
from howdah.report.document import Table
from howdah.report.words import NONE, in_unit, optional, table_of

HOTTEST = 10  # Regions that are listed for each workload.


def region_server_tables(evidence: Evidence) -> Iterator[Table]:
    """What the slowest requests coincided with, and what each RegionServer did."""
    yield table_of(
        [(tail, cause) for tail in evidence.tails for cause in (*tail.causes, *tail.steady)],
        "workload {workload} | 99 % within {within_s:delay} | coincided with {cause} | "
        "of slower requests {caught:%} | of all requests {held:%} | "
        "99 % within without {without_s:delay} | most of it {measure} {measured} | on {machine}",
        "What the slowest requests coincided with",
        "A cause counts where at least twice as many of the slower requests met it as of all; a request "
        "counts for the first that does. What lasted nearly all the time is shown without comparison.",
        cause=lambda pair: WORDS[pair[1].kind],
        measured=lambda pair: measured(pair[1]),
    )
    yield table_of(
        evidence.region_servers,
        "workload {workload} | on {machine} | requests/s {per_s:,.0f} | gets {gets:,.0f} | "
        "mutations {mutations:,.0f} | scans {scans:,.0f} | regions {regions:.0f} | "
        "cache hits {hit_share:%} | local files {local_share:%} | cores {cores:.2f} | "
        "collecting {gc_share:%} | longest pause {longest_pause_s:delay}",
        "What RegionServers answered",
        per_s=lambda use: use.requests / use.seconds,
        cores=lambda use: use.cpu_s / use.seconds,
    )
    yield table_of(
        [use for use in evidence.region_servers if use.wal_appends or use.flushes or use.compactions],
        "workload {workload} | on {machine} | WAL entries {wal_appends:,.0f} | WAL {wal_bytes:B} | "
        "mean sync {sync} | memstores {memstore_bytes:B} | flushes {flushes:,.0f} | "
        "flushed {flushed_bytes:B} | compactions {compactions:,.0f} | compacted {compacted_bytes:B} | "
        "queue {compaction_queue:.0f} | held up {blocked_s:s}",
        "What RegionServers wrote",
        "Memstores and the queue of compactions are the largest samples; full memstores delay writes.",
        # HBase reports whole milliseconds.
        sync=lambda use: optional(use.sync_s, lambda sync_s: delay(sync_s) if sync_s else "< 1 ms"),
    )
    uses = grouped(evidence.regions, lambda use: use.workload)
    all_rows = {workload: sum(use.rows for use in own) for workload, own in uses.items()}
    yield table_of(
        [use for own in uses.values() for use in own[:HOTTEST]],
        "workload {workload} | region {region} | on {machine} | rows {rows:,.0f} | of all {share:%}",
        "Regions",
        f"At most the {HOTTEST} hottest; a region that was split or moved is counted again.",
        share=lambda use: use.rows / all_rows[use.workload],
    )


def _lost_tables(evidence: Evidence) -> Iterator[Table]:
    """Workers and masters that were lost."""

    def since(loss: WorkerLoss | MasterLoss, moment_s: float | None) -> str:
        """A moment of a loss as its distance from the job's start."""
        if moment_s is None:
            return NONE
        after_s = moment_s - evidence.time_of(loss.workload).start_s
        return seconds(after_s) if after_s >= 0 else f"{seconds(-after_s)} before"

    yield table_of(
        evidence.losses,
        "worker {worker} | host {host} | lost {daemons:names} | during {during} | at {at} | "
        "noticed {noticed} | given up {given_up} | back {back} | attempts lost {ended:,} | "
        "work lost {wasted_s:s} | waited {waited_s:s} | done again {rerun_s:s} | end held up {delay_s:s}",
        "Workers lost",
        "Times are since the job's start. It was lost at its last sign of life; the work lost is the time of "
        "the attempts that ended with it until then; it was not repeated during the time waited.",
        during=lambda loss: named(loss.workload, loss.phase),
        at=lambda loss: since(loss, loss.lost_s),
        noticed=lambda loss: since(loss, loss.noticed_s),
        given_up=lambda loss: since(loss, loss.given_up_s),
        back=lambda loss: since(loss, loss.back_s),
        ended=lambda loss: len(loss.ended),
        waited_s=lambda loss: loss.waited_s if loss.waits else None,
    )
    yield table_of(
        evidence.master_losses,
        "master {daemon} | lost on {lost} | was {was} | during {during} | at {at} | "
        "taken over on {successor:?} | active at {active} | back {back} | without one {unserved_s:s} | "
        "attempts failed {failures:,} of {under_way:,}",
        "Masters lost, and those that took over",
        "Times are since the job's start; attempts are those under way when it was lost.",
        lost=lambda loss: None if loss.lost_s is None else loss.machine,
        was=lambda loss: "standby" if loss.standby else "active",
        during=lambda loss: named(loss.workload, loss.phase),
        at=lambda loss: since(loss, loss.lost_s),
        active=lambda loss: since(loss, loss.active_s),
        back=lambda loss: since(loss, loss.back_s),
        failures=lambda loss: len(loss.failed),
    )


def cluster_tables(record: RunRecord, evidence: Evidence) -> Iterator[Table]:
    """What befell the cluster and what Hadoop took."""
    yield table_of(
        evidence.stragglers,
        "worker {worker} | host {host} | job {workload} | what was slow {slow} | slowdown {slowdown:x} | "
        "most likely cause {cause} | sure {confidence:%} | evidence {sign}",
        "What slowed other tasks down",
        "A slowdown is the time per byte over the median of the peers.",
        slow=lambda slow: "the worker" if slow.task is None else f"{slow.kind} {slow.task}",
        sign=_strongest_sign,
    )
    yield from _lost_tables(evidence)
    yield table_of(
        record.events,
        "at {time_s:s} | where {worker} | what {text}",
        "What happened to the cluster",
        "Times are since the start of the run.",
    )
    yield floors_table(evidence.floors)
    yield table_of(
        evidence.overheads,
        "job {workload} | before first task {before_s:s} | after last task {after_s:s} | "
        "tasks {tasks:,} | slots {slots:,} | waves {waves:.1f} | between tasks {turnaround_s:s} | "
        "shortest task {least_task_s:s} | CPU {cpu_share:%} | garbage {gc_share:%}",
        "Overheads of jobs",
        "Tasks, slots and waves are those of the most frequent kind; the last two are fractions of the time "
        "of all tasks.",
    )
    yield table_of(
        evidence.masters,
        "workload {workload} | master {daemon} | on {machine} | of one core {busy:%} | "
        "calls/s {calls_per_s:,.0f}",
        "How busy the masters were",
        "By the CPU time of their processes; a master may use more than one core.",
    )


def grounds(record: RunRecord) -> Iterator[Table]:
    """What the numbers rest on besides the plan: the lab, and the jobs' properties."""
    if record.laboratory is not None:
        yield table_of(
            record.laboratory.isolation,
            "what {what} | as planned {kept} | how, or what is missing {how}",
            "How the lab follows the plan",
            "Where something is missing, the numbers say nothing about it.",
            kept=lambda isolation: "kept" if isolation.kept else "lost",
        )
        yield table_of(
            record.laboratory.scaling,
            "what {what} | planned {planned} | in the lab {lab}",
            "Smaller than planned",
            planned=lambda scaling: in_unit(scaling.planned, scaling.unit or "1"),
            lab=lambda scaling: in_unit(scaling.lab, scaling.unit or "1"),
        )
        yield table_of(
            record.laboratory.deviations,
            "property {key} | as rendered {planned:?} | as used {used} | why {why}",
            "Properties that are not as rendered",
        )
    jobs = [(result.workload.kind, result.job) for result in record.workloads if result.job]
    keys = sorted({key for _, job in jobs for key in job.conf})
    rows = tuple((key, *(job.conf.get(key, NONE) for _, job in jobs)) for key in keys)
    yield Table(("property", *(name for name, _ in jobs)), rows, "Properties of the jobs as they ran")


def _strongest_sign(straggler: Straggler) -> str:
    if not straggler.signs:
        return NONE
    sign = straggler.signs[0]
    value, reference = (in_unit(float(f"{amount:.3g}"), sign.unit) for amount in (sign.value, sign.reference))
    return f"{sign.quantity}: {value}, {'peers' if sign.against == 'peers' else 'planned'} {reference}"


def floors_table(floors: Iterable[FloorDistance]) -> Table:
    """Programs next to the same work without Hadoop."""
    return table_of(
        floors,
        "workload {workload} | took {elapsed_s:s} | floor {floor_s:s} | × floor {ratio:x} | "
        "run of the floor {floor_run} | what else differs {differs}",
        "Distance from the floor",
        "The floor is the same work on the same hardware without Hadoop.",
        differs=lambda floor: "; ".join(floor.differs) or "nothing",
    )


SPARK_ABOUT = (
    "Sums over tasks that succeeded. CPU, garbage and waits are fractions of tasks' time; an executor is "
    "busy while its cores run tasks."
)


def spark_tables(evidence: Evidence) -> Iterator[Table]:
    """The stages and executors of every Spark application; nothing without any."""
    uses = {use.workload: use for use in evidence.spark}
    for time in evidence.workloads:
        spark, use = time.result.spark, uses.get(time.workload)
        if spark is not None and use is not None:
            yield _stages(spark, use)
            yield table_of(
                use.by_executor,
                "executor {id} | worker {worker} | host {host:?} | cores {cores:,} | lived {lived_s:s} | "
                "busy {busy_share:%} | tasks {tasks:,} | failed {failed:?,} | CPU {cpu} | "
                "garbage {garbage} | waits {waits} | input {input_bytes:?B} | "
                "shuffled in {shuffle_read_bytes:?B} | written {written_bytes:?B} | "
                "heap {peak_heap_share:%}",
                f"Executors of {use.workload}",
                fold=True,
                cpu=lambda executor: _share(executor.cpu_s, executor.task_s),
                garbage=lambda executor: _share(executor.gc_s, executor.task_s),
                waits=lambda executor: _share(executor.fetch_wait_s, executor.task_s),
            ).without_empty_columns()


def _stages(spark: SparkRun, use: SparkUse) -> Table:
    return table_of(
        spark.stages,
        "stage {id}{attempt} | computes {what}{failed} | time {elapsed_s:s} | tasks {tasks:,} | "
        "hosts {hosts:,} | CPU {cpu} | garbage {garbage} | waits {waits} | input {input_bytes:?B} | "
        "shuffled in {shuffle_read_bytes:?B} | shuffled out {shuffle_write_bytes:?B} | "
        "output {output_bytes:?B} | spilled {disk_spilled_bytes:?B}",
        f"Stages of {use.workload}",
        fold=True,
        attempt=lambda stage: f", attempt {stage.attempt + 1}" if stage.attempt else "",
        what=lambda stage: stage.what or stage.name.partition(" at ")[0],
        failed=lambda stage: " (failed)" if stage.failure else "",
        elapsed_s=lambda stage: stage.end_s - stage.start_s,
        hosts=lambda stage: use.hosts.get((stage.id, stage.attempt), 0),
        cpu=lambda stage: _share(stage.cpu_s, stage.run_s),
        garbage=lambda stage: _share(stage.gc_s, stage.run_s),
        waits=lambda stage: _share(stage.fetch_wait_s, stage.run_s),
    ).without_empty_columns()


def _share(part_s: float, whole_s: float) -> str:
    return percent(part_s / whole_s) if whole_s > 0 else NONE
