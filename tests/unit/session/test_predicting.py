"""What a plan on shared hosts is predicted to take: with neighbours that use their parts, and idle ones."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from howdah.documents.files import read_plan, write_calibration, write_plan
from howdah.model.calibration import CalibratedValue, Calibration
from howdah.model.cluster import Laboratory, Scaling
from howdah.model.prediction import Prediction
from howdah.report.prediction.predicted import predicted
from howdah.report.terminal import terminal
from howdah.report.write import write_document
from howdah.session import predicting
from howdah.session.predicting import predict
from howdah.simulation.translate import translate
from support.labs import lab_plan, lab_state
from support.requests import run_request
from support.shared_labs import shared_pair
from support.sim_plans import suite_on


def made(target: Path | str, folder: Path, calibration: Path | None = None) -> Prediction:
    return predict(
        target,
        run_request("terasuite", rows=2_000_000),
        calibration=None if calibration is None else str(calibration),
        replications=3,
        seed=5,
        name="made",
        directory=folder / "predictions",
        report=lambda done: None,
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Prediction:
    folder = tmp_path_factory.mktemp("shared")
    _, second = shared_pair(folder)
    return made(second, folder)


def test_idle_neighbours_leave_a_port_on_which_work_is_done_sooner(shared: Prediction) -> None:
    busy, idle = (
        {(one.workload, one.part): one for one in each} for each in (shared.forecasts, shared.neighbours_idle)
    )
    assert busy.keys() == idle.keys()
    assert all(idle[what].median <= 1.05 * busy[what].median for what in busy)
    # Its replicas cross ports of 50 Mb/s, or of 100.
    assert idle["teragen", None].median < 0.8 * busy["teragen", None].median


def test_both_are_said_in_the_table_and_on_the_page(shared: Prediction, tmp_path: Path) -> None:
    text = io.StringIO()
    Console(width=200, file=text).print(terminal(predicted(shared, None)))
    assert "These hosts are shared with a. All times above are with other clusters" in text.getvalue()
    assert "With the other clusters idle" in text.getvalue()
    page = write_document(predicted(shared, None), tmp_path / "out")
    assert "While the other clusters are idle" in page.read_text()
    assert (tmp_path / "out/data/neighbours-idle.csv").exists()


def test_a_simulated_run_says_how_busy_its_neighbours_are(shared: Prediction) -> None:
    (said,) = [
        warning.text
        for warning in translate(shared.plan, shared.suite, {}, seed=1).warnings
        if warning.code == "shared-hosts"
    ]
    assert said.startswith("the cluster shares hosts with a, which are simulated as using all of their parts")


def test_hosts_of_its_own_have_one_prediction(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(write_plan(lab_plan()))
    own = made(plan, tmp_path)
    assert own.neighbours is None
    assert own.neighbours_idle == ()
    text = io.StringIO()
    Console(width=200, file=text).print(terminal(predicted(own, None)))
    assert "other clusters" not in text.getvalue()
    warnings = translate(read_plan(plan), suite_on(own.plan, rows=2_000_000), {}, seed=1).warnings
    assert "shared-hosts" not in {warning.code for warning in warnings}


def test_a_lab_is_predicted_with_the_cpus_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = lab_plan()
    laboratory = Laboratory(
        name="lab",
        rootless=False,
        isolation=(),
        scaling=(Scaling(what="CPUs per host of workers", planned=2.0, lab=0.5),),
    )
    state = lab_state(tmp_path, plan).model_copy(update={"laboratory": laboratory})
    monkeypatch.setattr(predicting, "state_of", lambda name: state)
    file = tmp_path / "plan.yaml"
    file.write_text(write_plan(plan))
    calibrations = [tmp_path / name for name in ("any.yaml", "lab.yaml")]
    share = CalibratedValue(
        name="core_speed", value=0.25, low=0.25, high=0.25, origin="measured", rests_on=("run 1",)
    )
    for path, parameters in zip(calibrations, ((), (share,)), strict=True):
        path.write_text(write_calibration(Calibration(name=path.stem, parameters=parameters)))
    planned, lab, of_lab = (
        made(target, tmp_path, calibration)
        for target, calibration in ((file, None), ("lab", calibrations[0]), ("lab", calibrations[1]))
    )
    assert (planned.laboratory, lab.laboratory, lab.plan) == (None, laboratory, plan)
    assert lab.forecasts[0].workload == "teragen"
    pairs = zip(lab.forecasts, planned.forecasts, strict=True)
    assert all(slow.median > fast.median for slow, fast in pairs if slow.phase is None)
    # The limits are the lab's own, so a calibration that also has them counts them once.
    assert lab.forecasts == of_lab.forecasts
    assert (
        write_document(predicted(lab, None), tmp_path / "out").read_text().count("lab, as it was built") == 1
    )
