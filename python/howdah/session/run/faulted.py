"""A run with faults: the schedule is read and checked, played beside the engine, and undone at its end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import NamedTuple, Protocol

import pyarrow as pa

from howdah.documents.read import read_document
from howdah.engines.base import Engine
from howdah.errors import UserError
from howdah.faults.grammar import EXAMPLE, parse_fault, parse_time
from howdah.faults.player import FaultPlayer
from howdah.faults.schedule import Crew, check_schedule, random_schedule
from howdah.lab.faults.targets import crew
from howdah.lab.state import LabState
from howdah.model.engine_options import FAULT
from howdah.model.faults import ClusterFault, FaultFile
from howdah.model.job import Job
from howdah.model.latencies import LatencyHistogram
from howdah.model.run import RunRecord, RunWarning, Sample, TaskAttempt
from howdah.model.server_events import ServerEvent
from howdah.model.sink import Progress, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.registered import programs
from howdah.model.workloads.suite import suites
from howdah.planner.suite.request import RunRequest
from howdah.session.cluster.recovery import LabLogs
from howdah.session.lab.faults import LabFaults, RunningDaemons, heal_orphans
from howdah.session.run.settled import STANDS_IN_S, SettledEngine

_DRAW = "random"
"""What a line begins with that asks for faults by chance."""
_RANDOM = re.compile(r"random +(\d{1,4}) +seed +(\d{1,18}) +within +(.+)")
_FILE_HINT = "give a file with a list 'faults:' of lines as --fault takes them"


class Beside(Protocol):
    """What else is done beside the engine while faults are."""

    def begin(self, record: RunRecord, seconds: Callable[[float], float]) -> None:
        """The run has begun; ``seconds`` makes seconds since its start of those since 1970."""

    def end(self, record: RunRecord) -> RunRecord:
        """All faults are undone; the record with what was found."""


class Playing(NamedTuple):
    """A schedule that was asked for, and the laboratory that it is played on."""

    player: FaultPlayer
    state: LabState

    def beside(self, engine: Engine, besides: Beside | None = None) -> Engine:
        """The engine with the schedule played beside it, and with what else is done meanwhile."""
        return FaultedEngine(engine, self.player, self.state, besides)


def on_lab(
    engine: Engine, state: LabState | None, playing: Playing | None, besides: Beside | None = None
) -> Engine:
    """The engine as it runs on a laboratory, once that is whole; the engine itself anywhere else."""
    if state is None:
        return engine
    if playing is None:
        return SettledEngine(engine, state)
    return SettledEngine(playing.beside(engine, besides), state, STANDS_IN_S)


def faults_asked(request: RunRequest, state: LabState | None) -> Playing | None:
    """The schedule that a run asks for; None where it asks for none.

    Raises UserError for a schedule that cannot be played on this laboratory, and for any where there is no
    laboratory. What a howdah that was killed left in force is undone first.
    """
    given = request.of(FAULT)
    if not given:
        if state is not None:
            heal_orphans(state)
        return None
    if state is None:
        raise UserError(
            FAULT.flag,
            "can destroy data, so howdah injects faults only into its own labs",
            "build a lab like your cluster with howdah lab up PLAN, then give --lab NAME",
        )
    found = crew(state)
    schedule = tuple(fault for text in given for fault in _faults(text, found))
    phases = {kind: _phases(programs()[kind]) for kind in suites()[request.suite]}
    check_schedule(schedule, found, phases, FAULT.flag)
    heal_orphans(state)
    return Playing(FaultPlayer(schedule, LabFaults(state)), state)


def _phases(program: type[Workload]) -> tuple[str, ...]:
    """The phases that are heard of while it runs, where they are known before: those of a MapReduce job."""
    if "hadoop" not in program.programs:
        return ()
    return program.map_phases if program.shuffles else program.map_phases[:1]


def _faults(text: str, found: Crew) -> Iterator[ClusterFault]:
    """Those of one line, or of a file of lines."""
    words = text.split()
    if not words:
        raise UserError(
            f"{FAULT.flag} '{text}'",
            "is not a fault",
            f"write, for example, {EXAMPLE}, or give a file of faults",
        )
    if len(words) > 1 or words[0] == _DRAW:
        yield from _line(text, FAULT.flag, found)
        return
    for line in read_document(Path(text), FaultFile, "a list of faults", _FILE_HINT).faults:
        yield from _line(line, text, found)


def _line(text: str, where: str, found: Crew) -> tuple[ClusterFault, ...]:
    """A fault, or the random ones that a line asks for."""
    place = f"{where} '{text}'"
    if chosen := _RANDOM.fullmatch(text.strip()):
        number, seed, within = int(chosen[1]), int(chosen[2]), parse_time([chosen[3]], "within", place)
        if not 1 <= number <= 100 or within <= 0:
            raise UserError(
                place, "is not a random schedule", "random 3 seed 7 within 60s; at most 100 faults"
            )
        return random_schedule(seed, number, found, within)
    if text.split()[:1] == [_DRAW]:
        raise UserError(place, "needs the number of faults and a seed", "random 3 seed 7 within 60s")
    return (parse_fault(text, where),)


class FaultedEngine:
    """An engine with a schedule that is played beside it; see ``howdah.engines.base.Engine``."""

    def __init__(self, engine: Engine, player: FaultPlayer, state: LabState, beside: Beside | None) -> None:
        self.name = engine.name
        self.version = engine.version
        self._engine = engine
        self._player = player
        self._state = state
        self._beside = beside

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; when it ends, however that is, all faults are undone and who fell is started again."""
        logs, running = LabLogs(self._state), RunningDaemons(self._state)
        watched = _Watched(sink, self._player, self._beside)
        try:
            record = self._engine.run(job, watched)
        finally:
            self._player.heal()
            fallen = running.start_fallen()
        told = self._player.told
        record = record.model_copy(
            update={
                "faults": told,
                "recovery": logs.recovery(told, datetime.fromisoformat(record.created).timestamp()),
                "warnings": (*record.warnings, *map(_fell, fallen)),
            }
        )
        if self._beside is not None:
            record = self._beside.end(record)
        sink.update(record)
        return record


