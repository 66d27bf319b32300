"""A laboratory for real: it comes up, holds data, loses a daemon, is mended, and leaves nothing."""

from __future__ import annotations

import json
import os
import pwd
import random
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from howdah.analysis import analyse
from howdah.lab.capabilities import find_capabilities
from howdah.model.tables import RunData
from howdah.store.reader import read_run
from support.busy import busy_others
from support.command import HOWDAH, environment
from support.daemons import FETCH, LIB
from support.findings import found
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import lab_plan, save_plan

pytestmark = pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}")

CACHE = LIB.parents[2]
CONTENT = os.urandom(150_000).hex().encode()


class Lab:
    """A laboratory of a name of its own, and how it is spoken to."""

    def __init__(self, folder: Path, name: str, prefix: Sequence[str] = ()) -> None:
        self.folder = folder
        self.name = name
        self.directory = folder / "lab"
        self._prefix = prefix

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Begin ``howdah lab``."""
        command, *rest = words
        return subprocess.Popen(
            [*self._prefix, HOWDAH, "lab", command, "--name", self.name, *rest],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(), "HOWDAH_CACHE": str(CACHE)},
        )

    def try_to(self, *words: str, timeout_s: float = 240) -> subprocess.CompletedProcess[str]:
        """Run ``howdah lab`` to its end, whichever that is."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=timeout_s)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def do(self, *words: str) -> str:
        """Run ``howdah lab`` to a good end, and return what it printed."""
        done = self.try_to(*words)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def up(self, plan: Path) -> str:
        """Bring it up."""
        return self.do("up", str(plan), "--dir", str(self.directory))

    def status(self) -> dict[str, Any]:
        """What ``status --json`` prints, whatever it thinks of it."""
        found: dict[str, Any] = json.loads(self.try_to("status", "--json").stdout)
        return found

    def run(self, *words: str) -> RunData:
        """Run ``howdah run`` on it to a good end."""
        done = subprocess.run(
            [*self._prefix, HOWDAH, "run", *words, "--engine", "hadoop", "--lab", self.name],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            env={**environment(), "HOWDAH_CACHE": str(CACHE)},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        (path,) = (self.folder / "runs").glob("2*")
        return read_run(path)

    def on(self, machine: str, *words: str) -> str:
        """Run a command on a machine."""
        return self.do("ssh", machine, "--", *words)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"test-{os.getpid()}")
    yield one
    one.try_to("down")


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
    # Three want each CPU and more, of which the laboratory's tasks are one.
    assert use.others > 0.3
    assert use.own > 0.02
    assert use.runnable is not None
    assert use.runnable > use.cpus
    (warning,) = found(run, "others")
    assert "times of this run are not the laboratory's own" in warning.text
    assert "neither telemetry nor tasks tell why" not in " ".join(one.text for one in analysis.findings)


@pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS")
def test_a_laboratory_lives_is_mended_and_leaves_nothing(lab: Lab, tmp_path: Path) -> None:
    plan = save_plan(lab_plan(), tmp_path)
    (tmp_path / "content").write_bytes(CONTENT)
    assert "4 workers and 1 master on 3 hosts; 12 daemons started" in lab.up(plan)

    state = lab.status()
    assert (state["state"], state["awaited"]) == ("up", None)
    assert state["health"]["datanodes"] == ["h1-1", "h1-2", "h2-1", "h2-2"]
    kept = {one["what"] for one in state["laboratory"]["isolation"] if one["kept"]}
    assert kept == {"network", "uplink", "CPU", "memory", "disks"}
    assert {one["bytes_per_s"] for machine in state["machines"] for one in machine["disks"]} == {150_000_000}

    lab.on("client", "hdfs", "dfs", "-put", str(tmp_path / "content"), "/tmp/content")
    assert lab.on("h2-1", "hostname") == "h2-1\n"
    lab.on("h2-1", "hdfs", "dfs", "-get", "/tmp/content", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == CONTENT
    racks = lab.on("h1-1", "hdfs", "fsck", "/tmp/content", "-files", "-blocks", "-racks")
    assert "/rack-1/h1/" in racks
    assert "/rack-1/h2/" in racks
    assert lab.try_to("ssh", "h1-1", "--", "sh", "-c", "exit 7").returncode == 7

    with busy_others():
        holds_what_others_used(lab.run("teragen", "--rows", "100k", "--maps", "2"))

    other = lab.try_to("up", str(plan), "--link", "100Mb/s")
    assert other.returncode == 2
    assert f"howdah lab down --name {lab.name} first" in other.stderr
    assert "nothing had to be started" in lab.up(plan)

    assert lab.do("kill", "h1-2", "datanode") == "h1-2: 1 process ended\n"
    state = lab.status()
    assert (state["state"], state["awaited"]) == ("degraded", "datanode on h1-2")
    assert "1 daemon started" in lab.up(plan)
    lab.do("kill", "h2-2")
    assert lab.do("start", "h2-2") == "h2-2: started datanode, nodemanager\n"
    assert lab.status()["state"] == "up"
    assert lab.on("h1-2", "hdfs", "dfs", "-cat", "/tmp/content").encode() == CONTENT

    assert lab.do("down") == f"laboratory {lab.name}: nothing is left\n"
    assert traces(lab.name, lab.directory) == []
    assert lab.do("down") == f"there is no laboratory {lab.name}\n"


@pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS")
def test_nothing_is_left_of_what_was_killed_at_any_moment(lab: Lab, tmp_path: Path) -> None:
    plan = save_plan(lab_plan(), tmp_path)
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


@pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS")
def test_nothing_is_left_of_one_whose_files_somebody_removed(lab: Lab, tmp_path: Path) -> None:
    plan = save_plan(lab_plan(), tmp_path)
    coming = lab.start("up", str(plan), "--dir", str(lab.directory))
    while not list(lab.directory.glob("machines/*/logs/datanode.log")) and coming.poll() is None:
        time.sleep(0.1)
    coming.kill()
    coming.communicate()
    for path in (*lab.directory.glob("disks/*"), *lab.directory.glob("*.json"), *lab.directory.glob("hosts")):
        path.unlink()
    assert lab.try_to("status").returncode == 2
    assert lab.do("down") == f"laboratory {lab.name}: nothing is left\n"
    assert traces(lab.name, lab.directory) == []


@pytest.fixture
def unprivileged() -> Iterator[Lab]:
    """A laboratory of a user who is not root, in a directory that is theirs all the way down."""
    prefix: list[str] = []
    with tempfile.TemporaryDirectory(prefix="howdah-test-") as name:
        folder = Path(name)
        if find_capabilities().root:
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


def test_without_root_a_laboratory_runs_on_loopback_addresses(unprivileged: Lab) -> None:
    lab, folder = unprivileged, unprivileged.folder
    plan = save_plan(lab_plan(workers_per_host=None), folder)
    (folder / "content").write_bytes(CONTENT)
    assert "not kept" in lab.up(plan)
    state = lab.status()
    assert state["laboratory"]["rootless"]
    assert state["state"] == "up"
    lab.on("client", "hdfs", "dfs", "-put", str(folder / "content"), "/tmp/content")
    lab.on("h1", "hdfs", "dfs", "-get", "/tmp/content", str(folder / "back"))
    assert (folder / "back").read_bytes() == CONTENT
    with busy_others():
        run = lab.run("pi", "--maps", "1", "--samples", "100")
    assert (run.record.workloads[0].answer or "").startswith("3.")
    holds_what_others_used(run)
    lab.do("down")
    assert traces(lab.name, lab.directory) == []
