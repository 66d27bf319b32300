"""``howdah run --engine sim`` as a user meets it: from hosts to a page, refused at once, stopped at once."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.command import HOWDAH, environment, howdah, tree
from support.patience import PATIENCE_S

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    """A directory with the plan of seven hosts."""
    done = howdah("plan", EXAMPLES / "hosts-7.yaml", "--no-page", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_a_planned_cluster_is_simulated_and_reported(planned: Path) -> None:
    arguments = ("--engine", "sim", "--plan", "plan.yaml", "--rows", "100M", "--seed", "5")
    done = howdah("run", "terasuite", *arguments, "--replications", "3", cwd=planned)
    assert done.returncode == 0, done.stderr
    for said in (
        "cluster seven · 7 hosts",
        "simulated, none is measured",
        "not calibrated",
        "for simulating",
    ):
        assert said in done.stdout
    (path,) = (planned / "runs").glob("2*")
    page = (path / "report.html").read_text()
    assert "Computed by the simulator, not measured" in page
    assert "How far chance moves the simulated times" in page
    listed = howdah("runs", cwd=planned)
    assert "simulated" in listed.stdout
    shown = howdah("runs", "show", "last", cwd=planned)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0].endswith("simulated")


def test_the_record_as_json_says_simulated(planned: Path) -> None:
    arguments = ("--engine", "sim", "--plan", "plan.yaml", "--rows", "10M", "--json")
    done = howdah("run", "teragen", *arguments, cwd=planned)
    run = json.loads(done.stdout)["run"]
    assert (run["origin"], run["engine"], run["outcome"]) == ("simulated", "sim", "succeeded")
    assert run["simulated"]["activities"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "howdah plan hosts.yaml makes plan.yaml"),
        (("--plan", "plan.yaml", "--rows", "1T"), "give at most --rows"),
        (
            ("--plan", "plan.yaml", "--replication", "8", "--rows", "1M"),
            "8 replicas of a block need 8 hosts",
        ),
        (("--plan", "plan.yaml", "--block-size", "9999PB"), "give from 1MiB to 8191PiB"),
        (("--plan", "plan.yaml", "--keep-data"), "has no effect, because a simulation writes no data"),
        (("--plan", "plan.yaml", "--calibration", "plan.yaml"), "is a plan, not a calibration"),
        (("--plan", "absent.yaml"), "no such file"),
    ],
)
def test_what_cannot_be_is_refused_in_one_message(
    planned: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = tree(planned)
    done = howdah("run", "terasuite", "--engine", "sim", *arguments, cwd=planned)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert done.stdout == ""
    assert tree(planned) == before


def test_a_stopped_simulation_leaves_a_readable_record(tmp_path: Path) -> None:
    hosts = EXAMPLES / "hosts-32.yaml"
    done = howdah("plan", hosts, "--workload", "terasuite:30TB", "--no-page", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    child = subprocess.Popen(
        [HOWDAH, "run", "terasuite", "--engine", "sim", "--plan", "plan.yaml", "--replications", "500"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(6000):
        if list((tmp_path / "runs").glob("2*/run.json")):
            break
        time.sleep(0.01)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, complaint = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 130, complaint
    assert "stopped by the user" in complaint
    assert "Traceback" not in complaint
    (record,) = (tmp_path / "runs").glob("2*/run.json")
    assert json.loads(record.read_text())["outcome"] == "aborted"
