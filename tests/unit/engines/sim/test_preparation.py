"""A simulation is made ready from a plan file; what cannot be simulated is refused before it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import write_calibration, write_document, write_plan
from howdah.engines.base import Prepared
from howdah.engines.sim.engine import SimEngine
from howdah.errors import UserError
from howdah.model.calibration import CalibratedValue, Calibration
from howdah.model.workloads.terasort import ROWS
from howdah.session.runs import prepare
from support.plans import worker_plan
from support.requests import run_request
from support.sim_plans import study_plan


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    file = tmp_path / "plan.yaml"
    file.write_text(write_plan(study_plan(4)))
    return file


def _prepare(tmp_path: Path, *, keep_data: bool = False, **asked: object) -> Prepared:
    request = run_request(**asked)
    return prepare("sim", request, runs_dir=tmp_path, command=("howdah",), seed=5, keep_data=keep_data)


def test_it_sorts_what_the_cluster_is_planned_for_and_says_that_nothing_is_measured(
    tmp_path: Path, plan_file: Path
) -> None:
    prepared = _prepare(tmp_path, plan=plan_file)
    assert {ROWS.of(one) for one in prepared.job.suite.workloads} == {300_000_000_000}
    said = dict(prepared.introduction)
    assert said["cluster"] == "vsphere6 · 32 hosts, 4 per host · 126 workers"
    assert "simulated, none is measured; not calibrated" in said["sim"]
    assert list(tmp_path.iterdir()) == [plan_file]
    assert prepared.kept() == {}


def test_a_calibration_is_named_and_digested(tmp_path: Path, plan_file: Path) -> None:
    file = tmp_path / "calibration.yaml"
    value = CalibratedValue(name="softness", value=6.0, low=5.0, high=7.0)
    file.write_text(write_calibration(Calibration(name="a test", parameters=(value,))))
    prepared = _prepare(tmp_path, plan=plan_file, calibration=str(file), replications=3)
    said = dict(prepared.introduction)["sim"]
    assert "calibrated by a test" in said
    assert "bands over 3 simulations" in said
    assert isinstance(prepared.engine, SimEngine)
    drawn = [one["softness"] for one in prepared.engine.target.draws]
    assert len(set(drawn)) == 2
    assert 6.0 not in drawn


def test_the_interval_of_samples_grows_with_the_cluster_and_its_work(tmp_path: Path, plan_file: Path) -> None:
    small = _prepare(tmp_path, plan=plan_file, rows=10**7).job.sample_interval_s
    large = _prepare(tmp_path, plan=plan_file).job.sample_interval_s
    assert small < large
    assert _prepare(tmp_path, plan=plan_file, sample_interval_s=0.25).job.sample_interval_s == 0.25


@pytest.mark.parametrize(
    ("where", "asked", "said"),
    [
        ({"plan": None}, {}, ("--plan", "howdah plan hosts.yaml")),
        ({"conf": "/etc/hadoop"}, {}, ("--conf", "--engine hadoop")),
        ({"set": (("a", "b"),)}, {}, ("--set", "--engine hadoop")),
        ({"replications": 5000}, {}, ("--replications 5000", "from 1 to 1,000")),
        ({}, {"keep_data": True}, ("--keep-data", "leave it out")),
        ({}, {"replication": 40}, ("--replication", "at most 32")),
        ({}, {"rows": 10**12}, ("--rows", "give at most --rows 857B")),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path,
    plan_file: Path,
    where: dict[str, object],
    asked: dict[str, object],
    said: tuple[str, str],
) -> None:
    keep_data = bool(asked.pop("keep_data", False))
    with pytest.raises(UserError) as caught:
        _prepare(tmp_path, keep_data=keep_data, **{"plan": plan_file, **where, **asked})
    place, hint = said
    assert caught.value.where == place
    assert hint in caught.value.hint


def test_a_plan_of_one_machine_is_refused(tmp_path: Path, plan_file: Path) -> None:
    plan_file.write_text(write_document(worker_plan(study_plan(4))))
    with pytest.raises(UserError, match="a plan of one machine"):
        _prepare(tmp_path, plan=plan_file)


@pytest.mark.parametrize("field", ["calibration", "replications"])
def test_other_engines_do_not_take_what_only_a_simulation_has(tmp_path: Path, field: str) -> None:
    request = run_request("pi", **{field: "3"})
    with pytest.raises(UserError, match="--engine local does not use it"):
        prepare("local", request, runs_dir=tmp_path, command=(), seed=1, keep_data=False)
