"""The race of the best candidates as a study, and its first round, with which the simulator is calibrated."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from howdah.calibrate.case import Case
from howdah.calibrate.problem import Free
from howdah.calibrate.records import timed_case
from howdah.model.calibration import COMPILER, DISKS, OWN, Calibration
from howdah.model.placement import UNSET_MB
from howdah.model.plan import Cluster, ClusterPlan, value_text
from howdah.model.request import Override
from howdah.model.run import RunRecord
from howdah.model.study import Budget, Factor, Repeats, Study
from howdah.model.study_settings import CellSettings, Level, Scalar
from howdah.model.tuning import (
    DEFAULTS_NAME,
    RULES_NAME,
    Finalist,
    RaceRequest,
    RaceTarget,
    TuneParameter,
    Tuning,
    TuningRequest,
)
from howdah.model.user_job import CONFIGURED_NAME
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.hadoop_programs import OPERATIONS, SAMPLES, NNBench, Pi
from howdah.model.workloads.option import MAPS, Option
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import REDUCES, ROW_BYTES, ROWS, TERA_SCHEDULER
from howdah.model.workloads.ycsb import YCSB_LOAD
from howdah.model.workloads.ycsb_options import CLIENTS, RECORDS, THREADS
from howdah.planner.changes import insisting
from howdah.planner.cluster import plan_cluster
from howdah.releases import catalogue
from howdah.tune.candidates import Candidates
from howdah.tune.parameters import (
    CODEC_KEYS,
    JAVA_OPTIONS,
    SERVER_OPTIONS,
    SLOTS,
    WORKERS,
    codec_of,
    is_per_job,
)
from howdah.units import exact_bytes

VARY = "plan"
RULES, DEFAULTS, CONFIGURED = RULES_NAME, DEFAULTS_NAME, CONFIGURED_NAME
_REPEATS = Repeats(least=3, most=24)
_SETTLE_S = 2.0
_LONGEST_NAME = 31
DEFAULT_BUDGET_S = 7200.0
_BLOCK_SIZE, _REDUCES = "dfs.blocksize", "mapreduce.job.reduces"
_SLOWSTART = "mapreduce.job.reduce.slowstart.completedmaps"
_OPTIONS = {_BLOCK_SIZE: "block_size", _REDUCES: "reduces", _SLOWSTART: "slowstart"}
"""Properties of jobs for which a study has options, and these."""
HEAPS = ("mapreduce.map.java.opts", "mapreduce.reduce.java.opts", SERVER_OPTIONS)


def race_of(
    request: TuningRequest,
    tuning: Tuning,
    suite: Suite,
    candidates: Candidates,
    left_out: Collection[str] = (),
) -> Study:
    """The study that shows whether the best candidates are faster; raises UserError for an odd plan.

    Labs are built of the plans that ``lab_plans`` has, in files of the names that ``plan_file`` has. The
    contenders ``left_out`` do not race.
    """
    race = request.race or RaceRequest(target=RaceTarget.LABS, name="", budget_s=DEFAULT_BUDGET_S)
    settings = _work(suite, candidates)
    spent_s = tuning.learned.spent_s if tuning.learned is not None else 0.0
    budget_s = max(1.0, race.budget_s - spent_s)
    fill = YCSB_LOAD if suite.workloads[0].reads == YCSB_LOAD else None
    most = _most_contenders(tuning, budget_s, race.target, fills=fill is not None)
    possible = {name: raced for name, raced in tuning.contenders.items() if name not in left_out}
    racing = dict(list(possible.items())[:most])
    if race.per_job:
        on_lab = race.target is RaceTarget.LAB
        settings |= {"lab" if on_lab else "conf": race.name}
        levels = tuple(_job_levels(request.plan, suite, racing, candidates, on_lab=on_lab))
    else:
        levels = tuple(_lab_levels(racing, operations=candidates.operations))
    on_cluster = race.target is RaceTarget.CLUSTER
    of_labs = "All hosts of a lab share one machine: what depends on the number of hosts, disks or links"
    return Study(
        study=study_name(tuning.id),
        question="Is the tuned plan faster than the plan of the rules and than the release's defaults?",
        suite=request.suite,
        fill=fill,
        settings=CellSettings.model_validate(settings),
        factors=(Factor(vary=VARY, levels=levels),),
        baseline={VARY: RULES},
        contenders=tuple({VARY: name} for name in racing or (RULES,)),
        repeats=_REPEATS,
        budget=Budget(hours=budget_s / 3600),
        seed=request.seed,
        settle_s=_SETTLE_S,
        # A client's machine may be one of the cluster's.
        drop_caches=not on_cluster,
        cannot_show=() if on_cluster else (f"{of_labs} takes the cluster itself.",),
    )


_SIZES: tuple[Option[int], ...] = (ROWS, FILES, FILE_SIZE, SAMPLES, RECORDS, OPERATIONS, THREADS, CLIENTS)


def sizes_of(suite: Suite) -> dict[str, int]:
    """The sizes of a suite for the rules' plan, which are those for every candidate, by their options' names.

    A size that is left open grows with the tasks that run at once: a candidate with fewer of them would win.
    """
    options = _SIZES
    if any(isinstance(workload, Pi | NNBench) for workload in suite.workloads):
        options = (*_SIZES, MAPS)  # Each map has its own work.
    sizes = ((option.name, suite.first(option)) for option in options)
    return {name: size for name, size in sizes if size is not None}


def _work(suite: Suite, candidates: Candidates) -> dict[str, Any]:
    """The settings with which every run does the work of the search."""
    settings: dict[str, Any] = {"engine": "hbase" if candidates.operations else "hadoop"}
    for name, size in sizes_of(suite).items():
        # A study has the rows in bytes, and its sizes have units.
        if name == ROWS.name:
            settings["dataset"] = exact_bytes(size * ROW_BYTES)
        else:
            settings[name] = exact_bytes(size) if name == FILE_SIZE.name else size
    return settings


_LAB_S, _FILL_S = 90.0, 90.0  # What building a lab takes, and filling its table, about.


def _most_contenders(tuning: Tuning, budget_s: float, target: RaceTarget, *, fills: bool) -> int:
    """How many candidates can run as often as it takes, next to the plans that always race.

    On a cluster, the simulator knows that only if it has learned from runs.
    """
    labs = target is RaceTarget.LABS
    if not labs and (tuning.learned is None or not tuning.learned.times):
        return len(tuning.contenders)
    run_s = tuning.planned_s + labs * (_LAB_S + fills * _FILL_S)
    # The rules' plan and the defaults; on a cluster, its present configuration as well.
    always = 3 if target is RaceTarget.CLUSTER else 2
    return max(1, int(budget_s / (_REPEATS.least * run_s)) - always)


def study_name(search: str) -> str:
    """The name of a search's race, as studies may be called."""
    return f"race-{re.sub('[^a-z0-9]+', '-', search.lower())}"[:_LONGEST_NAME].rstrip("-")


