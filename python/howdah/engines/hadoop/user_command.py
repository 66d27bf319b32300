"""A user's command, the applications that it starts on YARN, and what became of each."""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from howdah.engines.base import PartialResult
from howdah.engines.hadoop.command import EndedJob
from howdah.engines.hadoop.failure import client_error, short_cause
from howdah.engines.hadoop.overlay import SUBMIT, Additions, additions, environment, user_logs
from howdah.engines.hadoop.reporters import ReportedJob, report_job
from howdah.engines.hadoop.spark_command import LOGS, report_spark
from howdah.engines.hadoop.target import ENDED, QUEUED, HadoopContext, HadoopTarget, run_tag
from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.engines.processes import RunningProgram
from howdah.errors import RunFailed, UserError
from howdah.files import scratch_folder
from howdah.hadoop.config_files import without_secrets
from howdah.model.cluster import HadoopJob
from howdah.model.reported import Counters
from howdah.model.tables import Progress
from howdah.model.workloads.base import Workload
from howdah.model.workloads.hadoop_programs import APPLICATION_FAILED, COMMAND, UserCommand
from howdah.services.errors import ServiceError
from howdah.services.job_facts import JobFacts, state_of
from howdah.services.resourcemanager import AppFacts, ResourceManager
from howdah.services.web import PlainClient
from howdah.units import format_counted, format_seconds

_FETCH = "install Spark, set SPARK_HOME, or run `howdah hadoop fetch spark`"
_POLL_S = 1.0
_LONG_S, _SELDOM_S = 60.0, 2.0  # A command that has run for so long is polled less often.
_SILENT_S = 120.0  # Time limit for the ResourceManager to answer again after the command has ended.


def added_to(target: HadoopTarget, words: Sequence[str], run_id: str) -> Additions:
    """The additions of a run to the command; raises UserError for a secret among its arguments."""
    for word in words:
        if without_secrets(word) != word:
            problem = "contains a secret, which the run's record and `ps` would expose"
            hint = "put it into a file that the command reads, or a credential provider"
            raise UserError("command", problem, hint)
    path = posixpath.join(target.work_dir, run_id)
    return additions(target, words, run_tag(path), posixpath.join(path, LOGS))


def user_command(work: HadoopWork[UserCommand]) -> Conclusion:
    """Run the command and wait until all its applications have ended."""
    context, words = work.context, work.workload.words
    added = added_to(context.target, words, posixpath.basename(context.workspace.path))
    if added.logs is not None:
        # Without the folder of event logs Spark's applications do not start.
        context.namenode.mkdirs(context.workspace.folder(LOGS))
    with scratch_folder("command") as folder:
        variables = environment(context.target, added, folder)
        tag = run_tag(context.workspace.path)
        before = earlier(context.target, tag)
        work.begin()
        if shutil.which(words[0], path=variables.get("PATH")) is None:
            missing = f"; {_FETCH}" if words[0] == SUBMIT else ""
            raise RunFailed(COMMAND, f"{words[0]} cannot be started: there is no such program{missing}")
        try:
            program = RunningProgram(
                [*context.target.client_prefix, *added.words], Path.cwd(), environment=variables
            )
        except OSError as error:
            raise RunFailed(COMMAND, f"{words[0]} cannot be started: {error.strerror}") from error
        following = TaggedApplications(context, tag, before, program)
        with work.ending(program.end, partial(_add_jobs, work, added, following, program)):
            following.until_end()
        apps, clock = following.applications.values(), context.clock
        client_end_s = (program.ended_ns - clock.start_ns) / 1e9
        work.finish(max(client_end_s, *(clock.seconds(app.finished_ms) for app in apps)))
        reports = _add_jobs(work, added, following, program)
    failed = [report.job for report in reports if report.job.diagnostics]
    if program.exit_code() != 0:
        cause = failed[-1].diagnostics if failed else client_error(program.lines)
        raise RunFailed(COMMAND, f"exit code {program.exit_code()}: {cause}")
    for job in failed:
        text = f"{job.id} failed although the command succeeded: {job.diagnostics}"
        context.warn(APPLICATION_FAILED, f"{COMMAND}: {text}")
    counters = Counters(
        **{name: sum(getattr(report.counters, name) for report in reports) for name in Counters.model_fields}
    )
    return lambda: PartialResult(counters=counters)


def _add_jobs(
    work: HadoopWork[UserCommand], added: Additions, following: TaggedApplications, program: RunningProgram
) -> list[ReportedJob]:
    """Report the applications of a command that has ended, with numbers if they are several."""
    apps = list(following.applications.values())
    # A program's output and exit code belong to an application only if it is the only one.
    code = program.exit_code() if len(apps) == 1 else None
    reports = []
    for number, app in enumerate(apps, 1):
        ended = EndedJob(app.id, program.lines, None, code)
        prefix = number if len(apps) > 1 else None
        job = work.job(program.lines, partial(_report, work.context, added, ended, app, prefix))
        reports.append(job.reported)
        work.jobs.append(job)
    return reports


def earlier(target: HadoopTarget, tag: str) -> frozenset[str]:
    """Ids with a run's tag before its start: a run of the same minute may have had the same name."""
    try:
        apps = ResourceManager(target.web, target.conf, PlainClient(target.web)).apps(applicationTags=tag)
    except ServiceError:
        return frozenset()
    return frozenset(app.id for app in apps)


