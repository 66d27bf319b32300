"""Every engine there is, each on the smallest thing it runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.daemons import FETCH, LIB
from support.hadoop_cluster import HadoopCluster, hadoop_cluster
from support.rigs import HadoopRig, LocalRig, Rig, SimRig, SuiteRun, run_suite, work_dir_of

MakeRig = Callable[[Path, str], Rig]
"""Makes a rig from a directory of this machine and the name of a test."""


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HadoopCluster]:
    """A real Hadoop on one host."""
    if not LIB.exists():
        pytest.skip(f"Hadoop's jars are not there: {FETCH}")
    with hadoop_cluster(tmp_path_factory.mktemp("hadoop")) as running:
        yield running


@pytest.fixture(scope="session", params=["local", "sim", "hadoop"])
def make_rig(request: pytest.FixtureRequest) -> MakeRig:
    """Every engine."""
    if request.param == "local":
        return lambda root, test: LocalRig(root)
    if request.param == "sim":
        return lambda root, test: SimRig(root)
    running = request.getfixturevalue("cluster")
    return lambda root, test: HadoopRig(running, root, work_dir_of(test))


@pytest.fixture
def rig(make_rig: MakeRig, tmp_path: Path, request: pytest.FixtureRequest) -> Rig:
    """An engine with a place of its own for this test."""
    return make_rig(tmp_path, request.node.name)


@pytest.fixture(scope="session")
def terasuite(make_rig: MakeRig, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A suite that was run once, for all tests that only look at what became of it."""
    return run_suite(make_rig(tmp_path_factory.mktemp("terasuite"), "terasuite"))
