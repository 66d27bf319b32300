"""Bringing a laboratory up: the machines, their files, their daemons; what is there already stays."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from howdah.errors import Aborted
from howdah.installation.java import java_home
from howdah.lab import registry, rootless, shared_hosts
from howdah.lab.down import remove
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.files import write_files, write_scripts
from howdah.lab.hadoop.health import file_system_answers
from howdah.lab.hadoop.membership import tell_members
from howdah.lab.hadoop.redundancy import Behind
from howdah.lab.hadoop.starting import Tell, start_missing, superuser, wait_until_ready
from howdah.lab.installed import Installed, installed
from howdah.lab.kernel import cgroups, processes
from howdah.lab.kernel.capabilities import find_capabilities
from howdah.lab.kernel.enter import network_of
from howdah.lab.machines import (
    LOOPBACK,
    Power,
    build_hosts,
    check_hosts,
    host_specs,
    machine_specs,
    machines,
)
from howdah.lab.refusals import (
    ceilings,
    check_directory,
    check_plan,
    check_ports,
    isolation,
    not_run,
    rootless_isolation,
)
from howdah.lab.shared_hosts import LabPlace
from howdah.lab.spec import Format, LabSpec
from howdah.lab.state import LabState, read_state
from howdah.model.cluster import Deviation, Isolation, Laboratory, Scaling
from howdah.model.configset import ConfigSet
from howdah.model.plan import ClusterPlan
from howdah.model.value import planned_text
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web

_OPEN = ("/tmp", "/user")
"""The directories of HDFS that everybody writes to."""


class Asked(NamedTuple):
    """What somebody asked for, by which a second ``up`` knows its laboratory again."""

    name: str
    directory: Path
    """Its directory, absolute."""
    source: str
    """The plan's file, as it was named."""
    digest: str
    """Of the plan as it was given, and of the limits asked for."""


class Fitting(NamedTuple):
    """How the plan was made to fit this machine, told to whoever asks about the laboratory."""

    scaling: tuple[Scaling, ...]
    """What is smaller than the plan that was given."""
    notes: tuple[str, ...]
    """What no number says."""
    memory_bytes: int
    cpus: float
    """This machine's CPUs, as many as howdah may use."""
    place: LabPlace = LabPlace()


class Brought(NamedTuple):
    """A laboratory that is up, and what had to be done for it."""

    state: LabState
    started: tuple[Daemon, ...]
    behind: tuple[Behind, ...]
    """What is not redundant yet."""


def begin(asked: Asked, plan: ClusterPlan, found: Installed, power: Power, fitted: Fitting) -> LabState:
    """What is to be built, all checked and nothing made; raises UserError for what cannot be."""
    cluster = check_plan(plan)
    java_home()
    check_directory(asked.directory)
    capabilities = find_capabilities()
    root = bool(capabilities.root)
    place = fitted.place
    placed = machines(plan, asked.directory, place.first_machine if root else LOOPBACK)
    spec = None
    isolated: tuple[Isolation, ...]
    if root:
        spec = LabSpec(
            name=asked.name,
            directory=asked.directory,
            hosts=place.cabled(tuple(host_specs(cluster, placed, power))),
            machines=tuple(machine_specs(plan, placed, power)),
            format=_format(plan),
            client_address=str(place.client_address),
            kernel=_kernel(plan),
            lot=place.lot,
        )
        check_hosts(spec)
        others = [other.spec for other in place.others if other.spec is not None]
        isolated = (
            *isolation(capabilities, spec, fitted.cpus, others),
            *ceilings(spec, fitted.memory_bytes, others),
        )
    else:
        check_ports(placed)
        isolated = (*rootless_isolation(capabilities), *rootless.LOST)
    return LabState(
        name=asked.name,
        directory=asked.directory,
        rootless=not root,
        asked=asked.digest,
        source=asked.source,
        complete=False,
        plan=plan,
        jars=found.jars,
        hbase=found.hbase_jars,
        machines=placed,
        spec=spec,
        client_conf=asked.directory / "client/conf",
        names={machine.name: machine.address for machine in placed},
        seat=place.seat if root else 0,
        notes=fitted.notes,
        laboratory=Laboratory(
            name=asked.name,
            rootless=not root,
            isolation=(*isolated, *not_run(cluster)),
            scaling=fitted.scaling if root else rootless.scaled(fitted.scaling),
        ),
    )


