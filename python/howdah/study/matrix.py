"""The cells of a study's matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.model.engine_options import LOCAL
from howdah.model.engines import RegisteredEngine, engines
from howdah.model.study import Factor, Repeats, Study, matches
from howdah.model.study_settings import PLANNED_ONLY, CellSettings, Level
from howdah.model.workloads.terasort import Codec
from howdah.units import GIB

_LABORATORY = ("inventory", "hypervisor", "workers_per_host", "slots", "protection", "link", "profile")


class Cell(NamedTuple):
    """One combination of levels: what it is called and what it runs."""

    number: int
    """Its place in the matrix, from 0."""
    levels: Mapping[str, str]
    """The label of each factor's level."""
    settings: CellSettings
    """The study's settings with those of its levels over them."""
    name: str
    """What it is called: ``codec lz4, dataset 40MB``."""

    @property
    def runs(self) -> bool:
        """Whether it runs, and is not only planned."""
        return self.settings.engine != PLANNED_ONLY

    @property
    def _engine(self) -> RegisteredEngine:
        return engines()[self.settings.engine or LOCAL]

    @property
    def planned(self) -> bool:
        """Whether a plan of its own is made for it; other cells have their engine's."""
        return not self.runs or self._engine.planned or self.laboratory is not None

    @property
    def laboratory(self) -> tuple[str, ...] | None:
        """What the laboratory that is built for it is planned by, alike for cells that share one.

        None for a cell that runs elsewhere, or on a laboratory that somebody else built. The dataset, block
        size and replicas are a run's own and need no other laboratory.
        """
        if not self.runs or not self._engine.on_laboratories or self.settings.inventory is None:
            return None
        overrides = sorted((self.settings.overrides or {}).items())
        return (*(repr(getattr(self.settings, name)) for name in _LABORATORY), repr(overrides))


class Stratum(NamedTuple):
    """Cells that differ only in what the baseline speaks of, the baseline's first."""

    name: str
    """The levels that they share; empty where they share none."""
    cells: tuple[Cell, ...]
    """Two or more."""


def cells_of(study: Study) -> tuple[Cell, ...]:
    """Every cell in the file's order."""
    by_factor = {
        factor.vary: {level.label: level for level in factor.all_levels()} for factor in study.factors
    }
    cells = []
    for number, labels in enumerate(study.combinations()):
        settings = study.settings
        for name, levels in by_factor.items():
            settings = levels[labels[name]].over(settings)
        ordered = {name: labels[name] for name in by_factor}
        cells.append(Cell(number, ordered, settings, named(study, ordered)))
    return tuple(cells)


def named(study: Study, labels: Mapping[str, str]) -> str:
    """Labels as a name; the label of a level that has a name of its own says enough by itself."""
    own = {factor.vary for factor in study.factors if factor.levels}
    return ", ".join(
        label if name in own else f"{name.replace('_', ' ')} {label}" for name, label in labels.items()
    )


def strata_of(study: Study, cells: tuple[Cell, ...]) -> tuple[Stratum, ...]:
    """Cells that can be compared with one another; none where the study has no baseline.

    Cells are called after the levels that the baseline speaks of: the others are the stratum's name.
    """
    if not study.baseline:
        return ()
    shared: dict[tuple[tuple[str, str], ...], list[Cell]] = {}
    for cell in cells:
        rest = tuple((name, label) for name, label in cell.levels.items() if name not in study.baseline)
        shared.setdefault(rest, []).append(cell)
    return tuple(
        Stratum(named(study, dict(rest)), tuple(_renamed(study, base, members)))
        for rest, members in shared.items()
        if len(members) > 1
        if (
            base := next((member for member in members if matches(study.baseline, dict(member.levels))), None)
        )
    )


def _renamed(study: Study, base: Cell, members: list[Cell]) -> list[Cell]:
    ordered = [base, *(member for member in members if member is not base)]
    return [
        cell._replace(name=named(study, {name: cell.levels[name] for name in study.baseline}))
        for cell in ordered
    ]


NAME = "local"
DATASETS = ("1GB", "4GB")
"""Seconds and half a minute on a machine of a few CPUs."""

PLANNED = "as planned"
_FACTOR = "setting"
_BUDGET = "1GiB"
_ROOMY_BYTES = 4 * GIB
"""With less memory than this the planned budget is about as small."""


def local_study(
    threads: int,
    memory_bytes: int,
    data_dirs: Sequence[str],
    datasets: Sequence[str] = DATASETS,
    repeats: int = 3,
) -> Study:
    """One setting after the other beside what is planned, on every dataset."""
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
    for each in (1, 4):
        slots = each * threads
        yield Level.model_validate({"label": f"{slots} slots", "map_slots": slots, "reduce_slots": slots})
    tasks = 8 * threads
    yield Level.model_validate({"label": f"{tasks} tasks", "maps": tasks, "reduces": tasks})
    if memory_bytes >= _ROOMY_BYTES:
        yield Level.model_validate({"label": f"memory {_BUDGET}", "memory": _BUDGET})
    if len(data_dirs) > 1:
        for path in data_dirs:
            yield Level.model_validate({"label": f"only {path}", "data_dirs": (path,)})
