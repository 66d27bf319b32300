"""Changes, growth and scores made of a few numbers, for what is said and drawn of them."""

from __future__ import annotations

from howdah.model.prediction import Effect, Forecast, Point, Score, Sweep, WhatIf
from howdah.model.run import RunWarning

BEYOND = RunWarning(code="outside-calibration", text="outside the range of the calibration mine")


def effect(quantity: str, after: str, share: float, reach: float = 0.1) -> Effect:
    """A change of a suite that takes 100 s."""
    return Effect(
        quantity=quantity,
        before="10",
        after=after,
        elapsed_s=100 * (1 + share),
        share=share,
        low=share - reach,
        high=share + reach,
        tells=abs(share) > reach,
    )


def changed(*effects: Effect, impossible: tuple[str, ...] = ()) -> WhatIf:
    """What changes do to a suite that takes 100 s, the largest effect first."""
    return WhatIf(
        suite="terasuite",
        calibration="mine",
        replications=10,
        seed=1,
        elapsed_s=100,
        effects=tuple(sorted(effects, key=lambda one: -abs(one.share))),
        impossible=impossible,
        warnings=(),
    )


def point(hosts: int, namenode: float, scheduler: float, elapsed_s: float = 300.0) -> Point:
    """A size with a hundred gigabytes for each host."""
    parts = (("teragen", 0.3), ("terasort", 0.6), ("teravalidate", 0.1))
    return Point(
        hosts=hosts,
        dataset_bytes=hosts * 100 * 10**9,
        low_s=0.9 * elapsed_s,
        elapsed_s=elapsed_s,
        high_s=elapsed_s / 0.9,
        forecasts=tuple(predicted(name, share * elapsed_s) for name, share in parts),
        namenode=namenode,
        scheduler=scheduler,
    )


def grown(*points: Point) -> Sweep:
    """A sweep over hosts."""
    return Sweep(
        suite="terasuite",
        quantity="hosts",
        calibration="mine",
        replications=3,
        seed=1,
        points=points,
        warnings=(BEYOND,),
    )


def predicted(workload: str, median_s: float, phase: str | None = None) -> Forecast:
    """A time that is known within 10 %."""
    return Forecast(workload=workload, phase=phase, low=0.9 * median_s, median=median_s, high=median_s / 0.9)


def scored(run: str, forecast: Forecast, measured_s: float) -> Score:
    """One time of a run."""
    return Score(
        prediction="first",
        run=run,
        engine="hadoop",
        calibration="mine",
        forecast=forecast,
        measured=measured_s,
    )
