"""A search for the best specification: what may vary, what was tried, what it brought."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from howdah.model.base import Model
from howdah.model.calibration import Calibration
from howdah.model.cluster import Laboratory
from howdah.model.comparison import Verdict
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import Interval, Seconds
from howdah.model.run import RunWarning

Level = str | bool | int | float  # A value as a user writes it.
PLANNED = "planned"  # Stands for what the rules decide.


class TuneParameter(Model):
    """One thing that the search varies."""

    name: str  # The key in Hadoop's files, or ``slots`` and ``workers`` for what the planner divides.
    unit: str  # The unit of a bare number: ``MB``, ``ms``, empty for a count, a part of 1, or a word.
    levels: tuple[str, ...]  # The values to try, as ``--set`` reads them; ascending if they are ``ordered``.
    ordered: bool  # Whether neighbouring levels are close to one another.
    planned: str  # What the rules decide; one of the levels.
    about: str
    others: tuple[str, ...] = ()  # Tried only if a file of ``--space`` names them: the release lacks a need.


class Fixed(Model):
    """One thing that the search leaves as planned."""

    name: str
    why: str


class Narrowing(Model):
    """What a user says of the search space, in a file."""

    parameters: Mapping[str, Level | tuple[Level, ...]] = {}
    """By the parameters' names: the values to try, one value to keep, or ``planned``."""
    others: Literal["vary", "planned"] = "vary"  # What becomes of parameters that are not named.


class KeptRules(StrEnum):
    """Which rules a candidate keeps."""

    RULES = "rules"  # All of them: a check of its files finds nothing.
    LIMITS = "limits"  # Those whose breach stops a daemon, fails jobs or loses data; a check may warn.


class Goal(StrEnum):
    """What a tuned plan may use less of, at the price of time."""

    HOSTS = "hosts"
    MEMORY = "memory"  # Memory of the containers that run at once, on all workers together.


class RaceTarget(StrEnum):
    """What the plans of a race run on."""

    LABS = "labs"  # A lab for each plan, built on this machine one at a time.
    LAB = "lab"
    CLUSTER = "cluster"  # A user's cluster, reached by a client's configuration.


class RaceRequest(Model):
    """How a search's best candidates are measured."""

    target: RaceTarget
    name: str  # The lab's name or the configuration's directory; empty for labs that are built.
    budget_s: Seconds  # The most time that runs and labs may take.

    @property
    def per_job(self) -> bool:
        """Whether plans differ in properties of their jobs alone, and no daemon restarts."""
        return self.target is not RaceTarget.LABS

    @property
    def place(self) -> str:
        """What they run on, in words."""
        return {
            RaceTarget.LABS: "a lab for each plan",
            RaceTarget.LAB: f'lab "{self.name}"',
            RaceTarget.CLUSTER: f"the cluster of {self.name}",
        }[self.target]


class TuningRequest(Model):
    """What a search was started with: enough to continue it."""

    plan_file: str
    plan: ClusterPlan
    suite: str
    rows: int | None
    calibration: Calibration | None
    narrowing: Narrowing
    space_file: str
    allowed: tuple[str, ...]  # Rules that candidates may break although that stops daemons or loses data.
    keep: KeptRules
    trials: int
    replications: int  # Seeds with which finalists are simulated.
    seed: int
    race: RaceRequest | None = None  # How the best candidates are measured; None if they are not.
    goals: tuple[Goal, ...] = ()  # What else than time the search saves.
    laboratory: Laboratory | None = None
    begin: Mapping[str, str] = {}  # Values of the candidate to start with; the rules' plan if empty.


class Trial(Model):
    """One candidate, simulated or refused."""

    values: Mapping[str, str]  # What differs from the rules' plan, by name; all else is as the rules decide.
    elapsed_s: Seconds | None  # What the suite takes, the mean over the draws; None for a refused candidate.
    breaks: tuple[str, ...] = ()  # Ids of the rules that a check of its files warns of, or that refuse it.
    refused: str | None = None  # Why it cannot be planned or simulated, in a sentence.
    memory_bytes: float | None = None  # Memory of all containers that run at once; None if it was refused.

    @property
    def within_rules(self) -> bool:
        """Whether it could be simulated and keeps every rule."""
        return self.elapsed_s is not None and not self.breaks


