"""Hosts that several clusters share: which part is this cluster's, and whose the rest is."""

from __future__ import annotations

from howdah.model.base import Model


class Neighbour(Model):
    """Another cluster on the same hosts, as its plan was when this one was made."""

    cluster: str
    """Its name."""
    digest: str
    """The SHA-256 of its plan's file."""
    masters_on: tuple[str, ...]
    """The hosts that carry its masters or their shadows, as name patterns."""


class Sharing(Model):
    """What a cluster has of hosts that are not its own alone."""

    cluster: str
    """The cluster's name, which its virtual machines bear so that no other's are called the same."""
    disks: dict[str, tuple[int, ...]]
    """Which data disks of each host are this cluster's, by group: from 1, in the inventory's order."""
    percent: int | None = None
    """The part of every host that it was to have; None: all that the others leave."""
    beside: tuple[Neighbour, ...] = ()
    """The other clusters that were there."""
    left_out: tuple[str, ...] = ()
    """Hosts of the inventory that have nothing left for it, as name patterns."""
