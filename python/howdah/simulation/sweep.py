"""How a plan grows: more hosts with as much work for each, or more data on the same hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from howdah.calibrate.extents import distance
from howdah.calibrate.forecast import forecasts
from howdah.errors import UserError
from howdah.model.at_once import at_once
from howdah.model.calibration import Calibration
from howdah.model.engine_names import SIM
from howdah.model.plan import ClusterPlan
from howdah.model.run import RunWarning
from howdah.model.variation import Point, Sweep
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.planner.changes import MOST_HOSTS, changed_plan, pinned
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import RunRequest
from howdah.simulation.calibrations import calibration_warnings
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Done, check_replications, scenarios, simulate, stretches
from howdah.simulation.scenario import Scenario
from howdah.simulation.whole_suite import suite_time
from howdah.units import parse_bytes, parse_count

_POINTS = 7


def simulate_sizes(
    plan: ClusterPlan,
    suite: Suite,
    request: RunRequest,
    asked: str,
    *,
    known: Calibration | None,
    replications: int,
    seed: int,
    tell: Callable[[Done], None],
) -> Sweep:
    """Simulate a suite on a plan from one size to another, such as ``hosts=10..1000``.

    Raises UserError for what is no sweep, and for sizes that cannot be planned or simulated.
    """
    check_replications(replications)
    quantity, sizes = _sizes(asked)
    rows = suite.first(ROWS)
    if rows is None:
        raise UserError(f"--sweep {asked}", f"{suite.name} has no dataset to grow", "sweep terasuite")
    base = pinned(plan)
    if quantity == "hosts":
        works = [(changed_plan(base, "hosts", size), max(1, rows * size // _hosts(base))) for size in sizes]
    else:
        works = [(base, max(1, size // ROW_BYTES)) for size in sizes]
    several: list[Scenario] = []
    warnings: dict[str, RunWarning] = {}
    away: list[float] = []
    for each, count in works:
        sized = size_suite(request.with_value(ROWS, count), at_once(each), engine=SIM).suite
        several += scenarios(each, sized, known, count=replications, seed=seed)
        away.append(distance(known, each, sized))
        # Of the sizes beyond what was known the largest is told.
        warnings |= {warning.code: warning for warning in calibration_warnings(each, sized, known)}
    summaries = simulate(several, tell)
    points = tuple(
        _point(
            _hosts(work),
            count * ROW_BYTES,
            summaries[place * replications : (place + 1) * replications],
            known,
            away[place],
        )
        for place, (work, count) in enumerate(works)
    )
    return Sweep(
        suite=suite.name,
        quantity=quantity,
        calibration=known.name if known else None,
        replications=replications,
        seed=seed,
        points=points,
        warnings=tuple(warnings.values()),
    )


def _sizes(asked: str) -> tuple[Literal["hosts", "dataset"], list[int]]:
    """The quantity and the sizes from one to the other, each so many times as large as the one before."""
    where = f"--sweep {asked}"
    quantity, equals, ends = asked.partition("=")
    first, dots, last = ends.partition("..")
    if quantity not in {"hosts", "dataset"} or not (equals and dots):
        raise UserError(where, "is not a sweep", "give hosts=10..1000 or dataset=1TB..100TB")
    parse = parse_count if quantity == "hosts" else parse_bytes
    low, high = parse(first, where), parse(last, where)
    example = "hosts=10..1000" if quantity == "hosts" else "dataset=1TB..100TB"
    if not 1 <= low < high:
        raise UserError(where, "does not ascend", f"give {example} for instance")
    if quantity == "hosts" and high > MOST_HOSTS:
        raise UserError(where, "is too large", f"give at most {MOST_HOSTS:,} hosts")
    step = (high / low) ** (1 / (_POINTS - 1))
    return "hosts" if quantity == "hosts" else "dataset", sorted(
        {low, high, *(round(low * step**place) for place in range(1, _POINTS - 1))}
    )


def _hosts(plan: ClusterPlan) -> int:
    return plan.cluster.inventory.worker_groups[0].count


def _point(
    hosts: int,
    dataset_bytes: int,
    summaries: Sequence[Summary],
    calibration: Calibration | None,
    away: float,
) -> Point:
    """The times over all simulations; the masters' loads are those of the first, the calibration's own."""
    phases = [phase for workload in summaries[0].workloads for phase in workload.phases]
    whole = suite_time(summaries, calibration, away)
    told = forecasts([stretches(summary) for summary in summaries], calibration, away)
    return Point(
        hosts=hosts,
        dataset_bytes=dataset_bytes,
        elapsed_s=whole.median_s,
        low_s=whole.interval.low if whole.interval else None,
        high_s=whole.interval.high if whole.interval else None,
        forecasts=tuple(forecast for forecast in told if forecast.phase is None),
        namenode=max((phase.namenode_busy for phase in phases), default=0.0),
        scheduler=max((phase.scheduler_busy for phase in phases), default=0.0),
    )
