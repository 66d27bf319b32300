"""The cluster specification: what the planner decides and an engine obeys.

For one machine without Hadoop a plan is small: one native worker, its task slots, its memory and
its data directories. Every value carries its reason and its source.
"""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model


class Setting(Model):
    """One decided value with the reason for it."""

    key: str
    """What was decided, in Hadoop's own key where there is one."""
    value: int | float | str | bool | tuple[str, ...]
    """The value decided on."""
    reason: str
    """Why, in a sentence."""
    source: str
    """Where the reason comes from."""
    origin: Literal["rule", "user"] = "rule"
    """Whether a rule chose the value or the user gave it."""


class Worker(Model):
    """The share of a host that runs tasks: the host itself (native) or one virtual machine."""

    name: str
    """The worker's name in tasks and figures."""
    map_slots: int
    """Map tasks at once."""
    reduce_slots: int
    """Reduce tasks at once."""
    memory_bytes: int
    """The memory budget an engine must stay within."""
    data_dirs: tuple[str, ...]
    """Absolute paths, used evenly."""


class Plan(Model):
    """A specification an engine can run on."""

    platform: Literal["native"]
    """How hosts are divided into workers."""
    workers: tuple[Worker, ...]
    """The workers, each with its share of a host."""
    settings: tuple[Setting, ...]
    """Every decided value with its reason."""
