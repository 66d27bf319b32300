"""What is there to be known and done about a laboratory that is up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.lab import building as removing
from howdah.lab import commands, registry
from howdah.lab.building import StartedLab
from howdah.lab.hadoop.starting import ReportStep
from howdah.lab.registry import KillMode, Leftover
from howdah.lab.shared_hosts import refuse_shared
from howdah.lab.state import LabState, find, read_state
from howdah.lab.status import LabStatus
from howdah.lab.status import status as look
from howdah.model.placement import placed_hosts
from howdah.planner.cluster import with_hosts, without_hosts
from howdah.render.cluster import render

PARENT = Path("build")


class Taken(NamedTuple):
    """A laboratory that was taken down."""

    name: str
    existed: bool
    leftovers: tuple[Leftover, ...]


def down(name: str, directory: Path | None = None) -> Taken:
    """Take a laboratory down, whatever is left of it; safe to repeat."""
    with registry.locked(name):
        where = directory_of(name, directory)
        exists = registry.entry(name) is not None or bool(removing.leftovers(name, where))
        leftovers = removing.remove(name, where)
        return Taken(name, exists or (where is not None and not where.exists()), leftovers)


def status(name: str) -> LabStatus:
    """What there is of a laboratory."""
    return look(state_of(name))


def shell(name: str, machine: str, command: Sequence[str]) -> NoReturn:
    """Become a command or a shell on a machine."""
    commands.run_inside(state_of(name), machine, command)


def kill(name: str, machine: str, daemon: str | None, how: KillMode | None) -> commands.Lost:
    """Lose a machine, all machines of a host, or a daemon at once."""
    with registry.locked(name):
        return commands.kill(state_of(name), machine, daemon, how)


def start(name: str, machine: str, report: ReportStep) -> commands.Back:
    """Bring back a machine or all machines of a host: their links, and the daemons that do not run."""
    with registry.locked(name):
        return commands.start(state_of(name), machine, report)


def names() -> list[str]:
    """The laboratories that there are."""
    return [entry.name for entry in registry.entries()]


def machine_names(name: str) -> list[str]:
    """The machines of a laboratory, none if there is no such one."""
    state = find(name)
    return [machine.name for machine in state.machines] if state else []


def host_names(name: str) -> list[str]:
    """The hosts of a laboratory that are no machine themselves."""
    state, machines = find(name), machine_names(name)
    return [host for host in state.hosts if host not in machines] if state else []


def daemon_names(name: str, machine: str) -> list[str]:
    """The daemons of a machine, or of a host's machines, of a laboratory."""
    state = find(name)
    machines = state.machines if state else ()
    roles = (role for own in machines if machine in (own.name, own.host) for role in own.roles)
    return list(dict.fromkeys(DAEMONS[role].name for role in roles))


def state_of(name: str) -> LabState:
    """A laboratory that is up; raises UserError that names the others if there is none."""
    state = find(name)
    if state is None and registry.belongs_to_root(name):
        raise UserError(f'lab "{name}"', "belongs to root", "run this command as root")
    if state is None:
        build, running = "build it: howdah lab up PLAN", ", ".join(names())
        hint = f"name one that is up ({running}), or {build}" if running else build
        raise UserError(f'lab "{name}"', "is not up", hint)
    return state


def directory_of(name: str, chosen: Path | None) -> Path | None:
    """Where a laboratory's files are: by its entry, or where a machine that was restarted left them."""
    entry = registry.entry(name)
    if entry is not None:
        return entry.directory
    directory = (chosen or PARENT / name).absolute()
    try:
        state = read_state(directory)
    except UserError:
        # Whose it is cannot be told, so it is none to go on with and none to remove.
        return None
    return directory if state is not None and state.name == name else None


_PATIENCE_S = 3600.0


def add(name: str, hosts: Sequence[str], like: str | None, report: ReportStep) -> StartedLab:
    """Give a laboratory more hosts, each like one that it has; what runs goes on."""
    with registry.locked(name):
        state = _whole(name)
        like = like or _only_like(state)
        plan = with_hosts(state.plan, hosts, like)
        more = commands.extended_state(state, plan, hosts, like)
        return commands.build_extension(more, render(plan, leaving=more.leaving), report)


def remove(name: str, hosts: Sequence[str], report: ReportStep) -> LabState:
    """Take hosts away from a laboratory once others have their data and tasks; repeated, it continues."""
    with registry.locked(name):
        state = _whole(name)
        # Hosts that others take away meanwhile count for nothing any more.
        away = {machine.host for machine in state.machines if machine.name in state.leaving}
        without_hosts(state.plan, {*hosts, *away})
        leaving = [machine.name for machine in state.machines if machine.host in hosts]
        state = state.model_copy(update={"leaving": tuple(dict.fromkeys([*state.leaving, *leaving]))})
        commands.start_drain(state, render(state.plan, leaving=state.leaving))
    # The lock is let go meanwhile: data may take long, and faults and runs go on.
    commands.await_drained(state, _PATIENCE_S, report)
    with registry.locked(name):
        # Hosts may have joined or left meanwhile; hosts that another command removes stay on their way out.
        state = state_of(name)
        plan = without_hosts(state.plan, hosts)
        gone = {machine.name for machine in state.machines if machine.host in hosts}
        leaving = [name for name in state.leaving if name not in gone]
        return commands.remove_drained(state, plan, hosts, render(plan, leaving=leaving))


def _whole(name: str) -> LabState:
    """A laboratory whose hosts can come and go; raises UserError for one that is not up, or not root's."""
    state = state_of(name)
    if state.rootless:
        hint = "build it as root"
        raise UserError(f'lab "{name}"', "was built without root: its hosts have no links", hint)
    if not state.complete:
        raise UserError(f'lab "{name}"', "is not complete", "howdah lab up PLAN completes it")
    refuse_shared(state, "hosts cannot be added or removed until then")
    return state


def _only_like(state: LabState) -> str:
    """The host that new ones are like where nobody says so; raises UserError where hosts differ."""
    first = {
        host.group: host.name
        for host in reversed(list(placed_hosts(state.plan.cluster)))
        if host.workers and not host.masters
    }
    if not first:
        problem = "has no host to copy: every host with workers also has masters"
        raise UserError("howdah lab add", problem, "plan the larger cluster, and build the lab again")
    if len(first) > 1:
        hint = f"one of {', '.join(first.values())}"
        raise UserError("--like", "is missing, because hosts with workers differ", hint)
    return next(iter(first.values()))
