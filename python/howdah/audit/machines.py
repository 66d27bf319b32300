"""Virtual machines under their hypervisor against the plan that they were made for."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.audit.existing import verdict
from howdah.model.check import Check
from howdah.model.machines import Doing, ProvisionChange, Provisioning
from howdah.planner.rules.drift import MACHINES


def check_machines(found: Provisioning) -> Iterator[Check]:
    """Everything that is not as planned, and what is, a line for each thing."""
    for change in found.changes:
        where = change.name
        if change.doing is Doing.LEAVE:
            yield _check(where, change.what, "as planned", "as planned", ok=True)
        elif change.doing is Doing.EXTRA:
            fix = "remove it by hand once its data is elsewhere"
            yield _check(where, change.what, "created by howdah", "not in the plan", ok=False, fix=fix)
        elif change.doing is Doing.MAKE:
            yield _check(where, change.what, "is missing", "exists", ok=False, fix=_FIX)
        else:
            yield from _differences(change)


_FIX = "howdah provision"


def _differences(change: ProvisionChange) -> Iterator[Check]:
    fix = f"{_FIX} (shuts it down and starts it again)" if change.restarts else _FIX
    if change.refused:
        fix = change.refused
    for one in change.differences:
        yield _check(change.name, one.what, one.found or "none", one.planned or "none", ok=False, fix=fix)


def _check(where: str, about: str, found: str, expected: str, *, ok: bool, fix: str = "") -> Check:
    return Check(
        rule=MACHINES.id,
        verdict=verdict(MACHINES, ok=ok),
        about=about,
        where=where,
        found=found,
        expected=expected,
        why=MACHINES.says,
        fix=fix,
        source=MACHINES.source,
    )
