"""A laboratory for real: it comes up, holds data, loses a daemon, is mended, and leaves nothing."""

from __future__ import annotations

import os
import pwd
import random
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.analysis.analyse import analyse
from howdah.engines.lab_members import LabMembers, hosts_telemetry
from howdah.lab.capabilities import find_capabilities
from howdah.lab.state import LabState, read_state
from howdah.model.tables import RunData
from howdah.probe import probe_host
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.telemetry.sampler import Sampler
from support.busy import busy_others
from support.daemons import FETCH, LIB
from support.findings import found
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import lab_plan, save_plan, soon
from support.sinks import MemorySink

pytestmark = [
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
]

CONTENT = os.urandom(150_000).hex().encode()


# Whether anybody answers at a port, with less patience than it takes to learn that a host has gone.
ASK = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=2).close()
except ConnectionRefusedError:
    print("refused")
except OSError:
    print("no answer")
else:
    print("answered")
"""
DATANODE = "9864"
H1_LEAVES = {("h1", "leaving"), ("h1-1", "leaving"), ("h1-2", "leaving")}


def _reached(lab: Lab, machine: str, port: str) -> str:
    """What becomes of a connection from where jobs are submitted."""
    return lab.on("client", sys.executable, "-c", ASK, machine, port).strip()


needs_hosts = pytest.mark.skipif(
    not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"
)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"test-{os.getpid()}")
    yield one
    one.try_to("down")


class RunningLab(NamedTuple):
    """A lab of two hosts with a file in HDFS, its plan, and the output of ``lab up``."""

    lab: Lab
    plan: Path
    started: str


@contextmanager
def running_lab(folder: Path) -> Iterator[RunningLab]:
    """Start the lab; it ends with the block."""
    lab = Lab(folder, f"test-{os.getpid()}")
    plan = save_plan(soon(lab_plan(disk_bytes=3 * 10**9)), folder)
    (folder / "content").write_bytes(CONTENT)
    try:
        started = lab.up(plan)
        lab.on("client", "hdfs", "dfs", "-put", str(folder / "content"), "/tmp/content")
        yield RunningLab(lab, plan, started)
    finally:
        lab.try_to("down")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """One lab for the tests that leave it whole; the last of them ends it."""
    with running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


def holds_what_others_used(run: RunData) -> None:
    """The machine beneath is sampled, is no host of the plan, and a busy one is told of."""
    state = run.record.cluster
    assert state is not None
    assert state.lab is not None
    machine = state.lab.machine
    assert machine == socket.gethostname()
    analysis = analyse(run)
    assert {one.name: one.level for one in analysis.evidence.machines}[machine] == "beneath"
    (use,) = (one for one in analysis.evidence.others if one.phase is None)
    # Two want each CPU and more, of which the laboratory's tasks are one.
    assert use.others > 0.3
    assert use.own > 0.02
    assert use.runnable is not None
    assert use.runnable > use.cpus
    (warning,) = found(run, "others")
    assert "times of this run are not the lab's own" in warning.text
    assert "neither telemetry nor tasks show why" not in " ".join(one.text for one in analysis.findings)


def loses_and_mends(lab: Lab, plan: Path) -> None:
    """A daemon, a host and a worker's processes are lost, told of by name, and come back."""
    assert lab.do("kill", "h1-2", "datanode") == "h1-2: 1 process ended\n"
    state = lab.status()
    assert (state["state"], state["missing"]) == ("degraded", ["datanode on h1-2"])
    assert _reached(lab, "h1-2", DATANODE) == "refused"
    assert lab.try_to("kill", "h1-2", "datanode", "--how", "host").returncode == 2
    assert "1 daemon started" in lab.up(plan)

    assert lab.do("kill", "h2").startswith("h2: 2 links down, ")
    lost = ["datanode on h2-1", "datanode on h2-2", "nodemanager on h2-1", "nodemanager on h2-2"]
    assert lab.status()["missing"] == ["the link of h2-1", "the link of h2-2", *lost]
    assert _reached(lab, "h2-2", DATANODE) == "no answer"
    back = lab.do("start", "h2-2")
    assert back == "h2-2: link up, started datanode, nodemanager\n"
    # What was started may not be of use yet.
    assert lab.status()["missing"][:3] == ["the link of h2-1", lost[0], lost[2]]
    assert "2 daemons started" in lab.up(plan)
    assert {machine["link"] for machine in lab.status()["machines"]} == {"up"}
    assert "link" not in lab.do("kill", "h2-2", "--how", "process")
    assert _reached(lab, "h2-2", DATANODE) == "refused"
    assert lab.do("start", "h2") == "h2: started datanode on h2-2, nodemanager on h2-2\n"
    assert lab.status()["state"] == "up"


