"""A plan's file to a laboratory, and what is there to be known and done about one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from howdah.documents.plan import read_plan
from howdah.errors import UserError
from howdah.installation import find_installation
from howdah.lab import down as removing
from howdah.lab import registry
from howdah.lab import up as building
from howdah.lab.leftover import Leftover
from howdah.lab.machines import Power
from howdah.lab.refusals import check_plan
from howdah.lab.state import LabState
from howdah.lab.up import Asked, Brought, Fitting
from howdah.model.plan import Plan
from howdah.planner.throughput import disk_bytes_per_s
from howdah.probe import probe_host
from howdah.render import render
from howdah.session.scaling import fit_here

__all__ = ["DEFAULT_NAME", "Brought", "LabState", "Leftover", "Wanted", "down", "names", "up"]

DEFAULT_NAME = "lab"
"""What a laboratory is called that nobody names."""

_PARENT = Path("build")


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


def up(path: Path, wanted: Wanted, tell: Callable[[str], None]) -> Brought:
    """Bring a plan's laboratory up, or what is missing of the one that is there.

    Raises UserError for what cannot be built, before anything is made, and RunFailed for what fails.
    """
    plan = read_plan(path)
    check_plan(plan)
    with registry.locked(wanted.name):
        building.clear(wanted.name)
        there = building.find(wanted.name)
        asked = _asked(path, plan, wanted, there)
        state = _again(there, asked) if there else _begun(plan, wanted, asked)
        return building.bring_up(state, render(state.plan), tell)


def down(name: str) -> tuple[Leftover, ...]:
    """Take a laboratory down; what could not be removed, and why."""
    with registry.locked(name):
        entry = registry.entry(name)
        return removing.remove(name, entry.directory if entry else None)


def names() -> list[str]:
    """The laboratories that there are."""
    return [one.name for one in registry.entries()]


def _begun(plan: Plan, wanted: Wanted, asked: Asked) -> LabState:
    fitted = fit_here(plan, asked.directory, hosts=wanted.hosts, link_bits_per_s=wanted.link_bits_per_s)
    return building.begin(
        asked,
        fitted.plan,
        find_installation(),
        Power(fitted.cpu_share, disk_bytes_per_s),
        Fitting(fitted.scaling, fitted.notes, probe_host().memory.total_bytes),
    )


def _again(there: LabState, asked: Asked) -> LabState:
    """The laboratory that is there, if it is the one asked for; raises UserError if it is another one."""
    if there.asked != asked.digest:
        raise UserError(
            f"laboratory {there.name}",
            f"is up with {there.source}, or with other limits",
            f"howdah lab down --name {there.name} first, or give this one another --name",
        )
    return there


def _asked(path: Path, plan: Plan, wanted: Wanted, there: LabState | None) -> Asked:
    default = there.directory if there else _PARENT / wanted.name
    directory = (wanted.directory or default).absolute()
    content = f"{plan.model_dump_json()}\n{wanted.hosts}\n{wanted.link_bits_per_s}\n{directory}"
    return Asked(wanted.name, directory, str(path), hashlib.sha256(content.encode()).hexdigest())
