"""The start of a lab: its machines, their files and daemons; and its removal in any state."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.errors import Aborted
from howdah.installation.installation import java_home
from howdah.lab import capabilities, machines, registry, shared_hosts
from howdah.lab.faults import ACTIVE_FAULTS
from howdah.lab.hadoop import redirect
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.files import Installed, installed, jars_of, write_files, write_scripts
from howdah.lab.hadoop.health import file_system_answers
from howdah.lab.hadoop.reports import Behind, refresh_members
from howdah.lab.hadoop.starting import ReportStep, start_missing, superuser, wait_until_ready
from howdah.lab.kernel import cgroups, processes
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.machines import LOOPBACK, Power
from howdah.lab.registry import Leftover
from howdah.lab.shared_hosts import LabPlace
from howdah.lab.state import STATE, Format, LabSpec, LabState, mark_of, read_state
from howdah.model.cluster import Deviation, Isolation, Laboratory, Scaling
from howdah.model.plan import ClusterPlan, ConfigSet, planned_text
from howdah.releases.values import read_list
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web

_OPEN = ("/tmp", "/user")  # The directories of HDFS that every user may write to.
_NETWORK_KEYS = "net.ipv4.tcp_"  # sysctl keys that each network namespace, so each machine, has.


class LabRequest(NamedTuple):
    """The requested lab, which a second ``up`` compares with the existing one."""

    name: str
    directory: Path
    source: str
    digest: str


class Fitting(NamedTuple):
    """The scaling of the plan to this machine."""

    scaling: tuple[Scaling, ...]  # Quantities that are smaller than in the user's plan.
    notes: tuple[str, ...]
    memory_bytes: int
    cpus: float  # The CPUs of this machine that howdah may use.
    place: LabPlace = LabPlace()


class StartedLab(NamedTuple):
    """A running lab, and the daemons that were started."""

    state: LabState
    started: tuple[Daemon, ...]
    behind: tuple[Behind, ...]


def begin(
    request: LabRequest, plan: ClusterPlan, installations: Installed, power: Power, fitting: Fitting
) -> LabState:
    """Return the state of the lab to build, after all checks; creates nothing. Raises UserError."""
    cluster = capabilities.check_plan(plan)
    java_home()
    capabilities.check_directory(request.directory)
    supported = capabilities.find_capabilities()
    root = not supported.root
    place = fitting.place
    placed = machines.machines(plan, request.directory, place.first_machine if root else LOOPBACK)
    spec = None
    isolated: tuple[Isolation, ...]
    if root:
        spec = LabSpec(
            name=request.name,
            directory=request.directory,
            hosts=place.cabled(tuple(machines.host_specs(cluster, placed, power))),
            machines=tuple(machines.machine_specs(plan, placed, power)),
            format=Format(
                file_system=planned_text(plan, "fs.type") or "xfs",
                mkfs_options=tuple(planned_text(plan, "mkfs.options").split()),
                mount_options=read_list(planned_text(plan, "mount.options")),
            ),
            client_address=str(place.client_address),
            kernel={
                setting.key: setting.value
                for setting in plan.settings
                if setting.key.startswith(_NETWORK_KEYS) and isinstance(setting.value, int)
            },
            lot=place.lot,
        )
        machines.check_hosts(spec)
        neighbours = [lab.spec for lab in place.neighbours if lab.spec is not None]
        isolated = (
            *capabilities.isolation(supported, spec, fitting.cpus, neighbours),
            *capabilities.ceilings(spec, fitting.memory_bytes, neighbours),
        )
    else:
        capabilities.check_ports(placed)
        isolated = (*capabilities.rootless_isolation(supported), *redirect.LOST)
    return LabState(
        name=request.name,
        directory=request.directory,
        rootless=not root,
        asked=request.digest,
        source=request.source,
        complete=False,
        plan=plan,
        jars=jars_of(installations.hadoop),
        hbase=jars_of(installations.hbase) if installations.hbase else None,
        machines=placed,
        spec=spec,
        client_conf=request.directory / "client/conf",
        names={machine.name: machine.address for machine in placed},
        seat=place.seat if root else 0,
        notes=fitting.notes,
        laboratory=Laboratory(
            name=request.name,
            rootless=not root,
            isolation=(*isolated, *capabilities.not_run(cluster)),
            scaling=fitting.scaling if root else redirect.scaled(fitting.scaling),
        ),
    )


def bring_up(state: LabState, rendered: ConfigSet, report: ReportStep) -> StartedLab:
    """Create and start the missing parts of a lab, and wait until Hadoop is ready.

    Raises RunFailed if Linux or a daemon refuses; existing parts stay for inspection. The caller has the
    lab's lock.
    """
    installations = installed(state)
    new = registry.entry(state.name) is None
    shared_hosts.register(state)
    state.directory.mkdir(parents=True, exist_ok=True)
    if new:
        state.write()
    try:
        deviations = _build(state, report)
        deviations += write_files(state, rendered, installations)
        write_scripts(state, installations)
        if not new and not state.complete and file_system_answers(state):
            # A killed `howdah lab add` may not have refreshed the masters' lists.
            refresh_members(state, installations)
        running = start_missing(state, installations, report)
        behind = wait_until_ready(state, running.all, report)
        _open_directories(state)
    except KeyboardInterrupt as error:
        hint = "howdah lab up continues, howdah lab down removes it"
        raise Aborted(f'lab "{state.name}"', "stopped while starting", hint) from error
    if state.spec is not None:
        # Limits come last, because a dozen Java programs would start slowly on fractions of a CPU.
        cgroups.build(state.spec)
    return StartedLab(completed(state, deviations), running.started, behind)


def completed(state: LabState, deviations: tuple[Deviation, ...]) -> LabState:
    """Write the state of a lab in which everything runs, with its deviations from the plan, and return it."""
    laboratory = state.laboratory.model_copy(update={"deviations": deviations})
    complete = state.model_copy(update={"complete": True, "laboratory": laboratory})
    complete.write()
    return complete


def clear(name: str) -> None:
    """Remove the parts of an ``up`` that was killed before it wrote the lab's state."""
    if (entry := registry.entry(name)) is not None and read_state(entry.directory) is None:
        remove(name, entry.directory)


