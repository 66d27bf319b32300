"""The result of a job from the first reporter that knows it, as the record keeps it: rows, phases, cause."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple, TypeVar

from howdah.engines.base import RunClock
from howdah.engines.hadoop.failure import cause_of, short_cause
from howdah.engines.hadoop.target import TABLES, HadoopTarget, NodeFinder
from howdah.model.cluster import AppMasterStart, CounterValue, HadoopJob, SparkRun
from howdah.model.placement import slots
from howdah.model.plan import Plan
from howdah.model.reported import Counters
from howdah.model.run import Phase, TaskAttempt
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.history import HistoryFiles, JobHistory, TaskLogs
from howdah.services.job_facts import AttemptFacts, JobFacts, State, TaskFacts, state_of
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts, ResourceManager

INPUT_BYTES = "FileInputFormatCounter.BYTES_READ"

_NONE = CounterValue(map=0, reduce=0, total=0)
_BEGIN = re.compile(r"mapreduce\.Job: Counters: \d+$")
_COUNTER = re.compile(r"^\t\t(?P<name>.+?)\s*=(?P<value>-?\d+)$")
_GROUP = re.compile(r"^\t(?P<name>\S.*?)\s*$")
_FILE_SYSTEM = re.compile(r"^(?P<scheme>[A-Z]+): Number of (?P<what>.+)$")
_OF_MAPS = re.compile(r"^(?:MAP_|SPLIT_RAW|NUM_FAILED_MAPS|NUM_KILLED_MAPS|.*_MAPS$)")
_OF_REDUCES = re.compile(r"^(?:REDUCE_|SHUFFLED_MAPS$|FAILED_SHUFFLE$|MERGED_MAP_OUTPUTS$|.*_REDUCES$)")


def sum_counters(job: JobFacts) -> Counters:
    """Return a job's counters in howdah's terms; all zero if they are unknown.

    Bytes read and written are HDFS's; intermediate data is the maps' output for reduces, before compression
    and on disk. Rows that were spilled twice count twice, as in Hadoop.
    """

    def sums(name: str) -> CounterValue:
        return job.counters.get(name, _NONE)

    # TeraGen's maps also count input records, without reading any.
    reads = INPUT_BYTES not in job.counters or sums(INPUT_BYTES).total > 0
    # A job without reduces has none of their counters.
    reduced = job.counters.get("TaskCounter.REDUCE_OUTPUT_RECORDS")
    return Counters(
        input_rows=sums("TaskCounter.MAP_INPUT_RECORDS").map if reads else 0,
        output_rows=reduced.reduce if reduced else sums("TaskCounter.MAP_OUTPUT_RECORDS").map,
        read_bytes=sums(_HDFS_READ).total,
        written_bytes=sums(_HDFS_WRITTEN).total,
        spilled_rows=sums("TaskCounter.SPILLED_RECORDS").total,
        spilled_raw_bytes=sums(_MAP_OUTPUT).map,
        spilled_bytes=sums("TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES").map,
        spill_read_bytes=sums("FileSystemCounter.FILE_BYTES_READ").total,
    )


def printed_counters(lines: Iterable[str]) -> dict[str, CounterValue]:
    """The counters of the last job in a client's output by ``Group.NAME``; it prints totals only."""
    result: dict[str, CounterValue] = {}
    group: str | None = None
    within = False
    for line in lines:
        if _BEGIN.search(line):
            result, group, within = {}, None, True
        elif within and (counter := _COUNTER.match(line)) and group is not None:
            words, total = counter["name"], int(counter["value"])
            name = str(TABLES["counters"].get(words, words))
            system = _FILE_SYSTEM.match(words)
            if system and system["what"] in TABLES["file-systems"]:
                name = f"{system['scheme']}_{TABLES['file-systems'][system['what']]}"
            reduces = total if _OF_REDUCES.match(name) else 0
            maps = total if not reduces and _OF_MAPS.match(name) else 0
            group_name = TABLES["groups"].get(group, group.rpartition(".")[2])
            result[f"{group_name}.{name}"] = CounterValue(map=maps, reduce=reduces, total=total)
        elif within and (heading := _GROUP.match(line)):
            group = heading["name"]
        elif within and line.strip():
            within = False
    return result


