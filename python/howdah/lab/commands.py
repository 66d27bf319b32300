"""Commands on a running lab: a shell on a machine, kill, start again, and hosts that join and leave."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, ip_address
from itertools import count
from typing import NamedTuple, NoReturn

from howdah.errors import RunFailed, UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.lab.building import StartedLab, completed
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.files import installed, write_files, write_scripts
from howdah.lab.hadoop.reports import Behind, drain_progress, refresh_members
from howdah.lab.hadoop.starting import ReportStep, start_missing, wait_until_ready
from howdah.lab.kernel import cgroups, disks, network, processes
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.kernel.namespaces import client_prefix
from howdah.lab.kernel.processes import Process
from howdah.lab.machines import build_hosts, check_hosts, machines
from howdah.lab.shared_hosts import labs_by_host
from howdah.lab.state import LabSpec, LabState, LabSystem
from howdah.model.cluster import LAB_CLIENT, KillMode
from howdah.model.plan import ClusterPlan, ConfigSet
from howdah.services.errors import ServiceError
from howdah.units import format_counted, listed

_USER_VARIABLES = ("TERM", "COLORTERM", "HOWDAH_CACHE", "USER", "LOGNAME")


class Lost(NamedTuple):
    """The machines and processes that were killed."""

    how: KillMode
    machines: tuple[LabSystem, ...]
    ended: tuple[Process, ...]


class Back(NamedTuple):
    """The links and daemons that were restored."""

    joined: tuple[LabSystem, ...]  # The machines whose link was down.
    started: tuple[daemons.Daemon, ...]
    behind: tuple[Behind, ...]


def run_inside(state: LabState, name: str, command: Sequence[str]) -> NoReturn:
    """Replace this process by a command, or a shell, on a machine or on the client."""
    if name == LAB_CLIENT:
        prefix, environment = client_prefix(state), daemons.environment(state)
    else:
        machine = state.machine(name)
        prefix = daemons.machine_prefix(state, machine)
        environment = daemons.environment(state, machine)
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
    if how is KillMode.HOST and daemon is not None:
        problem = f"works on whole machines, and {daemon} is a daemon"
        raise UserError("--how host", problem, "leave out the daemon or --how")
    if how is KillMode.HOST and state.rootless:
        problem = f'lab "{state.name}" was built without root, so its machines have no links'
        raise UserError("--how host", problem, "give --how process, or build it as root")
    how = how or (KillMode.PROCESS if daemon is not None or state.rootless else KillMode.HOST)
    if daemon is not None and not any(running_on(state, machines, daemon)):
        planned = dict.fromkeys(DAEMONS[role].name for machine in machines for role in machine.roles)
        if daemon in planned:
            raise UserError(daemon, f"does not run on {name}", f"howdah lab start {name}")
        raise UserError(daemon, f"is not a daemon of {name}", f"one of {', '.join(planned)}")
    if how is KillMode.HOST and (labs := listed(labs_by_host(state).get(name, ()))):
        names = ", ".join(machine.name for machine in machines)
        problem = f"also has machines of {labs}, which would be lost with it"
        raise UserError(name, problem, f"take down {labs}, or give machines: {names}")
    if how is KillMode.HOST and state.spec is not None:
        # First the links, otherwise the kernel sends the peers the end of their connections.
        for machine in machines:
            cable = network.cable_of(state.spec, state.spec.machine(machine.name))
            network.set_link(state.name, cable, "down")
    ended = tuple(running_on(state, machines, daemon))
    for process in ended:
        processes.kill(process)
    return Lost(how, machines, ended)


def start(state: LabState, name: str, report: ReportStep) -> Back:
    """Restore a machine, or all machines of a host: their links and their daemons.

    Waits until the cluster is complete, unless daemons of other machines are missing.
    """
    machines, spec = state.machines_of(name), state.spec
    joined = []
    for machine in machines:
        if spec is not None and network.is_cut(spec, cabled := spec.machine(machine.name)):
            network.set_link(state.name, network.cable_of(spec, cabled), "up")
            joined.append(machine)
    running = start_missing(state, installed(state), report, machines)
    whole = len(running.all) == len(list(daemons.planned(state)))
    behind = wait_until_ready(state, running.all, report) if whole else ()
    return Back(tuple(joined), running.started, behind)


def running_on(
    state: LabState, machines: Sequence[LabSystem], daemon: str | None = None
) -> Iterator[Process]:
    """Yield the processes on these machines, or those of one daemon; tasks have no machine's name."""
    names = {machine.name for machine in machines}
    marked = [process for process in processes.processes(state.mark) if process.machine in names]
    yield from (process for process in marked if daemon in (None, process.daemon))
    marked_pids = {process.pid for process in marked}
    if daemon is not None or state.spec is None:
        return
    for machine in machines:
        for pid in machine_group(state.spec, state.spec.machine(machine.name)).processes():
            # The process may have ended.
            with suppress(OSError):
                if pid not in marked_pids:
                    yield processes.process_of(pid, machine.name, "")


def extended_state(state: LabState, plan: ClusterPlan, names: Sequence[str], template: str) -> LabState:
    """Return the state with these hosts of the new plan, each with the limits of ``template``.

    Nothing is created. Existing machines keep their addresses. Raises UserError if the hosts cannot be built.
    """
    assert state.spec is not None
    free = 1 + max(int(ip_address(machine.address)) for machine in state.machines)
    joining = (entry for entry in machines(plan, state.directory, IPv4Address(1)) if entry.host in names)
    new = tuple(
        machine.model_copy(update={"address": str(ip_address(free + number))})
        for number, machine in enumerate(joining)
    )
    spec = _spec(state.spec, new, names, template)
    check_hosts(spec)
    return state.model_copy(
        update={
            "plan": plan,
            "machines": (*state.machines, *new),
            "spec": spec,
            "names": {**state.names, **{machine.name: machine.address for machine in new}},
            "complete": False,
        }
    )