def _fell(daemon: str) -> RunWarning:
    text = f"{daemon} ended by itself during the run, and howdah started it again"
    return RunWarning(code="daemon-fell", text=text)


class _Watched:
    """A sink that tells the player how far the run is, and every record of what the player did."""

    def __init__(self, sink: SampleSink, player: FaultPlayer, beside: Beside | None) -> None:
        self._sink = sink
        self._player = player
        self._beside = beside
        self._record: RunRecord | None = None
        self._lock = RLock()

    def samples(self, rows: Sequence[Sample]) -> None:
        self._sink.samples(rows)

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        self._sink.tasks(rows)

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        self._sink.latencies(rows)

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        self._sink.server_events(rows)

    def sample_table(self, rows: pa.Table) -> None:
        self._sink.sample_table(rows)

    def task_table(self, rows: pa.Table) -> None:
        self._sink.task_table(rows)

    def update(self, record: RunRecord) -> None:
        begins = self._record is None
        with self._lock:
            self._record = record
            self._sink.update(record.model_copy(update={"faults": self._player.told}))
        if begins:
            self._begin(record)

    def progress(self, progress: Progress) -> None:
        self._player.progress(progress)
        self._sink.progress(progress)

    def measured(self) -> None:
        self._sink.measured()

    def _begin(self, record: RunRecord) -> None:
        # The run's clock began when its record says; what has passed since is the same on every clock.
        start_epoch_s = datetime.fromisoformat(record.created).timestamp()
        passed_s = time.time() - start_epoch_s
        zero = time.monotonic() - passed_s

        def now_s() -> float:
            return time.monotonic() - zero

        self._player.begin(now_s, self._changed)
        if self._beside is not None:
            self._beside.begin(record, lambda epoch_s: epoch_s - start_epoch_s)

    def _changed(self) -> None:
        with self._lock:
            if self._record is not None:
                self._sink.update(self._record.model_copy(update={"faults": self._player.told}))
