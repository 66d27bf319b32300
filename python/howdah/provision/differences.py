"""Planned machines compared with existing ones, and the interface of both hypervisors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from howdah.errors import UserError
from howdah.model.machines import (
    Difference,
    Doing,
    FoundMachine,
    ProvisionChange,
    Provisioning,
    WantedMachine,
)

Told = Callable[[str], None]
"""Told what is done, a line at a time."""


class Provisioner(Protocol):
    """One hypervisor, asked on behalf of one plan and site."""

    def look(self) -> Provisioning:
        """What stands between what is there and what is planned; raises UserError for what cannot be."""

    def apply(self, told: Told) -> None:
        """Do it; raises RunFailed where the hypervisor refuses. What was done is left alone next time."""

    def made(self) -> Sequence[str]:
        """Everything that howdah made for this cluster, a line for each."""

    def destroy(self, told: Told) -> None:
        """Remove exactly that."""


POWER = "power"
HOST = "host"
FIRST_BOOT = "first boot"
DATA_DISK = "data disk"
SYSTEM_DISK = "system disk"
Facts = Mapping[str, str]
"""What something is, in words that plan and hypervisor share."""


def differences(planned: Facts, found: Facts) -> tuple[Difference, ...]:
    """Everything that is planned and not found so; what nobody planned is none of howdah's business."""
    return tuple(
        Difference(what=what, found=found.get(what, ""), planned=value)
        for what, value in planned.items()
        if found.get(what, "") != value
    )


def machine_changes(
    machines: Sequence[WantedMachine],
    planned: Mapping[str, Facts],
    found: Mapping[str, FoundMachine],
    while_running: Collection[str],
) -> Iterator[ProvisionChange]:
    """What becomes of every machine, planned or only found; some things change ``while_running``."""
    names = set(planned)
    for machine in machines:
        there = found.get(machine.name)
        told = ProvisionChange(doing=Doing.MAKE, what="machine", name=machine.name, host=machine.host)
        if there is None:
            yield told.model_copy(update={"differences": differences(planned[machine.name], {})})
            continue
        differ = differences(planned[machine.name], there.facts)
        yield told.model_copy(
            update={
                "doing": Doing.CHANGE if differ else Doing.LEAVE,
                "differences": differ,
                "refused": _refused(machine, there, differ),
                "restarts": there.running and any(one.what not in while_running for one in differ),
            }
        )
    clusters = {machine.cluster for machine in machines}
    for name, there in sorted(found.items()):
        if there.ours in clusters and name not in names:
            yield ProvisionChange(doing=Doing.EXTRA, what="machine", name=name, host=there.host)


def _refused(machine: WantedMachine, there: FoundMachine, differ: tuple[Difference, ...]) -> str:
    """Why a machine cannot be changed without taking data from it; nothing where it can."""
    for one in differ:
        if one.what.startswith(DATA_DISK) and one.found:
            return f"howdah does not replace its {one.what}, which may have data: do it by hand"
        if one.what == SYSTEM_DISK and one.found:
            return f"howdah does not replace its {one.what}, which has the installed system: correct the site"
        if one.what == HOST and machine.disks and any(key.startswith(DATA_DISK) for key in there.facts):
            return f"its data disks are on {one.found}, so howdah does not move it: move it back by hand"
    return ""


def refuse(changes: Iterable[ProvisionChange]) -> None:
    """Raise UserError for the first change that howdah does not make."""
    for change in changes:
        if change.refused:
            shown = "; ".join(
                f"{one.what} is {one.found}, planned {one.planned}" for one in change.differences[:2]
            )
            raise UserError(f"{change.what} {change.name}", shown, change.refused)


def whole_changes(
    what: str, planned: Mapping[str, Facts], found: Mapping[str, Facts]
) -> Iterator[ProvisionChange]:
    """The same of things that are no machines, by their names."""
    for name, facts in planned.items():
        there = found.get(name)
        differ = differences(facts, there or {})
        doing = Doing.MAKE if there is None else Doing.CHANGE if differ else Doing.LEAVE
        yield ProvisionChange(doing=doing, what=what, name=name, differences=differ)
