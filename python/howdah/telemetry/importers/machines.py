"""Whose numbers others' files hold, and which of their disks and interfaces count."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.errors import UserError

_SHOWN = 8

_NOT_DISKS = ("loop", "ram", "zram", "sr", "fd", "dm-", "md")
_NOT_LINKS = (
    "lo",
    "bond",
    "team",
    "br-",
    "virbr",
    "docker",
    "veth",
    "tun",
    "tap",
    "ifb",
    "dummy",
    "cali",
    "flannel",
)


class Machines:
    """The machines of a run by name.

    ``always`` is the one that the user says it is, whatever a file calls it; raises UserError where it
    is none of them.
    """

    def __init__(self, known: Sequence[str], always: str | None = None) -> None:
        self._known = {name.lower(): name for name in known}
        labels = [name.partition(".")[0] for name in self._known]
        self._labels = {
            label: name
            for label, name in zip(labels, self._known.values(), strict=True)
            if labels.count(label) == 1
        }
        self.always = self.find(always) if always is not None else None
        if always is not None and self.always is None:
            raise UserError("--host", f"{always!r} is not a machine of the run", f"one of {self.listed}")

    @property
    def listed(self) -> str:
        """Their names, for messages."""
        names = list(self._known.values())
        return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")

    def find(self, name: str) -> str | None:
        """The machine of this name, with or without its domain; none if there is none."""
        name = name.lower()
        return self._known.get(name) or self._labels.get(name.partition(".")[0])

    def of(self, name: str, where: str) -> str:
        """The machine that ``where`` calls so, or the one the user says; raises UserError for none."""
        machine = self.always or self.find(name)
        if machine is None:
            raise UserError(
                where,
                f"describes {name}, which is not a machine of the run",
                f"name the machine with --host NAME: {self.listed}",
            )
        return machine


def counts(subject: str, name: str) -> bool:
    """Whether a disk or interface counts; everything else does."""
    if subject == "disk":
        return not name.startswith(_NOT_DISKS)
    if subject == "nic":
        return not name.startswith(_NOT_LINKS)
    return True
