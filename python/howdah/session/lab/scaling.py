"""A plan made small enough for a laboratory on this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

from howdah.errors import UserError
from howdah.model.plan import Plan
from howdah.planner.scaling import Fitted, fit_plan
from howdah.probe import probe_host

__all__ = ["Fitted", "fit_here"]


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
    existing = next(one for one in (directory.absolute(), *directory.absolute().parents) if one.exists())
    try:
        return shutil.disk_usage(existing).free
    except OSError as error:
        raise UserError(
            f"--dir {directory}", f"cannot be looked at: {error.strerror}", "give another"
        ) from error
