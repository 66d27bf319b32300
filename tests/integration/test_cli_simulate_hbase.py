"""``howdah run ycsb --engine sim`` and ``howdah predict`` of it, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import howdah

EXAMPLES = Path(__file__).parents[2] / "examples"
SIM = ("--engine", "sim", "--plan", "plan.yaml")
FEW = ("--records", "100k", "--operations", "5k", "--seed", "5")


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the plan of the study's HBase, and of seven hosts without one."""
    directory = tmp_path_factory.mktemp("planned")
    for hosts, name in (("hosts-hbase.yaml", "plan.yaml"), ("hosts-7.yaml", "jobs.yaml")):
        work = ("--workload", "ycsb:1M") if name == "plan.yaml" else ()
        done = howdah("plan", EXAMPLES / hosts, *work, "--no-page", "-o", name, cwd=directory)
        assert done.returncode == 0, done.stderr
    return directory


def test_a_suite_is_run_and_reported_as_simulated(planned: Path) -> None:
    done = howdah("run", "ycsb", *SIM, *FEW, cwd=planned)
    assert done.returncode == 0, done.stderr
    assert "every figure below is simulated, none is measured; not calibrated" in done.stdout
    assert "100,000 records of 1.00 kB" in done.stdout
    (page,) = (planned / "runs").glob("*/report.html")
    text = page.read_text()
    assert "ycsb-read-heavy" in text
    assert "imulated" in text
    record = json.loads((page.parent / "run.json").read_text())
    assert record["origin"] == "simulated"
    assert record["workloads"][0]["workload"]["kind"] == "ycsb-load"
    assert (page.parent / "latencies.parquet").exists()


def test_throughput_and_times_are_predicted_and_kept(planned: Path) -> None:
    asked = ("predict", "plan.yaml", "--suite", "ycsb-f", *FEW, "--replications", "3")
    done = howdah(*asked, "--name", "first", cwd=planned)
    assert done.returncode == 0, done.stderr
    for said in ("throughput", "read-modify-write, 99 % within", "/s", " ms", "not calibrated"):
        assert said in done.stdout
    kept = json.loads((planned / "predictions/first/prediction.json").read_text())
    assert {one["metric"] for one in kept["forecasts"]} >= {"throughput", "update, 50 % within"}
    assert {one["unit"] for one in kept["forecasts"]} == {"1/s", "s"}
    page = (planned / "predictions/first/prediction.html").read_text()
    assert "ycsb-f would reach a throughput of" in page
    same = howdah(*asked, "--name", "second", "--json", cwd=planned)
    assert json.loads(same.stdout)["forecasts"] == kept["forecasts"]


def test_a_change_of_the_hosts_is_simulated(planned: Path) -> None:
    done = howdah(
        *("predict", "plan.yaml", "--suite", "ycsb-c", *FEW, "--replications", "3"),
        *("--what-if", "hosts=6", "--json"),
        cwd=planned,
    )
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)["effects"]
    assert effect["quantity"] == "hosts"
    # As many threads ask twice as many servers: no slower.
    assert effect["share"] < 0.05


@pytest.mark.parametrize(
    ("suite", "flags", "said"),
    [
        ("ycsb-b", ("--p99", "10ms"), "--p99: --engine sim does not use it"),
        ("ycsb-b", ("--warm-up", "10"), "--warm-up: --engine sim does not use it"),
        ("ycsb-load", ("--compression", "snappy"), "--compression: --engine sim does not use it"),
        ("hbase-pe", (), "only YCSB's client is simulated"),
        ("ycsb-b", ("--keep-data",), "has no effect, because a simulation writes no data"),
        ("ycsb-load", ("--records", "100B"), "planned data disks have"),
    ],
)
def test_what_is_not_simulated_is_refused_in_one_message(
    planned: Path, suite: str, flags: tuple[str, ...], said: str
) -> None:
    done = howdah("run", suite, *SIM, *flags, cwd=planned)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plan_without_hbase_cannot_be_asked(planned: Path) -> None:
    done = howdah("run", "ycsb", "--engine", "sim", "--plan", "jobs.yaml", cwd=planned)
    assert done.returncode == 2
    assert "has no HBase for ycsb" in done.stderr
    assert "--workload ycsb" in done.stderr
