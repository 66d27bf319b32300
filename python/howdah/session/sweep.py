"""How a plan grows: more hosts with as much work for each, or more data on the same hosts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from howdah.engines.sim.follow import Done
from howdah.engines.sim.outcome import Summary
from howdah.errors import UserError
from howdah.model.plan import Plan
from howdah.model.run import RunWarning
from howdah.model.workload import ROW_BYTES
from howdah.planner.changes import changed, pinned
from howdah.planner.suite.cluster import SIMULATED, at_once, size_suite
from howdah.planner.suite.request import RunRequest
from howdah.session.calibrations import load_calibration
from howdah.session.predicting import planned_work, warnings_of
from howdah.session.replicas import scenarios, simulate
from howdah.units import parse_bytes, parse_count

SWEPT = ("hosts", "dataset")
SATURATED = 0.95
"""A master that is busy for so much of one core, as one lock allows, is what everything waits for."""
_POINTS = 7
_NS_PER_S = 1e9


class Point(NamedTuple):
    """One size of the cluster or of its data, simulated once with the calibration's own values."""

    hosts: int
    dataset_bytes: int
    elapsed_s: float
    namenode: float
    """The share of one core that the NameNode is busy in the phase that loads it most."""
    scheduler: float
    """The same of the ResourceManager, or of Hadoop 1's JobTracker."""

    @property
    def busiest(self) -> float:
        """The load of the busier of the two."""
        return max(self.namenode, self.scheduler)


class Sweep(NamedTuple):
    """A plan at several sizes, the smallest first."""

    quantity: str
    points: tuple[Point, ...]
    warnings: tuple[RunWarning, ...]

    @property
    def saturation(self) -> tuple[Point, Point] | None:
        """The sizes between which a master saturates; None where none does, or one does from the first."""
        return next(
            (
                (one, other)
                for one, other in pairwise(self.points)
                if one.busiest < SATURATED <= other.busiest
            ),
            None,
        )


def sweep(
    file: Path,
    request: RunRequest,
    asked: str,
    *,
    calibration: str | None,
    seed: int,
    tell: Callable[[Done], None],
) -> Sweep:
    """Simulate a suite on a plan from one size to another, such as ``hosts=10..1000``.

    Raises UserError for what is no sweep, and for sizes that cannot be planned or simulated.
    """
    quantity, sizes = _sizes(asked)
    plan, suite = planned_work(file, request)
    rows = next((one.rows for one in suite.workloads if one.rows is not None), None)
    if rows is None:
        raise UserError(
            f"--sweep {asked}", f"{suite.name} sorts no dataset that could grow", "sweep terasuite"
        )
    known = load_calibration(calibration) if calibration is not None else None
    base = pinned(plan)
    if quantity == "hosts":
        works = [(changed(base, "hosts", size), max(1, rows * size // _hosts(base))) for size in sizes]
    else:
        works = [(base, max(1, size // ROW_BYTES)) for size in sizes]
    several = []
    for each, count in works:
        sized = size_suite(request.model_copy(update={"rows": count}), at_once(each), engine=SIMULATED)
        several += list(scenarios(each, sized.suite, known, count=1, seed=seed))
    points = tuple(
        _point(_hosts(each), count * ROW_BYTES, summary)
        for (each, count), summary in zip(works, simulate(several, tell), strict=True)
    )
    return Sweep(quantity, points, warnings_of(plan, suite, known))


def _sizes(asked: str) -> tuple[str, list[int]]:
    """The quantity and the sizes from one to the other, each so many times as large as the one before."""
    where = f"--sweep {asked}"
    quantity, equals, ends = asked.partition("=")
    first, dots, last = ends.partition("..")
    if quantity not in SWEPT or not (equals and dots):
        raise UserError(where, "is no sweep", "give hosts=10..1000 or dataset=1TB..100TB")
    parse = parse_count if quantity == "hosts" else parse_bytes
    low, high = parse(first, where), parse(last, where)
    if not 1 <= low < high:
        raise UserError(where, "does not go from less to more", "give hosts=10..1000 for instance")
    step = (high / low) ** (1 / (_POINTS - 1))
    return quantity, sorted({low, high, *(round(low * step**place) for place in range(1, _POINTS - 1))})


def _hosts(plan: Plan) -> int:
    assert plan.cluster is not None
    return plan.cluster.inventory.worker_groups[0].count


def _point(hosts: int, dataset_bytes: int, summary: Summary) -> Point:
    phases = [phase for one in summary.workloads for phase in one.phases]
    return Point(
        hosts,
        dataset_bytes,
        summary.workloads[-1].end_ns / _NS_PER_S,
        max((one.namenode_busy for one in phases), default=0.0),
        max((one.scheduler_busy for one in phases), default=0.0),
    )
