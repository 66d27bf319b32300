"""``howdah study`` as a user has it: the matrix, the paper, and a study that is killed again and again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from support.command import HOWDAH, environment, howdah
from support.studies import SIMULATED


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(SIMULATED)
    return path


def test_a_matrix_is_shown_and_nothing_is_written(file: Path, tmp_path: Path) -> None:
    shown = howdah("study", file, "--dry-run", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "8 runs left, about " in shown.stdout
    assert "from one simulation just now" in shown.stdout
    assert "64MiB       10GB        0     2" in shown.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.yaml"]
    content = json.loads(howdah("study", file, "--dry-run", "--json", cwd=tmp_path).stdout)
    assert len(content["cells"]) == 4
    assert [one["repeat"] for one in content["left"]] == [1, 1, 1, 1, 2, 2, 2, 2]


def test_earlier_runs_tell_how_long_a_study_of_this_machine_takes(tmp_path: Path) -> None:
    codecs = tmp_path / "codecs.yaml"
    codecs.write_text(
        "howdah: 1\nstudy: codecs\nquestion: Which?\nsuite: terasuite\n"
        "settings: {engine: local, dataset: 20MB}\n"
        "factors:\n  - {vary: codec, values: [none, lz4]}\n"
    )
    assert (
        "their duration is unknown until the first run ends"
        in howdah("study", codecs, "--dry-run", cwd=tmp_path).stdout
    )
    ran = howdah("run", "terasuite", "--rows", "100000", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    record = json.loads(next((tmp_path / "runs").glob("*/run.json")).read_text())
    matrix = json.loads(howdah("study", codecs, "--dry-run", "--json", cwd=tmp_path).stdout)
    # Six runs of twice the data.
    assert matrix["expected_s"] == pytest.approx(6 * 2 * record["elapsed_s"])
    assert matrix["expected_from"] == "from earlier runs in runs/"


def test_a_cell_that_cannot_be_planned_is_told_before_anything_runs(file: Path, tmp_path: Path) -> None:
    file.write_text(SIMULATED.replace("hypervisor: none", "hypervisor: none\n  records: 5"))
    refused = howdah("study", file, "--dry-run", cwd=tmp_path)
    assert refused.returncode == 2
    assert "block size 64MiB, dataset 10GB: has records, which only YCSB uses" in refused.stderr


@pytest.mark.exam("studies")
def test_a_killed_study_neither_loses_nor_repeats_a_run(file: Path, tmp_path: Path) -> None:
    place = tmp_path / "blocks"
    rng = random.Random(7)
    ended: dict[Path, bytes] = {}
    kills = 0
    while True:
        process = subprocess.Popen(
            [HOWDAH, "study", file, "--dir", place, "--quiet"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            # The first ones hardly come to their first run; later ones come further.
            process.wait(timeout=rng.uniform(1.0, 3.0) + kills)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        for path, content in ended.items():
            assert path.read_bytes() == content, "a run that had ended was made again"
        for path in place.glob("runs/*/run.json"):
            content = path.read_bytes()
            if json.loads(content)["outcome"] == "succeeded":
                ended[path] = content
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
    assert kills >= 1
    names = sorted(path.parent.name for path in ended)
    assert names == [f"{cell:03d}-{repeat:02d}" for cell in range(1, 5) for repeat in (1, 2)]
    assert {path.name for path in (place / "runs").iterdir() if path.is_dir()} == set(names)
    assert (place / "paper" / "study.html").exists()


def test_evidence_goes_to_another_machine(file: Path, tmp_path: Path) -> None:
    assert howdah("study", file, "--dir", "blocks", "--quiet", cwd=tmp_path).stdout == (
        "blocks/paper/study.html\n"
    )
    exported = howdah("study", "export", "blocks", cwd=tmp_path)
    assert exported.stdout == "blocks.tar.gz\n"
    verified = howdah("study", "verify", "blocks.tar.gz", cwd=tmp_path)
    assert verified.returncode == 0, verified.stderr
    assert "8 records among them" in verified.stdout
    assert "byte for byte the same" in verified.stdout
    refused = howdah("study", "export", "nowhere", cwd=tmp_path)
    assert refused.returncode == 2
    assert "nowhere: contains no study" in refused.stderr
