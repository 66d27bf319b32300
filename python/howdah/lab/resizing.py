"""Hosts that join and leave a lab while it runs."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, ip_address
from itertools import count

from howdah.errors import RunFailed
from howdah.lab.commands import running_on
from howdah.lab.hadoop.files import write_files, write_scripts
from howdah.lab.hadoop.membership import Emptying, emptying, tell_members
from howdah.lab.hadoop.starting import Tell, start_missing, wait_until_ready
from howdah.lab.installed import installed
from howdah.lab.kernel import cgroups, disks, network, processes
from howdah.lab.machines import build_hosts, check_hosts, machines
from howdah.lab.spec import LabSpec
from howdah.lab.state import LabState, LabSystem
from howdah.lab.up import Brought
from howdah.model.configset import ConfigSet
from howdah.model.plan import ClusterPlan
from howdah.services.errors import ServiceError
from howdah.units import format_counted


def grown(state: LabState, plan: ClusterPlan, names: Sequence[str], like: str) -> LabState:
    """The laboratory with these hosts of its new plan, each with what ``like`` has; nothing is made.

    What is there keeps its address. Raises UserError for hosts that cannot be built here.
    """
    assert state.spec is not None
    free = 1 + max(int(ip_address(machine.address)) for machine in state.machines)
    new = tuple(
        machine.model_copy(update={"address": str(ip_address(free + number))})
        for number, machine in enumerate(
            machine for machine in machines(plan, state.directory, IPv4Address(1)) if machine.host in names
        )
    )
    spec = _spec(state.spec, new, names, like)
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


def build_grown(state: LabState, rendered: ConfigSet, tell: Tell) -> Brought:
    """Build what ``grown`` says is missing, and wait until the cluster has it; safe to repeat.

    The lock of its name is held. Raises RunFailed for what Linux or a daemon refuses.
    """
    assert state.spec is not None
    found = installed(state)
    # Written down first, so that whoever is killed here leaves what `up` goes on with and `down` removes.
    state.write()
    build_hosts(state.spec, tell)
    deviations = write_files(state, rendered, found)
    write_scripts(state, found)
    tell("updating the masters' lists of hosts")
    tell_members(state, found)
    running = start_missing(state, found, tell)
    behind = wait_until_ready(state, running.all, tell)
    cgroups.build(state.spec)
    complete = state.model_copy(
        update={
            "complete": True,
            "laboratory": state.laboratory.model_copy(update={"deviations": deviations}),
        }
    )
    complete.write()
    return Brought(complete, running.started, behind)


def _spec(spec: LabSpec, new: Sequence[LabSystem], names: Sequence[str], like: str) -> LabSpec:
    """The hosts and machines with the limits of one that is there, machine by machine."""
    pattern = next(host for host in spec.hosts if host.name == like)
    patterns = [machine for machine in spec.machines if machine.host == like]
    cables = (number for number in count(1) if number not in {host.cable for host in spec.hosts})
    hosts = tuple(
        pattern.model_copy(update={"name": name, "cable": pattern.cable and next(cables)}) for name in names
    )
    added = []
    for name in names:
        for machine, limits in zip((each for each in new if each.host == name), patterns, strict=True):
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
"""How long daemons may take to end well: a RegionServer closes its regions first."""


def begin_leaving(state: LabState, rendered: ConfigSet) -> LabState:
    """Have the masters empty the workers that ``state`` says are leaving; the lock of its name is held."""
    found = installed(state)
    state.write()
    write_files(state, rendered, found)
    tell_members(state, found)
    return state


def await_empty(state: LabState, patience_s: float, tell: Tell) -> None:
    """Wait until nothing is left that only those have who leave; raises RunFailed when it takes too long."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            now = emptying(state)
            if now.over:
                return
            said = _said(now)
        except ServiceError as error:
            said = f"{error.where} {error.what}"
        if time.monotonic() > deadline:
            raise RunFailed(
                f'lab "{state.name}"',
                f"waited {patience_s:.0f} s for {', '.join(state.leaving)} to be decommissioned: {said}",
                "howdah lab remove continues; if a daemon is lost, start it with howdah lab heal",
            )
        tell(said)
        time.sleep(_POLL_S)


def take_away(state: LabState, plan: ClusterPlan, hosts: Collection[str], rendered: ConfigSet) -> LabState:
    """End what runs on hosts that are empty, remove all they have here, and have the masters forget them.

    The lock of its name is held. Raises RunFailed for what Linux refuses; done again, it goes on.
    """
    assert state.spec is not None
    gone = [machine for machine in state.machines if machine.host in hosts]
    _end(state, gone)
    for machine in gone:
        disks.remove_machine(state.spec, state.spec.machine(machine.name))
    network.remove_hosts(state.spec, hosts)
    cgroups.remove_hosts(state.spec, hosts)
    for machine in gone:
        shutil.rmtree(machine.directory, ignore_errors=True)
    names = {machine.name for machine in gone}
    smaller = state.model_copy(
        update={
            "plan": plan,
            "machines": tuple(machine for machine in state.machines if machine.name not in names),
            "spec": state.spec.model_copy(
                update={
                    "hosts": tuple(host for host in state.spec.hosts if host.name not in hosts),
                    "machines": tuple(each for each in state.spec.machines if each.name not in names),
                }
            ),
            "names": {name: address for name, address in state.names.items() if name not in names},
            "leaving": tuple(name for name in state.leaving if name not in names),
        }
    )
    smaller.write()
    found = installed(smaller)
    write_files(smaller, rendered, found)
    tell_members(smaller, found)
    return smaller


def _end(state: LabState, machines: Sequence[LabSystem]) -> None:
    """End daemons as an administrator would, and whatever does not end by itself."""
    for process in running_on(state, machines):
        processes.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + _ENDS_S
    while any(running_on(state, machines)) and time.monotonic() < deadline:
        time.sleep(0.2)
    left = list(running_on(state, machines))
    for process in left:
        processes.kill(process)
    for process in left:
        processes.wait_for_end(process)


def _said(now: Emptying) -> str:
    parts = []
    if now.with_data:
        blocks = format_counted(now.behind, "block")
        parts.append(f"data leaves {', '.join(now.with_data)} ({blocks} with too few replicas)")
    if now.with_tasks:
        parts.append(f"tasks end on {', '.join(now.with_tasks)}")
    return "; ".join(parts)
