"""Simulating a case: its plan translated for the simulator, or as much of it as the case is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from howdah.calibrate.case import CaseWork, SimulatedPhase, SimulatedWorkload, simulated_quantities
from howdah.model.placement import placed_hosts
from howdah.simulation.outcome import Summary, WorkloadOutcome
from howdah.simulation.replications import Simulations
from howdah.simulation.scenario import Hosts, Scenario, ScenarioProgram
from howdah.simulation.translate import translate

_NS = 1e-9
_EVEN = 512
"""From so many workers on, chance evens out within a run."""


def simulate_case(work: CaseWork, values: Mapping[str, float], seed: int) -> dict[str, float]:
    """What the simulator says of every quantity; raises UserError for a work that it refuses."""
    (figures,) = _simulated([scenario_of(work, values, seed)])
    return figures


def simulate_typical(
    work: CaseWork, values: Mapping[str, float], seed: int, *, even: int = _EVEN
) -> dict[str, float]:
    """The mean of every quantity over as many seeds as it takes; raises UserError as ``simulate_case`` does.

    On few workers it is chance which of them is heard first and gets two tasks where another has none, and
    that moves a short run's time by a tenth. On many it evens out, from ``even`` workers on.
    """
    workers = sum(len(host.workers) for host in placed_hosts(work.plan.cluster))
    scenario = scenario_of(work, values, seed)
    seeds = range(seed, seed + max(1, even // max(1, workers)))
    figures = _simulated([scenario.model_copy(update={"seed": draw}) for draw in seeds])
    return {name: fmean(figure[name] for figure in figures) for name in figures[0]}


def _simulated(scenarios: Sequence[Scenario]) -> list[dict[str, float]]:
    done = Simulations(scenarios).follow(lambda done: None)
    summaries = (Summary.model_validate_json(simulation.summary()) for simulation in done)
    return [
        simulated_quantities(_workload(outcome) for outcome in summary.workloads) for summary in summaries
    ]


def scenario_of(work: CaseWork, values: Mapping[str, float], seed: int) -> Scenario:
    """What the simulator is told; raises UserError for a plan that cannot run the work."""
    scenario = translate(work.plan, work.suite, values, seed=seed).scenario
    return scenario if work.share == 1 else shrunk(scenario, work.share)


def _workload(outcome: WorkloadOutcome) -> SimulatedWorkload:
    phases = tuple(
        SimulatedPhase(
            phase.name,
            (phase.end_ns - phase.start_ns) * _NS,
            namenode_busy=phase.namenode_busy,
            scheduler_busy=phase.scheduler_busy,
        )
        for phase in outcome.phases
    )
    metrics = outcome.asked.metrics() if outcome.asked is not None else {}
    return SimulatedWorkload(outcome.kind, (outcome.end_ns - outcome.start_ns) * _NS, phases, metrics)


def shrunk(scenario: Scenario, share: float) -> Scenario:
    """The same work for every host on the first of them: those that make room for masters stay."""
    hosts = tuple(_first(scenario.hosts, round(share * sum(group.count for group in scenario.hosts))))
    kept = _map_slots(hosts) / _map_slots(scenario.hosts)
    workloads = tuple(_less(program, kept) for program in scenario.workloads)
    return scenario.model_copy(update={"hosts": hosts, "workloads": workloads})


def _first(groups: tuple[Hosts, ...], count: int) -> Iterator[Hosts]:
    left = max(1, count)
    for group in groups:
        if left > 0:
            yield group.model_copy(update={"count": min(group.count, left)})
            left -= group.count


def _map_slots(groups: tuple[Hosts, ...]) -> int:
    return sum(
        group.count * workers.count * workers.map_slots for group in groups for workers in group.workers
    )


def _less(program: ScenarioProgram, kept: float) -> ScenarioProgram:
    """A workload with as many rows, tasks and files as fewer slots have."""
    update = {
        name: max(1, round(value * kept))
        for name in ("rows", "maps", "reduces", "files")
        if (value := getattr(program, name)) is not None
    }
    return program.model_copy(update=update)