def undoes_what_another_fault_waits_for(lab: Lab) -> None:
    """A worker comes back once HDFS answers, which a paused NameNode does not: that one goes on meanwhile."""
    lab.run(
        *("teragen", "--rows", "1000", "--maps", "1"),
        *("--fault", "lose worker:h1-1 at 0s for 2s", "--fault", "pause namenode at 1s for 8s"),
    )
    record = lab.last_run().record
    assert [fault.state for fault in record.faults] == ["undone", "undone"]
    assert "lab-not-whole" not in {warning.code for warning in record.warnings}


def heals_what_a_killed_howdah_left(lab: Lab) -> None:
    """A howdah that is killed in the middle of a fault leaves it written down, and the next one undoes it."""
    doing = lab.start("fault", "cut-link worker:h2-1 for 10min")
    assert doing.stdout is not None
    assert doing.stdout.readline() == "cut-link worker:h2-1 for 600s: h2-1\n"
    doing.kill()
    doing.communicate()
    (noted,) = lab.status()["faults"]
    assert noted.startswith("cut-link worker:h2-1")
    assert _reached(lab, "h2-1", DATANODE) == "no answer"
    lab.do("fault", "restart datanode@h1-1")
    assert lab.status()["faults"] == []
    assert _reached(lab, "h2-1", DATANODE) == "answered"


def exchanges_a_host(lab: Lab, plan: Path) -> None:
    """A host comes, another one goes when its data is elsewhere, and what is there keeps its address."""
    before = {machine["name"]: machine["address"] for machine in lab.status()["machines"]}
    again = lab.try_to("add", "h2")
    assert (again.returncode, again.stdout) == (2, "")
    assert "h2: already belongs to this cluster" in again.stderr
    state = read_state(lab.directory)
    assert state is not None
    with sampled_as_in_a_run(state) as (sampler, sink):
        assert "h3: 2 workers more, 4 daemons started" in lab.do("add", "h3")
        moves_to_the_new_host(lab)
    assert _of_members(sampler) == {("h3", "joined"), ("h3-1", "joined"), ("h3-2", "joined"), *H1_LEAVES}
    assert sampler.warnings == ()
    moved = {row.metric for row in sink.sampled if row.host == "h3-1" and row.value > 0}
    assert {"cpu/all/user_s", "nic/eth0/rx_bytes", "disk/disk1/written_bytes"} <= moved
    after = lab.status()
    assert (after["state"], after["missing"]) == ("up", [])
    assert {name: address for name, address in before.items() if not name.startswith("h1")}.items() <= {
        machine["name"]: machine["address"] for machine in after["machines"]
    }.items()
    # Every block has its two replicas, on the two hosts that there are.
    whole = lab.on("h3-1", "hdfs", "fsck", "/tmp/content", "-files", "-blocks", "-racks")
    assert "Live_repl=2" in whole
    assert "/rack-1/h2/" in whole
    assert "/rack-1/h3/" in whole
    assert not list((lab.directory / "machines").glob("h1*"))
    assert "nothing started" in lab.up(plan)


@contextmanager
def sampled_as_in_a_run(state: LabState) -> Iterator[tuple[Sampler, MemorySink]]:
    """Sample what the kernel tells of the laboratory, and follow hosts that come and go, as a run does."""
    names, conf = dict(state.names), ClientConf.read(state.client_conf)
    with Web(names, silence_s=1.0) as web:
        sink = MemorySink()
        follow = LabMembers(state, conf, web, names)
        start_ns = time.monotonic_ns()
        sampler = Sampler(sink, hosts_telemetry(state), run_start_ns=start_ns, follow=follow)
        sampler.start()
        try:
            yield sampler, sink
        finally:
            sampler.stop()


