"""Candidates of a search: planned, simulated, recorded as they end, and the limit of the hardware."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from howdah.audit.audit import plan_faults
from howdah.calibrate.records import as_built
from howdah.errors import UserError
from howdah.model.calibration import COMPILER, CORE_SPEED, OWN, CalibratedValue, Calibration
from howdah.model.cluster import Laboratory
from howdah.model.existing import CheckVerdict
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.model.request import Override, PlanRequest
from howdah.model.run_request import RunRequest
from howdah.model.tuning import HardwareLimit, KeptRules, Trial
from howdah.model.workloads.terasort import Codec
from howdah.planner.changes import insisting, with_hosts
from howdah.planner.cluster import plan_cluster
from howdah.planner.ranked import Predicted
from howdah.planner.suite.cluster import size_planned
from howdah.releases.values import QUICK_START, direct_bytes, heap_bytes
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Simulations, grouped, scenarios
from howdah.simulation.scenario import Scenario
from howdah.simulation.settings import PlannedSettings
from howdah.simulation.whole_suite import suite_times
from howdah.store.predictions import CandidateKey, TuningFolder, candidate_key
from howdah.tune.parameters import (
    CODEC,
    HOSTS,
    JAVA_OPTIONS,
    JVM_QUICK,
    SERVER_OPTIONS,
    SLOTS,
    WORKERS,
    Base,
    codec_properties,
)
from howdah.units import GIB, MIB

Values = Mapping[str, str]

_EVEN_WORKERS = 32
"""On so many workers chance evens out within a simulation; on fewer, several simulations make up for it."""
_MOST_DRAWS = 5
_FRESH = 1_000  # Added to the seed for draws that no trial has used.


class PlannedCandidate(NamedTuple):
    """A candidate that can be simulated."""

    plan: ClusterPlan
    breaks: tuple[str, ...]
    scenarios: tuple[Scenario, ...]


class Candidates:
    """The candidates of one search: all are planned from the same hosts and simulated with the same draws.

    ``allowed`` are ids of rules that candidates may break although a check of their files would fail. In a
    ``lab``, candidates are simulated on hosts as it built them: a planned thread may be part of a CPU.
    """

    def __init__(
        self,
        base: Base,
        request: RunRequest,
        calibration: Calibration | None,
        *,
        seed: int,
        allowed: Collection[str] = (),
        lab: Laboratory | None = None,
    ) -> None:
        self._base = base
        self._request = request
        self._lab = lab
        self.calibration = calibration if lab is None else _of_lab(calibration)
        self._seed = seed
        self._allowed = allowed
        workers = sum(1 for _ in placed_workers(base.cluster))
        self.draws = min(_MOST_DRAWS, math.ceil(_EVEN_WORKERS / max(1, workers)))
        """Simulations of each trial, with different seeds."""

    def plan(self, values: Values) -> ClusterPlan:
        """The plan with a candidate's values; raises UserError for one that cannot be planned."""
        cluster = self._base.cluster
        request = cluster.request
        if values and request.weighs_virtual and self._base.sole_kind:
            # The platform is a value of the candidate, not what the other values happen to lead to.
            request = insisting(cluster)
            if WORKERS in values:
                virtual = {"hypervisor": cluster.request.hypervisor, "weigh_virtual": True}
                request = request.model_copy(update=virtual)
        inventory = cluster.inventory
        if HOSTS in values:
            inventory = with_hosts(inventory, int(values[HOSTS]))
        return plan_cluster(inventory, self.with_values(request, values))

    @property
    def operations(self) -> bool:
        """Whether the suite is of operations on HBase."""
        return self._base.operations

    def with_values(self, request: PlanRequest, values: Values) -> PlanRequest:
        """A request that insists on a candidate's values."""
        server_options = self._base.settings.text(SERVER_OPTIONS)
        return _with_values(request, values, server_options, self._task_options(values))

    def _task_options(self, values: Values) -> dict[str, str]:
        """Options of JVMs that a candidate chooses compilers for, as the rules decide them."""
        keys = [key for name, decided in JAVA_OPTIONS.items() if name in values for key in decided]
        if not keys:
            return {}
        plan = self.plan({name: value for name, value in values.items() if name not in JAVA_OPTIONS})
        settings = PlannedSettings(plan, plan.workers[0])
        return {key: settings.text(key) for key in keys}

    def simulated(self, plan: ClusterPlan) -> ClusterPlan:
        """The plan as it is simulated: in a lab, with its hosts."""
        return plan if self._lab is None else as_built(plan, self._lab)

    def planned(self, values: Values) -> PlannedCandidate | Trial:
        """The candidate ready to be simulated, or the trial of one that is refused."""
        return self._planned(values, self.draws, self._seed)

    def tried(self, several: Iterable[Values]) -> list[Trial]:
        """A trial of each candidate; those that can be planned are simulated side by side."""
        simulations = Simulations()
        prepared: list[tuple[Values, PlannedCandidate | Trial]] = []
        try:
            for values in several:
                candidate = self.planned(values)
                prepared.append((values, candidate))
                if isinstance(candidate, PlannedCandidate):
                    for scenario in candidate.scenarios:
                        simulations.add(scenario)
        except BaseException:
            simulations.cancel()
            raise
        times = iter(self._times(simulations.summaries(), self.draws))
        return [
            candidate
            if isinstance(candidate, Trial)
            else Trial(
                values=values,
                elapsed_s=fmean(next(times).elapsed_s),
                breaks=candidate.breaks,
                memory_bytes=_container_memory(candidate.plan),
            )
            for values, candidate in prepared
        ]

    def limit(self, values: Values) -> HardwareLimit:
        """What the hardware needs at least for the work of a candidate; raises UserError if it is refused."""
        scenario = _ready(self.planned(values)).scenarios[0]
        (summary,) = Simulations([scenario]).summaries()
        return hardware_limit(scenario, summary)

    def predicted(self, several: Sequence[Values], draws: int) -> list[Predicted]:
        """The times of candidates with so many draws, the same for all, and none of those of the trials.

        Raises UserError if one is refused.
        """
        planned = [_ready(self._planned(values, draws, self._seed + _FRESH)) for values in several]
        of_all = [scenario for candidate in planned for scenario in candidate.scenarios]
        return self._times(Simulations(of_all).summaries(), draws)

    def _planned(self, values: Values, draws: int, seed: int) -> PlannedCandidate | Trial:
        try:
            plan = self.plan(values)
            suite = size_planned(self._request, plan).suite
            several = tuple(scenarios(self.simulated(plan), suite, self.calibration, count=draws, seed=seed))
        except UserError as error:
            return Trial(values=values, elapsed_s=None, refused=f"{error.where}: {error.what}")
        faults = [fault for fault in plan_faults(plan) if fault.rule not in self._allowed]
        # Values may break a rule, whatever a check of the files reports.
        breaches = (breach for setting in plan.settings for breach in setting.breaks)
        broken = (breach.rule for breach in breaches if breach.severity != "may")
        breaks = tuple(dict.fromkeys((*(fault.rule for fault in faults), *broken)))
        failed = next((fault for fault in faults if fault.verdict is CheckVerdict.FAIL), None)
        if failed is not None:
            refused = f"{failed.about} is {failed.found}; {failed.rule} requires {failed.expected}"
            return Trial(values=values, elapsed_s=None, breaks=breaks, refused=refused)
        return PlannedCandidate(plan, breaks, several)

    def _times(self, summaries: Sequence[Summary], draws: int) -> list[Predicted]:
        return [suite_times(own, self.calibration) for own in grouped(summaries, draws)]


