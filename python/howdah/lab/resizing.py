"""Hosts that join and leave a lab while it runs."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, ip_address
from itertools import count

from howdah.errors import RunFailed
from howdah.lab.building import StartedLab
from howdah.lab.commands import running_on
from howdah.lab.hadoop.files import installed, write_files, write_scripts
from howdah.lab.hadoop.redundancy import DrainProgress, drain_progress, refresh_members
from howdah.lab.hadoop.starting import ReportStep, start_missing, wait_until_ready
from howdah.lab.kernel import cgroups, disks, network, processes
from howdah.lab.machines import build_hosts, check_hosts, machines
from howdah.lab.state import LabSpec, LabState, LabSystem
from howdah.model.plan import ClusterPlan, ConfigSet
from howdah.services.errors import ServiceError
from howdah.units import format_counted


def extended_state(state: LabState, plan: ClusterPlan, names: Sequence[str], template: str) -> LabState:
    """Return the state with these hosts of the new plan, each with the limits of ``template``.

    Nothing is created. Existing machines keep their addresses. Raises UserError if the hosts cannot be built.
    """
    assert state.spec is not None
    free = 1 + max(int(ip_address(machine.address)) for machine in state.machines)
    new = tuple(
        machine.model_copy(update={"address": str(ip_address(free + number))})
        for number, machine in enumerate(
            machine for machine in machines(plan, state.directory, IPv4Address(1)) if machine.host in names
        )
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
    complete = state.model_copy(
        update={
            "complete": True,
            "laboratory": state.laboratory.model_copy(update={"deviations": deviations}),
        }
    )
    complete.write()
    return StartedLab(complete, running.started, behind)


def _spec(spec: LabSpec, new: Sequence[LabSystem], names: Sequence[str], template: str) -> LabSpec:
    """Return the spec with new hosts and machines that have the limits of an existing host."""
    pattern = next(host for host in spec.hosts if host.name == template)
    patterns = [machine for machine in spec.machines if machine.host == template]
    cables = (number for number in count(1) if number not in {host.cable for host in spec.hosts})
    hosts = tuple(
        pattern.model_copy(update={"name": name, "cable": pattern.cable and next(cables)}) for name in names
    )
    added = []
    for name in names:
        for machine, limits in zip(
            (candidate for candidate in new if candidate.host == name), patterns, strict=True
        ):
            disks = tuple(
                disk.model_copy(update={"mount": mount})
                for disk, mount in zip(limits.disks, machine.data_dirs, strict=True)
            )
            own = {"name": machine.name, "host": name, "address": machine.address, "disks": disks}
            added.append(limits.model_copy(update=own))
    return LabSpec.model_validate(
        spec.model_copy(
            update={"hosts": (*spec.hosts, *hosts), "machines": (*spec.machines, *added)}
        ).model_dump()
    )


_POLL_S = 1.0
_ENDS_S = 30.0
"""Time limit for daemons to stop: a RegionServer closes its regions first."""


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
            if progress.done:
                return
            text = _progress_text(progress)
        except ServiceError as error:
            text = f"{error.where} {error.what}"
        if time.monotonic() > deadline:
            raise RunFailed(
                f'lab "{state.name}"',
                f"waited {patience_s:.0f} s for {', '.join(state.leaving)} to be decommissioned: {text}",
                "howdah lab remove continues; if a daemon is lost, start it with howdah lab heal",
            )
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
    smaller = state.model_copy(
        update={
            "plan": plan,
            "machines": tuple(machine for machine in state.machines if machine.name not in names),
            "spec": state.spec.model_copy(
                update={
                    "hosts": tuple(host for host in state.spec.hosts if host.name not in hosts),
                    "machines": tuple(
                        machine_spec for machine_spec in state.spec.machines if machine_spec.name not in names
                    ),
                }
            ),
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
    while any(running_on(state, machines)) and time.monotonic() < deadline:
        time.sleep(0.2)
    remaining = list(running_on(state, machines))
    for process in remaining:
        processes.kill(process)
    for process in remaining:
        processes.wait_for_end(process)


def _progress_text(progress: DrainProgress) -> str:
    parts = []
    if progress.with_data:
        blocks = format_counted(progress.behind, "block")
        parts.append(f"data leaves {', '.join(progress.with_data)} ({blocks} with too few replicas)")
    if progress.with_tasks:
        parts.append(f"tasks end on {', '.join(progress.with_tasks)}")
    return "; ".join(parts)
