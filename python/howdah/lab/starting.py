"""A laboratory's daemons in the order in which a cluster is started for the first time, and after that."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import RunFailed
from howdah.installation import Installation
from howdah.lab import daemons
from howdah.lab.daemons import Daemon
from howdah.lab.health import awaited, health, namenode_answers
from howdah.lab.inside import network_of
from howdah.lab.processes import Process, is_running
from howdah.lab.processes import daemons as running
from howdah.lab.state import LabState, Machine
from howdah.model.plan import Role

Tell = Callable[[str], None]
"""Who hears what is being done or awaited, a few words at a time."""

PATIENCE_S = 300.0
"""How long daemons may take, all on one machine and each with a part of it."""

_POLL_S = 1.0
_QUORUM = (Role.ZOOKEEPER, Role.JOURNALNODE)


class Running(NamedTuple):
    """The daemons that run, and which of them had to be started."""

    all: dict[Daemon, Process]
    started: tuple[Daemon, ...]


def start_missing(state: LabState, installation: Installation, tell: Tell) -> Running:
    """Start every daemon that does not run, formatting what never was.

    Raises RunFailed with the end of its log for a program that fails.
    """
    found = running(state)
    there = {one: found[one.key] for one in daemons.planned(state) if one.key in found}
    started: list[Daemon] = []

    def start(roles: Collection[Role], machines: Sequence[Machine] = state.machines) -> None:
        for daemon in daemons.planned(state):
            if daemon.role in roles and daemon.machine in machines and daemon not in there:
                tell(f"starting {daemon.program} on {daemon.machine.name}")
                there[daemon] = daemons.start(state, daemon, installation)
                started.append(daemon)

    start(_QUORUM)
    namenodes = [machine for machine in state.machines if Role.NAMENODE in machine.roles]
    first, *standbys = namenodes
    _once(state, first, installation, tell, "namenode", "-format", "-clusterid", _cluster(state), "-force")
    start((Role.NAMENODE,), [first])
    if standbys:
        _wait_for_first(state, first, there, tell)
        for standby in standbys:
            _once(state, standby, installation, tell, "namenode", "-bootstrapStandby", "-force")
        if any(Role.FAILOVER_CONTROLLER in machine.roles for machine in state.machines):
            _once(state, first, installation, tell, "zkfc", "-formatZK", "-force")
    start(tuple(Role))
    return Running(there, tuple(started))


def wait_until_ready(state: LabState, there: Mapping[Daemon, Process], tell: Tell) -> None:
    """Wait until HDFS takes changes and all DataNodes and NodeManagers are there.

    Raises RunFailed with the end of its log for a daemon that ends, or for one that is awaited in vain.
    """
    deadline = time.monotonic() + PATIENCE_S
    with network_of(state):
        while (missing := awaited(state, health(state))) is not None:
            _check_alive(there)
            if time.monotonic() > deadline:
                raise RunFailed(
                    f"laboratory {state.name}",
                    f"waited {PATIENCE_S:.0f} s for {missing}",
                    f"the logs are in {state.directory / 'machines'}/*/logs; howdah lab up goes on waiting",
                )
            tell(f"waiting for {missing}")
            time.sleep(_POLL_S)


def _check_alive(there: Mapping[Daemon, Process]) -> None:
    for daemon, process in there.items():
        if not is_running(process):
            raise RunFailed(
                f"{daemon.program} on {daemon.machine.name}",
                "ended while the laboratory came up",
                daemons.tail(daemon.log),
            )


def _once(state: LabState, machine: Machine, installation: Installation, tell: Tell, *words: str) -> None:
    """Run a program that makes something anew, unless it came to its good end before."""
    mark = machine.directory / f"done{words[1]}"
    if not mark.exists():
        tell(f"{' '.join(words[:2])} on {machine.name}")
        daemons.run(state, machine, installation, *words)
        mark.touch()


def _wait_for_first(state: LabState, first: Machine, there: Mapping[Daemon, Process], tell: Tell) -> None:
    """Wait for the first NameNode, from which the others have their files."""
    deadline = time.monotonic() + PATIENCE_S
    with network_of(state):
        while not namenode_answers(state, first):
            _check_alive(there)
            if time.monotonic() > deadline:
                raise RunFailed(f"NameNode on {first.name}", f"does not answer in {PATIENCE_S:.0f} s")
            tell(f"waiting for the NameNode on {first.name}")
            time.sleep(_POLL_S)


def _cluster(state: LabState) -> str:
    assert state.plan.cluster is not None
    return state.plan.cluster.inventory.cluster
