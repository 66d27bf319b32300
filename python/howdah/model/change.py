"""What a new plan changes of a cluster that runs: hosts, masters, values, and the steps to get there."""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model
from howdah.model.plan import Role, Value


class ValueChange(Model):
    """A value that is another one in the new plan, or is in one of both alone."""

    key: str
    before: Value | None
    """What it was; none for one that is new."""
    after: Value | None
    """What it is to be; none for one that is no more."""
    file: str | None = None
    """The file that holds it."""
    worker: str | None = None
    """The kind of worker it holds for, where kinds differ."""
    restarts: tuple[Role, ...] = ()
    """The daemons that read it, and so have to be started again; none where only jobs and clients do."""
    downtime: str = ""
    """Why these have to be stopped together for it; empty where they can be restarted a few at a time."""


class MasterMove(Model):
    """A master that cannot stay where it is."""

    name: str
    """Its name in both plans."""
    roles: tuple[Role, ...]
    """Its daemons."""
    before: str
    """The host it leaves."""
    after: str
    """The host it goes to."""
    shadow: bool = False
    """Whether it is its Fault Tolerance shadow that moves."""


class ChangeStep(Model):
    """One thing to do, in the order of doing."""

    what: Literal["values", "master", "add", "remove", "balance"]
    """What kind of step it is."""
    text: str
    """What to do, in a sentence."""
    moved_bytes: int = 0
    """Data that crosses the network for it, at most: as much as the plan says is stored."""
    least_s: float = 0.0
    """How long that takes at least, by what the network, disks and HDFS's own limits carry."""


class PlanChange(Model):
    """The way from one plan to another."""

    added: tuple[str, ...]
    """Hosts that are new, as ranges."""
    removed: tuple[str, ...]
    """Hosts that go, as ranges."""
    masters: tuple[MasterMove, ...]
    values: tuple[ValueChange, ...]
    """What is configured otherwise."""
    steps: tuple[ChangeStep, ...] = ()
    """What to do, in order."""
