"""Studies that repeat published ones are simulated as the shipped calibration was."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from statistics import fmean

import pytest

from howdah.analysis.comparing.readings import ELAPSED
from howdah.calibrate.problem import values_for
from howdah.calibrate.tables import NamedRun, StudySetting, run_name
from howdah.errors import UserError
from howdah.model.calibration import CalibrationCell
from howdah.model.plan import ClusterPlan
from howdah.model.request import Protection
from howdah.model.study import Study, matches
from howdah.model.workloads.terasort import OUTPUT_REPLICATION
from howdah.session.studies import dry_run, make_runs, read
from howdah.session.study_cells import prepare_cell, write_inputs
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import case_of, ratio_works, scenario_of, studies
from howdah.simulation.translate import translate
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import Cell, cells_of
from howdah.study.schedule import Due
from support.studies import Nobody

ROOT = Path(__file__).parents[3]
TERASUITES = ("vsphere6", "fault-tolerance", "seven-node")
BEST_OF = {study.study: study.best_of for study in studies()}
CALIBRATION = load_calibration(PUBLISHED)
VALUES = {parameter.name: parameter.value for parameter in CALIBRATION.parameters}


def _study(name: str) -> Study:
    return read(ROOT / "studies" / f"{name}.yaml").study


def _setting(cell: Cell, *, several_blocks: bool) -> StudySetting:
    settings = cell.settings
    (platform, *_) = next(study.platforms for study in studies() if study.study == settings.setup)
    assert settings.dataset is not None
    assert settings.replication is not None
    return StudySetting(
        settings.platform or platform.label,
        settings.dataset,
        settings.replication,
        settings.of(OUTPUT_REPLICATION) or settings.replication,
        settings.block_size if several_blocks else None,
        settings.protection is Protection.FT if settings.protection is not None else None,
    )


def _known(run_named: str) -> dict[str, CalibrationCell]:
    return {cell.quantity: cell for cell in CALIBRATION.cells if cell.case == run_named and cell.unit == "s"}


@pytest.mark.parametrize("name", TERASUITES)
def test_every_cell_is_simulated_as_the_calibration_simulates_it(name: str, tmp_path: Path) -> None:
    study, there = _study(name), StudyDirectory(tmp_path / "study")
    cells = cells_of(study)
    write_inputs(study, there, cells, ROOT / "studies")
    (published,) = (one for one in studies() if one.study == name)
    for cell in cells:
        with closing(prepare_cell(study, there, Due(cell, 1, 7))) as prepared:
            assert isinstance(prepared.job.plan, ClusterPlan)
            here = translate(prepared.job.plan, prepared.job.suite, CALIBRATION.values, seed=7).scenario
        case = case_of(published, _setting(cell, several_blocks=True), {})
        assert here == scenario_of(case.work, values_for(name, VALUES), 7), cell.name


def test_a_network_is_simulated_as_the_calibration_simulates_it(tmp_path: Path) -> None:
    study, there = _study("amax"), StudyDirectory(tmp_path / "study")
    cells = cells_of(study)
    write_inputs(study, there, cells, ROOT / "studies")
    works = dict(ratio_works(next(one for one in studies() if one.study == "amax")))
    for cell in cells:
        with closing(prepare_cell(study, there, Due(cell, 1, 7))) as prepared:
            assert isinstance(prepared.job.plan, ClusterPlan)
            here = translate(prepared.job.plan, prepared.job.suite, CALIBRATION.values, seed=7).scenario
        assert here == scenario_of(works[cell.name], values_for("amax", VALUES), 7)


@pytest.mark.parametrize("name", TERASUITES)
def test_published_figures_are_those_of_the_calibration(name: str) -> None:
    study = _study(name)
    compared = 0
    for cell in cells_of(study):
        setting = _setting(cell, several_blocks=name == "fault-tolerance")
        known = {quantity: one.known for quantity, one in _known(run_name(NamedRun(name, setting))).items()}
        told: dict[str, float] = {}
        for published in study.published:
            for part in published.cells:
                if matches(part.at, dict(cell.levels)):
                    assert published.best_of == BEST_OF[name]
                    told |= part.times
        assert told == known, cell.name
        compared += len(told)
    assert compared >= 6


ROW = re.compile(r"\| (?P<run>[^|]+) \| (?P<quantity>[^|]+) \| (?P<known>\S+) s \| (?P<simulated>\S+) s \|")


def test_a_study_shows_the_figures_of_the_page_on_accuracy(tmp_path: Path) -> None:
    rows = ROW.finditer((ROOT / "docs/accuracy.md").read_text())
    page = {(row["run"], row["quantity"]): float(row["simulated"]) for row in rows}
    given = read(ROOT / "studies/seven-node.yaml")
    cells = ({"platform": "native", "dataset": "1TB"}, {"platform": "2 VMs", "dataset": "1TB"})
    study = given.study.model_copy(update={"cells": cells})
    done = make_runs(given._replace(study=study), StudyDirectory(tmp_path / "seven"), Nobody())
    compared = 0
    for cell in cells_of(study):
        name = run_name(NamedRun("seven-node", _setting(cell, several_blocks=False)))
        figures = [one.figures for one in done if one.cell == cell.number]
        assert len(figures) == 3
        for quantity in ("teragen", "terasort", "teravalidate"):
            times = [
                reading.value
                for figure in figures
                for reading in figure.readings
                if (reading.measure.workload, reading.measure.phase, reading.measure.name)
                == (quantity, None, ELAPSED)
            ]
            assert len(times) == 3
            # The page's three seeds are others than the study's.
            assert fmean(times) == pytest.approx(page[name, quantity], rel=0.08), (name, quantity)
            compared += 1
    assert compared == 6


FLAWED = """\
howdah: 1
study: flawed
question: Is it refused?
suite: terasuite
settings: {engine: sim, setup: seven-node, dataset: 1TB}
factors:
  - {vary: platform, values: [native, vm2]}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("setup: seven-node", "setup: seven-nodes", "'seven-nodes' is not a published study"),
        ("vm2", "vm3", "'vm3' is not a platform of seven-node"),
        ("dataset: 1TB", "slots: 4, dataset: 1TB", "has slots, which setup seven-node already defines"),
        (", dataset: 1TB", "", "has no dataset"),
        ("setup: seven-node, ", "", "has a platform, which only a setup uses"),
        ("engine: sim", "engine: local", "setup is not used by its engine"),
    ],
)
def test_what_does_not_fit_a_published_study_is_refused(
    right: str, wrong: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "flawed.yaml"
    file.write_text(FLAWED.replace(right, wrong))
    with pytest.raises(UserError) as refused:
        dry_run(read(file), tmp_path / "study")
    assert said in str(refused.value)
