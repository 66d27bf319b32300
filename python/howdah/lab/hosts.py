"""The hosts of a laboratory as a whole: their shares of this machine, their network and their disks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from howdah.errors import UserError
from howdah.lab import cgroups, disks, inhabitants, network
from howdah.lab.capabilities import find_capabilities, refuse_lacking
from howdah.lab.leftover import Leftover
from howdah.lab.names import check_lab_name
from howdah.lab.spec import LabSpec
from howdah.model.cluster import Deviation

_PATIENCE_S = 10.0
"""How long it may take to be let go of what is in use, by programs that have just ended for instance."""


def check_hosts(spec: LabSpec) -> None:
    """Raise UserError, before anything is made, if these hosts cannot be built here."""
    _refuse_inside(spec.name)
    refuse_lacking(find_capabilities(), spec)
    disks.check(spec)


def build_hosts(spec: LabSpec, progress: Callable[[str], None]) -> tuple[Deviation, ...]:
    """Make what of the hosts is missing; what could not be made as planned.

    Safe to repeat, also after it was killed. Raises UserError for what ``check_hosts`` would refuse and
    RunFailed where Linux does.
    """
    check_hosts(spec)
    progress("control groups")
    cgroups.build(spec)
    progress("network")
    network.build(spec)
    return disks.build(spec, progress)


def survey_hosts(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """What exists of a laboratory; of files, the disk images below ``directory``, if given."""
    check_lab_name(name)
    return (
        *inhabitants.survey(name),
        *disks.survey(name, directory),
        *network.survey(name),
        *cgroups.survey(name),
    )


def remove_hosts(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    """End the laboratory's processes and remove its disks, network and control groups; what stays, and why.

    Safe to repeat, also after it was killed, and for a laboratory that never was. A program that a killed
    ``build_hosts`` had just begun may finish after it was looked for, so what is found is removed again
    until nothing is, or nothing more can be removed. Raises UserError if it is called from inside.
    """
    check_lab_name(name)
    _refuse_inside(name)
    end = time.monotonic() + _PATIENCE_S
    while True:
        left = _remove(name, directory)
        there = survey_hosts(name, directory)
        if not there:
            return ()
        if time.monotonic() > end:
            return left or there
        time.sleep(0.05)


def _remove(name: str, directory: Path | None) -> tuple[Leftover, ...]:
    return (
        *inhabitants.kill(name),
        *disks.remove(name, directory),
        *network.remove(name),
        *cgroups.remove(name),
    )


def _refuse_inside(name: str) -> None:
    if os.getpid() in inhabitants.find(name):
        raise UserError(name, "this command runs inside of the laboratory", "leave its shell first (exit)")
