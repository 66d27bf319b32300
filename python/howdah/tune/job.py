"""What a search may vary on a user's own job, and the studies that measure it.

A job's program is unknown, so nothing can be simulated. Each value runs alone first, next to the
configuration; then the combination of the best values races against it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from howdah.errors import UserError
from howdah.model.placement import UNSET_MB
from howdah.model.plan import value_text
from howdah.model.study import Budget, Factor, Repeats, Study
from howdah.model.study_settings import CellSettings, Level
from howdah.model.tuning import DEFAULTS_NAME, PLANNED, Fixed, Narrowing, RaceTarget, TuneParameter
from howdah.model.user_job import COMBINED_NAME, CONFIGURED_NAME, JobTuningRequest, ValueAlone
from howdah.model.workloads.hadoop_programs import COMMAND
from howdah.model.workloads.terasort import Codec
from howdah.releases.catalogue import spark_size
from howdah.releases.values import (
    QUICK_START,
    heap_bytes,
    is_true,
    read_float,
    read_positive,
    starts_quickly,
    with_heap_times,
)
from howdah.tune.parameters import CODEC_KEYS, JAVA_OPTIONS, RELEASED_CODECS, codec_properties
from howdah.tune.race import VARY, release_defaults, study_name
from howdah.units import MIB

_SPARK_PROGRAMS = frozenset({"spark-submit", "spark-sql"})
_SPARK_IN_SCRIPT = re.compile(rb"\bspark-(submit|sql)\b")
_LARGEST_SCRIPT = 1 << 20  # Bytes.
_ALONE_RUNS = 2
ALONE_SHARE = 0.6  # Of the budget for values alone; the race has the rest.
_HELPS = 0.02  # A value that saves less than this part of the time alone is not combined.
_RACING_ALONE = 2  # So many of the values that helped most alone race next to the combination.
_REPEATS = Repeats(least=3, most=24)
_SORT_CONTAINER, _SORT_HEAP = 0.6, 0.75  # The most of a map task's container or heap for its sort buffer.

_NO_OTHER = "it has no other value to try"

Current = Callable[[str], str]
"""The configured value of a property, or the release's default; empty if there is none."""


class _Row(NamedTuple):
    name: str
    about: str
    values: Callable[[str, Current], Sequence[str]]  # Values to try, from the configured one.
    why_none: str = _NO_OTHER


def _times(*factors: float, least: int = 1) -> Callable[[str, Current], Sequence[str]]:
    """Multiples of the configured number; nothing if it is no number."""

    def values(text: str, current: Current) -> Sequence[str]:
        try:
            number = float(text)
        except ValueError:
            return ()
        return tuple(str(max(least, round(factor * number))) for factor in factors)

    return values


def _these(*values: str) -> Callable[[str, Current], Sequence[str]]:
    return lambda text, current: values


def _quick_start(text: str, current: Current) -> Sequence[str]:
    return () if starts_quickly(text) else (f"{text} {QUICK_START}".strip(),)


def _sort_buffers(text: str, current: Current) -> Sequence[str]:
    container_mb = _container_mb(current("mapreduce.map.memory.mb"))
    heap = heap_bytes(current("mapreduce.map.java.opts"))
    most_mb = _SORT_CONTAINER * container_mb if heap is None else _SORT_HEAP * heap / MIB
    return tuple(value for value in _times(2, 4)(text, current) if float(value) <= most_mb)


def _container_mb(text: str) -> int:
    """The memory of a task's container; without one, and without a heap, it is the release's."""
    return read_positive(text) or UNSET_MB


def _containers(text: str, current: Current) -> Sequence[str]:
    """Half and twice the memory of a container, as far as YARN grants it."""
    most_mb = read_positive(current("yarn.scheduler.maximum-allocation-mb"))
    values_mb = _times(0.5, 2, least=512)(str(_container_mb(text)), current)
    return tuple(value for value in values_mb if most_mb is None or int(value) <= most_mb)