_DEFAULTS_OF_PROGRAMS = {TERA_SCHEDULER: "true"}
"""What howdah gives a benchmark's programs otherwise, as the programs have it."""


def plan_file(name: str) -> str:
    """The file of a plan in a race on labs, from the place of the race's study."""
    return f"plan-{name}.yaml"


def _lab_levels(racing: Iterable[str], *, operations: bool) -> Iterator[Level]:
    """A separate plan for each, of which a lab is built."""
    for name in (RULES, *racing):
        yield Level(label=name, plan=plan_file(name))
    of_programs = None if operations else _DEFAULTS_OF_PROGRAMS
    level = {"label": DEFAULTS, "plan": plan_file(DEFAULTS), "job_settings": of_programs}
    yield Level.model_validate(level)


def lab_plans(
    request: TuningRequest, tuning: Tuning, candidates: Candidates
) -> Iterator[tuple[str, ClusterPlan]]:
    """The plans that a race on labs needs, with their names; raises UserError for an odd one."""
    cluster = request.plan.cluster
    yield RULES, request.plan
    for name, finalist in tuning.contenders.items():
        yield name, candidates.plan(finalist.values)
    yield DEFAULTS, defaults_plan(cluster, tuning.space)


def defaults_plan(cluster: Cluster, space: Sequence[TuneParameter]) -> ClusterPlan:
    """The plan that leaves everything in a space as in the release; raises UserError if there is none."""
    # The platform is that of the rules' plan: Hadoop has no default of it.
    request = insisting(cluster) if cluster.request.weighs_virtual else cluster.request
    names = (parameter.name for parameter in space)
    varied = [name for name in names if name not in (SLOTS, WORKERS, *JAVA_OPTIONS)]
    keys = [key for name in varied for key in (CODEC_KEYS if name == CODEC_KEYS[1] else (name,))]
    defaults = release_defaults(keys, request.hadoop, request.hbase)
    if SERVER_OPTIONS in varied:
        # A cache outside the heap needs Java options, and a release has neither.
        defaults["hbase.bucketcache.ioengine"] = ""
    overrides = {override.key: override.value for override in request.overrides}
    overrides |= {key: str(value) for key, value in defaults.items()}
    several = tuple(Override(key=key, value=value) for key, value in overrides.items())
    return plan_cluster(cluster.inventory, request.model_copy(update={"overrides": several}))


