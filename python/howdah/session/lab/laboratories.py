"""What is there to be known and done about a laboratory that is up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.lab import commands, registry
from howdah.lab import down as removing
from howdah.lab.commands import Back, KillMode, Lost
from howdah.lab.hadoop.starting import ReportStep
from howdah.lab.registry import Leftover
from howdah.lab.state import LabState, find, read_state
from howdah.lab.status import LabStatus
from howdah.lab.status import status as look

"""What a laboratory is called that nobody names."""
PARENT = Path("build")
"""Where a laboratory's files go if nobody says."""


class Taken(NamedTuple):
    """A laboratory that was taken down."""

    name: str
    found: bool
    """Whether anything of it was there."""
    left: tuple[Leftover, ...]
    """What could not be removed, and why."""


def down(name: str, directory: Path | None = None) -> Taken:
    """Take a laboratory down, whatever is left of it; safe to repeat."""
    with registry.locked(name):
        where = directory_of(name, directory)
        exists = registry.entry(name) is not None or bool(removing.leftovers(name, where))
        left = removing.remove(name, where)
        return Taken(name, exists or (where is not None and not where.exists()), left)


def status(name: str) -> LabStatus:
    """What there is of a laboratory; raises UserError if there is none that can be read."""
    return look(state_of(name))


def shell(name: str, machine: str, command: Sequence[str]) -> NoReturn:
    """Become a command or a shell on a machine; raises UserError if there is no such one."""
    commands.run_inside(state_of(name), machine, command)


def kill(name: str, machine: str, daemon: str | None, how: KillMode | None) -> Lost:
    """Lose a machine, all machines of a host, or a daemon at once; raises UserError for what cannot be."""
    with registry.locked(name):
        return commands.kill(state_of(name), machine, daemon, how)


def start(name: str, machine: str, tell: ReportStep) -> Back:
    """Bring back a machine or all machines of a host: their links, and the daemons that do not run."""
    with registry.locked(name):
        return commands.start(state_of(name), machine, tell)


def names() -> list[str]:
    """The laboratories that there are."""
    return [entry.name for entry in registry.entries()]


def machine_names(name: str) -> list[str]:
    """The machines of a laboratory, none if there is no such one."""
    state = find(name)
    return [machine.name for machine in state.machines] if state else []


def host_names(name: str) -> list[str]:
    """The hosts of a laboratory that are no machine themselves, none if there is no such laboratory."""
    state = find(name)
    machines = machine_names(name)
    return [host for host in state.hosts if host not in machines] if state else []


def daemon_names(name: str, machine: str) -> list[str]:
    """The daemons of a machine, or of a host's machines, of a laboratory; none if there is no such one."""
    state = find(name)
    machines = (
        [lab_machine for lab_machine in state.machines if machine in (lab_machine.name, lab_machine.host)]
        if state
        else []
    )
    return list(dict.fromkeys(DAEMONS[role].name for lab_machine in machines for role in lab_machine.roles))


def state_of(name: str) -> LabState:
    """A laboratory that is up; raises UserError that names the others if there is none."""
    state = find(name)
    if state is None and registry.belongs_to_root(name):
        raise UserError(f'lab "{name}"', "belongs to root", "run this command as root")
    if state is None:
        others = ", ".join(names())
        raise UserError(
            f'lab "{name}"',
            "is not up",
            f"choose {others}, or howdah lab up PLAN" if others else "howdah lab up PLAN",
        )
    return state


def directory_of(name: str, given: Path | None) -> Path | None:
    """Where a laboratory's files are: by its entry, or where a machine that was restarted left them."""
    entry = registry.entry(name)
    if entry is not None:
        return entry.directory
    directory = (given or PARENT / name).absolute()
    try:
        state = read_state(directory)
    except UserError:
        # Whose it is cannot be told, so it is none to go on with and none to remove.
        return None
    return directory if state is not None and state.name == name else None
