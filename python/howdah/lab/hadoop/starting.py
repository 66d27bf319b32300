"""The start of a lab's daemons in order, the first time with formatting."""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RunFailed
from howdah.hadoop.daemons import HDFS, ON_HDFS, QUORUM
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.files import Installed
from howdah.lab.hadoop.health import (
    file_system_answers,
    file_system_takes_files,
    health,
    master_leads,
    missing,
    namenode_has_started,
)
from howdah.lab.hadoop.reports import Behind, root_directory
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.kernel.processes import Process, is_running
from howdah.lab.kernel.processes import daemons as running
from howdah.lab.state import LabState, LabSystem
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web

ReportStep = Callable[[str], None]  # Shows the current step in a few words.
PATIENCE_S = 300.0  # Time limit for daemons to start, all on one machine.
_POLL_S = 1.0
_BOOTSTRAP = "-bootstrapStandby"


class Running(NamedTuple):
    """The running daemons, and those of them that were started."""

    all: dict[Daemon, Process]
    started: tuple[Daemon, ...]


def start_missing(
    state: LabState, installations: Installed, report: ReportStep, only: Sequence[LabSystem] | None = None
) -> Running:
    """Start every daemon that does not run, of all or ``only`` some machines; format first if necessary.

    Raises RunFailed with the end of the log of a program that fails.
    """
    processes = running(state)
    present = {daemon: processes[daemon.key] for daemon in daemons.planned(state) if daemon.key in processes}
    started: list[Daemon] = []

    def wait(awaited: str, is_ready: Callable[[], bool]) -> None:
        """Wait until it is ready, which the next daemons need before their start."""
        deadline = time.monotonic() + PATIENCE_S
        with network_of(state):
            while not is_ready():
                _check_alive(present)
                if time.monotonic() > deadline:
                    raise RunFailed(f'lab "{state.name}"', f"waited {PATIENCE_S:.0f} s for {awaited}")
                report(f"waiting for {awaited}")
                time.sleep(_POLL_S)

    def lacking(roles: Collection[Role]) -> list[Daemon]:
        return [
            daemon
            for daemon in daemons.planned(state)
            if daemon.role in roles and daemon not in present and (only is None or daemon.machine in only)
        ]

    def start(roles: Collection[Role], machines: Sequence[LabSystem] = state.machines) -> None:
        # Another thread of the same run may have started some during the wait.
        current = running(state)
        for daemon in lacking(roles):
            if daemon.key in current:
                present[daemon] = current[daemon.key]
            elif daemon.machine in machines:
                report(f"starting {daemon.program} on {daemon.machine.name}")
                present[daemon] = daemons.start(state, daemon, installations)
                started.append(daemon)

    def has(role: Role) -> bool:
        return any(daemon.role is role for daemon in present)

    start(QUORUM)
    first, *standbys = [machine for machine in state.machines if Role.NAMENODE in machine.roles]
    words = ("-format", "-clusterid", state.plan.cluster.inventory.cluster, "-force")
    _run_once(state, first, installations, report, "namenode", *words)
    start((Role.NAMENODE,), [first])
    if not all(_mark(standby, _BOOTSTRAP).exists() for standby in standbys):
        wait(f"the NameNode on {first.name}", lambda: namenode_has_started(state, first))
        for standby in standbys:
            _run_once(state, standby, installations, report, "namenode", _BOOTSTRAP, "-force")
    if any(Role.FAILOVER_CONTROLLER in machine.roles for machine in state.machines):
        _run_once(state, first, installations, report, "zkfc", "-formatZK", "-force")
    start(HDFS)
    if has(Role.NAMENODE):
        wait("HDFS", lambda: file_system_answers(state))
    start(ON_HDFS)
    if lacking((Role.HMASTER,)) and has(Role.NAMENODE):
        wait("HDFS to take files", lambda: file_system_takes_files(state))
        _make_root(state)
    start((Role.HMASTER,))
    # A RegionServer without an active HMaster retries only after 6 s, 12 s, 24 s and so on.
    if lacking((Role.REGIONSERVER,)) and has(Role.HMASTER):
        wait("an active HMaster", lambda: master_leads(state))
    start((Role.REGIONSERVER,))
    return Running(present, tuple(started))


def wait_until_ready(
    state: LabState, present: Mapping[Daemon, Process], report: ReportStep
) -> tuple[Behind, ...]:
    """Wait until HDFS accepts changes and all planned daemons are ready; return those without redundancy.

    It does not wait for redundancy, because a JournalNode may join minutes later. Raises RunFailed if a
    daemon ends, with the end of its log, or after a timeout.
    """
    deadline = time.monotonic() + PATIENCE_S
    keys = {daemon.key for daemon in present}
    with network_of(state):
        while lacking := next(missing(state, answers := health(state, running(state)), keys), None):
            _check_alive(present)
            if time.monotonic() > deadline:
                hint = f"see the logs in {state.directory / 'machines'}/*/logs; howdah lab up continues"
                raise RunFailed(f'lab "{state.name}"', f"waited {PATIENCE_S:.0f} s for {lacking}", hint)
            report(f"waiting for {lacking}")
            time.sleep(_POLL_S)
    return answers.behind


def _make_root(state: LabState) -> None:
    with network_of(state), Web(state.names, user=superuser()) as web:
        NameNode(web, ClientConf.read(state.client_conf)).mkdirs(root_directory(state), permission="711")


def superuser() -> str:
    """Return HDFS's superuser: the user who started the NameNode."""
    return pwd.getpwuid(os.geteuid()).pw_name


def _check_alive(present: Mapping[Daemon, Process]) -> None:
    for daemon, process in present.items():
        if not is_running(process):
            where = f"{daemon.program} on {daemon.machine.name}"
            raise RunFailed(where, "ended while the lab started", daemons.tail(daemon.log))


def _run_once(
    state: LabState, machine: LabSystem, installations: Installed, report: ReportStep, *words: str
) -> None:
    mark = _mark(machine, words[1])
    if not mark.exists():
        report(f"{' '.join(words[:2])} on {machine.name}")
        daemons.run(state, machine, installations.hadoop, *words)
        mark.touch()


def _mark(machine: LabSystem, word: str) -> Path:
    return machine.directory / f"done{word}"
