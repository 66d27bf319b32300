"""The daemons of a lab: their command lines, options, environments, logs and web servers."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RunFailed
from howdah.hadoop.config_files import read_assignments
from howdah.hadoop.daemons import DAEMONS, OF_HBASE, DaemonKind, default_port
from howdah.installation.installation import HBaseInstallation, Installation, java_home
from howdah.installation.java_programs import BRIEF, PROGRAMS, gc_log_option, java_command
from howdah.lab.hadoop.files import Installed, cpu_option, directories, name_options
from howdah.lab.hadoop.redirect import properties
from howdah.lab.kernel import namespaces, processes
from howdah.lab.kernel.processes import Process
from howdah.lab.registry import MACHINE, VARIABLE
from howdah.lab.state import LabState, LabSystem
from howdah.model.plan import Role
from howdah.services.conf import ClientConf

_EXIT = re.compile(r"ExitUtil: Exiting with status \d+: (.{1,200})")
_LAST_LINES = 12
_LAST_BYTES = 20_000
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def planned_options(conf: Path, kind: DaemonKind) -> list[str]:
    """Return a daemon's Java options in the plan, which its rendered env file exports."""
    try:
        text = (conf / kind.options_file).read_text()
    except FileNotFoundError:
        return []
    values = {entry.name: entry.value for entry in read_assignments(text)}
    return values.get(kind.options, "").split()


def page_url(machine: LabSystem, role: Role) -> str:
    """Return the URL of a daemon's web server, which has /jmx."""
    key = DAEMONS[role].page.key
    if role in OF_HBASE:
        address = properties((machine.conf / "hbase-site.xml").read_text()).get(key)
    else:
        address = ClientConf.read(machine.conf).explicit(key)
    port = address.rpartition(":")[2] if address else default_port(key)
    return f"http://{machine.name}:{port}"


class Daemon(NamedTuple):
    """A planned daemon on a machine, running or not."""

    machine: LabSystem
    role: Role

    @property
    def program(self) -> str:
        """Its name in Hadoop's own scripts."""
        return DAEMONS[self.role].name

    @property
    def key(self) -> tuple[str, str]:
        return self.machine.name, self.program

    @property
    def log(self) -> Path:
        return self.machine.logs / f"{self.program}.log"

    @property
    def collector_log(self) -> Path:
        """Its JVM's log of garbage collections, which HBase's daemons write."""
        return self.machine.logs / f"{self.program}-gc.log"


def planned(state: LabState) -> Iterator[Daemon]:
    """Yield every daemon of the plan, in the order of their start."""
    for role in DAEMONS:
        for machine in state.machines:
            if role in machine.roles:
                yield Daemon(machine, role)


def start(state: LabState, daemon: Daemon, installations: Installed) -> Process:
    """Start a daemon in its machine's namespaces and limits; it continues after this process ends."""
    machine, kind, options = daemon.machine, DAEMONS[daemon.role], _options(state, daemon.machine)
    _make_directories(machine)
    installation: Installation | HBaseInstallation = installations.hadoop
    arguments = [str(machine.conf / "zoo.cfg")] if daemon.role is Role.ZOOKEEPER else []
    if daemon.role in OF_HBASE:
        assert installations.hbase is not None  # Only plans with HBase have its daemons.
        installation, arguments = installations.hbase, ["start"]
        options.append(gc_log_option(str(daemon.collector_log)))
    options += planned_options(machine.conf, kind)
    command = java_command(installation, machine.conf, kind.main, *arguments, options=options)
    with daemon.log.open("ab") as log:
        started = subprocess.Popen(
            [*machine_prefix(state, machine), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=machine.directory,
            env=environment(state, machine, daemon.program),
            start_new_session=True,
        )
    return processes.process_of(started.pid, machine.name, daemon.program)


def run(state: LabState, machine: LabSystem, installation: Installation, *words: str) -> None:
    """Run a program of Hadoop on a machine and wait for its end; raise RunFailed with the end of its log."""
    program, *arguments = words
    options = [*BRIEF, *_options(state, machine)]
    command = java_command(installation, machine.conf, PROGRAMS[program], *arguments, options=options)
    log = machine.logs / f"{program}{arguments[0] if arguments else ''}.log"
    _make_directories(machine)
    with log.open("ab") as out:
        done = subprocess.run(
            [*machine_prefix(state, machine), *command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=machine.directory,
            env=environment(state, machine),
            check=False,
        )
    if done.returncode != 0:
        raise RunFailed(f"{' '.join(words)} on {machine.name}", f"ended with {done.returncode}", tail(log))


def _make_directories(machine: LabSystem) -> None:
    for path in (machine.logs, machine.directory / "tmp", *directories(machine)):
        path.mkdir(parents=True, exist_ok=True)


def environment(state: LabState, machine: LabSystem | None = None, daemon: str = "") -> dict[str, str]:
    """Return the environment of a machine's programs, or the client's, without the user's own variables."""
    conf = str(machine.conf if machine else state.client_conf)
    return {
        "PATH": f"{state.directory / 'bin'}:{_PATH}",
        "LANG": "C.UTF-8",
        "HOME": str(machine.directory if machine else state.directory),
        "JAVA_HOME": str(java_home()),
        VARIABLE: state.mark,
        "HADOOP_CONF_DIR": conf,
        # The same directory contains HBase's files.
        **({"HBASE_CONF_DIR": conf} if state.hbase else {}),
        **({MACHINE: machine.name} if machine else {}),
        **({processes.DAEMON: daemon} if daemon else {}),
    }


def exit_reason(log: Path) -> str:
    """Return why a daemon of Hadoop ended, by the end of its log; empty if it does not say."""
    return next((match[1] for line in reversed(_last_lines(log)) if (match := _EXIT.search(line))), "")


def _last_lines(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LAST_BYTES))
            return file.read().decode(errors="replace").splitlines()
    except OSError:
        return []


def tail(log: Path) -> str:
    """Return the last lines of a log without blank lines and stack traces."""
    shown = [line for line in _last_lines(log) if line.strip() and not line.startswith(("\tat ", "\t... "))]
    return "\n".join([f"the last lines of {log}:", *(line[:300] for line in shown[-_LAST_LINES:])])


def machine_prefix(state: LabState, machine: LabSystem) -> tuple[str, ...]:
    """Return the prefix of a command line that runs on a machine; empty without root."""
    return namespaces.entry(state.spec, machine.name, state.hosts_file) if state.spec else ()


def _options(state: LabState, machine: LabSystem) -> list[str]:
    """Return the Java options of a machine, which precede the plan's own."""
    return [
        "-XX:-UsePerfData",
        cpu_option(machine.threads),
        f"-Djava.io.tmpdir={machine.directory / 'tmp'}",
        *name_options(state),
    ]
