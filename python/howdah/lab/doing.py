"""What is done to the machines of a laboratory that is up: a shell on one, one lost, one back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from howdah.errors import UserError
from howdah.lab import daemons, processes
from howdah.lab.cgroups import machine_group
from howdah.lab.inside import client_prefix
from howdah.lab.names import CLIENT
from howdah.lab.processes import Process
from howdah.lab.starting import Tell, start_missing, wait_until_ready
from howdah.lab.state import LabState, Machine
from howdah.lab.up import installed

_OF_THE_USER = ("TERM", "COLORTERM", "HOWDAH_CACHE", "USER", "LOGNAME")


def run_inside(state: LabState, name: str, command: Sequence[str]) -> NoReturn:
    """Become a command, or a shell, on a machine or on the client; this program ends with it."""
    if name == CLIENT:
        prefix = client_prefix(state)
        environment = daemons.surroundings(state, {"HADOOP_CONF_DIR": str(state.client_conf)})
    else:
        machine = state.machine(name)
        prefix = daemons.inside(state, machine)
        environment = daemons.environment(state, machine, {})
    environment |= {name: os.environ[name] for name in _OF_THE_USER if name in os.environ}
    words = [*prefix, *(command or [os.environ.get("SHELL") or "/bin/sh"])]
    try:
        os.execvpe(words[0], words, _with_home(environment))
    except OSError as error:
        raise UserError(words[0], f"cannot be run: {error.strerror}", "give a command there is") from error


def kill(state: LabState, name: str, daemon: str | None) -> tuple[Process, ...]:
    """End a machine's daemons and tasks as a lost host would, or one daemon; returns what was ended.

    Raises UserError for a daemon that does not run there.
    """
    machine = state.machine(name)
    found = [one for one in processes.processes(state.mark) if one.machine == machine.name]
    if daemon is not None:
        found = [one for one in found if one.daemon == daemon]
        if not found:
            _refuse(state, machine, daemon)
    elif state.spec is not None:
        there = {one.pid for one in found}
        grouped = machine_group(state.spec, state.spec.machine(name)).processes()
        for pid in grouped:
            # One that has ended by now needs no killing.
            with suppress(OSError):
                if pid not in there:
                    found.append(processes.of(pid, name, ""))
    for one in found:
        processes.kill(one)
    return tuple(found)


def start(state: LabState, name: str, tell: Tell) -> tuple[daemons.Daemon, ...]:
    """Start those of a machine's daemons that do not run, and wait until the cluster has them back.

    Where other machines lack daemons there is no whole cluster to wait for.
    """
    running = start_missing(state, installed(state), tell, state.machine(name))
    if len(running.all) == len(list(daemons.planned(state))):
        wait_until_ready(state, running.all, tell)
    return running.started


def _refuse(state: LabState, machine: Machine, daemon: str) -> NoReturn:
    planned = [one.program for one in daemons.planned(state) if one.machine == machine]
    if daemon in planned:
        raise UserError(daemon, f"does not run on {machine.name}", f"howdah lab start {machine.name}")
    raise UserError(daemon, f"is no daemon of {machine.name}", f"one of {', '.join(planned)}")


def _with_home(environment: Mapping[str, str]) -> dict[str, str]:
    return {**environment, "HOME": os.environ.get("HOME", environment["HOME"])}
