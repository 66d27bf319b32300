"""Every engine there is, each on the smallest thing it runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from howdah.installation.installation import find_hbase
from howdah.installation.java_programs import with_ycsb
from howdah.model.engines import HADOOP, HBASE, HOSTS, LOCAL, SIM, engines
from support import network
from support.daemons import FETCH, HBASE_LIB
from support.hbase_rig import HBaseRig
from support.hosts_rig import HostsRig
from support.lab_command import CACHE
from support.own_hosts import OwnHosts, own_hosts
from support.rigs import (
    DataRig,
    HadoopRig,
    LocalRig,
    Rig,
    SimRig,
    SortingRig,
    SortRun,
    StoreRig,
    SuiteRun,
    run_suite,
    work_dir_of,
)

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


STORE = "local, store"
"""The local engine's other half: it has rows to sort, and a store to ask."""


def _on_hbase(request: pytest.FixtureRequest) -> MakeRig:
    del request
    if not HBASE_LIB.exists():
        pytest.skip(f"HBase's jars are not there: {FETCH}")
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("HOWDAH_CACHE", str(CACHE))
        installation = with_ycsb(find_hbase())
    return lambda root, test: HBaseRig(installation, root)


RIGS: dict[str, Callable[[pytest.FixtureRequest], MakeRig]] = {
    LOCAL: lambda request: lambda root, test: LocalRig(root),
    STORE: lambda request: lambda root, test: StoreRig(root),
    SIM: lambda request: lambda root, test: SimRig(root),
    HADOOP: _on_hadoop,
    HOSTS: _on_hosts,
    HBASE: _on_hbase,
}
"""What each engine runs on here."""


_GROUPS = {HADOOP: "cluster", HBASE: "hbase"}
_PARAMS = [
    pytest.param(engine, marks=[pytest.mark.xdist_group(_GROUPS[engine])] if engine in _GROUPS else [])
    for engine in (*engines(), STORE)
]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave to the exam what takes eight JVMs on Hadoop, and what other engines promise in seconds."""
    if item.name == f"test_data_is_kept_where_it_is_asked_for_and_read_from_there[{HADOOP}]":
        item.add_marker(pytest.mark.exam("jobs"))


@pytest.fixture(scope="session", params=_PARAMS)
def make_rig(request: pytest.FixtureRequest) -> MakeRig:
    """Every engine that is registered: one that has nothing to run on here fails every test."""
    return RIGS[request.param](request)


@pytest.fixture
def rig(make_rig: MakeRig, tmp_path: Path, request: pytest.FixtureRequest) -> Rig:
    """An engine with a place of its own for this test."""
    return make_rig(tmp_path, request.node.name)


@pytest.fixture
def sorting_rig(rig: Rig) -> SortingRig:
    """The same of the engines that sort."""
    if not isinstance(rig, SortingRig):
        pytest.skip("it runs other suites: there are no rows")
    return rig


@pytest.fixture
def data_rig(rig: Rig) -> DataRig:
    """The same of the engines whose rows are somewhere."""
    if not isinstance(rig, DataRig):
        pytest.skip("it has no data that could be kept")
    return rig


@pytest.fixture(scope="session")
def finished(make_rig: MakeRig, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A suite that was run once, for all tests that only look at what became of it."""
    return run_suite(make_rig(tmp_path_factory.mktemp("finished"), "finished"))


@pytest.fixture(scope="session")
def terasuite(finished: SuiteRun) -> SortRun:
    """The same of the engines that sort."""
    if not isinstance(finished, SortRun):
        pytest.skip("it runs other suites: there are no rows")
    return finished