def _of_lab(calibration: Calibration | None) -> Calibration:
    """A calibration for hosts as a lab built them, in which cores have their speed already.

    Without one, it has what is expected of labs.
    """
    if calibration is None:
        defaults = ((parameter.name, parameter.default) for parameter in (*OWN, *COMPILER))
        expected = (
            CalibratedValue(name=name, value=value, low=value, high=value, origin="given")
            for name, value in defaults
        )
        return Calibration(name="labs", parameters=tuple(expected))
    kept = tuple(value for value in calibration.parameters if value.name != CORE_SPEED)
    return calibration.model_copy(update={"parameters": kept})


def _ready(candidate: PlannedCandidate | Trial) -> PlannedCandidate:
    if isinstance(candidate, Trial):
        raise UserError("plan", candidate.refused or "cannot be simulated", "correct the plan")
    return candidate


def _container_memory(plan: ClusterPlan) -> float:
    """Memory of the containers that run at once on all workers, bytes."""
    container_bytes = {
        setting.worker: int(str(setting.value)) * MIB
        for setting in plan.settings
        if setting.key == "yarn.nodemanager.resource.memory-mb"
    }
    of_all = container_bytes.get(None, 0)
    return float(sum(container_bytes.get(worker.kind, of_all) for worker in placed_workers(plan.cluster)))


_NS_PER_S = 1e9
_BITS = 8


def hardware_limit(scenario: Scenario, summary: Summary) -> HardwareLimit:
    """The time of a suite if the busiest resource of each phase was always busy.

    Disks have their outer rate, and links are counted in the direction with more bytes.
    """
    hosts = scenario.hosts
    disks = sum(group.count * disk.count * disk.outer_bytes_per_s for group in hosts for disk in group.disks)
    links = sum(group.count * nic.count * nic.bits_per_s for group in hosts for nic in group.nics)
    needs = [
        (
            phase.cpu_busy * (phase.end_ns - phase.start_ns) / _NS_PER_S,
            (phase.disk_read_bytes + phase.disk_written_bytes) / disks,
            max(phase.received_bytes, phase.sent_bytes) * _BITS / links,
        )
        for workload in summary.workloads
        for phase in workload.phases
    ]
    cpu_s, disk_s, network_s = (sum(need) for need in zip(*needs, strict=True))
    return HardwareLimit(elapsed_s=sum(map(max, needs)), cpu_s=cpu_s, disk_s=disk_s, network_s=network_s)


