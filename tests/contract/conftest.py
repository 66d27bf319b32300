"""Every engine there is, each on the smallest thing it runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from howdah.model.engines import HADOOP, HOSTS, LOCAL, SIM, engines
from support import network
from support.hosts_rig import HostsRig
from support.own_hosts import OwnHosts, own_hosts
from support.rigs import HadoopRig, LocalRig, Rig, SimRig, SuiteRun, run_suite, work_dir_of

MakeRig = Callable[[Path, str], Rig]
"""Makes a rig from a directory of this machine and the name of a test."""


def _on_hadoop(request: pytest.FixtureRequest) -> MakeRig:
    running = request.getfixturevalue("cluster")
    return lambda root, test: HadoopRig(running, root, work_dir_of(test))


@pytest.fixture(scope="session")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnHosts]:
    """Four hosts with a network between them."""
    if not network.can_build():
        pytest.skip("needs root and network namespaces")
    with own_hosts(tmp_path_factory.mktemp("hosts")) as built:
        yield built


def _on_hosts(request: pytest.FixtureRequest) -> MakeRig:
    built = request.getfixturevalue("hosts")
    return lambda root, test: HostsRig(built, root)


RIGS: dict[str, Callable[[pytest.FixtureRequest], MakeRig]] = {
    LOCAL: lambda request: lambda root, test: LocalRig(root),
    SIM: lambda request: lambda root, test: SimRig(root),
    HADOOP: _on_hadoop,
    HOSTS: _on_hosts,
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
def finished(make_rig: MakeRig, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A suite that was run once, for all tests that only look at what became of it."""
    return run_suite(make_rig(tmp_path_factory.mktemp("finished"), "finished"))


@pytest.fixture(scope="session")
def terasuite(finished: SuiteRun) -> SuiteRun:
    """The same of the engines that sort."""
    if not finished.rig.sorts:
        pytest.skip("it runs other suites: there are no rows")
    return finished
