"""The exam of ``howdah tune``: ``PYTHONPATH=tests .venv/bin/python -m exams.tuning --seed 7``.

Simulates a space completely and compares what searches of 250 trials find in it, seed by seed. Then searches
from the rules' plans of several inventories, and reports how far each is from the best that keeps the rules.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from howdah.documents.files import read_inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.model.run_request import RunRequest
from howdah.model.tuning import PLANNED, KeptRules, Narrowing, Trial, TuneParameter
from howdah.planner.cluster import plan_cluster
from howdah.planner.ranked import lag
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.tune.candidates import Candidates
from howdah.tune.parameters import WORKERS, base_of
from howdah.tune.search import Search, space_of
from support.sim_plans import EXAMPLES

_TB = 10**12
_TRIALS, _SEEDS, _NEAR, _ENOUGH = 250, 20, 0.01, 19
_WITHIN = 0.05
_FRESH_DRAWS, _FINALISTS = 20, 3
"""Draws that no trial has used decide between so many of the fastest candidates and the rules' plan."""
MINOR = (
    "mapreduce.map.sort.spill.percent",
    "mapreduce.reduce.shuffle.parallelcopies",
    "mapreduce.task.io.sort.factor",
    "dfs.datanode.readahead.bytes",
    "dfs.datanode.drop.cache.behind.writes",
    "dfs.datanode.sync.behind.writes",
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
    "yarn.scheduler.capacity.schedule-asynchronously.enable",
    "yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments",
    "yarn.scheduler.capacity.node-locality-delay",
)
"""What moves the time of these cases by less than 1 %; the exam leaves it as planned."""
SMALL = {
    "dfs.blocksize": ("64MiB", "128MiB", "256MiB", "512MiB", "1GiB"),
    "mapreduce.job.reduces": ("70", "100", "140", "200", "280", "400", "560", "800", "1120", "1600"),
    "mapreduce.job.reduce.slowstart.completedmaps": ("0", "0.05", "0.4", "0.8", "1"),
    "mapreduce.reduce.input.buffer.percent": ("0", "0.2", "0.4", "0.6", "0.7"),
    "mapreduce.reduce.shuffle.parallelcopies": ("5", "10", "20", "40"),
}
"""5,000 candidates of the seven hosts."""


class Case(NamedTuple):
    """Hosts and the work they are planned for."""

    inventory: str
    dataset_tb: float
    hypervisor: Hypervisor | None = None
    workers: int | None = None

    @property
    def name(self) -> str:
        """The case in a line."""
        divided = f", {self.workers} per host" if self.workers else ""
        return f"{self.inventory}, {self.dataset_tb:g} TB{divided}"

    def plan(self) -> ClusterPlan:
        """The plan of the rules."""
        request = PlanRequest(
            workloads=(Demand(kind="terasuite", dataset_bytes=int(self.dataset_tb * _TB)),),
            hypervisor=self.hypervisor,
            workers_per_host=self.workers,
        )
        return plan_cluster(read_inventory(EXAMPLES / f"{self.inventory}.yaml"), request)


CASES = (
    Case("hosts-7", 0.3),
    Case("hosts-7", 1),
    Case("hosts-7", 0.3, Hypervisor.VSPHERE, 2),
    Case("hosts-32", 0.3),
    Case("hosts-32", 1),
    Case("hosts-32", 3),
    Case("hosts-32", 1, Hypervisor.VSPHERE, 1),
    Case("hosts-32", 1, Hypervisor.VSPHERE, 2),
    Case("hosts-32", 1, Hypervisor.VSPHERE, 4),
    Case("hosts-ft", 0.3),
    Case("hosts-ft", 1),
    Case("hosts-ft", 0.3, Hypervisor.VSPHERE, 4),
    Case("hosts-amax", 0.1),
    Case("hosts-amax", 0.3),
    Case("hosts-amax", 1),
    Case("hosts-mixed", 0.3),
    Case("hosts-mixed", 1),
    Case("hosts-nvme", 0.3),
    Case("hosts-nvme", 1),
    Case("hosts-nvme", 3),
)
"""Not among them, because the simulator differs from YARN there: labs of two workers, where it has no
application master."""


def search_of(
    case: Case, calibration: str | None, narrowing: Narrowing
) -> tuple[Candidates, Sequence[TuneParameter]]:
    """The candidates and the space of a case."""
    plan = case.plan()
    base = base_of(plan)
    known = load_calibration(calibration) if calibration else None
    candidates = Candidates(base, RunRequest(suite="terasuite"), known, seed=1)
    return candidates, space_of(base, narrowing, "space")[0]


