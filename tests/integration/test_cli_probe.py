"""A machine measured, taken into an inventory and simulated, as a user does it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import howdah, tree


def test_a_machine_is_measured_listed_and_simulated(tmp_path: Path) -> None:
    # A short time, and four times the shortest: other tests keep the disk busy meanwhile.
    done = howdah("probe", "--measure", "--seconds", "40", "-o", "w1.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path) == {"w1.yaml"}
    added = howdah("inventory", "add", "w1.yaml", "-o", "hosts.yaml", cwd=tmp_path)
    assert added.returncode == 0, added.stderr
    ran = howdah(
        *("run", "terasuite", "--engine", "sim", "--probe", "w1.yaml", "--rows", "1M", "--json"), cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    record = json.loads(ran.stdout)["run"]
    assert (record["origin"], record["outcome"]) == ("simulated", "succeeded")
    assert [one["workload"]["kind"] for one in record["workloads"]] == ["teragen", "terasort", "teravalidate"]
    assert record["simulated"]["replications"] == 100


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--data-dir", "."), "--data-dir: has no effect without --measure"),
        (("--peer", "w2"), "--peer: has no effect without --measure"),
        (("--measure", "--listen", "7733"), "--listen: only waits for measurements by other hosts"),
        (("--measure", "--seconds", "1"), "--seconds 1: is too short to measure anything useful"),
        (("--measure", "--seconds", "soon"), "--seconds soon: is not a number of seconds"),
        (("--measure", "--peer", "w2:http"), "--peer w2:http: is not a host and a port"),
        (("--listen", "w2:http"), "--listen w2:http: is not a host and a port"),
        (("--listen", "99999"), "--listen 99999: is not a port"),
    ],
)
def test_what_cannot_be_measured_is_one_message(tmp_path: Path, flags: tuple[str, ...], message: str) -> None:
    done = howdah("probe", *flags, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}"), done.stderr
    assert "Traceback" not in done.stderr
    assert tree(tmp_path) == set()


def test_a_machine_that_was_not_measured_cannot_be_simulated(tmp_path: Path) -> None:
    assert howdah("probe", "-o", "w1.yaml", cwd=tmp_path).returncode == 0
    done = howdah("run", "terasuite", "--engine", "sim", "--probe", "w1.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "was probed but not measured, so its speed is unknown" in done.stderr
    assert "howdah probe --measure" in done.stderr