_HDFS_READ = "FileSystemCounter.HDFS_BYTES_READ"
_HDFS_WRITTEN = "FileSystemCounter.HDFS_BYTES_WRITTEN"
_MAP_OUTPUT = "TaskCounter.MAP_OUTPUT_BYTES"
_SHUFFLED = "TaskCounter.REDUCE_SHUFFLE_BYTES"


class _Stay(NamedTuple):
    facts: AttemptFacts
    task: TaskFacts
    worker: str
    start_s: float
    end_s: float
    unended: str  # Why it has no end, if it has none.


def attempt_rows(job: JobFacts, workload: str, machines: NodeFinder, clock: RunClock) -> list[TaskAttempt]:
    """Return a row for every attempt that had a container, in order of their starts."""
    lanes: dict[tuple[str, str], list[_Stay]] = defaultdict(list)
    for task in job.tasks:
        for attempt in task.attempts:
            if attempt.start_ms is not None:
                stay = _stay(attempt, task, job, machines, clock)
                lanes[stay.worker, task.kind].append(stay)
    rows = [
        _row(stay, workload, slot, machines, clock)._replace(job=job.id)
        for lane in lanes.values()
        for stay, slot in zip(lane, slots([(stay.start_s, stay.end_s) for stay in lane]), strict=True)
    ]
    return sorted(rows, key=lambda row: (row.start_s, row.kind, row.task, row.attempt))


def _stay(
    attempt: AttemptFacts, task: TaskFacts, job: JobFacts, machines: NodeFinder, clock: RunClock
) -> _Stay:
    assert attempt.start_ms is not None
    # Without an end it was lost with its master or its job, or was still running at the last poll.
    after = next((master for master in job.masters if master.number > attempt.master + 1), None)
    cut_ms = after.start_ms if after else job.finish_ms
    times = (attempt.finish_ms, cut_ms, attempt.merge_ms, attempt.shuffle_ms)
    end_ms = next((time for time in times if time is not None), attempt.start_ms)
    worker, start_s = machines.worker(attempt.node), clock.seconds(attempt.start_ms)
    unended = "its application master was lost: " if after else ""
    end_s = max(start_s, clock.seconds(end_ms))
    return _Stay(attempt, task, worker, start_s, end_s, f"{unended}Hadoop reports no end of it")


def _row(stay: _Stay, workload: str, slot: int, machines: NodeFinder, clock: RunClock) -> TaskAttempt:
    facts, number, counters = stay.facts, stay.facts.number, stay.facts.counters
    maps = number.kind == "map"
    rows = "MAP" if maps else "REDUCE"
    ended = facts.state != "running"
    input_rows = counters.get(f"TaskCounter.{rows}_INPUT_RECORDS", 0)

    def within(epoch_ms: int | None) -> float | None:
        return None if epoch_ms is None else min(max(clock.seconds(epoch_ms), stay.start_s), stay.end_s)

    return TaskAttempt(
        workload=workload,
        kind=number.kind,
        task=number.task,
        attempt=number.attempt,
        host=machines.host(stay.worker),
        worker=stay.worker,
        slot=slot,
        start_s=stay.start_s,
        end_s=stay.end_s,
        # A map of TeraGen counts generated row numbers as input records.
        input_rows=input_rows if counters.get(INPUT_BYTES, 1) else 0,
        output_rows=counters.get(f"TaskCounter.{rows}_OUTPUT_RECORDS", 0),
        input_bytes=counters.get(_HDFS_READ if maps else _SHUFFLED, 0),
        # A map with reduces after it writes no file in HDFS.
        output_bytes=counters.get(_HDFS_WRITTEN, 0) or counters.get(_MAP_OUTPUT, 0),
        spilled_bytes=counters.get("FileSystemCounter.FILE_BYTES_WRITTEN", 0),
        locality=locality(facts, stay.task, stay.worker, machines) if maps else "",
        state=facts.state if ended else "killed",
        shuffle_end_s=within(facts.shuffle_ms),
        merge_end_s=within(facts.merge_ms),
        shuffled_bytes=None if maps else counters.get(_SHUFFLED),
        cpu_s=_seconds(counters, "TaskCounter.CPU_MILLISECONDS"),
        gc_s=_seconds(counters, "TaskCounter.GC_TIME_MILLIS"),
        error=short_cause(facts.error) if ended else stay.unended,
    )