def complete(seed: int) -> bool:
    """Whether searches of a space come near the best candidate of all."""
    narrowing = Narrowing(parameters=SMALL, others="planned")
    candidates, space = search_of(Case("hosts-7", 0.1), None, narrowing)
    table: dict[frozenset[tuple[str, str]], Trial] = {}

    def attempt(several: Sequence[Mapping[str, str]], /) -> list[Trial]:
        missing = [values for values in several if frozenset(values.items()) not in table]
        for trial in candidates.tried(missing):
            table[frozenset(trial.values.items())] = trial
        return [table[frozenset(values.items())] for values in several]

    size = prod(len(parameter.levels) for parameter in space)
    names = [parameter.name for parameter in space]
    every = [
        {one.name: level for one, level in zip(space, levels, strict=True) if level != one.planned}
        for levels in product(*(parameter.levels for parameter in space))
    ]
    trials = [trial for first in range(0, size, 100) for trial in attempt(every[first : first + 100])]
    best_s = min(trial.elapsed_s for trial in trials if trial.within_rules and trial.elapsed_s is not None)
    planned_s = attempt([{}])[0].elapsed_s
    assert planned_s is not None
    print(
        f"{size:,} candidates of {', '.join(names)}: the best takes {best_s / planned_s - 1:+.1%}", flush=True
    )
    near = 0
    for number in range(_SEEDS):
        search = Search(space, attempt, kept=KeptRules.RULES, budget=_TRIALS, seed=seed + number)
        found = search.best_from({}).elapsed_s
        assert found is not None
        near += found <= (1 + _NEAR) * best_s
        print(f"    seed {seed + number}: {found / best_s - 1:+.2%} from the best", flush=True)
    print(f"{near} of {_SEEDS} within {_NEAR:.0%} with {_TRIALS} trials; {_ENOUGH} are required")
    return near >= _ENOUGH


class Lead(NamedTuple):
    """How much longer the best candidate of a search takes than the rules' plan: -0.1 for 10 % less time."""

    share: float
    values: Mapping[str, str]


def lead(case: Case, trials: int, seed: int, calibration: str | None) -> Lead:
    """Search within the rules, and compare the fastest candidates with draws that the search has not used."""
    # A number of virtual machines that the case requests is not the rules' decision.
    kept = (*MINOR, WORKERS) if case.workers else MINOR
    candidates, space = search_of(case, calibration, Narrowing(parameters=dict.fromkeys(kept, PLANNED)))
    tried: list[Trial] = []

    def attempt(several: Sequence[Mapping[str, str]], /) -> list[Trial]:
        new = candidates.tried(several)
        tried.extend(new)
        return new

    Search(space, attempt, kept=KeptRules.RULES, budget=trials, seed=seed).best_from({})
    within = sorted(
        (trial for trial in tried if trial.within_rules), key=lambda trial: trial.elapsed_s or 0.0
    )
    fastest = [trial.values for trial in within[:_FINALISTS]]
    planned, *times = candidates.predicted([{}, *fastest], _FRESH_DRAWS)
    leads = [Lead(lag(time, planned).share, values) for time, values in zip(times, fastest, strict=True)]
    return min(leads, key=lambda one: one.share)


def inventories(trials: int, seed: int, calibration: str | None) -> bool:
    """Whether all of the rules' plans are near the best within the rules."""
    near = 0
    for case in CASES:
        share, chosen = lead(case, trials, seed, calibration)
        values = " ".join(f"{name.rpartition('.')[2]}={value}" for name, value in chosen.items())
        near += share >= -_WITHIN
        print(f"{case.name:28} {share:+.1%}  {values}", flush=True)
    print(f"{near} of {len(CASES)} plans of the rules are within {_WITHIN:.0%} of the best")
    return near == len(CASES)


def main() -> None:
    """Hold the exam; a miss ends with exit code 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="of the first search")
    parser.add_argument("--trials", type=int, default=100, help="for each inventory")
    parser.add_argument("--published", action="store_true", help="with the calibration that howdah ships")
    parser.add_argument("--part", choices=["complete", "inventories"], help="one part of it")
    wanted = parser.parse_args()
    passed = True
    if wanted.part != "complete":
        passed = inventories(wanted.trials, wanted.seed, PUBLISHED if wanted.published else None)
    if wanted.part != "inventories":
        passed = complete(wanted.seed) and passed
    if not passed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
