"""Runs on a lab: they wait until its running daemons are ready, and revert their faults at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING

from howdah.engines.base import Engine
from howdah.errors import UserError
from howdah.faults.lab import LabFaults, RunningDaemons, heal_orphans
from howdah.faults.player import FaultPlayer, LabLogs
from howdah.faults.revert import lab_targets
from howdah.faults.schedule import check_schedule, read_faults
from howdah.lab import registry
from howdah.lab.state import LabState, read_state
from howdah.lab.status import LabStatus, status
from howdah.model.cluster import DEFAULT_LAB
from howdah.model.engines import CONF, FAULT, LAB, PLAN
from howdah.model.faults import Action
from howdah.model.plan import Placement
from howdah.model.run import RunRecord, RunWarning
from howdah.model.run_request import RunRequest
from howdah.model.tables import Job, Progress, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import ERASURE_CODING
from howdah.model.workloads.suite import programs, suites
from howdah.planner.topology import NODE_GROUPS_END
from howdah.units import listed

if TYPE_CHECKING:
    from howdah.engines.hadoop.ledger_clients import HdfsClients

SETTLES_S = 60.0  # The wait for what comes by itself: opened regions, a NameNode's safe mode ending.
STANDS_IN_S = 180.0  # Before faults: a standby leaves safe mode two and a half minutes after its start.
_POLL_S = 1.0


def complete_lab(
    name: str | None, engine: str, otherwise: str, *, elsewhere: bool = False
) -> LabState | None:
    """The laboratory of that name, or of the default one; None where that is not up and none was named.

    One of another name may be another user's, and is used only if it is named. Raises UserError for a name
    that no laboratory has, if only others are up and no cluster is named ``elsewhere``, and for one that is
    half built; ``otherwise`` is what may be given instead.
    """
    chosen = registry.entry(name or DEFAULT_LAB)
    if chosen is None:
        lab_names = [entry.name for entry in registry.entries()]
        names = ", ".join(lab_names)
        if name is not None:
            hint = f"one of {names}" if lab_names else "no lab is up; build one: howdah lab up plan.yaml"
            raise UserError(f"--lab {name}", "no such lab is up", hint)
        if lab_names and not elsewhere:
            first, problem = lab_names[0], f"no lab {DEFAULT_LAB!r} is up, only {names}"
            hint = f"give --lab {first} to run there (in a study's settings, lab: {first}), or {otherwise}"
            raise UserError(f"--engine {engine}", problem, hint)
        return None
    state = read_state(chosen.directory)
    if state is None or not state.complete:
        hint = f"run howdah lab up, or howdah lab down --name {chosen.name}, or give {otherwise}"
        raise UserError(f'lab "{chosen.name}"', "is not complete", hint)
    return state


def check_one_cluster(request: RunRequest) -> None:
    """Raise UserError for a request that names both a lab and a configuration."""
    if request.of(CONF) is not None and request.of(LAB) is not None:
        problem = f"conflicts with {CONF.flag}: they name different clusters"
        raise UserError(LAB.flag, problem, "leave one of them out")


def chosen_lab(
    request: RunRequest, engine: str, variable: str, find: Callable[..., LabState | None]
) -> LabState | None:
    """The lab that a request names, or the default one by ``find``; raises UserError for contradictions."""
    lab, elsewhere = request.of(LAB), bool(os.environ.get(variable))
    if lab is None and request.of(CONF) is not None:
        return None
    state = find(lab, elsewhere=elsewhere)
    if state is not None and lab is None and elsewhere:
        problem = f'lab "{state.name}" is up, but {variable} names another cluster'
        raise UserError(f"--engine {engine}", problem, f"--lab {state.name}, or --conf DIR")
    if state is not None and request.of(PLAN) is not None:
        problem = "has no effect on a lab, which has its own plan"
        raise UserError(PLAN.flag, problem, f"use it with {CONF.flag}")
    return state


class LabEngine:
    """Runs an engine once a lab is complete, with faults and ``clients`` next to it if requested."""

    def __init__(
        self, engine: Engine, state: LabState, player: FaultPlayer | None, clients: HdfsClients | None
    ) -> None:
        self.name = engine.name
        self.version = engine.version
        self._engine = engine
        self._state = state
        self._player = player
        self._clients = clients

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Wait, run the job, and note in its record what was not there when it began."""
        before = settled(self._state, SETTLES_S if self._player is None else STANDS_IN_S)
        if self._player is None:
            record = self._engine.run(job, sink)
        else:
            record = self._run_with_faults(self._player, job, sink)
        if warnings := tuple(_warnings(before)):
            record = record.model_copy(update={"warnings": (*record.warnings, *warnings)})
            sink.update(record)
        return record

    def _run_with_faults(self, player: FaultPlayer, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; at its end revert all faults and start ended daemons again, also after an error."""
        logs, running = LabLogs(self._state), RunningDaemons(self._state)
        try:
            record = self._engine.run(job, _Watched(sink, player, self._clients))
        finally:
            player.heal()
            fallen = running.start_fallen()
        recovery = logs.recovery(player.reports, datetime.fromisoformat(record.created).timestamp())
        texts = (f"{daemon} ended by itself during the run, and howdah started it again" for daemon in fallen)
        warnings = (*record.warnings, *(RunWarning(code="daemon-fell", text=text) for text in texts))
        changes = {"faults": player.reports, "recovery": recovery, "warnings": warnings}
        record = record.model_copy(update=changes)
        if self._clients is not None:
            record = self._clients.end(record)
        sink.update(record)
        return record


def settled(state: LabState, patience_s: float) -> LabStatus:
    """The lab's status once daemons that run, and that no fault stopped, are ready, or after a timeout."""
    deadline = time.monotonic() + patience_s
    while True:
        now = status(state)
        runs = all(daemon.pid is not None for machine in now.machines for daemon in machine.daemons)
        # All runs, and something of it does not do its part yet.
        coming = runs and bool(now.missing)
        if now.faults or now.health is None or not coming or time.monotonic() > deadline:
            return now
        time.sleep(_POLL_S)


def _warnings(before: LabStatus) -> Iterator[RunWarning]:
    for fault in before.faults:
        text = f"{fault} was active when the run began, and stays active"
        yield RunWarning(code="fault-in-force", text=text)
    behind = before.health.behind if before.health else ()
    if lacking := (*before.missing, *(daemon.what for daemon in behind)):
        yield RunWarning(
            code="lab-not-whole",
            text="the lab was not complete when the run began: times may differ from those of a complete "
            f"lab, and faults may do more damage: {listed(lacking)}",
        )


def on_lab(
    engine: Engine, state: LabState | None, player: FaultPlayer | None, clients: HdfsClients | None = None
) -> Engine:
    """Return the engine for a lab; without a lab the engine itself."""
    return engine if state is None else LabEngine(engine, state, player, clients)


def requested_faults(request: RunRequest, state: LabState | None) -> FaultPlayer | None:
    """The player of a requested schedule, if any; reverts orphans, raises UserError for a wrong one."""
    texts = request.of(FAULT)
    if not texts:
        if state is not None:
            heal_orphans(state)
        return None
    if state is None:
        hint = "build a lab like your cluster with howdah lab up PLAN, then give --lab NAME"
        raise UserError(FAULT.flag, "can destroy data, so howdah injects faults only into its own labs", hint)
    targets = lab_targets(state)
    schedule = tuple(fault for text in texts for fault in read_faults(text, targets))
    reported = {kind: _phases(programs()[kind]) for kind in suites()[request.suite]}
    check_schedule(schedule, targets, reported, FAULT.flag)
    coded = request.of(ERASURE_CODING) is not None
    node_groups = state.plan.cluster.topology.placement is Placement.NODE_GROUPS
    if coded and node_groups and any(fault.action is Action.DRAIN for fault in schedule):
        problem = f"workers with coded files cannot be drained in this lab: {NODE_GROUPS_END}"
        hint = "plan the lab with --erasure-coding DIR=POLICY: its hosts are then upgrade domains"
        raise UserError(FAULT.flag, problem, hint)
    heal_orphans(state)
    return FaultPlayer(schedule, LabFaults(state))


def _phases(program: type[Workload]) -> tuple[str, ...]:
    """The phases that its progress reports while it runs, if they are known before."""
    if program.reported_phases is not None:
        return program.reported_phases
    if "hadoop" not in program.programs:
        return ()
    return program.map_phases if program.shuffles else program.map_phases[:1]


class _Watched:
    """A sink that passes the progress to the player, and adds the player's reports to the record."""

    def __init__(self, sink: SampleSink, player: FaultPlayer, clients: HdfsClients | None) -> None:
        self._sink = sink
        self._player = player
        self._clients = clients
        self._record: RunRecord | None = None
        self._lock = RLock()
        self.samples, self.tasks, self.measured = sink.samples, sink.tasks, sink.measured
        self.latencies, self.server_events = sink.latencies, sink.server_events
        self.sample_table, self.task_table = sink.sample_table, sink.task_table

    def update(self, record: RunRecord) -> None:
        begins = self._record is None
        with self._lock:
            self._record = record
            self._changed()
        if begins:
            # The run's clock began at the time in its record.
            start_epoch_s = datetime.fromisoformat(record.created).timestamp()
            passed_s = time.time() - start_epoch_s
            zero = time.monotonic() - passed_s
            self._player.begin(lambda: time.monotonic() - zero, self._changed)
            if self._clients is not None:
                self._clients.begin(record, lambda epoch_s: epoch_s - start_epoch_s)

    def progress(self, progress: Progress) -> None:
        self._player.progress(progress)
        self._sink.progress(progress)

    def _changed(self) -> None:
        with self._lock:
            if self._record is not None:
                self._sink.update(self._record.model_copy(update={"faults": self._player.reports}))
