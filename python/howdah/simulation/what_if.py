"""Times of a planned cluster with one thing changed, or grown: hosts, data, an HBase's threads and rates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import Any, Literal, NamedTuple, get_args

from howdah.calibrate.forecast import forecasts
from howdah.calibrate.uncertainty import PER_DISTANCE, distance, distance_between
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.engines import SIM
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Effect, LoadPoint, LoadSweep, Point, Sweep, WhatIf
from howdah.model.run_request import RunRequest
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.model.workloads.ycsb import YcsbMix
from howdah.planner.changes import MOST_HOSTS, QUANTITIES, changed_plan, pinned
from howdah.planner.ranked import Predicted, lag
from howdah.planner.suite.cluster import size_suite
from howdah.simulation.calibrations import calibration_warnings
from howdah.simulation.hbase import asks_hbase
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Done, grouped, scenarios, simulate, stretches
from howdah.simulation.whole_suite import suite_time, suite_times
from howdah.units import parse_bytes, parse_count

_POINTS = 7


class Repetition(NamedTuple):
    """How every plan is simulated: with which parameters, how often, from which seed on."""

    calibration: Calibration | None
    replications: int
    seed: int
    report: Callable[[Done], None]

    def simulate(self, works: Iterable[tuple[ClusterPlan, Suite]]) -> list[Sequence[Summary]]:
        """Each work's simulations, always with the same draws; raises UserError for an unfit plan."""
        count, seed = self.replications, self.seed
        several = [
            scenario
            for plan, suite in works
            for scenario in scenarios(plan, suite, self.calibration, count=count, seed=seed)
        ]
        return grouped(simulate(several, self.report), count)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of results that describe it."""
        name = self.calibration.name if self.calibration else None
        return {"calibration": name, "replications": self.replications, "seed": self.seed}


def simulate_sizes(
    plan: ClusterPlan, suite: Suite, request: RunRequest, sweep: str, repetition: Repetition
) -> Sweep:
    """Simulate a suite on a plan over sizes such as ``hosts=10..1000``; raises UserError for unfit ones."""
    quantity, sizes = _sizes(sweep)
    rows = suite.first(ROWS)
    if rows is None:
        raise UserError(f"--sweep {sweep}", f"{suite.name} has no dataset to grow", "sweep terasuite")
    base = pinned(plan)
    if quantity == "hosts":
        grown = [(changed_plan(base, "hosts", size), max(1, rows * size // _hosts(base))) for size in sizes]
    else:
        grown = [(base, max(1, size // ROW_BYTES)) for size in sizes]
    counts, calibration = [count for _, count in grown], repetition.calibration
    works = [
        (larger, size_suite(request.with_value(ROWS, count), at_once(larger), engine=SIM).suite)
        for larger, count in grown
    ]
    simulated = repetition.simulate(works)
    points = tuple(
        _point(_hosts(work[0]), count * ROW_BYTES, own, calibration, distance(calibration, *work))
        for work, count, own in zip(works, counts, simulated, strict=True)
    )
    # Of the sizes outside the calibration's range, the largest is reported.
    warnings = {
        warning.code: warning for work in works for warning in calibration_warnings(*work, calibration)
    }
    return Sweep(
        suite=suite.name,
        quantity=quantity,
        points=points,
        warnings=tuple(warnings.values()),
        **repetition.fields,
    )


def _sizes(sweep: str) -> tuple[Literal["hosts", "dataset"], list[int]]:
    where = f"--sweep {sweep}"
    quantity, equals, ends = sweep.partition("=")
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
    return "hosts" if quantity == "hosts" else "dataset", _grown(low, high, _POINTS)


def _grown(low: int, high: int, count: int) -> list[int]:
    """So many numbers from one to the other, each so many times as large as the one before."""
    step = (high / low) ** (1 / (count - 1))
    return sorted({low, high, *(round(low * step**place) for place in range(1, count - 1))})


def _hosts(plan: ClusterPlan) -> int:
    return plan.cluster.inventory.worker_groups[0].count


def _point(
    hosts: int, dataset_bytes: int, summaries: Sequence[Summary], calibration: Calibration | None, away: float
) -> Point:
    """The times over all simulations; the masters' loads are those of the first, the calibration's own."""
    phases = [phase for workload in summaries[0].workloads for phase in workload.phases]
    whole = suite_time(summaries, calibration, away)
    predicted = forecasts([stretches(summary) for summary in summaries], calibration, away)
    return Point(
        hosts=hosts,
        dataset_bytes=dataset_bytes,
        elapsed_s=whole.median_s,
        low_s=whole.interval.low if whole.interval else None,
        high_s=whole.interval.high if whole.interval else None,
        forecasts=tuple(forecast for forecast in predicted if forecast.phase is None),
        namenode=max((phase.namenode_busy for phase in phases), default=0.0),
        scheduler=max((phase.scheduler_busy for phase in phases), default=0.0),
    )


EVERYTHING = "all"


class _Change(NamedTuple):
    name: str
    before: str
    after: str
    plan: ClusterPlan


def simulate_changes(
    plan: ClusterPlan, suite: Suite, request: RunRequest, texts: Sequence[str], repetition: Repetition
) -> WhatIf:
    """Simulate a suite on a plan as it is and with each change, always with the same draws.

    ``request`` is what the suite was sized by; ``texts`` are changes such as ``disks=10``, or ``all``: every
    quantity halved and doubled. The data stay the same. Raises UserError for what cannot be changed or
    simulated.
    """
    base, calibration = pinned(plan), repetition.calibration
    impossible: list[str] = []
    changes = list(_changes(base, texts, impossible))
    works = [(base, suite), *((change.plan, _sized(request, suite, change.plan)) for change in changes)]
    several = []
    kept: list[tuple[_Change | None, float]] = []
    for change, work in zip([None, *changes], works, strict=True):
        try:
            count, seed = repetition.replications, repetition.seed
            several += list(scenarios(*work, calibration, count=count, seed=seed))
            kept.append((change, distance_between(calibration, works[0], work)))
        except UserError as error:
            if change is None:
                raise
            if EVERYTHING not in texts:
                raise _of(f"{change.name}={change.after}", error) from error
            impossible.append(f"{change.name}={change.after}: {error.what}")
    simulated = grouped(simulate(several, repetition.report), repetition.replications)
    predictions = [suite_times(summaries, calibration) for summaries in simulated]
    effects = [
        _effect(change, prediction, predictions[0], away, calibrated=calibration is not None)
        for (change, away), prediction in zip(kept, predictions, strict=True)
        if change is not None
    ]
    return WhatIf(
        suite=suite.name,
        elapsed_s=median(predictions[0].elapsed_s),
        effects=tuple(sorted(effects, key=lambda simulated_suite: -abs(simulated_suite.share))),
        impossible=tuple(impossible),
        warnings=calibration_warnings(plan, suite, calibration),
        **repetition.fields,
    )


def _effect(
    change: _Change, prediction: Predicted, base: Predicted, away: float, *, calibrated: bool
) -> Effect:
    """The effect of a change, of which a distance ``away`` lies outside the range of the calibration."""
    # What errors plans with other hosts have in common is unknown.
    if QUANTITIES[change.name].of_host is not None:
        prediction, base = prediction.apart, base.apart
    own = math.hypot(prediction.own, PER_DISTANCE * away)
    difference = lag(prediction._replace(own=own), base)
    return Effect(
        quantity=change.name,
        before=change.before,
        after=change.after,
        elapsed_s=median(prediction.elapsed_s),
        share=difference.share,
        low=difference.low if calibrated else None,
        high=difference.high if calibrated else None,
        tells=difference.is_clear,
    )


def _changes(base: ClusterPlan, texts: Sequence[str], impossible: list[str]) -> Iterator[_Change]:
    for text in texts:
        if text == EVERYTHING:
            for name in QUANTITIES:
                yield from _halved_and_doubled(base, name, impossible)
            continue
        name, equals, value = text.partition("=")
        if name not in QUANTITIES or not equals:
            hint = f"give all, or NAME=VALUE of {', '.join(QUANTITIES)}"
            raise UserError(f"--what-if {text}", "is not a change", hint)
        number = QUANTITIES[name].parse(value, f"--what-if {text}")
        try:
            change = _change(base, name, number)
        except UserError as error:
            raise _of(text, error) from error
        yield change


def _of(text: str, error: UserError) -> UserError:
    """The error of a change that was requested by itself."""
    return UserError(f"--what-if {text}", error.what, error.hint)


def _halved_and_doubled(base: ClusterPlan, name: str, impossible: list[str]) -> Iterator[_Change]:
    now = _now(base, name)
    # No user doubles the number of replicas.
    values = (now - 1, now + 1) if name == "replication" else (now // 2, 2 * now)
    for value in values:
        if value >= 1:
            try:
                yield _change(base, name, value)
            except UserError as error:
                impossible.append(f"{error.where}: {error.what}")


def _change(base: ClusterPlan, name: str, value: int) -> _Change:
    text_of = QUANTITIES[name].text_of
    return _Change(name, text_of(_now(base, name)), text_of(value), changed_plan(base, name, value))


def _now(base: ClusterPlan, name: str) -> int:
    return QUANTITIES[name].now(base, base.cluster.inventory.worker_groups[0])


def _sized(request: RunRequest, suite: Suite, plan: ClusterPlan) -> Suite:
    """The same data on another plan, with as many tasks as that one runs at once; HBase is asked the same."""
    if asks_hbase(suite):
        return suite
    rows = suite.first(ROWS)
    same = request if rows is None else request.with_value(ROWS, rows)
    return size_suite(same, at_once(plan), engine=SIM).suite


Quantity = Literal["threads", "target"]
_LOADS = 9
_MOST = {"threads": 4096, "target": 10_000_000}


def sweeps_load(sweep: str) -> bool:
    """Whether a sweep is of requests rather than of hosts and data."""
    return sweep.partition("=")[0] in get_args(Quantity)


def simulate_loads(plan: ClusterPlan, suite: Suite, sweep: str, repetition: Repetition) -> LoadSweep:
    """Simulate a YCSB mix over loads such as ``threads=1..256``; raises UserError for anything else."""
    quantity, loads = _loads(sweep)
    if len(suite.workloads) != 1 or not isinstance(suite.workloads[0], YcsbMix):
        problem = f"{suite.name} is not one mix of operations"
        raise UserError(f"--sweep {sweep}", problem, "give, for example, --suite ycsb-b")
    mix, calibration = suite.workloads[0], repetition.calibration
    mixes = (mix.model_copy(update={quantity: load}) for load in loads)
    simulated = repetition.simulate(
        (plan, suite.model_copy(update={"workloads": (loaded,)})) for loaded in mixes
    )
    away = distance(calibration, plan, suite)
    return LoadSweep(
        suite=suite.name,
        quantity=quantity,
        points=tuple(_load_point(*point, calibration, away) for point in zip(loads, simulated, strict=True)),
        warnings=calibration_warnings(plan, suite, calibration),
        **repetition.fields,
    )


def _load_point(
    load: int, summaries: Sequence[Summary], calibration: Calibration | None, away: float
) -> LoadPoint:
    """The metrics over all simulations; what is busiest is that of the calibration's own values."""
    answered = summaries[0].workloads[0].asked
    assert answered is not None
    busiest = max(answered.stations, key=lambda station: station.busy)
    return LoadPoint(
        asked=load,
        forecasts=forecasts([stretches(summary) for summary in summaries], calibration, away),
        station=busiest.station,
        busy=busiest.busy,
    )


def _loads(sweep: str) -> tuple[Quantity, list[int]]:
    where = f"--sweep {sweep}"
    name, _, ends = sweep.partition("=")
    quantity: Quantity = "threads" if name == "threads" else "target"
    example = "threads=1..256" if quantity == "threads" else "target=1000..20000"
    first, dots, last = ends.partition("..")
    if not dots:
        raise UserError(where, "is not a sweep", f"give {example}")
    low, high = parse_count(first, where), parse_count(last, where)
    if not 1 <= low < high <= _MOST[quantity]:
        problem = "does not ascend" if low >= high else "is too large"
        raise UserError(where, problem, f"give {example} for instance, at most {_MOST[quantity]:,}")
    return quantity, _grown(low, high, _LOADS)