def _of_members(sampler: Sampler) -> set[tuple[str, str]]:
    return {(change.machine, change.what) for change in sampler.members}


def moves_to_the_new_host(lab: Lab) -> None:
    """The first host is emptied and taken away, and its data goes to the new one."""
    state = lab.status()
    assert (state["state"], state["missing"]) == ("up", [])
    assert state["health"]["datanodes"] == ["h1-1", "h1-2", "h2-1", "h2-2", "h3-1", "h3-2"]

    refused = lab.try_to("remove", "m1")
    assert refused.returncode == 2
    assert "only hosts without masters can be removed" in refused.stderr
    assert "h1: emptied and removed" in lab.do("remove", "h1")


@needs_hosts
def test_a_lab_is_what_its_plan_says(running: RunningLab) -> None:
    lab, plan = running.lab, running.plan
    assert "4 workers and 1 master on 3 hosts; 12 daemons started" in running.started
    state = lab.status()
    assert (state["state"], state["missing"]) == ("up", [])
    assert state["health"]["datanodes"] == ["h1-1", "h1-2", "h2-1", "h2-2"]
    isolation = {one["what"]: one for one in state["laboratory"]["isolation"]}
    kept = {what for what, one in isolation.items() if one["kept"]}
    # The masters' host has its two CPUs on top of the four that the hosts of workers share.
    enough = probe_host().usable_cpus >= 6
    assert kept == {"network", "uplink", "memory", "disks"} | ({"CPU"} if enough else set())
    assert enough or "and this machine has" in isolation["CPU"]["how"]
    assert {one["bytes_per_s"] for machine in state["machines"] for one in machine["disks"]} == {150_000_000}

    # By itself a ResourceManager keeps this below /tmp, which all laboratories share.
    attributes = lab.directory / "machines/m1/var/lib/hadoop/yarn-node-attributes"
    assert (attributes / "nodeattribute.mirror").exists()

    assert lab.on("h2-1", "hostname") == "h2-1\n"
    lab.on("h2-1", "hdfs", "dfs", "-get", "/tmp/content", str(lab.folder / "back"))
    assert (lab.folder / "back").read_bytes() == CONTENT
    racks = lab.on("h1-1", "hdfs", "fsck", "/tmp/content", "-files", "-blocks", "-racks")
    assert "/rack-1/h1/" in racks
    assert "/rack-1/h2/" in racks
    assert lab.try_to("ssh", "h1-1", "--", "sh", "-c", "exit 7").returncode == 7

    other = lab.try_to("up", str(plan), "--link", "100Mb/s")
    assert other.returncode == 2
    assert f"howdah lab down --name {lab.name} first" in other.stderr
    assert "nothing started" in lab.up(plan)


@needs_hosts
def test_a_codec_that_the_fetched_hadoop_lacks_is_refused_before_anything_runs(running: RunningLab) -> None:
    done = running.lab.try_to_run("terasort", "--codec", "lz4")
    assert done.returncode == 2
    assert "--codec lz4: needs lz4-java, which the fetched Hadoop does not contain" in done.stderr


@needs_hosts
def test_a_run_shows_what_others_used(running: RunningLab) -> None:
    with busy_others():
        running.lab.run("teragen", "--rows", "100k", "--maps", "2")
    holds_what_others_used(running.lab.last_run())


@needs_hosts
def test_what_is_lost_is_named_and_mended(running: RunningLab) -> None:
    loses_and_mends(running.lab, running.plan)
    assert running.lab.on("h1-2", "hdfs", "dfs", "-cat", "/tmp/content").encode() == CONTENT


@needs_hosts
def test_the_fault_of_a_killed_howdah_is_undone_by_the_next(running: RunningLab) -> None:
    heals_what_a_killed_howdah_left(running.lab)


