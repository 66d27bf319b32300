"""Which machines a run's samples are of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["host", "worker", "master", "beneath", "other"]
"""What a machine is: a ``host`` carries workers that are machines of their own, a native worker is a
``worker`` and its own host. ``beneath`` is the machine that all of a laboratory is on, which is no part
of the plan. ``other`` is one that no plan and no task names: where howdah itself ran."""


@dataclass(frozen=True)
class Machine:
    """One machine of the plan, or the machine a local run was on (then a ``host``).

    ``host`` is the physical host it is on, its own name for a host. ``rack`` is empty where no plan
    tells.
    """

    name: str
    level: Level
    host: str
    rack: str

    @property
    def planned(self) -> bool:
        """Whether it is part of the plan, or of what the tasks of a run were on."""
        return self.level not in ("beneath", "other")
