"""What both hypervisors are to the command: looked at, changed, and emptied of what howdah made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from howdah.model.machines import Provisioning

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
