"""Runs on a cluster that howdah did not start, and rows that both engines take for sorted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from howdah.documents.files import read_inventory
from howdah.store.reader import read_run
from support.command import howdah
from support.foreign import Foreign, foreign_cluster
from support.hadoop_cluster import needs_hadoop

pytestmark = [needs_hadoop, pytest.mark.exam("foreign")]

ROWS = "200k"
# Every task is a JVM, whose start takes longer than its rows.
TASKS = ("--maps", "2", "--reduces", "2")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Foreign]:
    with foreign_cluster(tmp_path_factory.mktemp("foreign")) as started:
        yield started


def run(cluster: Foreign, cwd: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A run on the cluster."""
    words = ("run", *arguments, "--engine", "hadoop", "--conf", cluster.client)
    return howdah(*words, cwd=cwd)


def record(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The record that ``--json`` printed."""
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["run"]
    return found


def test_a_run_leaves_the_cluster_as_it_was(cluster: Foreign, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in cluster.client.iterdir()}
    words = ("teragen", "--rows", ROWS, "--maps", "2", "--replication", "1", "--json")
    found = record(run(cluster, tmp_path, *words))
    local = howdah("run", "teragen", "--rows", ROWS, "--json", cwd=tmp_path)

    (sum_,) = (one["checksum"] for one in found["workloads"])
    assert sum_ == record(local)["workloads"][0]["checksum"], "as the local engine's"
    assert found["workloads"][0]["replicas"]["replicas"] == found["workloads"][0]["replicas"]["blocks"]
    assert found["cluster"]["lab"] is None
    assert {path.name: path.read_bytes() for path in cluster.client.iterdir()} == before
    left = cluster.hdfs("-ls", "-R", "/").splitlines()
    assert [line for line in left if "howdah" in line or "part-" in line] == []


def test_hadoop_and_the_local_engine_take_one_anothers_output_for_sorted(
    cluster: Foreign, tmp_path: Path
) -> None:
    kept = howdah("run", "terasuite", "--rows", ROWS, *TASKS, "--keep-data", "--json", cwd=tmp_path)
    expected = record(kept)["workloads"][2]["checksum"]
    cluster.hdfs("-mkdir", "-p", "/exchange")
    cluster.hdfs("-put", str(tmp_path / "howdah-data/howdah/terasort"), "/exchange/local")
    by_hadoop = record(run(cluster, tmp_path, "teravalidate", "--input", "/exchange/local", "--json"))
    assert by_hadoop["workloads"][0]["checksum"] == expected
    assert by_hadoop["workloads"][0]["validation_errors"] == []

    cluster.hdfs("-mkdir", "-p", "/exchange/rows")
    cluster.hdfs(
        "-put", *map(str, sorted((tmp_path / "howdah-data/howdah/teragen").glob("part-*"))), "/exchange/rows"
    )
    sorted_there = record(
        run(
            cluster,
            tmp_path,
            "terasort",
            "--input",
            "/exchange/rows",
            "--reduces",
            "2",
            "--keep-data",
            "--json",
        )
    )
    path = f"{sorted_there['cluster']['work_dir']}/{sorted_there['id']}/terasort"
    cluster.hdfs("-get", path, str(tmp_path / "fetched"))
    by_local = howdah("run", "teravalidate", "--input", "fetched", "--json", cwd=tmp_path)
    assert record(by_local)["workloads"][0]["checksum"] == expected


def test_the_default_number_of_tasks_runs_at_once_beside_the_application_master(
    cluster: Foreign, tmp_path: Path
) -> None:
    # 4096 MiB less 768 for the master, which asks for 640 in steps of 256, hold six maps of 512.
    found = record(run(cluster, tmp_path, "pi", "--samples", "1000", "--json"))
    assert found["suite"]["workloads"][0]["maps"] == 6
    tasks = read_run(tmp_path / "runs" / found["id"]).tasks.to_pylist()
    maps = [one for one in tasks if one["kind"] == "map"]
    assert sorted(one["slot"] for one in maps) == list(range(6)), "each in a place of its own"
    assert {one["job"] for one in maps} == {found["workloads"][0]["job"]["id"]}


def test_one_machine_is_imported_as_one_host(cluster: Foreign, tmp_path: Path) -> None:
    """Its DataNodes register as localhost, and its configuration has 127.0.0.1 for the masters."""
    words = ("inventory", "import", "--conf", cluster.client, "--output", "hosts.yaml")
    done = howdah(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (group,) = read_inventory(tmp_path / "hosts.yaml").groups
    assert (group.count, len(group.names)) == (1, 1)


def test_a_stopped_queue_and_a_wrong_one_are_refused(cluster: Foreign, tmp_path: Path) -> None:
    for queue, word in (("closed", "STOPPED"), ("nowhere", "default")):
        done = run(cluster, tmp_path, "pi", "--maps", "1", "--samples", "10", "--queue", queue)
        assert done.returncode == 2
        assert word.lower() in done.stderr.lower()
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()