HEAP_OPTIONS = {f"mapreduce.{kind}.memory.mb": f"mapreduce.{kind}.java.opts" for kind in ("map", "reduce")}
"""The options of Java with the heap of each container."""


def configured_heaps(current: Current) -> dict[str, str]:
    """The configured options of Java that set a heap, by the memory of their container."""
    options = {memory: current(key) for memory, key in HEAP_OPTIONS.items()}
    return {memory: text for memory, text in options.items() if heap_bytes(text) is not None}


def _heaps(text: str, current: Current) -> Sequence[str]:
    """Half and twice the heap of a Spark executor."""
    heap = spark_size("spark.executor.memory", text)
    return () if heap is None else tuple(f"{round(factor * heap / MIB)}m" for factor in (0.5, 2))


_MAPREDUCE = (
    _Row("mapreduce.job.reduces", "reduce tasks of a job", _times(0.5, 2, 4)),
    _Row(CODEC_KEYS[1], "compression of map output", _these(*RELEASED_CODECS)),
    _Row("mapreduce.task.io.sort.mb", "sort buffer of a map task", _sort_buffers),
    _Row("mapreduce.input.fileinputformat.split.minsize", "least input of a map task",
         _these(str(256 * MIB), str(512 * MIB))),
    _Row("mapreduce.job.reduce.slowstart.completedmaps", "part of the maps that end before reduces start",
         _these("0.05", "0.5", "0.95")),
    *(
        _Row(key, "options of Java; with the quick compiler alone", _quick_start)
        for keys in JAVA_OPTIONS.values()
        for key in keys
    ),
    _Row("mapreduce.map.memory.mb", "memory of a map task's container, and its heap with it", _containers),
    _Row("mapreduce.reduce.memory.mb", "memory of a reduce task's container, and its heap with it",
         _containers),
    _Row("mapreduce.reduce.shuffle.parallelcopies", "map outputs that a reduce fetches at once",
         _times(2, 4)),
    _Row("mapreduce.job.ubertask.enable", "whether a small job runs in its own master",
         _these("false", "true")),
)  # fmt: skip
_ALSO_DEFAULT = (CODEC_KEYS[0], "mapreduce.task.io.sort.factor")
"""Other properties of MapReduce that Hadoop's defaults in the race have."""
_JAVA_SERIALIZER = "org.apache.spark.serializer.JavaSerializer"
_KRYO_SERIALIZER = "org.apache.spark.serializer.KryoSerializer"
_SPARK = (
    _Row("spark.sql.shuffle.partitions", "partitions of a shuffle in SQL", _times(0.1, 0.25, 2)),
    _Row("spark.default.parallelism", "partitions of a shuffle of RDDs", _times(0.5, 2)),
    _Row("spark.executor.cores", "tasks at once in an executor", _times(1, 2, 4)),
    _Row("spark.executor.memory", "heap of an executor", _heaps),
    _Row("spark.io.compression.codec", "compression of shuffled data", _these("lz4", "zstd", "snappy")),
    _Row("spark.serializer", "how objects are written", _these(_JAVA_SERIALIZER, _KRYO_SERIALIZER)),
    _Row("spark.memory.fraction", "part of the heap for work and cached data", _these("0.6", "0.75")),
)
_SPARK_DEFAULTS = {
    "spark.sql.shuffle.partitions": "200",
    "spark.executor.cores": "1",
    "spark.executor.memory": "1g",
    "spark.io.compression.codec": "lz4",
    "spark.serializer": _JAVA_SERIALIZER,
    "spark.memory.fraction": "0.6",
}


_SPARK_FLAGS = {"spark.executor.memory": "--executor-memory", "spark.executor.cores": "--executor-cores"}


def _sets(command: Sequence[str], name: str) -> bool:
    """Whether a command sets a property itself, also by a flag of its own."""
    flag = _SPARK_FLAGS.get(name)
    return any(
        word.removeprefix("-D").startswith(f"{name}=")
        or (flag is not None and word.partition("=")[0] == flag)
        for word in command
    )


