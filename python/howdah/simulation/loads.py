"""What a planned HBase comes to as more and more is asked of it: by more threads, or at higher rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from howdah.calibrate.forecast import forecasts
from howdah.calibrate.uncertainty import distance
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import LoadPoint, LoadSweep
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.ycsb import YcsbMix
from howdah.simulation.calibrations import calibration_warnings
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Done, check_replications, scenarios, simulate, stretches
from howdah.simulation.scenario import Scenario
from howdah.units import parse_count

Quantity = Literal["threads", "target"]
_POINTS = 9
_MOST = {"threads": 4096, "target": 10_000_000}


def sweeps_load(asked: str) -> bool:
    """Whether a sweep is of what is asked rather than of hosts and data."""
    return asked.partition("=")[0] in get_args(Quantity)


def simulate_loads(
    plan: ClusterPlan,
    suite: Suite,
    asked: str,
    *,
    known: Calibration | None,
    replications: int,
    seed: int,
    tell: Callable[[Done], None],
) -> LoadSweep:
    """Simulate one of YCSB's mixes from one load to another, such as ``threads=1..256``.

    Raises UserError for what is no sweep, and for a suite of anything else.
    """
    check_replications(replications)
    quantity, loads = _loads(asked)
    if len(suite.workloads) != 1 or not isinstance(suite.workloads[0], YcsbMix):
        raise UserError(
            f"--sweep {asked}",
            f"{suite.name} is not one mix of operations",
            "give, for example, --suite ycsb-b",
        )
    mix = suite.workloads[0]
    several: list[Scenario] = []
    for load in loads:
        loaded = suite.model_copy(update={"workloads": (mix.model_copy(update={quantity: load}),)})
        several += scenarios(plan, loaded, known, count=replications, seed=seed)
    summaries = simulate(several, tell)
    away = distance(known, plan, suite)
    points = tuple(
        _point(load, summaries[place * replications : (place + 1) * replications], known, away)
        for place, load in enumerate(loads)
    )
    return LoadSweep(
        suite=suite.name,
        quantity=quantity,
        calibration=known.name if known else None,
        replications=replications,
        seed=seed,
        points=points,
        warnings=calibration_warnings(plan, suite, known),
    )


def _point(load: int, summaries: Sequence[Summary], known: Calibration | None, away: float) -> LoadPoint:
    """The metrics over all simulations; what is busiest is that of the calibration's own values."""
    answered = summaries[0].workloads[0].asked
    assert answered is not None
    busiest = max(answered.stations, key=lambda station: station.busy)
    return LoadPoint(
        asked=load,
        forecasts=forecasts([stretches(summary) for summary in summaries], known, away),
        station=busiest.station,
        busy=busiest.busy,
    )


def _loads(asked: str) -> tuple[Quantity, list[int]]:
    """What grows, from one load to the other, each so many times as large as the one before."""
    where = f"--sweep {asked}"
    name, _, ends = asked.partition("=")
    quantity: Quantity = "threads" if name == "threads" else "target"
    example = "threads=1..256" if quantity == "threads" else "target=1000..20000"
    first, dots, last = ends.partition("..")
    if not dots:
        raise UserError(where, "is not a sweep", f"give {example}")
    low, high = parse_count(first, where), parse_count(last, where)
    if not 1 <= low < high <= _MOST[quantity]:
        what = "does not ascend" if low >= high else "is too large"
        raise UserError(where, what, f"give {example} for instance, at most {_MOST[quantity]:,}")
    step = (high / low) ** (1 / (_POINTS - 1))
    return quantity, sorted({round(low * step**place) for place in range(_POINTS)})