def _job_levels(
    plan: ClusterPlan, suite: Suite, racing: Mapping[str, Finalist], candidates: Candidates, *, on_lab: bool
) -> Iterator[Level]:
    """Properties of jobs for each, on a cluster that runs.

    A lab is configured as the rules decide; on a user's cluster every job gets all that they decide for jobs.
    """
    rules = _job_values(plan)
    planned = {name: _job_values(candidates.plan(finalist.values)) for name, finalist in racing.items()}
    keys = dict.fromkeys((_REDUCES, *rules, *(key for values in planned.values() for key in values)))
    defaults = release_defaults(keys, plan.cluster.request.hadoop)
    # What a plan leaves open is as in the release; only the number of reduces follows from the suite.
    reduces = suite.first(REDUCES)
    decided = defaults | ({_REDUCES: str(reduces)} if reduces else {}) | rules
    had = {option.name for program in suite.workloads for option in program.options}
    if not on_lab:
        yield Level(label=CONFIGURED)
    yield Level(label=RULES) if on_lab else _job_level(RULES, decided, had)
    for name, values in planned.items():
        whole = decided | values
        differing = {key: value for key, value in whole.items() if value != decided.get(key)}
        yield _job_level(name, differing if on_lab else whole, had)
    yield _job_level(DEFAULTS, defaults | _DEFAULTS_OF_PROGRAMS, had)


def _job_values(plan: ClusterPlan) -> dict[str, str]:
    """What a plan decides of jobs, and jobs can set for themselves."""
    return {setting.key: value_text(setting.value) for setting in plan.settings if is_per_job(setting.key)}


def _job_level(name: str, values: Mapping[str, Scalar], had: Collection[str]) -> Level:
    """A level with these values; an option that no program of the suite ``had`` would be refused."""
    options = {_OPTIONS[key]: value for key, value in values.items() if _OPTIONS.get(key) in had}
    block_size = str(options.get("block_size", ""))
    if block_size.isdigit():
        # A study's sizes have units.
        options["block_size"] = exact_bytes(int(block_size))
    properties = {key: value for key, value in values.items() if key not in _OPTIONS}
    return Level.model_validate({"label": name, **options, "job_settings": properties or None})


