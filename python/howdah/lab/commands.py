"""What is done to the machines of a laboratory that is up: a shell on one, some lost, some back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple, NoReturn

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.redundancy import Behind
from howdah.lab.hadoop.starting import Tell, start_missing, wait_until_ready
from howdah.lab.installed import installed
from howdah.lab.kernel import network, processes
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.enter import client_prefix
from howdah.lab.kernel.processes import Process
from howdah.lab.registry import CLIENT
from howdah.lab.shared_hosts import others_on
from howdah.lab.state import LabState, LabSystem

_OF_THE_USER = ("TERM", "COLORTERM", "HOWDAH_CACHE", "USER", "LOGNAME")


class How(StrEnum):
    """How what runs on a machine ends, which those who talk to it see differently."""

    PROCESS = "process"
    """Its processes are killed. The kernel ends their connections and refuses new ones at once."""
    HOST = "host"
    """Its link is down first, so that nobody is told anything: as if its power were gone."""


class Lost(NamedTuple):
    """What was taken from a laboratory."""

    how: How
    machines: tuple[LabSystem, ...]
    ended: tuple[Process, ...]
    """The processes that ran there."""


class Back(NamedTuple):
    """What a laboratory has again."""

    joined: tuple[LabSystem, ...]
    """The machines whose link was down."""
    started: tuple[daemons.Daemon, ...]
    """The daemons that did not run."""
    behind: tuple[Behind, ...]
    """What is not redundant yet, although all runs."""


def run_inside(state: LabState, name: str, command: Sequence[str]) -> NoReturn:
    """Become a command, or a shell, on a machine or on the client; this program ends with it."""
    if name == CLIENT:
        prefix = client_prefix(state)
        environment = daemons.surroundings(state, daemons.configured(state, state.client_conf))
    else:
        machine = state.machine(name)
        prefix = daemons.inside(state, machine)
        environment = daemons.environment(state, machine, {})
    environment |= {name: os.environ[name] for name in _OF_THE_USER if name in os.environ}
    words = [*prefix, *(command or [os.environ.get("SHELL") or "/bin/sh"])]
    try:
        os.execvpe(words[0], words, _with_home(environment))
    except OSError as error:
        raise UserError(words[0], f"cannot run: {error.strerror}", "give an existing command") from error


def kill(state: LabState, name: str, daemon: str | None = None, how: How | None = None) -> Lost:
    """End what runs on a machine, or on all machines of a host, or one daemon there.

    Unless ``how`` says otherwise, a machine is lost as a whole where it has a link that can be taken down,
    and a daemon as a process. Raises UserError for a daemon that does not run there, and for what cannot be.
    """
    machines = state.machines_of(name)
    how = _possible(state, daemon, how)
    if daemon is not None and not any(running_on(state, machines, daemon)):
        _refuse(name, machines, daemon)
    if how is How.HOST and (others := others_on(state).get(name)):
        raise UserError(
            name,
            f"also has machines of {' and '.join(others)}, which would be lost with it",
            f"take down {' and '.join(others)}, or give machines: {', '.join(one.name for one in machines)}",
        )
    if how is How.HOST and state.spec is not None:
        # Before anything ends, or peers would be told of it by the last packets of the dying.
        for machine in machines:
            network.cut(state.spec, state.spec.machine(machine.name))
    ended = tuple(running_on(state, machines, daemon))
    for process in ended:
        processes.kill(process)
    return Lost(how, machines, ended)


def start(state: LabState, name: str, tell: Tell) -> Back:
    """Bring back a machine, or all machines of a host: their links, and what does not run there.

    It waits until the cluster has them back; where other machines lack daemons there is no whole cluster
    to wait for.
    """
    machines = state.machines_of(name)
    joined = tuple(_join(state, machines))
    running = start_missing(state, installed(state), tell, machines)
    whole = len(running.all) == len(list(daemons.planned(state)))
    behind = wait_until_ready(state, running.all, tell) if whole else ()
    return Back(joined, running.started, behind)


def _possible(state: LabState, daemon: str | None, how: How | None) -> How:
    if how is How.HOST and daemon is not None:
        raise UserError(
            "--how host",
            f"works on whole machines, and {daemon} is a daemon",
            "leave out the daemon or --how",
        )
    if how is How.HOST and state.rootless:
        raise UserError(
            "--how host",
            f'lab "{state.name}" was built without root, so its machines have no links',
            "give --how process, or build it as root",
        )
    return how or (How.PROCESS if daemon is not None or state.rootless else How.HOST)


def running_on(
    state: LabState, machines: Sequence[LabSystem], daemon: str | None = None
) -> Iterator[Process]:
    """The processes on these machines, or those of one daemon; tasks carry no machine's name."""
    names = {machine.name for machine in machines}
    marked = [process for process in processes.processes(state.mark) if process.machine in names]
    if daemon is not None:
        yield from (process for process in marked if process.daemon == daemon)
        return
    yield from marked
    there = {process.pid for process in marked}
    if state.spec is None:
        return
    for machine in machines:
        for pid in machine_group(state.spec, state.spec.machine(machine.name)).processes():
            # One that has ended by now needs no killing.
            with suppress(OSError):
                if pid not in there:
                    yield processes.of(pid, machine.name, "")


def _join(state: LabState, machines: Sequence[LabSystem]) -> Iterator[LabSystem]:
    if state.spec is None:
        return
    for machine in machines:
        cabled = state.spec.machine(machine.name)
        if network.is_cut(state.spec, cabled):
            network.join(state.spec, cabled)
            yield machine


def _refuse(name: str, machines: Sequence[LabSystem], daemon: str) -> NoReturn:
    planned = dict.fromkeys(DAEMONS[role].name for machine in machines for role in machine.roles)
    if daemon in planned:
        raise UserError(daemon, f"does not run on {name}", f"howdah lab start {name}")
    raise UserError(daemon, f"is not a daemon of {name}", f"one of {', '.join(planned)}")


def _with_home(environment: Mapping[str, str]) -> dict[str, str]:
    return {**environment, "HOME": os.environ.get("HOME", environment["HOME"])}