class TaggedApplications:
    """The applications with a run's tag but the earlier ones, as the ResourceManager lists them."""

    def __init__(
        self, context: HadoopContext, tag: str, earlier: frozenset[str], program: RunningProgram
    ) -> None:
        self._context = context
        target = context.target
        # A plain connection takes half the CPU time of a query.
        self._manager = ResourceManager(target.web, target.conf, PlainClient(target.web))
        self._tag = tag
        self._earlier = earlier
        self._program = program
        self._started_s = context.clock.now_s()
        self._waiting: dict[str, float] = {}
        self._alone: dict[str, float] = {}  # Since when each has only its master's container.
        self._served: set[str] = set()
        self.applications: dict[str, AppFacts] = {}  # Their last reports by id, in submission order.

    def until_end(self) -> None:
        """Follow them to their end; raise RunFailed without a container in time, or without any."""
        silent_s = 0.0
        poll_s = _POLL_S
        while True:
            ended = self._program.wait(poll_s)
            now_s = self._context.clock.now_s()
            heard = self._poll()
            silent_s = 0.0 if heard else silent_s + poll_s
            poll_s = _SELDOM_S if now_s - self._started_s > _LONG_S else _POLL_S
            self._check_queue(now_s)
            self._check_tasks(now_s)
            apps = self.applications.values()
            running = sum(app.state not in ENDED for app in apps)
            note = f"{format_counted(len(apps), 'application')}, {running} active" if apps else ""
            phase = "waiting" if self._waiting else "running"
            step = Progress(COMMAND, phase, 0, 0, "B", now_s - self._started_s, note)
            self._context.sink.progress(step)
            if ended and heard and all(app.state in ENDED for app in self.applications.values()):
                break
            if ended and silent_s > _SILENT_S:
                problem = f"the ResourceManager was silent for {format_seconds(silent_s)}"
                raise RunFailed(COMMAND, f"the command ended, but {problem}")
        if self.applications:
            return
        code = self._program.exit_code()
        message = client_error(self._program.lines) if self._program.lines else "it printed nothing"
        if code != 0:
            problem = f"the command ended with exit code {code} and started no application"
            raise RunFailed(COMMAND, f"{problem}: {message}")
        raise RunFailed(
            COMMAND,
            "the command started no application on YARN with the run's tag: does it run locally (Spark needs "
            f"--master yarn), on another cluster, or with its own tags? Its last output: {message}",
        )

    def _poll(self) -> bool:
        try:
            apps = self._manager.apps(applicationTags=self._tag)
        except ServiceError:
            return False
        ordered = sorted(apps, key=lambda app: (app.submitted_ms, app.id))
        self.applications |= {app.id: app for app in ordered if app.id not in self._earlier}
        return True

    def _check_queue(self, now_s: float) -> None:
        deadline_s = self._context.target.deadline_s
        for app in self.applications.values():
            if app.state not in QUEUED or app.master_logs:
                self._waiting.pop(app.id, None)
            elif now_s - self._waiting.setdefault(app.id, now_s) >= deadline_s:
                problem = f"queue {app.queue} gave {app.id} no container within {deadline_s:g} s"
                why = " ".join(app.diagnostics.split()).rstrip("; ")
                raise RunFailed(COMMAND, f"{problem}: {why}" if why else problem)

    def _check_tasks(self, now_s: float) -> None:
        """Raise RunFailed for an application whose tasks or executors get no container in time."""
        deadline_s = self._context.target.deadline_s
        for app in self.applications.values():
            if app.running_containers > 1:
                self._served.add(app.id)
            if app.state != "RUNNING" or app.running_containers != 1 or app.id in self._served:
                self._alone.pop(app.id, None)
                continue
            if now_s - self._alone.setdefault(app.id, now_s) < deadline_s:
                continue
            # A driver may work alone for long: only what it has requested is waited for.
            pending = 0
            with suppress(ServiceError):
                pending = self._manager.pending(app.id)
            if pending:
                raise RunFailed(
                    COMMAND,
                    f"queue {app.queue} gave no task or executor of {app.id} a container within "
                    f"{deadline_s:g} s, {format_counted(pending, 'container')} requested: are they "
                    "larger than what the queue or any node has free?",
                )
            self._alone[app.id] = now_s


def _report(
    context: HadoopContext, added: Additions, ended: EndedJob, app: AppFacts, number: int | None
) -> ReportedJob:
    """The result of an application; a given number becomes the prefix of its phases and stages."""
    workload = context.job.suite.workloads[0]
    if app.kind == "SPARK":
        logs = added.logs or urlsplit(user_logs(added.words) or "").path
        reported = report_spark(context, workload, ended, logs)
    elif app.kind == "MAPREDUCE":
        job_id, plan = app.id.replace("application_", "job_", 1), context.job.plan
        reported = report_job(context.target, job_id, context.clock, workload=workload, plan=plan)
    else:
        reported = _bare(context, workload, app)
    if number is None:
        return reported
    phases = [phase.model_copy(update={"name": f"{number} {phase.name}"}) for phase in reported.phases]
    attempts = [
        task if task.kind in ("map", "reduce") else task._replace(kind=f"{number} {task.kind}")
        for task in reported.attempts
    ]
    return reported._replace(phases=tuple(phases), attempts=attempts)


def _bare(context: HadoopContext, workload: Workload, app: AppFacts) -> ReportedJob:
    clock, state = context.clock, state_of(app.final_status)
    job = HadoopJob(
        id=app.id,
        name=app.name,
        queue=app.queue,
        told_by="client",
        submitted_s=clock.seconds(app.submitted_ms),
        started_s=clock.seconds(app.launched_ms) if app.launched_ms else None,
        finished_s=clock.seconds(app.finished_ms) if app.finished_ms else None,
        diagnostics=None if state == "succeeded" else short_cause(app.diagnostics) or state,
    )
    text = f"{workload.kind}: {app.id} is of type {app.kind}, whose tasks howdah cannot read"
    context.warn("no-tasks", text)
    facts = JobFacts(app.id, app.name, app.queue, state, app.submitted_ms)
    return ReportedJob(job, [], (), Counters(), facts)
