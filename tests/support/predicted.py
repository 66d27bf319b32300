"""Predictions of a small run, and runs that might have been measured after them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from howdah.calibrate.forecast import forecasts
from howdah.engines.base import sha256
from howdah.model.calibration import Calibration, Residual
from howdah.model.prediction import Prediction
from howdah.model.run import Origin, Phase, RunRecord
from howdah.simulation.replications import scenarios, simulate, stretches
from support.sim_plans import slots_plan, small_suite
from support.sim_runs import small_run

MADE = datetime(2026, 1, 1, tzinfo=UTC)


MINE = Calibration(
    name="mine", parameters=(), residuals=(Residual(quantity="terasort", relative=0.02, cells=10),)
)


def small_prediction(name: str = "small", calibration: Calibration | None = MINE) -> Prediction:
    """What a TeraSort suite of ten gigabytes on seven hosts takes, from three simulations."""
    plan = slots_plan()
    suite = small_suite(plan)
    several = list(scenarios(plan, suite, None, count=3, seed=7))
    return Prediction(
        id=name,
        created=MADE.isoformat(),
        howdah_version="0",
        seed=7,
        replications=3,
        calibration=calibration.name if calibration else None,
        digests={"plan": sha256(plan.model_dump_json()), "suite": sha256(suite.model_dump_json())},
        plan=plan,
        suite=suite,
        forecasts=forecasts([stretches(one) for one in simulate(several, lambda done: None)], calibration),
    )


def measured_after(hours: float = 1.0, slower: float = 1.0) -> RunRecord:
    """A record as a cluster would have made it so long after MADE, so much slower than simulated."""
    record = small_run().record
    workloads = tuple(
        result.model_copy(
            update={
                "start_s": result.start_s * slower,
                "end_s": result.end_s * slower,
                "phases": tuple(
                    Phase(name=one.name, start_s=one.start_s * slower, end_s=one.end_s * slower)
                    for one in result.phases
                ),
            }
        )
        for result in record.workloads
    )
    began = (MADE + timedelta(hours=hours)).isoformat()
    return record.model_copy(
        update={"origin": Origin.MEASURED, "engine": "hadoop", "created": began, "workloads": workloads}
    )
