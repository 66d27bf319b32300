"""What a new plan changes of a cluster that runs: hosts, masters, values, and the steps to get there."""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model
from howdah.model.plan import Role, Value


class ValueChange(Model):
    """A value that is another one in the new plan, or is in one of both alone."""

    key: str
    before: Value | None
    """The former value; None for a new one."""
    after: Value | None
    """The new value; None for a removed one."""
    file: str | None = None
    """The file that holds it."""
    worker: str | None = None
    """The kind of worker it holds for, where kinds differ."""
    restarts: tuple[Role, ...] = ()
    """The daemons that read it and are restarted; none if only jobs and clients read it."""
    downtime: str = ""
    """Why these are stopped together for it; empty if they can be restarted a few at a time."""


class MasterMove(Model):
    """A master that moves to another host."""

    name: str
    """Its name in both plans."""
    roles: tuple[Role, ...]
    """Its daemons."""
    before: str
    """Its former host."""
    after: str
    """Its new host."""
    shadow: bool = False
    """Whether it is its Fault Tolerance shadow that moves."""


class ChangeStep(Model):
    """One step, in order."""

    what: Literal["values", "master", "add", "remove", "balance"]
    """What kind of step it is."""
    text: str
    """What to do, in a sentence."""
    moved_bytes: int = 0
    """The most data that crosses the network for it."""
    least_s: float = 0.0
    """The least time for it, limited by the network, disks and HDFS."""


class PlanChange(Model):
    """The changes from one plan to another."""

    added: tuple[str, ...]
    """New hosts, as ranges."""
    removed: tuple[str, ...]
    """Removed hosts, as ranges."""
    masters: tuple[MasterMove, ...]
    values: tuple[ValueChange, ...]
    """Values that differ."""
    steps: tuple[ChangeStep, ...] = ()
    """What to do, in order."""