@needs_hosts
def test_nothing_is_left_of_a_lab_that_is_ended(running: RunningLab) -> None:
    lab = running.lab
    assert lab.do("down") == f'lab "{lab.name}": nothing is left\n'
    assert traces(lab.name, lab.directory) == []
    assert lab.do("down") == f'there is no lab "{lab.name}"\n'


@pytest.mark.exam("labs")
@needs_hosts
def test_a_host_is_exchanged_and_a_fault_waits_for_another(tmp_path: Path) -> None:
    with running_lab(tmp_path) as running:
        undoes_what_another_fault_waits_for(running.lab)
        exchanges_a_host(running.lab, running.plan)


@pytest.mark.exam("labs")
@needs_hosts
def test_nothing_is_left_of_what_was_killed_at_any_moment(lab: Lab, tmp_path: Path) -> None:
    plan = save_plan(soon(lab_plan()), tmp_path)
    chance = random.Random(7)
    for _ in range(3):
        coming = lab.start("up", str(plan), "--dir", str(lab.directory))
        time.sleep(chance.uniform(0.5, 6))
        coming.kill()
        coming.communicate()
        if chance.random() < 0.5:
            going = lab.start("down")
            time.sleep(chance.uniform(0.3, 1))
            going.kill()
            going.communicate()
        assert lab.try_to("down").returncode == 0
        assert traces(lab.name, lab.directory) == []


@pytest.mark.exam("labs")
@needs_hosts
def test_nothing_is_left_of_one_whose_files_somebody_removed(lab: Lab, tmp_path: Path) -> None:
    plan = save_plan(soon(lab_plan()), tmp_path)
    coming = lab.start("up", str(plan), "--dir", str(lab.directory))
    while not list(lab.directory.glob("machines/*/logs/datanode.log")) and coming.poll() is None:
        time.sleep(0.1)
    coming.kill()
    coming.communicate()
    for path in (*lab.directory.glob("disks/*"), *lab.directory.glob("*.json"), *lab.directory.glob("hosts")):
        path.unlink()
    assert lab.try_to("status").returncode == 2
    assert lab.do("down") == f'lab "{lab.name}": nothing is left\n'
    assert traces(lab.name, lab.directory) == []


@pytest.fixture
def unprivileged() -> Iterator[Lab]:
    """A laboratory of a user who is not root, in a directory that is theirs all the way down."""
    prefix: list[str] = []
    with tempfile.TemporaryDirectory(prefix="howdah-test-") as name:
        folder = Path(name)
        if not find_capabilities().root:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            # To read is all that is left to it: howdah itself may lie where only root reads.
            prefix = [
                "setpriv",
                *(f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"),
                *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
            ]
        one = Lab(folder, f"test-{os.getpid()}", prefix)
        yield one
        one.try_to("down")


@pytest.mark.exam("labs")
def test_without_root_a_laboratory_runs_on_loopback_addresses(unprivileged: Lab) -> None:
    lab, folder = unprivileged, unprivileged.folder
    plan = save_plan(soon(lab_plan(workers_per_host=None)), folder)
    (folder / "content").write_bytes(CONTENT)
    assert "not kept" in lab.up(plan)
    state = lab.status()
    assert state["laboratory"]["rootless"]
    assert state["state"] == "up"
    assert lab.try_to("kill", "h1", "--how", "host").returncode == 2
    assert "link" not in lab.do("kill", "h1")
    assert lab.do("start", "h1") == "h1: started datanode, nodemanager\n"
    lab.on("client", "hdfs", "dfs", "-put", str(folder / "content"), "/tmp/content")
    lab.on("h1", "hdfs", "dfs", "-get", "/tmp/content", str(folder / "back"))
    assert (folder / "back").read_bytes() == CONTENT
    with busy_others():
        lab.run("pi", "--maps", "1", "--samples", "100")
    run = lab.last_run()
    assert run.record.workloads[0].metrics[0].in_words().startswith("3.")
    holds_what_others_used(run)
    lab.do("down")
    assert traces(lab.name, lab.directory) == []
