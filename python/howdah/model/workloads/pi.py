"""Hadoop's quasi-Monte-Carlo pi: pure computing, no data."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from howdah.model.counters import Counters
from howdah.model.reported import ResultMetric
from howdah.model.workloads.base import Amount, Moved, Workload
from howdah.model.workloads.files import MAPS
from howdah.model.workloads.option import count
from howdah.units import format_counted

PI: Final = "pi"

SAMPLES: Final = count("samples", "Number of points for each map of pi, such as 100M.", metavar="COUNT")


class Pi(Workload):
    """Draws points and counts those within the circle."""

    kind: Literal["pi"] = PI
    maps: int | None = None
    """Map tasks."""
    samples: int | None = None
    """Points that each map draws."""

    options = (MAPS, SAMPLES)
    programs: ClassVar = {
        "local": "howdah.engines.local.benchmarks:pi",
        "hadoop": "howdah.engines.hadoop.programs.benchmarks:pi",
        "sim": "howdah.simulation.translate:pi",
    }
    sizes: ClassVar = {
        "local": "howdah.planner.local.programs:pi",
        "hadoop": "howdah.planner.suite.programs:pi",
        "sim": "howdah.planner.suite.programs:pi",
    }
    unit = "points"
    uses_disks = False
    limited = False

    @property
    def asked(self) -> Amount | None:
        return Amount((self.maps or 0) * (self.samples or 0), "point")

    def in_words(self) -> tuple[str, ...]:
        maps = format_counted(self.maps or 0, "map")
        return (f"{maps} × {format_counted(self.samples or 0, 'sample')}",)

    def moved(self, done: Counters) -> Moved | None:
        return Moved(0, 0)


def estimate_of_pi(printed: str) -> ResultMetric:
    """The estimate, with all the digits that the program printed."""
    return ResultMetric(name="pi", value=float(printed), unit="1", printed=printed)