def bring_up(state: LabState, rendered: ConfigSet, tell: Tell) -> Brought:
    """Make and start what is missing of a laboratory that was begun, until Hadoop is ready for work.

    Raises RunFailed for what Linux or a daemon refuses; what is there by then stays, to be looked at.
    The lock of its name is held.
    """
    found = installed(state)
    new = registry.entry(state.name) is None
    shared_hosts.enter(state)
    state.directory.mkdir(parents=True, exist_ok=True)
    if new:
        state.write()
    try:
        deviations = _build(state, tell)
        deviations += write_files(state, rendered, found)
        write_scripts(state, found)
        if not new and not state.complete and file_system_answers(state):
            # Who was killed while hosts were added may not have told the masters of them.
            tell_members(state, found)
        running = start_missing(state, found, tell)
        behind = wait_until_ready(state, running.all, tell)
        _open_directories(state)
    except KeyboardInterrupt as error:
        raise Aborted(
            f'lab "{state.name}"',
            "stopped while starting",
            "howdah lab up continues, howdah lab down removes it",
        ) from error
    if state.spec is not None:
        # Only now, or a dozen Java programs would start on a fraction of a CPU each.
        cgroups.build(state.spec)
    complete = state.model_copy(
        update={
            "complete": True,
            "laboratory": state.laboratory.model_copy(update={"deviations": deviations}),
        }
    )
    complete.write()
    return Brought(complete, running.started, behind)


def clear(name: str) -> None:
    """Remove what a killed ``up`` left before it had written what it was to build."""
    if (entry := registry.entry(name)) is not None and read_state(entry.directory) is None:
        remove(name, entry.directory)


def _build(state: LabState, tell: Tell) -> tuple[Deviation, ...]:
    """The machines; without root they are no more than directories."""
    if state.spec is None:
        for machine in state.machines:
            for path in machine.data_dirs:
                path.mkdir(parents=True, exist_ok=True)
        return ()
    tell(f"{len(state.spec.hosts)} hosts, {len(state.spec.machines)} machines on them")
    limited = state.complete and processes.daemons(state)
    return build_hosts(state.spec if limited else _without_cpu_limits(state.spec), tell)


def _without_cpu_limits(spec: LabSpec) -> LabSpec:
    free = {"cpus": None}
    return spec.model_copy(
        update={
            "hosts": tuple(host.model_copy(update=free) for host in spec.hosts),
            "machines": tuple(machine.model_copy(update=free) for machine in spec.machines),
        }
    )


def _open_directories(state: LabState) -> None:
    with network_of(state), Web(state.names, user=superuser()) as web:
        namenode = NameNode(web, ClientConf.read(state.client_conf))
        for path in _OPEN:
            namenode.mkdirs(path, permission="1777")
        for directory in state.plan.cluster.request.coded:
            namenode.mkdirs(directory.path, permission="1777")
            namenode.enable_policy(directory.policy)
            namenode.set_policy(directory.path, directory.policy)


_OF_EACH_NETWORK = "net.ipv4.tcp_"
"""Keys of sysctl that each network namespace has for itself."""


def _kernel(plan: ClusterPlan) -> dict[str, int]:
    """What the plan's sysctl.conf sets that a machine of a laboratory can have for itself."""
    return {
        setting.key: setting.value
        for setting in plan.settings
        if setting.key.startswith(_OF_EACH_NETWORK) and isinstance(setting.value, int)
    }


def _format(plan: ClusterPlan) -> Format:
    return Format(
        file_system=planned_text(plan, "fs.type") or "xfs",
        mkfs_options=tuple(planned_text(plan, "mkfs.options").split()),
        mount_options=tuple(filter(None, planned_text(plan, "mount.options").split(","))),
    )
