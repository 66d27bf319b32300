"""Learning from runs: a first round on less data, and its cases for a calibration of the simulator.

Every plan of a race runs once on a quarter of the data. What these runs can determine is fitted: what a byte
and the start of a task or a job cost here. All other parameters stay as they were.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from howdah.calibrate.case import Case, CaseWork
from howdah.calibrate.problem import Free
from howdah.calibrate.records import times_of
from howdah.model.calibration import Calibration
from howdah.model.parameter import COMPILER, OWN, Parameter
from howdah.model.run import RunRecord
from howdah.model.study import Budget, Repeats, Study
from howdah.model.study_settings import Level
from howdah.model.workloads.terasort import ROW_BYTES
from howdah.tune.candidates import Candidates
from howdah.tune.parameters import CODEC_KEYS, codec_of
from howdah.tune.race import CONFIGURED, RULES, VARY

_LESS = 4
"""The first round has this part of the data."""
_BUDGET_SHARE = 0.4
"""Of the race's budget, the most that the first round may take."""
_CANDIDATES = 2
"""So many candidates run in the first round, next to the rules' plan and the defaults."""
_NOISE = 0.05
"""What runs are taken to differ by: each runs once."""
_FITTED = (*OWN, *COMPILER)
_DISKS = Parameter(
    "disk_speed",
    "",
    "rates of rotating disks relative to those that the inventory states",
    1.0,
    0.6,
    1.2,
    None,
    "outer and inner rates of data sheets",
)


def first_round(race: Study, budget_s: float) -> Study:
    """The study of a race's first round, which is no race: every plan runs once, on less data."""
    (factor,) = race.factors
    candidates = [label[VARY] for label in race.contenders][:_CANDIDATES]
    racing = {label[VARY] for label in race.contenders}
    levels = tuple(
        level for level in factor.all_levels() if level.label in candidates or level.label not in racing
    )
    settings = race.settings
    if settings.dataset is not None:
        rows = settings.dataset // _LESS // ROW_BYTES
        settings = settings.model_copy(update={"dataset": rows * ROW_BYTES})
    return race.model_copy(
        update={
            "study": f"first-{race.study.removeprefix('race-')}"[:31],
            "question": "What does the simulator predict wrongly on these hosts?",
            "settings": settings,
            "factors": (factor.model_copy(update={"levels": levels}),),
            "contenders": (),
            "repeats": Repeats(least=1, most=1),
            "budget": Budget(hours=_BUDGET_SHARE * budget_s / 3600),
        }
    )


def cases(
    levels: Iterable[Level],
    records: Mapping[str, RunRecord],
    known: Mapping[str, Mapping[str, str]],
    candidates: Candidates,
) -> Iterator[Case]:
    """The runs of the first round as cases, each on its plan as it is simulated.

    ``known`` are the values of the candidates, by their names in the race. A configuration that is not a plan
    of howdah's is left out.
    """
    for level in levels:
        record = records.get(level.label)
        if record is None or level.label == CONFIGURED:
            continue
        values = known[level.label] if level.label in known else _properties(level)
        plan = candidates.simulated(candidates.plan({} if level.label == RULES else values))
        workloads = tuple(result.workload for result in record.workloads)
        yield Case(
            name=level.label,
            study="race",
            work=CaseWork(plan=plan, suite=record.suite.model_copy(update={"workloads": workloads})),
            known={
                name: seconds
                for result in record.workloads
                for name, seconds in times_of(result)
                if seconds > 0
            },
            noise=_NOISE,
        )


def _properties(level: Level) -> dict[str, str]:
    """The values of a level's jobs; heaps that follow the container are left to the rules."""
    options = {"dfs.blocksize": level.block_size, "mapreduce.job.reduces": getattr(level, "reduces", None)}
    given = {**(getattr(level, "job_settings", None) or {}), **options}
    values = {key: str(value) for key, value in given.items() if value not in (None, "")}
    compress, codec = CODEC_KEYS
    if compress in values:
        compressed = values.pop(compress) == "true"
        values[codec] = codec_of(values.get(codec, ""), compressed=compressed)
    return values


def free_numbers(before: Calibration | None, *, on_lab: bool) -> list[Free]:
    """What the first round is fitted with: each near its value before, as far as that was known."""
    known = {value.name: value for value in before.parameters} if before is not None else {}
    parameters = _FITTED if on_lab else (*_FITTED, _DISKS)
    result = []
    for parameter in parameters:
        start = known[parameter.name].value if parameter.name in known else parameter.default
        reach = math.sqrt(parameter.high / parameter.low)
        result.append(Free(parameter.name, start, start / reach, start * reach, parameter.source))
    return result
