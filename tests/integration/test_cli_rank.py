"""``howdah plan`` with a calibration: platforms simulated, and what cannot be ranked so is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howdah.documents.files import write_calibration
from howdah.model.calibration import CalibratedValue, Calibration, Residual
from support.command import howdah

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def calibrated(tmp_path: Path) -> Path:
    """A directory with a calibration in it."""
    calibration = Calibration(
        name="a test",
        parameters=(CalibratedValue(name="softness", value=6.0, low=5.0, high=7.0),),
        residuals=(Residual(quantity="terasort", relative=0.02, cells=10),),
    )
    (tmp_path / "calibration.yaml").write_text(write_calibration(calibration))
    return tmp_path


def test_platforms_are_simulated_where_there_is_a_calibration(calibrated: Path) -> None:
    arguments = (
        "--workload",
        "terasuite:100GB",
        "--weigh-virtual",
        "--profile",
        "paper",
        "--no-page",
        "--json",
    )
    done = howdah(
        "plan", EXAMPLES / "hosts-7.yaml", *arguments, "--calibration", "calibration.yaml", cwd=calibrated
    )
    assert done.returncode == 0, done.stderr
    candidates = json.loads(done.stdout)["cluster"]["candidates"]
    tried = [one for one in candidates if one["verdict"] != "refused"]
    assert len(tried) > 2
    assert all(one["judgements"][0]["text"].startswith("simulated ") for one in tried)
    (fastest,) = [one for one in tried if one["judgements"][0]["text"].startswith("simulated fastest, in ")]
    said = "TeraSort of 100 GB on 7 hosts, 5 simulations of each platform, calibrated by a test"
    assert said in fastest["judgements"][0]["text"]
    assert [one["verdict"] for one in tried].count("recommended") == 1
    assert tried[0]["verdict"] == "recommended"


def test_work_that_is_not_simulated_is_ranked_by_rules_and_it_is_said(calibrated: Path) -> None:
    arguments = ("--workload", "ycsb:300M", "--calibration", "calibration.yaml", "--no-page", "--json")
    done = howdah("plan", EXAMPLES / "hosts-hbase.yaml", *arguments, cwd=calibrated)
    assert done.returncode == 0, done.stderr
    advice = [one["text"] for one in json.loads(done.stdout)["cluster"]["advice"]]
    assert "Platforms are ranked by rules alone: HBase is not simulated." in advice


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rank", "simulate"), "give --calibration FILE"),
        (("--rank", "guess"), "one of rules, simulate"),
        (("--calibration", "nosuch.yaml"), "nosuch.yaml"),
        (
            ("--workload", "ycsb:300M", "--rank", "simulate", "--calibration", "calibration.yaml"),
            "HBase is not simulated",
        ),
    ],
)
def test_a_ranking_that_cannot_be_is_refused(calibrated: Path, arguments: tuple[str, ...], said: str) -> None:
    done = howdah("plan", EXAMPLES / "hosts-7.yaml", *arguments, cwd=calibrated)
    assert done.returncode == 2
    assert said in done.stderr
    assert [one.name for one in calibrated.iterdir()] == ["calibration.yaml"]