class Finalist(Model):
    """A candidate that was simulated with several seeds, next to the rules' plan with the same ones."""

    kept: KeptRules
    values: Mapping[str, str]  # What differs from the rules' plan.
    elapsed_s: Seconds  # What the suite takes, the median.
    share: float  # How much longer than the rules' plan: -0.1 for 10 % less time.
    interval: Interval | None  # The 90 % interval of ``share``; None without a calibration.
    differs: bool  # Whether it differs from the rules' plan; without a calibration, from chance of seeds.
    breaks: tuple[str, ...]  # Ids of the rules that a check of its files would warn of.


class LevelCost(Model):
    """One value of a parameter, everything else as in the best candidate."""

    value: str
    share: float | None  # How much longer than the best candidate; None where it is refused.


class Sensitivity(Model):
    """What one parameter matters around the best candidate."""

    name: str
    best: str
    levels: tuple[LevelCost, ...]

    @property
    def cost(self) -> float:
        """How much longer the worst level takes: 0.3 for 30 %."""
        return self.cost_of(self.worst) or 0.0

    @property
    def worst(self) -> str:
        """The level that takes longest, of those that can be simulated."""
        return max(self.levels, key=lambda level: -1.0 if level.share is None else level.share).value

    def cost_of(self, value: str) -> float | None:
        """How much longer one level takes; None where it is refused or not among them."""
        return next((level.share for level in self.levels if level.value == value), None)


class Interaction(Model):
    """Two parameters whose effects do not add up."""

    names: tuple[str, str]
    values: tuple[str, str]
    share: float  # How much longer both together take than their effects one by one would: 0.1 for 10 %.


class LosingRule(Model):
    """A rule that costs time: the best candidate without it is faster."""

    rule: str
    values: Mapping[str, str]
    share: float  # How much longer the candidate takes that keeps it: 0.04 for 4 %.


class FrontPoint(Model):
    """The fastest candidate found that uses at most so much of one thing."""

    goal: Goal
    amount: float  # How much it uses: hosts, or bytes.
    elapsed_s: Seconds
    planned_s: Seconds | None  # On the rules' plan of so many hosts; None where the amount is not hosts.
    values: Mapping[str, str]


class HardwareLimit(Model):
    """What the hardware needs at least for the work of the first finalist, simulated."""

    elapsed_s: Seconds  # The time in which the busiest resource of each phase would be always busy.
    cpu_s: float  # The time for which all CPUs would be busy.
    disk_s: float  # The time for which all disks would be busy.
    network_s: float  # The time for which all links would be busy.


RULES_NAME, DEFAULTS_NAME = "rules", "defaults"  # The rules' plan and Hadoop's defaults in a race.
TUNED_NAME, _BEYOND_NAME = "tuned", "beyond-rules"


class MeasuredDifference(Model):
    """How much longer one plan took than another in the runs of a race."""

    share: float  # -0.07 for 7 % less time.
    interval: Interval | None  # The 95 % interval of ``share``; None where too few runs show the noise.
    verdict: Verdict  # What the statistics of comparisons conclude.


class RacedPlan(Model):
    """One plan of a race."""

    name: str
    runs: int
    failed: int
    elapsed_s: Seconds | None  # What the suite took, the geometric mean; None if no run succeeded.
    against: Mapping[str, MeasuredDifference]  # From the rules' plan and Hadoop's defaults, by their names.
    simulated: float | None = None  # How much longer than the rules' plan if simulated; None without search.
    breaks: tuple[str, ...] = ()


class RaceFloor(Model):
    """One program of the winner's last run, and the same work on the same machine without Hadoop."""

    workload: str
    elapsed_s: Seconds
    floor_s: Seconds
    floor_run: str
    differs: tuple[str, ...]