def _same(text: str, configured: str) -> bool:
    """Whether two texts are the same number: 1 and 1.0."""
    number = read_float(text)
    return number is not None and number == read_float(configured)


def starts_spark(command: Sequence[str]) -> bool:
    """Whether a command is a program of Spark, or runs a script that names one."""
    return Path(command[0]).name in _SPARK_PROGRAMS or any(map(_names_spark, map(Path, command)))


def _names_spark(file: Path) -> bool:
    with suppress(OSError, ValueError):
        if file.is_file() and file.stat().st_size <= _LARGEST_SCRIPT:
            script = file.read_bytes()
            return script.startswith(b"#!") and _SPARK_IN_SCRIPT.search(script) is not None
    return False


def job_space(
    command: Sequence[str], current: Current, narrowing: Narrowing, file: str
) -> tuple[tuple[TuneParameter, ...], tuple[Fixed, ...]]:
    """The properties to vary on a command, and those that stay, with the reason.

    ``narrowing`` may name any property. Raises UserError, naming its ``file``, if nothing is left to vary.
    """
    rows = _SPARK if starts_spark(command) else _MAPREDUCE
    names = dict.fromkeys([row.name for row in rows] if narrowing.others == "vary" else ())
    names |= dict.fromkeys(narrowing.parameters)
    table = {row.name: row for row in rows}
    varied, fixed = [], []
    for name in names:
        chosen = narrowing.parameters.get(name)
        configured = _configured(name, current)
        if chosen == PLANNED:
            fixed.append(Fixed(name=name, why=f"{file} keeps it as configured"))
        elif _sets(command, name):
            fixed.append(Fixed(name=name, why="the command itself sets it"))
        elif name in HEAP_OPTIONS and _sets(command, HEAP_OPTIONS[name]):
            fixed.append(Fixed(name=name, why="the command itself sets its heap"))
        else:
            row = table.get(name)
            values = row.values(configured, current) if row else ()
            if chosen is not None:
                texts = map(value_text, chosen if isinstance(chosen, tuple) else (chosen,))
                values = tuple(text for text in texts if not _same(text, configured))
            levels = tuple(dict.fromkeys((configured, *values)))
            about = row.about if row else f"from {file}"
            if len(levels) < 2:
                why = row.why_none if row else _NO_OTHER
                fixed.append(Fixed(name=name, why=why))
                continue
            varied.append(
                TuneParameter(
                    name=name, unit="", levels=levels, ordered=False, planned=configured, about=about
                )
            )
    if not varied:
        hint = "give a property several values: --space FILE"
        raise UserError(file or "--job", "leaves nothing to vary", hint)
    return tuple(varied), tuple(fixed)


def default_properties(command: Sequence[str], space: Sequence[TuneParameter]) -> dict[str, str]:
    """The properties with which a job runs as with Hadoop's defaults; none for a program of Spark.

    Only what is varied gets its default: the command may set everything else.
    """
    if starts_spark(command):
        return {}
    defaults = release_defaults([*(parameter.name for parameter in space), *_ALSO_DEFAULT])
    return {key: str(value) for key, value in defaults.items()}


def _configured(name: str, current: Current) -> str:
    if name == CODEC_KEYS[1]:
        codecs = {codec_properties(codec)[name]: codec for codec in Codec if codec is not Codec.NONE}
        codec = codecs.get(current(name), Codec.NONE)
        return codec if is_true(current(CODEC_KEYS[0])) else Codec.NONE
    return current(name) or _SPARK_DEFAULTS.get(name, "")


