"""The cells of a study's matrix, and those that can be compared with one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from howdah.model.engines import LOCAL, RegisteredEngine, engines
from howdah.model.study import Study, matches
from howdah.model.study_settings import PLANNED_ONLY, CellSettings

_OF_LABS = ("inventory", "plan", "hypervisor", "workers_per_host", "slots", "protection", "link", "profile")


class Cell(NamedTuple):
    """One combination of levels: its name and what it runs."""

    number: int  # Its place in the matrix, from 0.
    levels: Mapping[str, str]  # The label of each factor's level.
    settings: CellSettings  # The study's settings with those of its levels over them.
    name: str

    @property
    def runs(self) -> bool:
        """Whether it runs, and is not only planned."""
        return self.settings.engine != PLANNED_ONLY

    @property
    def _engine(self) -> RegisteredEngine:
        return engines()[self.settings.engine or LOCAL]

    @property
    def planned(self) -> bool:
        """Whether a separate plan is made for it; other cells have their engine's."""
        return not self.runs or self._engine.planned or self.lab_key is not None

    @property
    def lab_key(self) -> tuple[str, ...] | None:
        """The settings that determine the lab that is built for it, the same for cells that share one.

        None for a cell that runs elsewhere, or on a lab that exists. The dataset, block size and replicas
        belong to a run and need no other lab.
        """
        hosts = self.settings.inventory or self.settings.plan
        if not self.runs or not self._engine.on_laboratories or hosts is None:
            return None
        overrides = sorted((self.settings.overrides or {}).items())
        return (*(repr(getattr(self.settings, name)) for name in _OF_LABS), repr(overrides))


class Stratum(NamedTuple):
    """Cells that differ only in the baseline's factors, the baseline's cell first."""

    name: str  # The levels that they share; empty if they share none.
    cells: tuple[Cell, ...]  # Two or more.


def cells_of(study: Study) -> tuple[Cell, ...]:
    """Every cell in the file's order."""
    by_factor = {entry.vary: {level.label: level for level in entry.all_levels()} for entry in study.factors}
    cells = []
    for number, labels in enumerate(study.combinations()):
        settings = study.settings
        for name, levels in by_factor.items():
            settings = levels[labels[name]].over(settings)
        ordered = {name: labels[name] for name in by_factor}
        cells.append(Cell(number, ordered, settings, named(study, ordered)))
    return tuple(cells)


def named(study: Study, labels: Mapping[str, str]) -> str:
    """Labels as a name; the label of a named level is enough without its factor."""
    own = {factor.vary for factor in study.factors if factor.levels}
    return ", ".join(
        label if name in own else f"{name.replace('_', ' ')} {label}" for name, label in labels.items()
    )


def strata_of(study: Study, cells: tuple[Cell, ...]) -> tuple[Stratum, ...]:
    """Cells that can be compared with one another; none if the study has no baseline.

    Cells are named by their levels of the baseline's factors; the remaining levels name the stratum.
    """
    if not study.baseline:
        return ()
    shared: dict[tuple[tuple[str, str], ...], list[Cell]] = {}
    for cell in cells:
        common = tuple((name, label) for name, label in cell.levels.items() if name not in study.baseline)
        shared.setdefault(common, []).append(cell)
    strata = []
    for common, members in shared.items():
        is_base = [matches(study.baseline, dict(member.levels)) for member in members]
        if len(members) > 1 and any(is_base):
            base = members.pop(is_base.index(True))
            renamed = (
                cell._replace(name=named(study, {name: cell.levels[name] for name in study.baseline}))
                for cell in (base, *members)
            )
            strata.append(Stratum(named(study, dict(common)), tuple(renamed)))
    return tuple(strata)