def release_defaults(
    keys: Iterable[str], hadoop: str | None = None, hbase: str | None = None
) -> dict[str, Scalar]:
    """Releases' defaults of keys, as far as they have any; those of the newest ones if none are given."""
    releases = (
        catalogue.hbase(hbase) if hbase is not None else catalogue.hbase(),
        catalogue.hadoop(hadoop) if hadoop is not None else catalogue.hadoop(),
    )
    result: dict[str, Scalar] = {}
    for key in keys:
        default = catalogue.default_of(key, *releases)
        if key in HEAPS:
            # The heap then follows the container, or what memory there is.
            result[key] = ""
        elif default:
            result[key] = str(UNSET_MB) if default == "-1" and key.endswith(".memory.mb") else default
    return result


_LESS = 4  # The first round has this part of the data.
_BUDGET_SHARE = 0.4  # Of the race's budget, the most that the first round may take.
_CANDIDATES = 2  # So many candidates run in the first round, next to the rules' plan and the defaults.
_NOISE = 0.05  # What runs are taken to differ by: each runs once.
_FITTED = (*OWN, *COMPILER)


def first_round(race: Study, budget_s: float) -> Study:
    """The study of a race's first round, which is no race: every plan runs once, on less data.

    On a lab, the rules' plan runs before, which does not count.
    """
    (factor,) = race.factors
    left_out = [label[VARY] for label in race.contenders][_CANDIDATES:]
    levels = tuple(level for level in factor.all_levels() if level.label not in left_out)
    settings = race.settings
    if settings.dataset is not None:
        rows = settings.dataset // _LESS // ROW_BYTES
        settings = settings.model_copy(update={"dataset": rows * ROW_BYTES})
    return race.model_copy(
        update={
            "study": f"first-{race.study.removeprefix('race-')}"[:_LONGEST_NAME],
            "question": "What does the simulator predict wrongly on these hosts?",
            "settings": settings,
            "factors": (factor.model_copy(update={"levels": levels}),),
            "contenders": (),
            # The daemons of a lab may have just started: the first run would be slower than all others.
            "warm_up": 1 if settings.lab is not None else 0,
            "repeats": Repeats(least=1, most=1),
            "budget": Budget(hours=_BUDGET_SHARE * budget_s / 3600),
        }
    )


def cases(
    levels: Iterable[Level],
    records: Mapping[str, RunRecord],
    values_of: Mapping[str, Mapping[str, str]],
    candidates: Candidates,
) -> Iterator[Case]:
    """The runs of the first round as cases, each on its plan as it is simulated.

    ``values_of`` has the values of each candidate, by its name in the race. A configuration that is not a
    plan of howdah's is left out.
    """
    for level in levels:
        record = records.get(level.label)
        if record is None or level.label == CONFIGURED:
            continue
        values = values_of[level.label] if level.label in values_of else _properties(level)
        plan = candidates.simulated(candidates.plan({} if level.label == RULES else values))
        yield timed_case(level.label, "race", plan, record, _NOISE)


def _properties(level: Level) -> dict[str, str]:
    """The values of a level's jobs; heaps that follow the container are left to the rules."""
    options = {"dfs.blocksize": level.block_size, "mapreduce.job.reduces": getattr(level, "reduces", None)}
    settings = {**(getattr(level, "job_settings", None) or {}), **options}
    values = {key: str(value) for key, value in settings.items() if value not in (None, "")}
    compress, codec = CODEC_KEYS
    if compress in values:
        compressed = values.pop(compress) == "true"
        values[codec] = codec_of(values.get(codec, ""), compressed=compressed)
    return values


def free_numbers(before: Calibration | None, *, on_lab: bool) -> list[Free]:
    """What the first round is fitted with: each near its value before, as far as that was known."""
    before_values = {value.name: value for value in before.parameters} if before is not None else {}
    parameters = _FITTED if on_lab else (*_FITTED, DISKS)
    result = []
    for parameter in parameters:
        start = before_values[parameter.name].value if parameter.name in before_values else parameter.default
        reach = math.sqrt(parameter.high / parameter.low)
        result.append(Free(parameter.name, start, start / reach, start * reach, parameter.source))
    return result
