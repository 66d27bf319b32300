"""What was predicted compared with what was measured."""

from __future__ import annotations

from datetime import datetime

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


def score_times(prediction: Prediction, record: RunRecord) -> tuple[Score, ...]:
    """Every predicted time that the run has, with the run's.

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
            measured=value,
        )
        for forecast in prediction.forecasts
        if (value := _measured(measured[forecast.workload], forecast)) is not None and value > 0
    )


def why_not(prediction: Prediction, record: RunRecord) -> str | None:
    """Why a run cannot show how right a prediction was; None if it can."""
    if record.origin is Origin.SIMULATED:
        return "it was simulated, and only a measured run can be scored"
    if record.outcome is not Outcome.SUCCEEDED:
        return f"it {record.outcome.value}"
    if datetime.fromisoformat(record.created) <= datetime.fromisoformat(prediction.created):
        return f"it began at {record.created}, and the prediction was made at {prediction.created}"
    return other_work(prediction.suite, record.suite) or other_plan(prediction.plan, record.plan)


def other_work(predicted: Suite, ran: Suite) -> str | None:
    """How the work that ran differs from what was predicted; None if it is the same."""
    kinds = [", ".join(workload.kind for workload in suite.workloads) for suite in (predicted, ran)]
    if kinds[0] != kinds[1]:
        return f"it ran {kinds[1]}, not {kinds[0]}"
    for workload, workload_ran in zip(predicted.workloads, ran.workloads, strict=True):
        fields = workload.model_dump(mode="json")
        for name, value in workload_ran.model_dump(mode="json").items():
            # What one of the two leaves to the cluster's configuration is in the plan.
            if None not in (value, fields[name]) and value != fields[name]:
                return f"{workload.kind} has {name} {value}, not {fields[name]}"
    return None


def other_plan(predicted: Plan, ran: Plan) -> str | None:
    """How the plan of a run differs from the one that was predicted; None if it is the same."""
    if predicted.workers != ran.workers:
        return "it ran on other workers"
    if type(predicted) is not type(ran):
        return "only one of the two is a cluster"
    for name in _CLUSTER:
        if getattr(predicted.cluster, name, None) != getattr(ran.cluster, name, None):
            return f"its plan has other {name}"
    keys = other_settings(predicted, ran)[:_MOST_KEYS]
    return f"its plan differs in {', '.join(keys)}" if keys else None


def other_settings(plan: Plan, second: Plan) -> list[str]:
    """The keys of configuration that two plans do not agree on."""
    mine, theirs = _configured(plan), _configured(second)
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
