"""Finished jobs replayed on other clusters: the history read again, plans, changes, second runs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.analysis.wording import percent
from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.jobs.histories import History, JobHistoryServer, SparkHistoryServer, find_histories, read_source
from howdah.jobs.store import JobStore, applications, texts
from howdah.jobs.tasks import demand_of
from howdah.model.application import KIND_NAMES, Application, SparkLog
from howdah.model.plan import ClusterPlan
from howdah.model.user_job import JobDemand, JobReplay, ReplayScore
from howdah.services.errors import ServiceError
from howdah.services.history import JOBS
from howdah.services.job_facts import JobFacts
from howdah.services.web import Web
from howdah.session.jobs import application_of, in_hdfs
from howdah.simulation.replay import shape
from howdah.simulation.replay.replaying import LEAST_REPEATS, Replayer, single_wave
from howdah.simulation.replay.task_times import limits_text

_SAME_INPUT = 0.05  # Runs whose input differs by less do the same work.


class Request(NamedTuple):
    """What is replayed, and on what."""

    job: str
    changes: tuple[str, ...] = ()
    on: Path | None = None
    ran_on: Path | None = None
    against: str | None = None  # A second run, which the replay is compared with.
    conf: Path | None = None  # The configuration of the cluster whose HDFS has the history.
    seed: int = 1


def replay(jobs_dir: Path, request: Request) -> JobReplay:
    """Replay an imported job; raises UserError for jobs and changes that cannot be replayed."""
    application = application_of(jobs_dir, request.job)
    ran_on = read_plan(request.ran_on) if request.ran_on is not None else None
    plan = read_plan(request.on) if request.on is not None else None
    demand = _demand(application, request.conf)
    was = shape.measured_shape(demand, ran_on)
    store = JobStore(jobs_dir)
    rows = store.read(("name", "kind", "outcome", "tasks"))
    columns = zip(*(texts(rows, name) for name in ("id", "name", "kind", "outcome")), strict=True)
    succeeded = (application.name, application.kind, "succeeded")
    runs = applications(store.read(names=[name for name, *facts in columns if tuple(facts) == succeeded]))
    repeats = [_elapsed_s(run) for run in runs if _elapsed_s(run) > 0 and _same(run, application)]
    replayer = Replayer(demand, was, repeats, request.seed)
    times = []
    if plan is not None:
        planned = shape.planned_shape(demand, plan, f"--on {request.on}", was)
        times.append(replayer.time(f"on {request.on}", planned))
    alone = plan is None and request.against is None
    for change in request.changes or (shape.usual_changes(demand) if alone else ()):
        times.append(replayer.time(change, shape.changed_shape(demand, change, was, ran_on)))
    score: ReplayScore | None = None
    differs: tuple[str, ...] = ()
    if request.against is not None:
        second = application_of(jobs_dir, request.against)
        score, differs = _score(replayer, application, second, ran_on, request.conf)
    return replayer.result(times, (*_assumptions(demand, was, plan, replayer), *differs), score)


def _demand(application: Application, conf: Path | None) -> JobDemand:
    return demand_of(_read_again(application, conf), application.container_bytes)


def _read_again(application: Application, conf: Path | None) -> JobFacts | SparkLog:
    source = application.source
    parts = urlsplit(source)
    try:
        with TemporaryDirectory(prefix="howdah-replay-") as name:
            folder = Path(name)
            if parts.scheme == "hdfs":
                with in_hdfs(source, conf) as histories:
                    return read_source(histories.copy(histories.find()[0], folder))
            if parts.scheme in ("http", "https"):
                with closing(Web()) as web:
                    url, history, job = source.partition(f"{JOBS}/")
                    if history:
                        return JobHistoryServer(web, url).read(job.rpartition("/")[2])
                    server = SparkHistoryServer(web, source.partition("/api/v1/")[0])
                    return read_source(server.copy(History(f"{source}/logs", 0, source), folder))
            return read_source(find_histories(Path(source))[0])
    except (ServiceError, UserError) as error:
        problem = f"its history cannot be read again: {error.where}: {error.what}"
        hint = error.hint or "import the history from where it is now"
        raise UserError(application.id, problem, hint) from error


def _same(run: Application, application: Application) -> bool:
    containers = run.kind == "mapreduce" or run.containers == application.containers
    return (
        containers
        and len(run.hosts) == len(application.hosts)
        and len(run.stages) == len(application.stages)
        and abs(_input_bytes(run) - _input_bytes(application)) <= _SAME_INPUT * _input_bytes(application)
    )


def _input_bytes(application: Application) -> int:
    return sum(stage.input_bytes for stage in application.stages)


def _elapsed_s(application: Application) -> float:
    """Without the wait for a first container, which an event log does not contain."""
    waited_s = (application.wait_s or 0.0) if application.kind == "mapreduce" else 0.0
    return application.elapsed_s - waited_s


def _score(
    replayer: Replayer,
    application: Application,
    second: Application,
    ran_on: ClusterPlan | None,
    conf: Path | None,
) -> tuple[ReplayScore, tuple[str, ...]]:
    if (second.id, second.attempt) == (application.id, application.attempt):
        raise UserError(f"--against {second.id}", "is the job itself", "give another run of it")
    kinds = KIND_NAMES[second.kind], KIND_NAMES[application.kind]
    if kinds[0] != kinds[1]:
        problem = f"is a job of {kinds[0]}, and {application.id} of {kinds[1]}"
        raise UserError(f"--against {second.id}", problem, "give another run of the same job")
    demand = replayer.demand
    second_demand = _demand(second, conf)
    time = replayer.time(f"as {second.id}", shape.second_shape(demand, second_demand, replayer.was, ran_on))
    score = ReplayScore(application=second.id, time=time, measured_s=second_demand.elapsed_s)
    differs = []
    if second.name != application.name:
        differs.append(f"The second run has another name, {second.name!r}: check that it did the same work.")
    if abs(second_demand.input_bytes - demand.input_bytes) > _SAME_INPUT * demand.input_bytes:
        differs.append(
            f"The second run read {second_demand.input_bytes:,} bytes instead of {demand.input_bytes:,}: "
            "it did other work, which the comparison does not correct."
        )
    return score, tuple(differs)


_UNKNOWN_HARDWARE = (
    "A history does not show the hosts' hardware: --ran-on with the cluster's plan narrows the intervals."
)
_SAME_HARDWARE = "The plan's hosts are assumed to have the disks, links and cores of those that ran it."
_UNKNOWN_NODE_GROUPS = (
    "A history does not show which nodes share a physical host: up to four may, with its cores and ports."
)
_WARM_UP = (
    "Each executor loads and compiles code again: the first tasks of a stage on a core take longer than the "
    "later ones, by as much as in the event log. If a stage has no later ones, up to 10 s of its tasks may "
    "be warm-up."
)


def _assumptions(
    demand: JobDemand, was: shape.Shape, plan: ClusterPlan | None, replayer: Replayer
) -> tuple[str, ...]:
    lines = list(demand.gaps)
    lines.append(limits_text(was))
    if was.hardware is None:
        lines.append(_UNKNOWN_HARDWARE)
        lines += [_SAME_HARDWARE] if plan is not None else []
        lines.append(_UNKNOWN_NODE_GROUPS)
    if any(part.warm_ups for part in demand.parts):
        lines.append(_WARM_UP)
    if part := next(filter(single_wave, demand.parts), None):
        lines.append(
            f"All {part.tasks:,} tasks of {part.name} ran at once: the cluster may have had room for "
            "more, which fewer hosts would still have."
        )
    if demand.hosts == 1:
        lines.append("It ran on a single host: on several, its shuffle and its output also cross links.")
    if demand.failed:
        lines.append(f"Attempts that failed or were killed are left out ({demand.failed:,}).")
    if replayer.repeats < LEAST_REPEATS:
        lines.append(
            f"From run to run its time is assumed to vary by {percent(replayer.run_spread)} (standard "
            "deviation); four imported runs of the same name, input and hosts show it."
        )
    return tuple(lines)
