"""Running a prepared job: its preparation, its record, and the report that follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Protocol, Self, Unpack

import pyarrow as pa

from howdah.engines.base import Engine, Prepared, RunStart
from howdah.errors import MissingExtra, UserError
from howdah.model.engines import LOCAL, all_options, engines
from howdah.model.plan import ClusterPlan
from howdah.model.reported import Counters, LatencyHistogram
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.run_request import RunRequest
from howdah.model.tables import Job, Progress, ServerEvent
from howdah.model.workloads.option import Option
from howdah.model.workloads.suite import programs, suites
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import check_use
from howdah.session import reporting
from howdah.store.writer import RunWriter

if TYPE_CHECKING:
    from howdah.report.renderer import Renderer


class ReportWarmup:
    """Has ready what a report needs, nearly a second of work, so that the run is not held up at its end."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="howdah-warmup")
        self._renderer: Future[Renderer | None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown()
        if self._renderer is not None and (renderer := self._renderer.result()) is not None:
            renderer.dismiss()

    def begin(self) -> None:
        """Begin, in a thread, unless it has begun."""
        if self._renderer is None:
            self._renderer = self._pool.submit(_started_renderer)

    def report(self, path: Path) -> reporting.FinishedRun:
        """Analyse a stored run and write its report, unless the extra for charts is missing."""
        self.begin()
        assert self._renderer is not None
        renderer = self._renderer.result()
        if renderer is None:
            return reporting.FinishedRun(*reporting.analyse_run(path), path, None)
        return reporting.report_run(path, renderer)


def _started_renderer() -> Renderer | None:
    # Imported while the run goes: it does without them until its end.
    from howdah.report.renderer import Renderer  # noqa: PLC0415

    try:
        renderer = Renderer()
    except MissingExtra:
        renderer = None
    import howdah.session.reporting  # noqa: F401, PLC0415

    return renderer


class Observer(Protocol):
    """What watches a run: its record whenever it changes, its progress about ten times a second."""

    def update(self, record: RunRecord) -> None: ...

    def progress(self, progress: Progress) -> None: ...


class _Recorder:
    """A sink that starts the run's record with its first update: an engine that refuses a job leaves none."""

    def __init__(self, runs_dir: Path, observer: Observer, measured: Callable[[], None]) -> None:
        self._runs_dir = runs_dir
        self._observer = observer
        self.measured = measured
        self.writer: RunWriter | None = None
        self.recording_s = 0.0

    def samples(self, rows: Sequence[Sample]) -> None:
        if self.writer:
            self.writer.samples(rows)

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        if self.writer:
            self.writer.tasks(rows)

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        if self.writer:
            self.writer.latencies(rows)

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        if self.writer:
            self.writer.server_events(rows)

    def sample_table(self, rows: pa.Table) -> None:
        if self.writer:
            with self._recording():
                self.writer.sample_table(rows)

    def task_table(self, rows: pa.Table) -> None:
        if self.writer:
            with self._recording():
                self.writer.task_table(rows)

    def update(self, record: RunRecord) -> None:
        with self._recording():
            if self.writer is None:
                self.writer = RunWriter(self._runs_dir, record)
            else:
                self.writer.update(record)
        self._observer.update(record)

    def progress(self, progress: Progress) -> None:
        if self.writer:
            self.writer.progress(progress)
        self._observer.progress(progress)

    def end(self, record: RunRecord) -> Path:
        """Finish the record and return where it is; an engine that returns one has begun it."""
        if self.writer is None:
            raise RuntimeError(f"engine {record.engine} wrote no record")
        with self.writer as writer:
            writer.finish(record)
        return writer.path

    @contextmanager
    def _recording(self) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self.recording_s += time.monotonic() - began_s


def run(job: Job, *, engine: Engine, runs_dir: Path, observer: Observer) -> reporting.FinishedRun:
    """Run a job, keep its record, analyse it and write its report; a run that failed is returned, too."""
    with ReportWarmup() as warmup:
        recorder = _Recorder(runs_dir, observer, warmup.begin)
        began_s = time.monotonic()
        ended = engine.run(job, recorder)
        ran_s = time.monotonic()
        path = recorder.end(ended)
        written_s = time.monotonic()
        finished = warmup.report(path)
    recording_s = recorder.recording_s + written_s - ran_s
    engine_s = ran_s - began_s - recorder.recording_s
    return finished._replace(spent=reporting.Spent(engine_s, recording_s, time.monotonic() - written_s))


def record(job: Job, *, engine: Engine, runs_dir: Path, observer: Observer) -> Path:
    """Run a job and keep its record, without a report; return where."""
    recorder = _Recorder(runs_dir, observer, lambda: None)
    return recorder.end(engine.run(job, recorder))


def rated_amount(job: Job, step: Progress) -> int:
    """What the work under way is rated by, as analysis does it: of a sort the rows, each once."""
    for workload in job.suite.workloads:
        if step.workload == workload.kind and workload.shuffles and workload.asked is not None:
            moved = workload.moved(Counters())
            return moved.read if moved else step.total
    return step.total


def prepare(engine: str | None, request: RunRequest, **start: Unpack[RunStart]) -> Prepared:
    """Make a run ready, by the first engine that can run it and uses every option unless one is named."""
    engine = engine or _first(request)
    registered = engines().get(engine)
    if registered is None:
        raise UserError("--engine", f"{engine!r} is not an engine", f"one of {', '.join(engines())}")
    elsewhere = {option for row in engines().values() for option in row.options} - {*registered.options}
    for name in request.given:
        if all_options()[name] in elsewhere:
            check_use(all_options()[name], engine)
    prepared: Prepared = resolve_name(registered.prepare)(request, **start)
    return prepared


def usual_values(
    options: Iterable[Option[Any]], suite: str, plan: ClusterPlan | None, runs_dir: Path
) -> dict[str, str]:
    """What a simulated run of the plan, or else a run on this machine, takes for these options; as texts."""
    request = RunRequest(suite=suite)
    if plan is None:
        job = prepare(LOCAL, request, runs_dir=runs_dir, command=(), seed=None, keep_data=False).job
        sized, settings = job.suite, job.plan.settings
    else:
        sized, settings, _ = size_planned(request, plan)
    decided = {setting.key.replace(" ", "_"): setting.value for setting in settings}
    values: dict[str, str] = {}
    for option in options:
        own = [value for workload in sized.workloads if (value := option.of(workload)) is not None]
        if not own and option.name in decided:
            own = [decided[option.name]]
        if own:
            values[option.name] = ", ".join(dict.fromkeys(map(option.text_of, own)))
    return values


def _first(request: RunRequest) -> str:
    """The first engine that runs the suite and uses every option given, or runs the suite, or the first."""
    kinds = suites().get(request.suite, ())
    able = [name for name in engines() if all(name in programs()[kind].programs for kind in kinds)]
    engines_of_options = [all_options()[name].engines for name in request.given]
    fitting = (name for name in able if all(not users or name in users for users in engines_of_options))
    return next(fitting, next(iter(able or engines())))