_AT_ONCE = 16  # So many candidates are tried before they are stored and progress is shown.


class TuneProgress(NamedTuple):
    stage: str
    done: int
    of: int  # Candidates to try, as far as that is known.
    best: float | None  # How much longer the best candidate takes than the rules' plan: -0.1 for 10 % less.


class Attempts:
    """Tries candidates; those that the folder has, from this process or an earlier one, keep their times.

    ``expected`` is how many candidates the search will try.
    """

    def __init__(
        self,
        folder: TuningFolder,
        candidates: Candidates,
        expected: int,
        show: Callable[[TuneProgress], None],
    ) -> None:
        self.stage = ""
        self._folder = folder
        self._candidates = candidates
        self._expected = expected
        self._show = show
        self._tried: set[CandidateKey] = set()
        self._planned_s: float | None = None
        self._best_s: float | None = None

    def planned(self) -> Trial:
        """The trial of the rules' plan, with which the progress compares the others."""
        (trial,) = self([{}])
        self._planned_s = self._best_s = trial.elapsed_s
        return trial

    def __call__(self, several: Sequence[Values]) -> list[Trial]:
        trials: list[Trial] = []
        for first in range(0, len(several), _AT_ONCE):
            batch = several[first : first + _AT_ONCE]
            new = [values for values in batch if self._folder.recorded(values) is None]
            for new_trial in self._candidates.tried(new) if new else ():
                self._folder.add(new_trial)
            recorded = [trial for values in batch if (trial := self._folder.recorded(values)) is not None]
            for trial in recorded:
                self._note(trial)
            trials += recorded
            self.show()
        return trials

    def show(self) -> None:
        done = len(self._tried)
        share = self._best_s / self._planned_s - 1 if self._best_s and self._planned_s else None
        self._show(TuneProgress(self.stage, done, max(done, self._expected), share))

    def _note(self, trial: Trial) -> None:
        self._tried.add(candidate_key(trial.values))
        admitted = trial.within_rules or self._folder.request.keep is KeptRules.LIMITS
        if admitted and trial.elapsed_s is not None and self._best_s is not None:
            self._best_s = min(self._best_s, trial.elapsed_s)


_JAVA_MORE = 1.1
"""What each byte less of heap leaves to the cache outside it: Java needs memory in proportion to its heap."""


def _with_values(
    request: PlanRequest,
    values: Mapping[str, str],
    server_options: str,
    task_options: Mapping[str, str],
) -> PlanRequest:
    """The request that insists on a candidate's values.

    ``server_options`` are the planned RegionServer's. ``task_options`` are those of the candidate's tasks and
    masters, as they are decided without a choice of compilers.
    """
    update: dict[str, object] = {}
    overrides = {override.key: override.value for override in request.overrides}
    for name, value in values.items():
        if name == HOSTS:
            continue
        if name == WORKERS:
            update["workers_per_host"] = int(value)
        elif name == SLOTS:
            update["slots"] = int(value)
        elif name == SERVER_OPTIONS:
            overrides[name] = _with_heap(server_options, int(value))
        elif name == CODEC:
            overrides |= codec_properties(Codec(value))
        elif name in JAVA_OPTIONS:
            overrides |= {key: _compiling(task_options[key], value) for key in JAVA_OPTIONS[name]}
        else:
            overrides[name] = value
    with_overrides = tuple(Override(key=key, value=value) for key, value in overrides.items())
    return request.model_copy(update=update | {"overrides": with_overrides})


def _compiling(options: str, level: str) -> str:
    """Java options with the compiler of a level."""
    remaining = [word for word in options.split() if word not in QUICK_START.split()]
    return " ".join([*remaining, QUICK_START] if level == JVM_QUICK else remaining)


def _with_heap(options: str, heap_mb: int) -> str:
    """Java options with another heap, and a limit for the cache outside it that the rules then choose."""
    fewer_mb = (heap_bytes(options) or 0) // MIB - heap_mb
    # The planned cache was rounded down to whole GiB.
    more_mb = int(fewer_mb * _JAVA_MORE) + GIB // MIB if fewer_mb > 0 else fewer_mb
    limit_mb = (direct_bytes(options) or 0) // MIB + more_mb
    options = re.sub(r"-Xm([sx])\S+", rf"-Xm\g<1>{heap_mb}m", options)
    return re.sub(r"-XX:MaxDirectMemorySize=\S+", f"-XX:MaxDirectMemorySize={limit_mb}m", options)
