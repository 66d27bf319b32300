"""A plan's file to a laboratory, and what is there to be known and done about one."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.lab import commands, registry
from howdah.lab import down as removing
from howdah.lab import up as building
from howdah.lab.commands import Back, How, Lost
from howdah.lab.hadoop.daemons import PROGRAM
from howdah.lab.hadoop.hbase import HBaseHealth
from howdah.lab.hadoop.redundancy import Behind
from howdah.lab.hadoop.starting import Tell
from howdah.lab.installed import find_installed
from howdah.lab.lots import LabPlace, own_place
from howdah.lab.machines import Power
from howdah.lab.refusals import check_plan
from howdah.lab.registry import CLIENT, Leftover
from howdah.lab.state import LabState, read_state
from howdah.lab.status import LabStatus, MachineStatus
from howdah.lab.status import status as look
from howdah.lab.up import Asked, Brought, Fitting
from howdah.model.plan import Plan
from howdah.planner.scaling import Fitted, fit_beside, fit_plan
from howdah.planner.throughput import disk_bytes_per_s
from howdah.probe import probe_host
from howdah.render import render
from howdah.session.lab.beside import check_still_beside, place_on_hosts_of, shares_hosts

__all__ = [
    "CLIENT",
    "DEFAULT_NAME",
    "Back",
    "Behind",
    "Brought",
    "Fitted",
    "HBaseHealth",
    "How",
    "LabStatus",
    "Leftover",
    "Lost",
    "MachineStatus",
    "Taken",
    "Wanted",
    "daemon_names",
    "down",
    "fit_here",
    "host_names",
    "kill",
    "machine_names",
    "names",
    "shell",
    "start",
    "status",
    "up",
]

DEFAULT_NAME = "lab"
"""What a laboratory is called that nobody names."""
_PARENT = Path("build")


def fit_here(
    plan: Plan, directory: Path, *, hosts: int | None = None, link_bits_per_s: int | None = None
) -> Fitted:
    """Fit a plan to this machine, its data disks to the file system that is to hold ``directory``.

    Raises UserError that says what would fit.
    """
    return fit_plan(
        plan,
        probe_host(),
        free_bytes=_free_bytes(directory),
        hosts=hosts,
        link_bits_per_s=link_bits_per_s,
    )


def _free_bytes(directory: Path) -> int:
    existing = next(
        parent for parent in (directory.absolute(), *directory.absolute().parents) if parent.exists()
    )
    try:
        return shutil.disk_usage(existing).free
    except OSError as error:
        raise UserError(
            f"--dir {directory}", f"cannot be looked at: {error.strerror}", "give another"
        ) from error


class Wanted(NamedTuple):
    """What is asked of a laboratory, beside its plan."""

    name: str = DEFAULT_NAME
    """Its name."""
    directory: Path | None = None
    """Where its files go; a directory of its name below ``build`` if left out."""
    hosts: int | None = None
    """How many hosts with workers."""
    link_bits_per_s: int | None = None
    """The speed of each host's uplink."""
    beside: str | None = None
    """The laboratory on whose hosts it is to be; None is hosts of its own."""


class Taken(NamedTuple):
    """A laboratory that was taken down."""

    name: str
    """Its name."""
    found: bool
    """Whether anything of it was there."""
    left: tuple[Leftover, ...]
    """What could not be removed, and why."""


def up(path: Path, wanted: Wanted, tell: Tell) -> Brought:
    """Bring a plan's laboratory up, or what is missing of the one that is there.

    Raises UserError for what cannot be built, before anything is made, and RunFailed for what fails.
    """
    plan = read_plan(path)
    check_plan(plan)
    with registry.locked(wanted.name):
        building.clear(wanted.name)
        where = _directory(wanted.name, wanted.directory)
        there = read_state(where) if where else None
        asked = _asked(path, plan, wanted, there)
        state = _again(there, asked, wanted.beside) if there else _begun(plan, wanted, asked)
        return building.bring_up(state, render(state.plan, leaving=state.leaving), tell)


def check(path: Path, wanted: Wanted) -> None:
    """Raise UserError where a plan's laboratory could not be built here; nothing is made."""
    plan = read_plan(path)
    check_plan(plan)
    _begun(plan, wanted, _asked(path, plan, wanted, None))


def down(name: str, directory: Path | None = None) -> Taken:
    """Take a laboratory down, whatever is left of it; safe to repeat."""
    with registry.locked(name):
        where = _directory(name, directory)
        exists = registry.entry(name) is not None or bool(removing.leftovers(name, where))
        left = removing.remove(name, where)
        return Taken(name, exists or (where is not None and not where.exists()), left)


def status(name: str) -> LabStatus:
    """What there is of a laboratory; raises UserError if there is none that can be read."""
    return look(state_of(name))


