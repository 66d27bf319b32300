"""``howdah tune`` as a user meets it: a tuned plan with reasons, a page, a search that survives a kill."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from howdah.documents.files import read_plan
from support.command import ForkedCommand, howdah, tree

EXAMPLES = Path(__file__).parents[2] / "examples"
SPACE = """\
parameters:
  dfs.blocksize: [64MiB, 128MiB, 256MiB, 512MiB]
  mapreduce.map.output.compress.codec: [none, planned]
  mapreduce.job.reduce.slowstart.completedmaps: [0, 0.05, 0.8]
  mapreduce.job.reduces: [70, planned, 280]
others: planned
"""
ASKED = ("--rows", "100M", "--trials", "40", "--replications", "3", "--seed", "5", "--space", "space.yaml")


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the plan of seven hosts and a small space."""
    directory = tmp_path_factory.mktemp("tuned")
    done = howdah("plan", EXAMPLES / "hosts-7.yaml", "--no-page", "--quiet", cwd=directory)
    assert done.returncode == 0, done.stderr
    (directory / "space.yaml").write_text(SPACE)
    return directory


@pytest.fixture(scope="module")
def first(planned: Path) -> str:
    """What the first search printed."""
    done = howdah("tune", "plan.yaml", *ASKED, "--name", "first", cwd=planned)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_tuned_plan_is_a_plan_with_the_evidence_for_every_value(planned: Path, first: str) -> None:
    assert "4 parameters" in first
    assert "less time than the rules' plan" in first
    assert "plan  tuned.yaml" in first
    tuning = json.loads((planned / "tune/first/tuning.json").read_text())
    best = tuning["finalists"][0]
    assert best["share"] < 0
    assert not best["breaks"]
    tuned = {setting.key: setting for setting in read_plan(planned / "tuned.yaml").settings}
    for key in best["values"]:
        assert tuned[key].reason.startswith("simulated: ")
        assert tuned[key].source == "howdah tune first"
    rendered = howdah("render", "tuned.yaml", "--output", "conf", cwd=planned)
    assert rendered.returncode == 0, rendered.stderr
    page = (planned / "tune/first/page.html").read_text()
    assert "less time than the rules" in page
    again = howdah("tune", "plan.yaml", *ASKED, "--name", "first", cwd=planned)
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_a_search_on_more_hosts_than_a_lab_here_has_is_raced_on_none(planned: Path, first: str) -> None:
    assert "--race labs" not in first
    done = howdah("tune", "--resume", "first", "--race", "labs", cwd=planned)
    assert done.returncode == 2
    assert "--race labs: cannot have the hosts of this search: a lab here has smaller ones" in done.stderr
    assert "start another search with --race labs" in done.stderr


def test_a_search_that_is_killed_continues_to_the_same_result(planned: Path, first: str) -> None:
    command = ForkedCommand("tune", "plan.yaml", *ASKED, "--name", "killed", "-o", "killed.yaml", cwd=planned)
    trials = planned / "tune/killed/trials.jsonl"
    while command.poll() is None and not (trials.exists() and trials.read_text().count("\n") >= 5):
        time.sleep(0.01)
    command.kill()
    command.wait()
    # What a kill leaves of a line is no trial.
    with trials.open("a") as file:
        file.write('{"values": {"dfs.blo')
    done = howdah("tune", "--resume", "killed", "-o", "killed.yaml", "--json", cwd=planned)
    assert done.returncode == 0, done.stderr
    before = json.loads((planned / "tune/first/tuning.json").read_text())
    after = json.loads((planned / "tune/killed/tuning.json").read_text())
    for name in ("id", "elapsed_s"):
        before.pop(name), after.pop(name)
    assert after == before


def test_two_processes_do_not_work_on_one_search(planned: Path) -> None:
    command = ForkedCommand("tune", "plan.yaml", *ASKED, "--name", "busy", "-o", "busy.yaml", cwd=planned)
    while not (planned / "tune/busy/trials.jsonl").exists():
        assert command.poll() is None
        time.sleep(0.01)
    done = howdah("tune", "--resume", "busy", cwd=planned)
    command.kill()
    command.wait()
    assert done.returncode == 2
    assert "another process is running this search" in done.stderr


def test_the_space_is_listed_without_a_trial(planned: Path) -> None:
    before = tree(planned)
    done = howdah("tune", "plan.yaml", "--show-space", cwd=planned)
    assert done.returncode == 0, done.stderr
    assert "mapreduce.reduce.shuffle.parallelcopies" in done.stdout
    assert "it decides how safe the data are, not how fast" in done.stdout
    assert tree(planned) == before


def test_a_space_of_which_nothing_can_be_simulated_is_named_with_the_reason(planned: Path) -> None:
    (planned / "refused.yaml").write_text(
        "parameters: {mapreduce.map.memory.mb: [900000, 900001]}\nothers: planned\n"
    )
    done = howdah("tune", "plan.yaml", "--space", "refused.yaml", "--trials", "20", cwd=planned)
    assert done.returncode == 2
    assert "refused.yaml: leaves no candidate that can be simulated: " in done.stderr
    assert not (planned / "tuned-refused.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "needs a plan, or a search to continue"),
        (("plan.yaml", "--trials", "3"), "--trials 3: is out of range"),
        (("plan.yaml", "--suite", "terasrot"), "'terasrot' is not a suite"),
        (("plan.yaml", "--break", "no.rule"), "there is no rule with this id"),
        (("plan.yaml", "-o", "plan.yaml"), "is the plan to improve"),
        (("plan.yaml", "-o", "space.yaml"), "exists and is not a plan"),
        (("plan.yaml", "-o", "nowhere/tuned.yaml"), "nowhere is not a directory"),
        (("plan.yaml", "--name", "../x"), "is not a valid name of a search"),
        (("--resume", "nothing"), "no such search in tune"),
        (("space.yaml",), "space.yaml"),
    ],
)
def test_a_mistake_is_one_message_and_leaves_nothing(
    planned: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = tree(planned)
    done = howdah("tune", *arguments, cwd=planned)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(planned) == before
