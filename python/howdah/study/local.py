"""The study of this machine's settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.model.engines import LOCAL
from howdah.model.study import Factor, Repeats, Study
from howdah.model.study_settings import CellSettings, Level
from howdah.model.workloads.terasort import Codec
from howdah.units import GIB

NAME = "local"
DATASETS = ("1GB", "4GB")  # Seconds and half a minute on a machine of a few CPUs.

PLANNED = "as planned"
_FACTOR = "setting"
_BUDGET = "1GiB"
_ROOMY_BYTES = 4 * GIB  # With less memory than this the planned budget is about as small.


def local_study(
    threads: int,
    memory_bytes: int,
    data_dirs: Sequence[str],
    datasets: Sequence[str] = DATASETS,
    repeats: int = 3,
) -> Study:
    """One setting after the other compared with the planned ones, on every dataset."""
    levels = (Level(label=PLANNED), *_levels(threads, memory_bytes, data_dirs))
    return Study(
        study=NAME,
        question="Which settings suit this machine best?",
        suite="terasuite",
        settings=CellSettings.model_validate({"engine": LOCAL, "data_dirs": tuple(data_dirs) or None}),
        factors=(Factor(vary=_FACTOR, levels=levels), Factor(vary="dataset", values=tuple(datasets))),
        baseline={_FACTOR: PLANNED},
        repeats=Repeats(least=repeats, most=repeats),
        warm_up=1,
        cannot_show=(
            "One setting is changed at a time; combinations were not tried.",
            "Settings that suit TeraSort's rows may not suit other data: these rows compress better than "
            "most.",
        ),
    )


def _levels(threads: int, memory_bytes: int, data_dirs: Sequence[str]) -> Iterator[Level]:
    for codec in Codec:
        if codec is not Codec.NONE:
            yield Level.model_validate({"label": f"codec {codec.value}", "codec": codec})
    # Two tasks for each thread are planned.
    for per_thread in (1, 4):
        slots = per_thread * threads
        yield Level.model_validate({"label": f"{slots} slots", "map_slots": slots, "reduce_slots": slots})
    tasks = 8 * threads
    yield Level.model_validate({"label": f"{tasks} tasks", "maps": tasks, "reduces": tasks})
    if memory_bytes >= _ROOMY_BYTES:
        yield Level.model_validate({"label": f"memory {_BUDGET}", "memory": _BUDGET})
    if len(data_dirs) > 1:
        for path in data_dirs:
            yield Level.model_validate({"label": f"only {path}", "data_dirs": (path,)})
