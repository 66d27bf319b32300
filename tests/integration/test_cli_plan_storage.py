"""`howdah plan storage` and coded directories as a user sees them: a comparison, a plan, files, a check."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from howdah.documents.files import read_plan
from support.command import howdah

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a plan of 32 hosts that codes a directory."""
    place = tmp_path_factory.mktemp("coded")
    shutil.copy(EXAMPLES / "hosts-32.yaml", place / "hosts.yaml")
    done = howdah("plan", "hosts.yaml", "--no-page", "--erasure-coding", "/archive=RS-6-3-1024k", cwd=place)
    assert done.returncode == 0, done.stderr
    return place


def _told(place: Path, *words: str) -> dict[str, Any]:
    done = howdah("plan", "storage", "plan.yaml", *words, "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_the_comparison_answers_first_and_gives_reasons(planned: Path) -> None:
    words = ("--data", "60TB", "--file-size", "1GiB", "--age", "180")
    done = howdah("plan", "storage", "plan.yaml", *words, cwd=planned)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith("Recommended for 60.0 TB in files of 1.07 GB, 180 days old on 31 hosts")
    assert first.endswith("RS-10-4-1024k, with 84.1 TB on disks.")
    assert any(line.startswith("3 replicas ") for line in rest)
    told = _told(planned, *words)
    assert [cost["policy"] for cost in told["policies"] if cost["verdict"] == "recommended"] == [
        "RS-10-4-1024k"
    ]
    assert told["data"]["reads_per_month"] == pytest.approx(30 / 180)
    small = _told(planned, "--data", "60TB", "--file-size", "64KiB")
    assert [cost["policy"] for cost in small["policies"] if cost["verdict"] == "recommended"] == [
        "3 replicas"
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--file-size", "0"), "--file-size 0: is not a size"),
        (("--age", "-1"), "--age -1: is not a number"),
        (("--data", "much"), "--data"),
        (("--data", "3"), "--data 3: is less than one file"),
    ],
)
def test_a_mistake_is_one_message(planned: Path, words: tuple[str, ...], says: str) -> None:
    done = howdah("plan", "storage", "plan.yaml", *words, cwd=planned)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_coded_directory_is_planned_rendered_and_refused_where_it_does_not_fit(planned: Path) -> None:
    plan = read_plan(planned / "plan.yaml")
    assert [(one.path, one.policy) for one in plan.cluster.request.coded] == [("/archive", "RS-6-3-1024k")]
    done = howdah("render", "plan.yaml", "--output", "files", cwd=planned)
    assert done.returncode == 0, done.stderr
    readme = (planned / "files/README.md").read_text()
    assert "hdfs ec -enablePolicy -policy RS-6-3-1024k" in readme
    assert "hdfs ec -setPolicy -path /archive -policy RS-6-3-1024k" in readme
    start = (planned / "files/deploy/start.yaml").read_text()
    assert '{path: !unsafe "/archive", owner: hdfs, mode: "1777", policy: RS-6-3-1024k}' in start
    for text, says in (
        ("/archive=RS-7-7-1024k", "'RS-7-7-1024k' is not an erasure coding policy"),
        ("archive=RS-6-3-1024k", "does not name a directory and a policy"),
        ("/app-logs/old=RS-6-3-1024k", "/app-logs needs replicas"),
    ):
        refused = howdah(
            "plan", "hosts.yaml", "--no-page", "--erasure-coding", text, "-o", "x.yaml", cwd=planned
        )
        assert refused.returncode == 2, refused.stdout
        assert says in refused.stderr
    assert not (planned / "x.yaml").exists()
