"""What makes a worker of a laboratory slow, put in and taken back while the laboratory is up."""

from __future__ import annotations

import os
from pathlib import Path

from exams.cases import NONE, Case
from exams.commands import Commands
from howdah.lab import registry
from howdah.lab.kernel import network
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.disks import devices, find_loops
from howdah.lab.kernel.network import queueing
from howdah.lab.kernel.processes import run
from howdah.lab.state import LabSpec, LabState, MachineSpec

_END = "</configuration>"
_ADMIN = "  <property>\n    <name>yarn.nodemanager.admin-env</name>\n    <value>_JAVA_OPTIONS="
# The sort buffer, and as little besides as a task lives on.
_OLD_MIB = 218
# As many as Java starts where it takes its host's CPUs for its own.
_COLLECTORS = 64


class Injections:
    """The laboratory's workers, each as planned or with one thing wrong."""

    def __init__(self, state: LabState, commands: Commands) -> None:
        if state.spec is None:
            raise SystemExit(f"laboratory {state.name} was built without root: there is nothing to slow down")
        self._state = state
        self._spec: LabSpec = state.spec
        self._commands = commands

    def put_in(self, case: Case) -> None:
        """Make the case's worker slow; skewed keys are in the input that is chosen, not here."""
        if case.worker is None:
            return
        machine = self._spec.machine(case.worker)
        match case.cause:
            case "slow disk":
                self._disks(machine, round(case.magnitude))
            case "slow link":
                self._link(machine, round(case.magnitude))
            case "CPU held back":
                machine_group(self._spec, machine).limit_cpu(_cpus(machine) * case.magnitude)
            case "garbage collection":
                self._heap(machine, case.magnitude)
            case cause if cause != NONE:
                raise ValueError(cause)

    def take_back(self) -> None:
        """Make every worker as it was planned; also after an exam that was killed."""
        for worker in workers_of(self._state):
            machine = self._spec.machine(worker)
            self._disks(machine, None)
            self._link(machine, None)
            machine_group(self._spec, machine).limit_cpu(_cpus(machine))
            self._heap(machine, None)

    def _disks(self, machine: MachineSpec, bytes_per_s: int | None) -> None:
        numbers = {loop.name: loop.device for loop in find_loops(self._spec.name)}
        mounted = devices(self._spec)
        group = machine_group(self._spec, machine)
        for disk in machine.disks:
            read, write = bytes_per_s or disk.read_bytes_per_s, bytes_per_s or disk.write_bytes_per_s
            group.throttle(numbers[mounted[disk.mount]], read, write)

    def _link(self, machine: MachineSpec, bits_per_s: int | None) -> None:
        """Both ends of the worker's own cable: what it sends, and what its host sends it."""
        number = 1 + self._spec.machines.index(machine)
        ends = {
            network.space(self._spec, machine): network.INTERFACE,
            registry.host_space(self._spec.name, machine.host): f"machine{number}",
        }
        for space, device in ends.items():
            line = queueing(device, bits_per_s) if bits_per_s else f"qdisc replace dev {device} root noqueue"
            run(self._spec.name, "tc", "-n", space, "-batch", "-", text=f"{line}\n")

    def _heap(self, machine: MachineSpec, new_mib: float | None) -> None:
        """Let the worker's containers have so little heap for new objects; only they, not its daemons."""
        path = self._state.machine(machine.name).conf / "yarn-site.xml"
        before = path.read_text()
        text = before.split(_ADMIN)[0].rstrip()
        text = text if text.endswith(_END) else f"{text}\n{_END}"
        if new_mib is not None:
            young = round(1024 * new_mib)
            collectors = f"-XX:-UseSerialGC -XX:+UseParallelGC -XX:ParallelGCThreads={_COLLECTORS}"
            options = f"{collectors} -Xmn{young}k -Xmx{1024 * _OLD_MIB + young}k"
            text = text.replace(_END, f"{_ADMIN}{options}</value>\n  </property>\n{_END}")
        text = f"{text}\n"
        if text != before:
            path.write_text(text)
            self._commands.lab("kill", machine.name, "nodemanager")
            self._commands.lab("start", machine.name)


def forget(state: LabState) -> None:
    """Have no worker keep what is on its disks in memory: so little would never be read from them."""
    os.sync()
    for worker in workers_of(state):
        for folder in state.machine(worker).data_dirs:
            for path in folder.rglob("*"):
                if path.is_file():
                    _forget(path)


def _forget(path: Path) -> None:
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return  # Daemons go on with their work meanwhile.
    try:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)


def workers_of(state: LabState) -> list[str]:
    """The names of the laboratory's workers."""
    return [machine.name for machine in state.machines if machine.kind == "worker"]


def _cpus(machine: MachineSpec) -> float:
    if machine.cpus is None:
        raise SystemExit(f"{machine.name} has no limit of CPU that could be lowered")
    return machine.cpus