def _build(state: LabState, report: ReportStep) -> tuple[Deviation, ...]:
    """Build the machines; without root they are only directories."""
    if state.spec is None:
        for machine in state.machines:
            for path in machine.data_dirs:
                path.mkdir(parents=True, exist_ok=True)
        return ()
    spec, free = state.spec, {"cpus": None}
    report(f"{len(spec.hosts)} hosts, {len(spec.machines)} machines on them")
    if not (state.complete and processes.daemons(state)):
        hosts = tuple(host.model_copy(update=free) for host in spec.hosts)
        guests = tuple(machine.model_copy(update=free) for machine in spec.machines)
        spec = spec.model_copy(update={"hosts": hosts, "machines": guests})
    return machines.build_hosts(spec, report)


def _open_directories(state: LabState) -> None:
    with network_of(state), Web(state.names, user=superuser()) as web:
        namenode = NameNode(web, ClientConf.read(state.client_conf))
        for path in _OPEN:
            namenode.mkdirs(path, permission="1777")
        for directory in state.plan.cluster.request.coded:
            namenode.mkdirs(directory.path, permission="1777")
            namenode.enable_policy(directory.policy)
            namenode.set_policy(directory.path, directory.policy)


_FILES = (STATE, "lab.new", ACTIVE_FAULTS, "faults.new", "hosts", ".hosts.new")
_FOLDERS = ("bin", "client", "machines", "disks", "rendered")  # All that a lab creates in its directory.


def remove(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Kill its processes, then remove its parts, its entry last; return what could not be removed, and why.

    All parts are found by the lab's name, so that missing ones do not matter. ``directory`` is its directory,
    if known. The caller has the lab's lock.
    """
    if os.geteuid() == 0:
        remaining = machines.remove_hosts(name, directory)
    else:
        running = processes.kill_all(mark_of(name, rootless=True), directory)
        remaining = tuple(Leftover("process", str(process.pid), "does not exit") for process in running)
    if directory is not None and not any(leftover.kind in ("mount", "process") for leftover in remaining):
        remaining += _remove_files(directory)
    if not remaining:
        remaining = shared_hosts.leave(name)
    return remaining


def leftovers(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """Return all existing parts of a lab on this machine."""
    if os.geteuid() != 0:
        running = processes.processes(mark_of(name, rootless=True), directory)
        return tuple(Leftover("process", str(process.pid)) for process in running)
    return (*machines.survey_hosts(name, directory), *shared_hosts.shared_leftovers(name))


def _remove_files(directory: Path) -> tuple[Leftover, ...]:
    """Remove the lab's own files; other files, and then the directory, stay."""
    remaining = []
    for name in (*_FILES, *_FOLDERS):
        path = directory / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            remaining.append(Leftover("file", str(error.filename or path), error.strerror or str(error)))
    with suppress(OSError):
        directory.rmdir()
    return tuple(remaining)
