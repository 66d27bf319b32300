"""Every engine there is, each on the smallest thing it runs on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from howdah.model.engines import HADOOP, LOCAL, SIM, engines
from support.rigs import HadoopRig, LocalRig, Rig, SimRig, SuiteRun, run_suite, work_dir_of

MakeRig = Callable[[Path, str], Rig]
"""Makes a rig from a directory of this machine and the name of a test."""


def _on_hadoop(request: pytest.FixtureRequest) -> MakeRig:
    running = request.getfixturevalue("cluster")
    return lambda root, test: HadoopRig(running, root, work_dir_of(test))


RIGS: dict[str, Callable[[pytest.FixtureRequest], MakeRig]] = {
    LOCAL: lambda request: lambda root, test: LocalRig(root),
    SIM: lambda request: lambda root, test: SimRig(root),
    HADOOP: _on_hadoop,
}
"""What each engine runs on here."""


@pytest.fixture(scope="session", params=engines())
def make_rig(request: pytest.FixtureRequest) -> MakeRig:
    """Every engine that is registered: one that has nothing to run on here fails every test."""
    return RIGS[request.param](request)


@pytest.fixture
def rig(make_rig: MakeRig, tmp_path: Path, request: pytest.FixtureRequest) -> Rig:
    """An engine with a place of its own for this test."""
    return make_rig(tmp_path, request.node.name)


@pytest.fixture(scope="session")
def terasuite(make_rig: MakeRig, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A suite that was run once, for all tests that only look at what became of it."""
    return run_suite(make_rig(tmp_path_factory.mktemp("terasuite"), "terasuite"))
