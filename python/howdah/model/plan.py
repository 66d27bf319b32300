"""The cluster specification: what the planner decides and an engine obeys.

For one machine without Hadoop a plan is small: one native worker, its task slots, its memory and
its data directories. Every value carries its reason and its source.
"""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model


class Setting(Model):
    """One decided value with the reason for it.

    ``origin`` says whether a rule chose the value or the user gave it.
    """

    key: str
    value: int | float | str | bool | tuple[str, ...]
    reason: str
    source: str
    origin: Literal["rule", "user"] = "rule"


class Worker(Model):
    """The share of a host that runs tasks: the host itself (native) or one virtual machine.

    ``memory_bytes`` is the budget an engine must stay within; slots are tasks at once.
    """

    name: str
    map_slots: int
    reduce_slots: int
    memory_bytes: int
    data_dirs: tuple[str, ...]


class Plan(Model):
    """A specification an engine can run on."""

    platform: Literal["native"]
    workers: tuple[Worker, ...]
    settings: tuple[Setting, ...]