def build_extension(state: LabState, rendered: ConfigSet, report: ReportStep) -> StartedLab:
    """Build the new hosts of ``extended_state``, and wait until they are in the cluster; safe to repeat.

    The caller has the lab's lock. Raises RunFailed if Linux or a daemon refuses.
    """
    assert state.spec is not None
    installations = installed(state)
    # The state is written first, so that `up` and `down` know the new hosts if this process is killed.
    state.write()
    build_hosts(state.spec, report)
    deviations = write_files(state, rendered, installations)
    write_scripts(state, installations)
    report("updating the masters' lists of hosts")
    refresh_members(state, installations)
    running = start_missing(state, installations, report)
    behind = wait_until_ready(state, running.all, report)
    cgroups.build(state.spec)
    return StartedLab(completed(state, deviations), running.started, behind)


def _spec(spec: LabSpec, new: Sequence[LabSystem], names: Sequence[str], template: str) -> LabSpec:
    pattern = next(host for host in spec.hosts if host.name == template)
    patterns = [machine for machine in spec.machines if machine.host == template]
    cables = (number for number in count(1) if number not in {host.cable for host in spec.hosts})
    hosts = [
        pattern.model_copy(update={"name": name, "cable": pattern.cable and next(cables)}) for name in names
    ]
    added = []
    for name in names:
        for machine, limits in zip((m for m in new if m.host == name), patterns, strict=True):
            mounted = zip(limits.disks, machine.data_dirs, strict=True)
            disks = tuple(disk.model_copy(update={"mount": mount}) for disk, mount in mounted)
            own = {"name": machine.name, "host": name, "address": machine.address, "disks": disks}
            added.append(limits.model_copy(update=own))
    larger = {"hosts": (*spec.hosts, *hosts), "machines": (*spec.machines, *added)}
    return LabSpec.model_validate(spec.model_copy(update=larger).model_dump())


_POLL_S = 1.0
_ENDS_S = 30.0  # Time limit for daemons to stop: a RegionServer closes its regions first.


def start_drain(state: LabState, rendered: ConfigSet) -> LabState:
    """Make the masters drain the workers in ``state.leaving``; the caller has the lab's lock."""
    installations = installed(state)
    state.write()
    write_files(state, rendered, installations)
    refresh_members(state, installations)
    return state


def await_drained(state: LabState, patience_s: float, report: ReportStep) -> None:
    """Wait until the draining workers are empty; raise RunFailed after a timeout."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            progress = drain_progress(state)
            if not (progress.with_data or progress.with_tasks):
                return
            blocks = f"({format_counted(progress.behind, 'block')} with too few replicas)"
            data = f"data leaves {', '.join(progress.with_data)} {blocks}" if progress.with_data else ""
            tasks = f"tasks end on {', '.join(progress.with_tasks)}" if progress.with_tasks else ""
            text = "; ".join(filter(None, (data, tasks)))
        except ServiceError as error:
            text = f"{error.where} {error.what}"
        if time.monotonic() > deadline:
            problem = f"waited {patience_s:.0f} s for {', '.join(state.leaving)} to be decommissioned: {text}"
            hint = "howdah lab remove continues; if a daemon is lost, start it with howdah lab heal"
            raise RunFailed(f'lab "{state.name}"', problem, hint)
        report(text)
        time.sleep(_POLL_S)


def remove_drained(
    state: LabState, plan: ClusterPlan, hosts: Collection[str], rendered: ConfigSet
) -> LabState:
    """Stop the daemons of empty hosts, remove the hosts, and remove them from the masters' lists.

    The caller has the lab's lock. Raises RunFailed if Linux refuses; safe to repeat.
    """
    assert state.spec is not None
    removed = [machine for machine in state.machines if machine.host in hosts]
    _end(state, removed)
    for machine in removed:
        disks.remove_machine(state.spec, state.spec.machine(machine.name))
    network.remove_hosts(state.spec, hosts)
    cgroups.remove_hosts(state.spec, hosts)
    for machine in removed:
        shutil.rmtree(machine.directory, ignore_errors=True)
    names = {machine.name for machine in removed}
    remaining_hosts = tuple(host for host in state.spec.hosts if host.name not in hosts)
    limited = tuple(machine for machine in state.spec.machines if machine.name not in names)
    smaller = state.model_copy(
        update={
            "plan": plan,
            "machines": tuple(machine for machine in state.machines if machine.name not in names),
            "spec": state.spec.model_copy(update={"hosts": remaining_hosts, "machines": limited}),
            "names": {name: address for name, address in state.names.items() if name not in names},
            "leaving": tuple(name for name in state.leaving if name not in names),
        }
    )
    smaller.write()
    installations = installed(smaller)
    write_files(smaller, rendered, installations)
    refresh_members(smaller, installations)
    return smaller


def _end(state: LabState, machines: Sequence[LabSystem]) -> None:
    """Stop daemons with SIGTERM, and kill those that do not end."""
    for process in running_on(state, machines):
        processes.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + _ENDS_S
    while (remaining := [*running_on(state, machines)]) and time.monotonic() < deadline:
        time.sleep(0.2)
    for process in remaining:
        processes.kill(process)
    for process in remaining:
        processes.wait_for_end(process)
