"""What a plan on shared hosts is predicted to take: with neighbours that use their parts, and idle ones."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from howdah.documents.files import read_plan, write_plan
from howdah.model.prediction import Prediction
from howdah.report.prediction.predicted import predicted
from howdah.report.terminal import terminal
from howdah.report.write import write_document
from howdah.session.predict.predicting import predict
from howdah.simulation.translate import translate
from support.labs import lab_plan
from support.requests import run_request
from support.shared_labs import shared_pair
from support.sim_plans import suite_on


def made(plan: Path, folder: Path) -> Prediction:
    return predict(
        plan,
        run_request("terasuite", rows=2_000_000),
        calibration=None,
        replications=3,
        seed=5,
        name="made",
        directory=folder / "predictions",
        tell=lambda done: None,
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
    assert all(idle[what].median <= 1.02 * busy[what].median for what in busy)
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
