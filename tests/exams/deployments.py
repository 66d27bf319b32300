"""Deploys a highly available HDFS, YARN and HBase to three hosts of this machine, and breaks it meanwhile.

    sudo PYTHONPATH=tests .venv/bin/python -m exams.deployments --seed 7

From nothing: deployed, deployed again, TeraSort's suite and YCSB on it, deployments killed at random moments,
a host with an active NameNode lost and back again. Each step says how long it took, and the first that is
not as it should be ends it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from howdah.documents.files import read_inventory, write_plan
from howdah.model.plan import Plan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.command import HOWDAH, environment
from support.systemd_hosts import SystemdHosts, lacking, systemd_hosts

HOSTS = ("h1", "h2", "h3")
_INVENTORY = """\
howdah: 1
cluster: exam
groups:
  - name: hosts
    count: 3
    hosts: ["h[1-3]"]
    cpu: {sockets: 1, cores_per_socket: 4}
    memory: 16GiB
    disks:
      - {count: 1, kind: hdd, size: 20GB, role: system}
      - {count: 2, kind: hdd, size: 2GB}
    nics: [{count: 1, speed: 1Gb/s}]
"""
_SMALL = {
    # Three hosts share this machine's memory, and a RegionServer touches all of its heap.
    "dfs.client.read.shortcircuit": "false",
    "HBASE_REGIONSERVER_OPTS": "-Xms512m -Xmx512m",
    "HBASE_MASTER_OPTS": "-Xms256m -Xmx256m",
}


def _plan(folder: Path, **settings: str) -> Plan:
    file = folder / "hosts.yaml"
    file.write_text(_INVENTORY)
    request = PlanRequest(
        hypervisor=Hypervisor.NONE,
        replication=2,
        protection=Protection.HA,
        workloads=(Demand(kind="terasuite", dataset_bytes=10**8), Demand(kind="ycsb")),
        overrides=tuple(Override(key=key, value=value) for key, value in {**_SMALL, **settings}.items()),
    )
    return plan_cluster(read_inventory(file), request)


class Course:
    """The steps of one exam."""

    def __init__(self, hosts: SystemdHosts, folder: Path) -> None:
        self.hosts = hosts
        self.folder = folder

    def save(self, name: str, **settings: str) -> Path:
        """A plan as a file."""
        path = self.folder / f"{name}.yaml"
        path.write_text(write_plan(_plan(self.folder, **settings)))
        return path

    def line(self, plan: Path, *flags: str) -> list[str]:
        """The command line of ``howdah deploy``."""
        return [str(HOWDAH), "deploy", str(plan), "--ssh-config", str(self.hosts.ssh_config), *flags]

    def deploy(self, plan: Path) -> int:
        """Deploy, and how much was changed."""
        made = self._run(self.line(plan, "--json"))
        told = json.loads(made)
        assert told["failures"] == [], told["failures"]
        return int(told["changed"])

    def check_well(self, plan: Path) -> None:
        """See that every daemon is of use, waiting for those that only just came back."""
        deadline = time.monotonic() + 120
        while True:
            done = subprocess.run(
                self.line(plan, "--status", "--json"),
                capture_output=True,
                text=True,
                env=environment(),
                check=False,
            )
            if done.returncode == 0:
                return
            assert time.monotonic() < deadline, done.stdout
            time.sleep(2)

    def run(self, *words: str) -> None:
        """Run a suite on the cluster."""
        self._run(self.hosts.named(str(HOWDAH), "run", *words, "--conf", str(self.folder / "client")))

    def client(self, plan: Path) -> None:
        """Lay out a client's configuration: Hadoop's files and HBase's side by side."""
        self._run([str(HOWDAH), "render", str(plan), "-o", str(self.folder / "conf"), "--force"])
        for part in ("hadoop", "hbase"):
            shutil.copytree(self.folder / "conf" / part, self.folder / "client", dirs_exist_ok=True)

    def active(self) -> str:
        """The host of the NameNode that is active."""
        said = self.hosts.run(
            HOSTS[2],
            "sh",
            "-c",
            "cd /; runuser -u hdfs -- /opt/hadoop-3.5.0/bin/hdfs haadmin -getAllServiceState",
        )
        return next(line.partition(":")[0] for line in said.splitlines() if line.split()[-1] == "active")

    def _run(self, line: list[str]) -> str:
        done = subprocess.run(
            line, cwd=self.folder, capture_output=True, text=True, check=False,
            env={**environment(), "HADOOP_USER_NAME": "hdfs"},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def step(name: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    print(f"{name:60} {time.monotonic() - begun:6.1f} s   load {os.getloadavg()[0]:.0f}", flush=True)


def _examine(course: Course, dice: random.Random, kills: int) -> None:
    plan = course.save("plan")
    with step("from nothing to a cluster"):
        assert course.deploy(plan)
        course.check_well(plan)
    with step("again: nothing is changed"):
        assert course.deploy(plan) == 0
    course.client(plan)
    with step("TeraSort's suite"):
        course.run("terasuite", "--engine", "hadoop", "--rows", "20k")
    with step("YCSB"):
        course.run("ycsb", "--engine", "hbase", "--records", "5k", "--operations", "5k")
    changed = course.save(
        "changed", **{"dfs.namenode.handler.count": "33", "dfs.datanode.max.transfer.threads": "5000"}
    )
    for number in range(kills):
        wait_s = dice.uniform(2, 40)
        with step(f"kill {number + 1} of a deployment after {wait_s:.1f} s"):
            target = (changed, plan)[number % 2]
            under_way = subprocess.Popen(
                course.line(target), cwd=course.folder, env=environment(), start_new_session=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(wait_s)
            os.killpg(under_way.pid, signal.SIGKILL)
            under_way.wait()
    with step("the next one ends the job"):
        course.deploy(plan)
        assert course.deploy(plan) == 0
        course.check_well(plan)
    lost = course.active()
    with step(f"{lost}, with the active NameNode, loses its power; another one takes over"):
        course.hosts.stop(lost)
        while course.active() == lost:
            time.sleep(1)
    with step(f"{lost} is back, and whole again"):
        course.hosts.start(lost)
        course.deploy(plan)
        course.check_well(plan)
        assert course.deploy(plan) == 0


def main() -> None:
    """Hold the exam."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True, help="of the moments of kills")
    parser.add_argument("--kills", type=int, default=4, help="how many deployments are killed")
    given = parser.parse_args()
    # Where `make test` fetches jars to, unless another cache is named.
    os.environ.setdefault("HOWDAH_CACHE", str(Path(__file__).parents[2] / "build"))
    if missing := lacking():
        raise SystemExit(missing)
    with (
        tempfile.TemporaryDirectory(prefix="howdah-exam-") as folder,
        systemd_hosts(Path(folder, "hosts"), HOSTS, disks=2) as hosts,
    ):
        _examine(Course(hosts, Path(folder)), random.Random(given.seed), given.kills)


if __name__ == "__main__":
    main()
