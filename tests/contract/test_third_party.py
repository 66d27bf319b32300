"""A workload and an engine of another package: their flags, their runs, and what is made of these.

Nothing of howdah names them; their package does, in a line each of its entry points.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.command import HOWDAH, environment
from support.hadoop_cluster import HadoopCluster

pytestmark = pytest.mark.xdist_group("cluster")

PLUGIN = Path(__file__).parents[1] / "data/plugin"
TEXT_BYTES = 100_000


def howdah(*arguments: str | Path, cwd: Path, plugin: Path = PLUGIN) -> subprocess.CompletedProcess[str]:
    """The command, where the package is installed."""
    path = os.pathsep.join(filter(None, [str(plugin), os.environ.get("PYTHONPATH")]))
    env = environment() | {"PYTHONPATH": path, "COLUMNS": "100"}
    return subprocess.run(
        [HOWDAH, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, check=False, env=env
    )


def test_it_is_a_suite_with_flags_and_a_factor_of_studies(tmp_path: Path) -> None:
    usage = howdah("run", "--help-all", cwd=tmp_path)
    assert usage.returncode == 0, usage.stderr
    assert "textwriter" in usage.stdout
    assert "--text-size" in usage.stdout
    schema = json.loads(howdah("study", "schema", cwd=tmp_path).stdout)
    assert "text_size" in schema["$defs"]["CellSettings"]["properties"]


def test_what_it_cannot_do_is_refused_as_howdahs_own_are(tmp_path: Path) -> None:
    for words, says in (
        (("textwriter", "--engine", "local"), "--engine local does not run textwriter"),
        (("pi", "--text-size", "1MB"), "--text-size: pi does not use it"),
        (("textwriter", "--engine", "hadoop", "--samples", "5"), "--samples: textwriter does not use it"),
    ):
        done = howdah("run", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert says in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.exam("jobs")
def test_it_runs_on_hadoop_is_compared_and_reported(cluster: HadoopCluster, tmp_path: Path) -> None:
    runs = []
    for _ in range(2):
        done = howdah(
            *("run", "textwriter", "--engine", "hadoop", "--conf", cluster.conf, "--json"),
            *("--text-size", str(TEXT_BYTES), "--replication", "1"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        runs.append(json.loads(done.stdout))
    record = runs[0]["run"]
    (result,) = record["workloads"]
    maps = result["workload"]["maps"]
    assert result["workload"] == {
        "kind": "textwriter", "maps": maps, "text_bytes": TEXT_BYTES, "replication": 1,
    }  # fmt: skip
    assert result["outcome"] == "succeeded"
    counters = result["job"]["counters"]
    # On a busy machine Hadoop may try a map task twice; not every try that is ended is counted.
    assert counters["JobCounter.TOTAL_LAUNCHED_MAPS"]["total"] >= maps
    # Lines of words are written until there are enough bytes.
    assert result["replicas"]["bytes"] >= maps * TEXT_BYTES
    compared = howdah("compare", *(run["run"]["id"] for run in runs), cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert "textwriter's pace " in compared.stdout
    (metric,) = result["metrics"]
    assert (metric["name"], metric["unit"], metric["better"]) == ("pace", "B/s", "higher")
    page = next((tmp_path / "runs" / record["id"]).rglob("*.html"))
    for words in ("words written", "Reported by the programs", "one map"):
        assert words in page.read_text()


def test_its_engine_runs_it_and_has_a_flag_of_its_own(tmp_path: Path) -> None:
    usage = howdah("run", "--help-all", cwd=tmp_path).stdout
    assert "By a scribe" in usage
    assert "--paper" in usage
    (tmp_path / "paper").mkdir()
    words = ("run", "textwriter", "--engine", "scribe", "--text-size", "1000", "--maps", "2")
    done = howdah(*words, "--paper", "paper", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)["run"]
    assert (record["engine"], record["outcome"]) == ("scribe", "succeeded")
    assert sorted(path.name for path in (tmp_path / "paper").iterdir()) == ["words-0", "words-1"]
    shown = howdah("runs", "show", "last", cwd=tmp_path)
    assert "textwriter" in shown.stdout, shown.stderr
    assert "pace" in done.stdout
    other = howdah("run", "pi", "--paper", "paper", cwd=tmp_path)
    assert (other.returncode, other.stdout) == (2, "")
    assert "--paper: --engine local does not use it" in other.stderr
    assert "--engine scribe does not run pi" in howdah("run", "pi", "--engine", "scribe", cwd=tmp_path).stderr
    study = howdah("study", "schema", cwd=tmp_path)
    engine = json.loads(study.stdout)["$defs"]["CellSettings"]["properties"]["engine"]
    assert "scribe" in str(engine)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("howdah_textwriter:Nothing", "cannot be loaded"),
        ("howdah_textwriter:MIB", "is not a workload whose kind is 'textwriter'"),
    ],
)
def test_a_package_that_brings_none_is_named(tmp_path: Path, value: str, says: str) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "howdah_textwriter.py").write_text((PLUGIN / "howdah_textwriter.py").read_text())
    folder = packages / "textwriter-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text((PLUGIN / folder.name / "METADATA").read_text())
    (folder / "entry_points.txt").write_text(f"[howdah.workloads]\ntextwriter = {value}\n")
    done = howdah("run", "pi", cwd=tmp_path, plugin=packages)
    assert done.returncode == 2
    assert f"textwriter: {value}" in done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
