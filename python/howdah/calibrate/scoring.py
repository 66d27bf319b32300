"""What was predicted beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import fmean, median
from typing import NamedTuple

from howdah.calibrate.case import phase_times
from howdah.errors import UserError
from howdah.model.plan import Plan
from howdah.model.prediction import Forecast, Prediction, Score
from howdah.model.run import Origin, Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.suite import Suite

_CLUSTER = ("inventory", "layouts", "masters", "topology")
"""What of a cluster makes times; the rest is what was weighed and advised, by rules or by simulation."""
_MOST_KEYS = 3
_HINT = "predict a plan, then run the same suite on it, then score"


class Tally(NamedTuple):
    """How right predictions were so far."""

    times: int
    runs: int
    inside: float | None
    """Share of the measured times that lie in their 90 % intervals; None where none has one."""
    median_error: float  # Half of the errors are smaller, too long or too short.


def score_times(prediction: Prediction, record: RunRecord) -> tuple[Score, ...]:
    """Every predicted time that the run has, beside the run's.

    Raises UserError for a run that is no measurement of what was predicted, or that began before it was.
    """
    if why := why_not(prediction, record):
        raise UserError(f"run {record.id}", f"is not what {prediction.id} predicted: {why}", _HINT)
    measured = {result.workload.kind: result for result in record.workloads}
    return tuple(
        Score(
            prediction=prediction.id,
            run=record.id,
            engine=record.engine,
            calibration=prediction.calibration,
            forecast=forecast,
            measured=came_to,
        )
        for forecast in prediction.forecasts
        if (came_to := _measured(measured[forecast.workload], forecast)) is not None and came_to > 0
    )


def why_not(prediction: Prediction, record: RunRecord) -> str | None:
    """Why a run does not tell how right a prediction was; None where it does."""
    if record.origin is Origin.SIMULATED:
        return "it was simulated, and only a measured run can be scored"
    if record.outcome is not Outcome.SUCCEEDED:
        return f"it {record.outcome.value}"
    if datetime.fromisoformat(record.created) <= datetime.fromisoformat(prediction.created):
        return f"it began at {record.created}, and the prediction was made at {prediction.created}"
    return other_work(prediction.suite, record.suite) or other_plan(prediction.plan, record.plan)


def tally(scores: Sequence[Score]) -> Tally | None:
    """How right many predictions were; None where there are none."""
    if not scores:
        return None
    return Tally(
        times=len(scores),
        runs=len({scored.run for scored in scores}),
        inside=fmean(known)
        if (known := [score.inside for score in scores if score.inside is not None])
        else None,
        median_error=median(abs(scored.error) for scored in scores),
    )


def other_work(predicted: Suite, ran: Suite) -> str | None:
    """In what the work that ran is not what was predicted; None where it is the same."""
    kinds = [", ".join(workload.kind for workload in suite.workloads) for suite in (predicted, ran)]
    if kinds[0] != kinds[1]:
        return f"it ran {kinds[1]}, not {kinds[0]}"
    for workload, other in zip(predicted.workloads, ran.workloads, strict=True):
        fields = workload.model_dump(mode="json")
        for name, value in other.model_dump(mode="json").items():
            # What one of the two leaves to the cluster's configuration is in the plan.
            if None not in (value, fields[name]) and value != fields[name]:
                return f"{workload.kind} has {name} {value}, not {fields[name]}"
    return None


def other_plan(predicted: Plan, ran: Plan) -> str | None:
    """In what the plan of a run is not the one that was predicted; None where it is the same."""
    if predicted.workers != ran.workers:
        return "it ran on other workers"
    if type(predicted) is not type(ran):
        return "only one of the two is a cluster"
    for name in _CLUSTER:
        if getattr(predicted.cluster, name, None) != getattr(ran.cluster, name, None):
            return f"its plan has other {name}"
    keys = other_settings(predicted, ran)[:_MOST_KEYS]
    return f"its plan differs in {', '.join(keys)}" if keys else None


def other_settings(some: Plan, others: Plan) -> list[str]:
    """The keys of configuration that two plans do not agree on."""
    mine, theirs = _configured(some), _configured(others)
    places = sorted(mine.keys() | theirs.keys())
    return list(dict.fromkeys(place[0] for place in places if mine.get(place) != theirs.get(place)))


def _configured(plan: Plan) -> dict[tuple[str, ...], object]:
    """The settings that become configuration: a run adds the sizes of its suite to the others."""
    return {
        (setting.key, setting.worker or "", setting.group or ""): setting.value
        for setting in plan.settings
        if setting.file is not None
    }


def _measured(result: WorkloadResult, forecast: Forecast) -> float | None:
    if forecast.metric is not None:
        return next((metric.value for metric in result.metrics if metric.name == forecast.metric), None)
    return result.elapsed_s if forecast.phase is None else phase_times(result).get(forecast.phase)
