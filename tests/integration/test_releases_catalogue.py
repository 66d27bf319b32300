"""The catalogue of a release is what its jars say."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from howdah.releases.catalogue import DATA

ROOT = Path(__file__).parents[2]


@pytest.mark.exam("jobs")
@pytest.mark.skipif(
    not (ROOT / "build/hadoop/3.5.0/lib").is_dir() or shutil.which("javac") is None,
    reason="needs Hadoop's jars (scripts/catalogue.sh fetches them) and a JDK",
)
def test_making_it_anew_gives_the_same_file(tmp_path: Path) -> None:
    subprocess.run(
        ["sh", ROOT / "scripts/catalogue.sh", "hadoop-3.5.0"],
        env={**os.environ, "DATA": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    made = tmp_path / "hadoop-3.5.0.json"
    assert made.read_bytes() == (DATA / made.name).read_bytes()
