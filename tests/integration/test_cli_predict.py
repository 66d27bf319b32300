"""``howdah predict`` as a user meets it: a table, a file that stays, and what makes no sense refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import howdah, tree

EXAMPLES = Path(__file__).parents[2] / "examples"
ASKED = ("--rows", "100M", "--replications", "3", "--seed", "5")


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the plan of seven hosts."""
    directory = tmp_path_factory.mktemp("planned")
    done = howdah("plan", EXAMPLES / "hosts-7.yaml", "--no-page", "--quiet", cwd=directory)
    assert done.returncode == 0, done.stderr
    return directory


def test_a_prediction_is_printed_and_kept_before_anything_runs(planned: Path) -> None:
    done = howdah("predict", "plan.yaml", *ASKED, "--name", "first", cwd=planned)
    assert done.returncode == 0, done.stderr
    for said in (
        "teragen",
        "map-shuffle",
        "3 simulations, not calibrated: no intervals are known",
        "give `--calibration published`",
        "sorted from 3 replicas into 1 (--output-replication)",
        "predictions/first",
    ):
        assert said in done.stdout
    assert "90 % interval" not in done.stdout
    assert "±" not in done.stdout
    kept = json.loads((planned / "predictions/first/prediction.json").read_text())
    assert {(one["low"], one["high"]) for one in kept["forecasts"]} == {(None, None)}
    assert [one["workload"] for one in kept["forecasts"] if one["phase"] is None] == [
        "teragen",
        "terasort",
        "teravalidate",
    ]
    assert set(kept["digests"]) == {"plan", "suite"}
    page = planned / "predictions/first/prediction.html"
    assert str(page.relative_to(planned)) in done.stdout
    assert kept["digests"]["plan"] in page.read_text()
    assert not (planned / "runs").exists()
    again = howdah("predict", "plan.yaml", *ASKED, "--name", "first", cwd=planned)
    assert again.returncode == 2
    assert "already exists" in again.stderr
    same = howdah("predict", "plan.yaml", *ASKED, "--name", "second", "--json", cwd=planned)
    assert json.loads(same.stdout)["forecasts"] == kept["forecasts"]


def test_a_simulated_run_is_no_measurement(planned: Path) -> None:
    howdah("predict", "plan.yaml", *ASKED, "--name", "third", cwd=planned)
    run = ("run", "terasuite", "--engine", "sim", "--plan", "plan.yaml", "--rows", "100M", "--quiet")
    assert howdah(*run, cwd=planned).returncode == 0
    done = howdah("score", "last", "--prediction", "third", cwd=planned)
    assert done.returncode == 2
    assert "it was simulated, and only a measured run can be scored" in done.stderr


def test_one_change_is_simulated_beside_the_plan_and_nothing_is_kept(planned: Path) -> None:
    before = tree(planned)
    # As much data as the hosts' page caches do not hold, so that disks matter.
    request = ("--rows", "4B", "--replications", "3", "--seed", "5")
    asked = ("--what-if", "disks=2", "--what-if", "hosts=14", "--calibration", "published")
    done = howdah("predict", "plan.yaml", *request, *asked, "--json", cwd=planned)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    effects = {one["quantity"]: one for one in found["effects"]}
    assert effects["disks"]["before"] == "10"
    assert effects["disks"]["share"] > 0
    assert effects["hosts"]["share"] < 0
    for one in effects.values():
        assert one["low"] <= one["share"] <= one["high"]
        assert one["tells"] == (one["low"] > 0 or one["high"] < 0)
    assert tree(planned) == before
    shown = howdah("predict", "plan.yaml", *request, "--what-if", "disks=2", "-o", "tornado", cwd=planned)
    assert "shorter │ longer" in shown.stdout
    assert "90 % interval" not in shown.stdout
    assert (planned / "tornado/data/effects.csv").read_text().startswith("quantity,")
    assert "terasuite would take" in (planned / "tornado/what-if.html").read_text()
    fresh = set(tree(planned)) - set(before)
    assert {one.parts[0] for one in map(Path, fresh)} == {"tornado"}