def _seconds(counters: Mapping[str, int], name: str) -> float | None:
    milliseconds = counters.get(name)
    return None if milliseconds is None else milliseconds / 1000


def locality(attempt: AttemptFacts, task: TaskFacts, worker: str, machines: NodeFinder) -> str:
    """A map's locality: ``local``, ``host`` (its worker's), ``rack``, ``remote``; empty if unknown."""
    # Hadoop's own word has no hosts, so that the workers which hold the input decide where they are known.
    if task.split_hosts:
        holders = {machines.worker(host) for host in task.split_hosts}
        if worker in holders:
            return "local"
        if machines.host(worker) in map(machines.host, holders):
            return "host"
        rack = machines.rack(worker)
        return "rack" if rack is not None and rack in map(machines.rack, holders) else "remote"
    return {"NODE_LOCAL": "local", "RACK_LOCAL": "rack"}.get(attempt.locality, "")


def phases(job: JobFacts, workload: Workload, clock: RunClock) -> tuple[Phase, ...]:
    """A job's phases: maps to their last used end, then reduces; one if unknown, none without tasks."""
    starts = [attempt.start_ms for task in job.tasks for attempt in task.attempts]
    start_ms = job.start_ms or min((start for start in starts if start is not None), default=None)
    if start_ms is None or job.finish_ms is None or not job.tasks:
        return ()
    start_s = clock.seconds(start_ms)
    end_s = max(start_s, clock.seconds(job.finish_ms))
    first, second = workload.map_phases
    maps = [task for task in job.tasks if task.kind == "map"]
    winners = (attempt for task in maps for attempt in task.attempts if attempt.id == task.winner)
    ends_ms = [winner.finish_ms for winner in winners if winner.finish_ms is not None]
    if len(maps) == len(job.tasks) or len(ends_ms) < len(maps) or not maps:
        return (Phase(name="map" if len(maps) == len(job.tasks) else first, start_s=start_s, end_s=end_s),)
    between_s = min(max(start_s, clock.seconds(max(ends_ms))), end_s)
    return (
        Phase(name=first, start_s=start_s, end_s=between_s),
        Phase(name=second, start_s=between_s, end_s=end_s),
    )


