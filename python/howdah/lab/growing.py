"""A laboratory that works gets more hosts: built, started and told to the masters, beside what runs."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, ip_address
from itertools import count

from howdah.lab.hadoop.files import write_files
from howdah.lab.hadoop.membership import tell_members
from howdah.lab.hadoop.scripts import write_scripts
from howdah.lab.hadoop.starting import Tell, start_missing, wait_until_ready
from howdah.lab.installed import installed
from howdah.lab.kernel import cgroups
from howdah.lab.machines import build_hosts, check_hosts, machines
from howdah.lab.spec import LabSpec
from howdah.lab.state import LabState, LabSystem
from howdah.lab.up import Brought
from howdah.model.configset import ConfigSet
from howdah.model.plan import Plan


def grown(state: LabState, plan: Plan, names: Sequence[str], like: str) -> LabState:
    """The laboratory with these hosts of its new plan, each with what ``like`` has; nothing is made.

    What is there keeps its address. Raises UserError for hosts that cannot be built here.
    """
    assert plan.cluster is not None
    assert state.spec is not None
    free = 1 + max(int(ip_address(machine.address)) for machine in state.machines)
    new = tuple(
        machine.model_copy(update={"address": str(ip_address(free + number))})
        for number, machine in enumerate(
            machine
            for machine in machines(plan, plan.cluster, state.directory, IPv4Address(1))
            if machine.host in names
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