def test_a_plan_grows_by_hosts_with_as_much_work_for_each(planned: Path) -> None:
    before = tree(planned)
    done = howdah("predict", "plan.yaml", "--rows", "70M", "--sweep", "hosts=7..70", "--json", cwd=planned)
    assert done.returncode == 0, done.stderr
    points = json.loads(done.stdout)["points"]
    assert [one["hosts"] for one in points][:: len(points) - 1] == [7, 70]
    assert len(points) == 7
    assert {one["dataset_bytes"] / one["hosts"] for one in points} == {1e9}
    loads = [max(one["namenode"], one["scheduler"]) for one in points]
    assert loads[-1] > loads[0]
    shown = howdah("predict", "plan.yaml", "--sweep", "dataset=1GB..2GB", cwd=planned)
    assert "No master saturates: at 2.00 GB" in shown.stdout
    assert "90 % interval" not in shown.stdout
    assert tree(planned) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("predict", "nosuch.yaml"), "nosuch.yaml"),
        (("predict", "plan.yaml", "--rows", "1T"), "give at most --rows"),
        (("predict", "plan.yaml", "--replications", "2"), "give from 3 to 1,000"),
        (("predict", "plan.yaml", "--replications", "1000000000"), "give from 3 to 1,000"),
        (("predict", "plan.yaml", "--seed", "-1"), "--seed"),
        (("predict", "plan.yaml", "--name", "../up"), "is not a valid name of a prediction"),
        (("predict", "plan.yaml", "--calibration", "nosuch.yaml"), "nosuch.yaml"),
        (("predict", "plan.yaml", "--suite", "storage"), "--suite: --engine sim does not run storage"),
        (("predict", "plan.yaml", "--what-if", "disk=1"), "NAME=VALUE of hosts, disks"),
        (("predict", "plan.yaml", "--what-if", "hosts=1000000000"), "10,000 hosts"),
        (("predict", "plan.yaml", "--what-if", "disks=many"), "is not a quantity"),
        (("predict", "plan.yaml", "--what-if", "disks=0"), "--what-if disks=0: is out of range"),
        (("predict", "plan.yaml", "--what-if", "disks=1000000"), "is more than a host has\n"),
        (
            ("predict", "plan.yaml", "--what-if", "block-size=1"),
            "--what-if block-size=1: is not a block size of HDFS",
        ),
        (("predict", "plan.yaml", "--output-replication", "8"), "--output-replication: 8 replicas"),
        (("predict", "plan.yaml", "--predictions-dir", "plan.yaml"), "plan.yaml: is a file"),
        (("predict", "plan.yaml", "--sweep", "dataset=2TB..1TB"), "give dataset=1TB..100TB"),
        (("predict", "plan.yaml", "--sweep", "hosts=10"), "give hosts=10..1000"),
        (("predict", "plan.yaml", "--sweep", "hosts=20..10"), "does not ascend"),
        (("predict", "plan.yaml", "--sweep", "hosts=7..2000000000"), "10,000 hosts"),
        (("predict", "plan.yaml", "--sweep", "dataset=1GB..1EB"), "dataset=1GB..1EB"),
        (
            ("predict", "plan.yaml", "--sweep", "hosts=7..9", "--what-if", "all"),
            "--sweep: conflicts with --what-if",
        ),
        (("score", "last", "--runs-dir", "nowhere"), "nowhere"),
        (("score",), "contains no score"),
        (("predict", "plan.yaml", "--what-if", "all", "-o", "plan.yaml"), "--output plan.yaml: is a file"),
    ],
)
def test_what_makes_no_sense_is_one_message_and_nothing_written(
    planned: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = tree(planned)
    done = howdah(*arguments, cwd=planned)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(planned) == before


def test_operations_too_few_for_every_kind_to_occur_are_predicted(tmp_path: Path) -> None:
    done = howdah(
        "plan", EXAMPLES / "hosts-hbase.yaml", "--workload", "ycsb:1M", "--no-page", "--quiet", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    # One operation of twenty is an update: some of the simulations have none.
    command = ("predict", "plan.yaml", "--suite", "ycsb-b", "--operations", "30", "--seed", "1", "--json")
    done = howdah(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    metrics = {forecast["metric"] for forecast in json.loads(done.stdout)["forecasts"]}
    assert {"throughput", "read, 50 % within"} <= metrics
    swept = howdah(*command[:-1], "--sweep", "threads=1..8", cwd=tmp_path)
    assert swept.returncode == 0, swept.stderr