class Race(Model):
    """The runs that measured a search's best candidates."""

    request: RaceRequest
    spent_s: Seconds
    plans: tuple[RacedPlan, ...]
    winner: str  # The name of the plan that ``tuned.yaml`` contains.
    decided: bool  # Whether every plan surely differs from the fastest or surely does not, in the given time.
    floors: tuple[RaceFloor, ...] = ()  # The winner's distance from the floor; empty without such a run.

    def plan(self, name: str) -> RacedPlan | None:
        return next((plan for plan in self.plans if plan.name == name), None)


class LearnedTime(Model):
    """One time of the first round, and what the simulator made of it."""

    plan: str
    workload: str
    measured_s: Seconds
    before_s: Seconds
    after_s: Seconds  # What the simulator predicts with the parameters that were fitted.


class LearnedValue(Model):
    """One parameter of the simulator that the first round determined."""

    name: str
    before: float
    value: float
    interval: Interval


class Learned(Model):
    """What the first round of a race changed in the simulator."""

    times: tuple[LearnedTime, ...]
    values: tuple[LearnedValue, ...]  # The parameters that were fitted; none if too few runs succeeded.
    spent_s: Seconds
    first: Mapping[str, Finalist]  # The candidates of the first search, by their names in the first round.


class Tuning(Model):
    """A search and its result."""

    id: str
    plan: str
    suite: str
    calibration: str | None
    seed: int
    trials: int  # Candidates that were tried, refused ones among them.
    refused: int
    elapsed_s: Seconds
    replications: int
    planned_s: Seconds  # What the suite takes on the rules' plan, the median.
    space: tuple[TuneParameter, ...]
    fixed: tuple[Fixed, ...]
    finalists: tuple[Finalist, ...]  # The best of each search, the plan to use first.
    runners_up: tuple[Finalist, ...] = ()  # The next best with the same rules as the first; they race, too.
    sensitivity: tuple[Sensitivity, ...]  # Every parameter around the first finalist, the costliest first.
    losing: tuple[LosingRule, ...]  # Rules that the finalist beyond the rules breaks, with what each costs.
    interactions: tuple[Interaction, ...]  # Parameters whose effects do not add up, the largest first.
    course: tuple[tuple[int, float], ...]
    """After how many trials the best candidate within the rules took how much longer than the rules' plan.

    Both are simulated with draws that no trial has used."""
    warnings: tuple[RunWarning, ...]
    race: Race | None = None  # The runs that measured the best candidates; None before a race.
    front: tuple[FrontPoint, ...] = ()  # Fastest candidates with less of what the goals name, largest first.
    limit: HardwareLimit | None = None  # The limit of the hardware; None for operations on HBase.
    learned: Learned | None = None  # What a first round of runs changed in the simulator; None without one.

    @property
    def contenders(self) -> Mapping[str, Finalist]:
        """The candidates that race, by their names in the race."""
        first, *remaining = self.finalists
        named = {TUNED_NAME: first}
        named |= {
            f"{TUNED_NAME}-{number}": finalist for number, finalist in enumerate(self.runners_up, start=2)
        }
        named |= {
            _BEYOND_NAME if finalist.kept is KeptRules.LIMITS else "within-rules": finalist
            for finalist in remaining
        }
        return {name: finalist for name, finalist in named.items() if finalist.values}

    @property
    def chosen(self) -> Mapping[str, str]:
        """The values of the tuned plan, by the parameters' names: measured, or simulated before a race."""
        name = self.race.winner if self.race is not None else TUNED_NAME
        return self.contenders[name].values if name in self.contenders else {}

    def cost_of_return(self, name: str) -> float | None:
        """How much longer it takes with the rules' value of a parameter; None if refused or unknown."""
        planned = next(parameter.planned for parameter in self.space if parameter.name == name)
        if self.finalists[0].values.get(name) != self.chosen.get(name):
            return None
        costs = (sensitivity.cost_of(planned) for sensitivity in self.sensitivity if sensitivity.name == name)
        return next(costs, None)
