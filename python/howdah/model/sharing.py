"""Hosts that several clusters share: which part is this cluster's, and whose the rest is."""

from __future__ import annotations

from pydantic import Field

from howdah.model.base import Model
from howdah.model.inventory import HostGroup


class Neighbour(Model):
    """Another cluster on the same hosts, as its plan was when this one was made."""

    cluster: str
    """Its name."""
    digest: str
    """The SHA-256 of its plan's file."""
    masters_on: tuple[str, ...]
    """The hosts that carry its masters or their shadows, as name patterns."""
    host_settings: dict[str, str] = Field(default_factory=dict)
    """What it wants of the hosts themselves, their firmware and hypervisor: values by key, as text."""


class Sharing(Model):
    """What a cluster has of hosts that are not its own alone."""

    cluster: str
    """The cluster's name, which its virtual machines bear so that no other's are called the same."""
    disks: dict[str, tuple[int, ...]]
    """Which data disks of each host are this cluster's, by group: from 1, in the inventory's order."""
    percent: int | None = None
    """The part of every host that it was to have; None: all that the others leave."""
    beside: tuple[Neighbour, ...] = ()
    """The other clusters on the hosts."""
    left_out: tuple[str, ...] = ()
    """Hosts of the inventory that have nothing left for it, as name patterns."""
    whole: tuple[HostGroup, ...] = ()
    """The whole hosts; empty in older plans, and if a lab's hosts differ from the planned ones."""

    @property
    def neighbours(self) -> str:
        """Who else is on the hosts, in words: the first of several clusters did not know of the others."""
        return " and ".join(other.cluster for other in self.beside) or "other clusters"

    def whole_host(self, name: str) -> HostGroup | None:
        """The group that says how large a host is as a whole; None where that is not kept."""
        wanted = name.lower()
        return next(
            (group for group in self.whole if any(host.lower() == wanted for host in group.names)), None
        )
