"""A laboratory's daemons in the order in which a cluster is started for the first time, and after that."""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RunFailed
from howdah.hadoop.order import HDFS, ON_HDFS, QUORUM
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.hbase import root_directory
from howdah.lab.hadoop.health import (
    file_system_answers,
    file_system_takes_files,
    health,
    master_leads,
    missing,
    namenode_has_started,
)
from howdah.lab.hadoop.redundancy import Behind
from howdah.lab.installed import Installed
from howdah.lab.kernel.enter import network_of
from howdah.lab.kernel.processes import Process, is_running
from howdah.lab.kernel.processes import daemons as running
from howdah.lab.state import LabState, LabSystem
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web

Tell = Callable[[str], None]
"""Who hears what is being done or awaited, a few words at a time."""

PATIENCE_S = 300.0
"""How long daemons may take, all on one machine and each with a part of it."""

_POLL_S = 1.0
_ROOT_MODE = "711"
_BOOTSTRAP = "-bootstrapStandby"


class Running(NamedTuple):
    """The daemons that run, and which of them had to be started."""

    all: dict[Daemon, Process]
    started: tuple[Daemon, ...]


def start_missing(
    state: LabState, found: Installed, tell: Tell, only: Sequence[LabSystem] | None = None
) -> Running:
    """Start every daemon that does not run, or those of some machines, formatting what never was.

    Raises RunFailed with the end of its log for a program that fails.
    """
    processes = running(state)
    there = {daemon: processes[daemon.key] for daemon in daemons.planned(state) if daemon.key in processes}
    started: list[Daemon] = []

    def lacking(roles: Collection[Role]) -> list[Daemon]:
        return [
            daemon
            for daemon in daemons.planned(state)
            if daemon.role in roles and daemon not in there and (only is None or daemon.machine in only)
        ]

    def start(roles: Collection[Role], machines: Sequence[LabSystem] = state.machines) -> None:
        # After what was awaited, somebody else of the same run may have started one.
        now = running(state)
        for daemon in lacking(roles):
            if daemon.key in now:
                there[daemon] = now[daemon.key]
            elif daemon.machine in machines:
                tell(f"starting {daemon.program} on {daemon.machine.name}")
                there[daemon] = daemons.start(state, daemon, found)
                started.append(daemon)

    def has(role: Role) -> bool:
        return any(daemon.role is role for daemon in there)

    start(QUORUM)
    namenodes = [machine for machine in state.machines if Role.NAMENODE in machine.roles]
    first, *standbys = namenodes
    _once(state, first, found, tell, "namenode", "-format", "-clusterid", _cluster(state), "-force")
    start((Role.NAMENODE,), [first])
    if not all(_mark(standby, _BOOTSTRAP).exists() for standby in standbys):
        what = f"the NameNode on {first.name}"
        _wait(state, there, what, lambda: namenode_has_started(state, first), tell)
        for standby in standbys:
            _once(state, standby, found, tell, "namenode", _BOOTSTRAP, "-force")
    if any(Role.FAILOVER_CONTROLLER in machine.roles for machine in state.machines):
        _once(state, first, found, tell, "zkfc", "-formatZK", "-force")
    start(HDFS)
    if has(Role.NAMENODE):
        _wait(state, there, "HDFS", lambda: file_system_answers(state), tell)
    start(ON_HDFS)
    if lacking((Role.HMASTER,)) and has(Role.NAMENODE):
        _wait(state, there, "HDFS to take files", lambda: file_system_takes_files(state), tell)
        _make_root(state)
    start((Role.HMASTER,))
    # A RegionServer that finds nobody to report to waits 6 s, 12 s, 24 s and so on until it asks again.
    if lacking((Role.REGIONSERVER,)) and has(Role.HMASTER):
        _wait(state, there, "an active HMaster", lambda: master_leads(state), tell)
    start((Role.REGIONSERVER,))
    return Running(there, tuple(started))


def wait_until_ready(state: LabState, there: Mapping[Daemon, Process], tell: Tell) -> tuple[Behind, ...]:
    """Wait until HDFS takes changes and all that is planned is there; returns what is not redundant yet.

    For that it does not wait: a JournalNode may join only minutes later. Raises RunFailed with the end of
    its log for a daemon that ends, or for one that is awaited in vain.
    """
    deadline = time.monotonic() + PATIENCE_S
    keys = {daemon.key for daemon in there}
    with network_of(state):
        while lacking := next(missing(state, answers := health(state, running(state)), keys), None):
            _check_alive(there)
            if time.monotonic() > deadline:
                raise RunFailed(
                    f'lab "{state.name}"',
                    f"waited {PATIENCE_S:.0f} s for {lacking}",
                    f"see the logs in {state.directory / 'machines'}/*/logs; howdah lab up continues",
                )
            tell(f"waiting for {lacking}")
            time.sleep(_POLL_S)
    return answers.behind


def _make_root(state: LabState) -> None:
    """Make HBase's directory as the rendered README does."""
    with network_of(state), Web(state.names, user=superuser()) as web:
        namenode = NameNode(web, ClientConf.read(state.client_conf))
        namenode.mkdirs(root_directory(state), permission=_ROOT_MODE)


def superuser() -> str:
    """Whom the NameNode takes for its superuser: who started it."""
    return pwd.getpwuid(os.geteuid()).pw_name


def _check_alive(there: Mapping[Daemon, Process]) -> None:
    for daemon, process in there.items():
        if not is_running(process):
            raise RunFailed(
                f"{daemon.program} on {daemon.machine.name}",
                "ended while the lab started",
                daemons.tail(daemon.log),
            )


def _once(state: LabState, machine: LabSystem, found: Installed, tell: Tell, *words: str) -> None:
    """Run a program that makes something anew, unless it came to its good end before."""
    mark = _mark(machine, words[1])
    if not mark.exists():
        tell(f"{' '.join(words[:2])} on {machine.name}")
        daemons.run(state, machine, found.hadoop, *words)
        mark.touch()


def _mark(machine: LabSystem, word: str) -> Path:
    """The file that says that a program came to its good end."""
    return machine.directory / f"done{word}"


def _wait(
    state: LabState, there: Mapping[Daemon, Process], what: str, ask: Callable[[], bool], tell: Tell
) -> None:
    """Wait for what the next daemons need before they are started."""
    deadline = time.monotonic() + PATIENCE_S
    with network_of(state):
        while not ask():
            _check_alive(there)
            if time.monotonic() > deadline:
                raise RunFailed(f'lab "{state.name}"', f"waited {PATIENCE_S:.0f} s for {what}")
            tell(f"waiting for {what}")
            time.sleep(_POLL_S)


def _cluster(state: LabState) -> str:
    return state.plan.cluster.inventory.cluster
