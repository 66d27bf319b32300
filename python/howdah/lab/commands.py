"""Commands on the machines of a running lab: a shell, kill, and start again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, NoReturn

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.files import installed
from howdah.lab.hadoop.redundancy import Behind
from howdah.lab.hadoop.starting import ReportStep, start_missing, wait_until_ready
from howdah.lab.kernel import network, processes
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.namespaces import client_prefix
from howdah.lab.kernel.processes import Process
from howdah.lab.registry import CLIENT, KillMode
from howdah.lab.shared_hosts import labs_by_host
from howdah.lab.state import LabState, LabSystem

_USER_VARIABLES = ("TERM", "COLORTERM", "HOWDAH_CACHE", "USER", "LOGNAME")


class Lost(NamedTuple):
    """The machines and processes that were killed."""

    how: KillMode
    machines: tuple[LabSystem, ...]
    ended: tuple[Process, ...]
    """The processes that ran on them."""


class Back(NamedTuple):
    """The links and daemons that were restored."""

    joined: tuple[LabSystem, ...]
    """The machines whose link was down."""
    started: tuple[daemons.Daemon, ...]
    """The daemons that did not run."""
    behind: tuple[Behind, ...]
    """Daemons that run and are not redundant yet."""


def run_inside(state: LabState, name: str, command: Sequence[str]) -> NoReturn:
    """Replace this process by a command, or a shell, on a machine or on the client."""
    if name == CLIENT:
        prefix = client_prefix(state)
        environment = daemons.base_environment(state, daemons.conf_variables(state, state.client_conf))
    else:
        machine = state.machine(name)
        prefix = daemons.machine_prefix(state, machine)
        environment = daemons.environment(state, machine, {})
    environment |= {name: os.environ[name] for name in _USER_VARIABLES if name in os.environ}
    words = [*prefix, *(command or [os.environ.get("SHELL") or "/bin/sh"])]
    try:
        os.execvpe(words[0], words, {**environment, "HOME": os.environ.get("HOME", environment["HOME"])})
    except OSError as error:
        raise UserError(words[0], f"cannot run: {error.strerror}", "give an existing command") from error


def kill(state: LabState, name: str, daemon: str | None = None, how: KillMode | None = None) -> Lost:
    """Kill a machine, all machines of a host, or one daemon on them.

    By default a machine with a link is lost as a host, and a daemon as a process. Raises UserError if the
    daemon does not run there, or if ``how`` is impossible.
    """
    machines = state.machines_of(name)
    how = _kill_mode(state, daemon, how)
    if daemon is not None and not any(running_on(state, machines, daemon)):
        _refuse(name, machines, daemon)
    if how is KillMode.HOST and (labs := labs_by_host(state).get(name)):
        names = [machine.name for machine in machines]
        raise UserError(
            name,
            f"also has machines of {' and '.join(labs)}, which would be lost with it",
            f"take down {' and '.join(labs)}, or give machines: {', '.join(names)}",
        )
    if how is KillMode.HOST and state.spec is not None:
        # First the links, otherwise the kernel sends the peers the end of their connections.
        for machine in machines:
            network.cut(state.spec, state.spec.machine(machine.name))
    ended = tuple(running_on(state, machines, daemon))
    for process in ended:
        processes.kill(process)
    return Lost(how, machines, ended)


def start(state: LabState, name: str, report: ReportStep) -> Back:
    """Restore a machine, or all machines of a host: their links and their daemons.

    Waits until the cluster is complete, unless daemons of other machines are missing.
    """
    machines = state.machines_of(name)
    joined = tuple(_join(state, machines))
    running = start_missing(state, installed(state), report, machines)
    whole = len(running.all) == len(list(daemons.planned(state)))
    behind = wait_until_ready(state, running.all, report) if whole else ()
    return Back(joined, running.started, behind)


def _kill_mode(state: LabState, daemon: str | None, how: KillMode | None) -> KillMode:
    if how is KillMode.HOST and daemon is not None:
        raise UserError(
            "--how host",
            f"works on whole machines, and {daemon} is a daemon",
            "leave out the daemon or --how",
        )
    if how is KillMode.HOST and state.rootless:
        raise UserError(
            "--how host",
            f'lab "{state.name}" was built without root, so its machines have no links',
            "give --how process, or build it as root",
        )
    return how or (KillMode.PROCESS if daemon is not None or state.rootless else KillMode.HOST)


def running_on(
    state: LabState, machines: Sequence[LabSystem], daemon: str | None = None
) -> Iterator[Process]:
    """Yield the processes on these machines, or those of one daemon; tasks have no machine's name."""
    names = {machine.name for machine in machines}
    marked = [process for process in processes.processes(state.mark) if process.machine in names]
    if daemon is not None:
        yield from (process for process in marked if process.daemon == daemon)
        return
    yield from marked
    marked_pids = {process.pid for process in marked}
    if state.spec is None:
        return
    for machine in machines:
        for pid in machine_group(state.spec, state.spec.machine(machine.name)).processes():
            # The process may have ended.
            with suppress(OSError):
                if pid not in marked_pids:
                    yield processes.process_of(pid, machine.name, "")


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