Reporter = Literal["history server", "history file", "application master", "client"]

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def _report(
    target: HadoopTarget,
    job_id: str,
    clock: RunClock,
    *,
    printed: Sequence[str],
    seen: JobFacts | None,
    staging: str,
) -> tuple[JobFacts, Reporter, AppFacts | None]:
    """Return the facts of the first reporter that knows the job, that reporter, and YARN's report.

    The history file of a succeeded job is complete. For another job the history server is also queried,
    because it sums counters that the file lacks, and the ResourceManager may know why the job ended.
    """
    web, conf = target.web, target.conf
    history, manager = JobHistory(web, conf), ResourceManager(web, conf)
    files = HistoryFiles(NameNode(web, conf), conf, web.user or "", staging)
    file = _answered(partial(files.job, job_id))
    if file is not None and file.masters and file.masters[-1].number != len(file.masters):
        # A lost application master may be missing in the file.
        masters = _answered(partial(manager.masters, file.id.replace("job_", "application_", 1)))
        file = file if masters is None else replace(file, masters=masters)
    if file is not None and file.state == "succeeded":
        return file, "history file", None
    app = _answered(partial(manager.app, job_id.replace("job_", "application_", 1)))

    def of_server() -> JobFacts:
        if file is None:
            return history.whole(job_id)
        job, counters = history.job(job_id), history.counters(job_id)
        return replace(job, counters=counters, conf=file.conf, tasks=file.tasks, masters=file.masters)

    server = _answered(of_server)
    if facts := server or file:
        # A master that was killed may have written no tasks.
        begun = any(task.attempts for task in facts.tasks)
        facts = facts if begun or seen is None else replace(facts, tasks=seen.tasks)
        return facts, "history server" if server else "history file", app
    if seen is not None:
        return _ended(seen, app), "application master", app
    # The submission time is unknown, but within this run.
    bare = JobFacts(job_id, "", target.queue, "running", clock.epoch_ms, counters=printed_counters(printed))
    if app is None:
        succeeded = any(f"Job {job_id} completed successfully" in line for line in printed)
        state: State = "succeeded" if succeeded else "failed"
        return replace(bare, state=state), "client", None
    return _ended(replace(bare, name=app.name, queue=app.queue), app), "client", app


def _answered(query: Callable[[], T]) -> T | None:
    try:
        return query()
    except ServiceError as error:
        _LOG.info("%s", error)
        return None


def _ended(facts: JobFacts, app: AppFacts | None) -> JobFacts:
    if app is None:
        return facts
    return replace(
        facts,
        state=state_of(app.final_status),
        submit_ms=app.submitted_ms,
        start_ms=facts.start_ms or app.launched_ms or None,
        finish_ms=facts.finish_ms or app.finished_ms or None,
        diagnostics=facts.diagnostics or app.diagnostics,
    )


class ReportedJob(NamedTuple):
    """A job for the run record."""

    job: HadoopJob  # The job itself; its diagnostics are the cause in one sentence if it did not succeed.
    attempts: list[TaskAttempt]  # Every attempt that began, in order of their starts.
    phases: tuple[Phase, ...]  # Empty if its tasks are unknown.
    counters: Counters
    facts: JobFacts
    spark: SparkRun | None = None


def report_job(
    target: HadoopTarget,
    job_id: str,
    clock: RunClock,
    *,
    workload: Workload,
    plan: Plan,
    printed: Sequence[str] = (),
    seen: JobFacts | None = None,
    staging: str = "",
) -> ReportedJob:
    """An ended job by its history file, history server, ``seen`` or ``printed`` lines; raises nothing."""
    machines = target.machines(plan)
    facts, reporter, app = _report(target, job_id, clock, printed=printed, seen=seen, staging=staging)
    why = None
    if facts.state != "succeeded":
        why = cause_of(facts, app, TaskLogs(target.web, target.conf), machines, printed)
    job = HadoopJob(
        id=facts.id,
        name=facts.name,
        queue=facts.queue,
        told_by=reporter,
        submitted_s=clock.seconds(facts.submit_ms),
        started_s=None if facts.start_ms is None else clock.seconds(facts.start_ms),
        finished_s=None if facts.finish_ms is None else clock.seconds(facts.finish_ms),
        masters=tuple(
            AppMasterStart(number=number, worker=machines.worker(node), started_s=clock.seconds(start_ms))
            for number, start_ms, node in facts.masters
        ),
        counters=dict(sorted(facts.counters.items())),
        conf={key: facts.conf[key] for key in TABLES["kept"] if key in facts.conf},
        diagnostics=why,
    )
    return ReportedJob(
        job=job,
        attempts=attempt_rows(facts, workload.kind, machines, clock),
        phases=phases(facts, workload, clock),
        counters=sum_counters(facts),
        facts=facts,
    )
