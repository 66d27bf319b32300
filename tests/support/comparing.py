"""Runs as a comparison sees them, made of a few numbers, and whole runs that differ in one thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.model.comparison import Aspect, Fact, Measure, Reading, RunFigures, RunGroup, WorkloadAmount
from howdah.model.run import Origin, Outcome
from howdah.model.tables import RunData
from support.records import terasuite

SIZES = {"terasort": "10,000,000 rows"}
FACTS = {(Aspect.WORKLOAD, "codec of terasort"): "none"}


def elapsed(workload: str, phase: str | None = None) -> Measure:
    """The measure that is judged."""
    return Measure(workload=workload, phase=phase, kind="time", name="elapsed", unit="s")


def run_figures(
    run: str,
    readings: Mapping[Measure, float],
    *,
    facts: Mapping[tuple[Aspect, str], str] = FACTS,
    sizes: Mapping[str, str] = SIZES,
    suite: str = "terasuite",
    outcome: Outcome = Outcome.SUCCEEDED,
    origin: Origin = Origin.MEASURED,
    remarks: Sequence[str] = (),
) -> RunFigures:
    """One run, terasort of ten million rows unless told otherwise."""
    return RunFigures(
        run=run,
        created="2026-11-20T17:14:00.000+00:00",
        origin=origin,
        engine="local",
        suite=suite,
        outcome=outcome,
        error=None if outcome is Outcome.SUCCEEDED else "no space left on device",
        amounts=tuple(WorkloadAmount(workload=workload, size=size) for workload, size in sizes.items()),
        facts=tuple(Fact(aspect=aspect, name=name, value=value) for (aspect, name), value in facts.items()),
        readings=tuple(Reading(measure=measure, value=value) for measure, value in readings.items()),
        remarks=tuple(remarks),
    )


def group(name: str, times_s: Sequence[float], codec: str = "none") -> RunGroup:
    """Repeats of a terasort that took so many seconds."""
    facts = {(Aspect.WORKLOAD, "codec of terasort"): codec}
    return RunGroup(
        name=name,
        runs=tuple(
            run_figures(f"{name}-{number}", {elapsed("terasort"): time_s}, facts=facts)
            for number, time_s in enumerate(times_s)
        ),
    )


def noisy(mean_s: float, repeats: int, noise: float = 0.01, seed: int = 0) -> list[float]:
    """Times around a mean, with so much noise."""
    rng = np.random.default_rng(seed)
    return [float(value) for value in mean_s * np.exp(rng.normal(0.0, noise, repeats))]


def stored_runs(repeats: int = 3, slower: float = 1.2) -> list[RunData]:
    """Whole runs of the suite on a synthetic machine: repeats, and as many that took longer with more maps.

    Noise is 1 %: every time of a run is stretched by one factor.
    """
    rng = np.random.default_rng(1)
    runs: list[RunData] = []
    for kind, factor in (("fast", 1.0), ("slow", slower)):
        for number in range(repeats):
            data = stretched(terasuite(20_000_000), factor * float(np.exp(rng.normal(0.0, 0.01))))
            record = data.record.model_copy(
                update={
                    "id": f"20261120-171{len(runs)}-terasuite",
                    "seed": number,
                    "created": f"2026-11-20T17:1{len(runs)}:00.000+00:00",
                }
            )
            if kind == "slow":
                worker = record.plan.workers[0].model_copy(update={"map_slots": 8})
                record = record.model_copy(
                    update={"plan": record.plan.model_copy(update={"workers": (worker,)})}
                )
            runs.append(data._replace(record=record))
    return runs


def stretched(data: RunData, factor: float) -> RunData:
    """The same run with every moment at so many times its time."""
    record = data.record
    workloads = tuple(
        one.model_copy(
            update={
                "start_s": one.start_s * factor,
                "end_s": one.end_s * factor,
                "phases": tuple(
                    phase.model_copy(
                        update={"start_s": phase.start_s * factor, "end_s": phase.end_s * factor}
                    )
                    for phase in one.phases
                ),
            }
        )
        for one in record.workloads
    )
    return RunData(
        record.model_copy(update={"workloads": workloads, "elapsed_s": record.elapsed_s * factor}),
        _scaled(data.tasks, ("start_s", "end_s"), factor),
        _scaled(data.samples, ("time_s",), factor),
    )


def _scaled(table: pa.Table, columns: Sequence[str], factor: float) -> pa.Table:
    for name in columns:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, pc.multiply(table.column(name), factor))
    return table


def uncalibrated(runs: RunGroup) -> RunGroup:
    """The same runs as a simulator would tell of them that nothing was fitted to."""
    guessed = tuple(run.model_copy(update={"uncalibrated": True}) for run in runs.runs)
    return runs.model_copy(update={"runs": guessed})