def shell(name: str, machine: str, command: Sequence[str]) -> NoReturn:
    """Become a command or a shell on a machine; raises UserError if there is no such one."""
    commands.run_inside(state_of(name), machine, command)


def kill(name: str, machine: str, daemon: str | None, how: How | None) -> Lost:
    """Lose a machine, all machines of a host, or a daemon at once; raises UserError for what cannot be."""
    with registry.locked(name):
        return commands.kill(state_of(name), machine, daemon, how)


def start(name: str, machine: str, tell: Tell) -> Back:
    """Bring back a machine or all machines of a host: their links, and the daemons that do not run."""
    with registry.locked(name):
        return commands.start(state_of(name), machine, tell)


def names() -> list[str]:
    """The laboratories that there are."""
    return [entry.name for entry in registry.entries()]


def machine_names(name: str) -> list[str]:
    """The machines of a laboratory, none if there is no such one."""
    state = building.find(name)
    return [machine.name for machine in state.machines] if state else []


def host_names(name: str) -> list[str]:
    """The hosts of a laboratory that are no machine themselves, none if there is no such laboratory."""
    state = building.find(name)
    machines = machine_names(name)
    return [host for host in state.hosts if host not in machines] if state else []


def daemon_names(name: str, machine: str) -> list[str]:
    """The daemons of a machine, or of a host's machines, of a laboratory; none if there is no such one."""
    state = building.find(name)
    machines = (
        [lab_machine for lab_machine in state.machines if machine in (lab_machine.name, lab_machine.host)]
        if state
        else []
    )
    return list(dict.fromkeys(PROGRAM[role].name for lab_machine in machines for role in lab_machine.roles))


def state_of(name: str) -> LabState:
    """A laboratory that is up; raises UserError that names the others if there is none."""
    state = building.find(name)
    if state is None and registry.belongs_to_root(name):
        raise UserError(f"laboratory {name}", "is root's", "run this as root")
    if state is None:
        others = " or ".join(names())
        raise UserError(
            f"laboratory {name}",
            "is not up",
            f"--name {others}, or howdah lab up PLAN" if others else "howdah lab up PLAN",
        )
    return state


def _directory(name: str, given: Path | None) -> Path | None:
    """Where a laboratory's files are: by its entry, or where a machine that was restarted left them."""
    entry = registry.entry(name)
    if entry is not None:
        return entry.directory
    directory = (given or _PARENT / name).absolute()
    try:
        state = read_state(directory)
    except UserError:
        # Whose it is cannot be told, so it is none to go on with and none to remove.
        return None
    return directory if state is not None and state.name == name else None


def _begun(plan: Plan, wanted: Wanted, asked: Asked) -> LabState:
    place, fitted = _fitted(plan, wanted, asked)
    machine = probe_host()
    return building.begin(
        asked,
        fitted.plan,
        find_installed(check_plan(fitted.plan)),
        Power(fitted.cpu_share, disk_bytes_per_s),
        Fitting(fitted.scaling, fitted.notes, machine.memory.total_bytes, machine.usable_cpus, place),
    )


def _fitted(plan: Plan, wanted: Wanted, asked: Asked) -> tuple[LabPlace, Fitted]:
    """Where a laboratory is built, and how its plan fits there."""
    if wanted.beside is None:
        fitted = fit_here(plan, asked.directory, hosts=wanted.hosts, link_bits_per_s=wanted.link_bits_per_s)
        return own_place(wanted.name, shares=shares_hosts(fitted.plan)), fitted
    for flag, value in (("--hosts", wanted.hosts), ("--link", wanted.link_bits_per_s)):
        if value is not None:
            raise UserError(flag, f"hosts are there already, as those of {wanted.beside}", "leave it out")
    place = place_on_hosts_of(wanted.beside, wanted.name, Path(asked.source), plan)
    fitted = fit_beside(
        plan,
        probe_host(),
        free_bytes=_free_bytes(asked.directory),
        others=[other.plan for other in place.others],
        cpu_share=place.cpu_share or 1.0,
    )
    return place, fitted


def _again(there: LabState, asked: Asked, beside: str | None) -> LabState:
    """The laboratory that is there, if it is the one asked for; raises UserError if it is another one."""
    if there.asked != asked.digest:
        raise UserError(
            f"laboratory {there.name}",
            f"is up with {there.source}, or with other limits",
            f"howdah lab down --name {there.name} first, or give this one another --name",
        )
    if beside is not None:
        check_still_beside(there, beside)
    return there


def _asked(path: Path, plan: Plan, wanted: Wanted, there: LabState | None) -> Asked:
    default = there.directory if there else _PARENT / wanted.name
    directory = (wanted.directory or default).absolute()
    content = f"{plan.model_dump_json()}\n{wanted.hosts}\n{wanted.link_bits_per_s}\n{directory}"
    return Asked(wanted.name, directory, str(path), hashlib.sha256(content.encode()).hexdigest())