def job_properties(values: Mapping[str, str], request: JobTuningRequest) -> dict[str, str]:
    """The properties of a job with these values; the heap of a container follows its memory."""
    properties: dict[str, str] = {}
    for name, value in values.items():
        properties |= codec_properties(Codec(value)) if name == CODEC_KEYS[1] else {name: value}
    configured_mb = {parameter.name: parameter.planned for parameter in request.space}
    for memory, options in request.heaps.items():
        key = HEAP_OPTIONS[memory]
        chosen = values.get(key, options)
        # A heap that a file names is the user's.
        if memory in values and heap_bytes(chosen) == heap_bytes(options):
            factor = _container_mb(values[memory]) / _container_mb(configured_mb[memory])
            properties[key] = with_heap_times(chosen, factor)
    return properties


def values_alone(request: JobTuningRequest) -> dict[str, dict[str, str]]:
    """Every value of every property alone, by the name that its runs have."""
    return {
        f"{parameter.name}={level}": {parameter.name: level}
        for parameter in request.space
        for level in parameter.levels
        if level != parameter.planned
    }


def alone_study(request: JobTuningRequest, search: str) -> Study:
    """The study that runs each value alone, next to the job as configured."""
    runs = Repeats(least=_ALONE_RUNS, most=_ALONE_RUNS)
    budget_s = ALONE_SHARE * request.race.budget_s
    study = _study(request, f"{search}-alone", values_alone(request), runs, budget_s)
    # The first run of a job on a cluster also shows whether it can run at all.
    return study.model_copy(update={"warm_up": 1})


def remaining_s(request: JobTuningRequest, spent_s: float) -> float:
    """The time for the race after so much for values alone, seconds."""
    return max(1.0, request.race.budget_s - spent_s)


def race_study(
    request: JobTuningRequest, search: str, racing: Mapping[str, Mapping[str, str]], spent_s: float
) -> Study:
    """The study in which the best candidates race, in the time that is left."""
    study = _study(request, search, racing, _REPEATS, remaining_s(request, spent_s))
    (factor,) = study.factors
    if request.defaults:
        released = Level.model_validate({"label": DEFAULTS_NAME, "job_settings": dict(request.defaults)})
        factor = factor.model_copy(update={"levels": (*factor.levels, released)})
    contenders = tuple({VARY: name} for name in racing)
    return study.model_copy(update={"factors": (factor,), "contenders": contenders})


def racing(request: JobTuningRequest, alone: Sequence[ValueAlone]) -> dict[str, dict[str, str]]:
    """The candidates of the race: the best values together, and those that helped most; none if none did."""
    best: dict[str, ValueAlone] = {}
    for value in sorted(alone, key=lambda value: value.share or 0.0):
        if value.share is not None and value.share < -_HELPS and not value.failed:
            best.setdefault(value.name, value)
    single = {f"{value.name}={value.value}": {value.name: value.value} for value in best.values()}
    if len(single) < 2:
        return single
    combined = {value.name: value.value for value in best.values()}
    return {COMBINED_NAME: combined, **dict(list(single.items())[:_RACING_ALONE])}


def _study(
    request: JobTuningRequest,
    name: str,
    candidates: Mapping[str, Mapping[str, str]],
    repeats: Repeats,
    budget_s: float,
) -> Study:
    on_lab = request.race.target is RaceTarget.LAB
    settings: dict[str, Any] = {"engine": "hadoop", "lab" if on_lab else "conf": request.race.name}
    levels = (
        Level.model_validate({"label": name, "job_settings": job_properties(values, request)})
        for name, values in candidates.items()
    )
    return Study(
        study=study_name(name),
        question="Which properties make the job faster than as it is configured?",
        suite=COMMAND,
        settings=CellSettings.model_validate(settings | {"command_line": shlex.join(request.command)}),
        factors=(Factor(vary=VARY, levels=(Level(label=CONFIGURED_NAME), *levels)),),
        baseline={VARY: CONFIGURED_NAME},
        repeats=repeats,
        budget=Budget(hours=budget_s / 3600),
        seed=request.seed,
        drop_caches=on_lab,
    )
