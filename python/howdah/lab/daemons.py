"""Hadoop's daemons on the machines of a laboratory: started detached, watched, ended."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RunFailed
from howdah.installation import PROGRAMS, Installation, java_command, java_home
from howdah.lab import enter, processes
from howdah.lab.files import cpu_option, directories, name_options
from howdah.lab.names import MACHINE, VARIABLE
from howdah.lab.processes import Process
from howdah.lab.programs import PROGRAM, planned_options
from howdah.lab.state import LabState, Machine
from howdah.model.plan import Role

_LAST_LINES = 12
_LAST_BYTES = 20_000
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Daemon(NamedTuple):
    """A daemon that the plan has on a machine, running or not."""

    machine: Machine
    role: Role

    @property
    def program(self) -> str:
        """Its name in Hadoop's own scripts."""
        return PROGRAM[self.role].name

    @property
    def key(self) -> tuple[str, str]:
        """What its process is found by."""
        return self.machine.name, self.program

    @property
    def log(self) -> Path:
        """Where it logs."""
        return self.machine.logs / f"{self.program}.log"


def planned(state: LabState) -> Iterator[Daemon]:
    """Every daemon of the plan, in the order they are started."""
    for role in PROGRAM:
        for machine in state.machines:
            if role in machine.roles:
                yield Daemon(machine, role)


def start(state: LabState, daemon: Daemon, installation: Installation) -> Process:
    """Start a daemon in its machine's namespaces and limits; it outlives this process."""
    machine = daemon.machine
    for path in (machine.logs, machine.directory / "tmp", *directories(machine)):
        path.mkdir(parents=True, exist_ok=True)
    arguments = [str(machine.conf / "zoo.cfg")] if daemon.role is Role.ZOOKEEPER else []
    command = java_command(
        installation,
        machine.conf,
        PROGRAMS[daemon.program],
        *arguments,
        options=[*_options(state, machine), *planned_options(machine.conf, PROGRAM[daemon.role])],
    )
    with daemon.log.open("ab") as log:
        started = subprocess.Popen(
            [*inside(state, machine), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=machine.directory,
            env=environment(state, machine, {processes.DAEMON: daemon.program}),
            start_new_session=True,
        )
    return processes.of(started.pid, machine.name, daemon.program)


def run(state: LabState, machine: Machine, installation: Installation, *words: str) -> None:
    """Run a program of Hadoop's to its end on a machine; raises RunFailed with what it said if it fails."""
    program, *arguments = words
    command = java_command(
        installation, machine.conf, PROGRAMS[program], *arguments, options=_options(state, machine)
    )
    machine.logs.mkdir(parents=True, exist_ok=True)
    log = machine.logs / f"{program}{arguments[0] if arguments else ''}.log"
    for path in (machine.directory / "tmp", *directories(machine)):
        path.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        done = subprocess.run(
            [*inside(state, machine), *command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=machine.directory,
            env=environment(state, machine, {}),
            check=False,
        )
    if done.returncode != 0:
        raise RunFailed(f"{' '.join(words)} on {machine.name}", f"ended with {done.returncode}", tail(log))


def environment(state: LabState, machine: Machine, more: Mapping[str, str]) -> dict[str, str]:
    """All that a program of a machine finds in its environment; nothing of the user's own gets in."""
    own = {
        "HOME": str(machine.directory),
        "HADOOP_CONF_DIR": str(machine.conf),
        MACHINE: machine.name,
    }
    return surroundings(state, {**own, **more})


def surroundings(state: LabState, more: Mapping[str, str]) -> dict[str, str]:
    """The environment of every program of a laboratory."""
    return {
        "PATH": f"{state.directory / 'bin'}:{_PATH}",
        "LANG": "C.UTF-8",
        "HOME": str(state.directory),
        "JAVA_HOME": str(java_home()),
        VARIABLE: state.mark,
        **more,
    }


def tail(log: Path) -> str:
    """The last lines of a log that say something; stack traces are left out where there is more."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LAST_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        lines = []
    said = [line for line in lines if line.strip() and not line.startswith(("\tat ", "\t... "))]
    return "\n".join([f"the last lines of {log}:", *(line[:300] for line in said[-_LAST_LINES:])])


def inside(state: LabState, machine: Machine) -> tuple[str, ...]:
    """The beginning of a command line that runs on a machine; without root that is here."""
    return enter.entry(state.spec, machine.name, state.hosts_file) if state.spec else ()


def _options(state: LabState, machine: Machine) -> list[str]:
    """What Java has to be told about its machine, before the plan's own options."""
    return [
        "-XX:-UsePerfData",
        cpu_option(machine.threads),
        f"-Djava.io.tmpdir={machine.directory / 'tmp'}",
        *name_options(state),
    ]
