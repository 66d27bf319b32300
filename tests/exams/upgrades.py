"""Upgrades a highly available HDFS and YARN on three hosts of this machine, while a client writes to it.

    sudo PYTHONPATH=tests .venv/bin/python -m exams.upgrades --seed 7

Hadoop 3.4.2 is deployed to nothing; a setting of the masters is changed; then 3.5.0 is deployed, killed at a
random moment and deployed again; gone back from; deployed once more and finalized. All the while names are
made in HDFS five times a second and one file is written to, so that it is known how long nobody was served
and whether anything was lost. Each step says how long it took, and the first that is not as it should be ends
it.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from exams.deploying.course import Course, step
from exams.deploying.redundant import HOSTS
from howdah.documents.files import read_inventory, write_plan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.command import HOWDAH, environment
from support.labs import soon_settings
from support.systemd_hosts import SystemdHosts, lacking, systemd_hosts

OLD, NEW = "3.4.2", "3.5.0"
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
_INSISTED = {
    "dfs.client.read.shortcircuit": "false",
    # How often a NameNode that stands by looks whether the image to go back to is wanted.
    "dfs.namenode.checkpoint.check.period": "5",
    # The hosts have Java 17 alone, on which the older release runs without being planned for it.
    "mapreduce.jvm.add-opens-as-default": "true",
}
_BLOCK = 20_000
_PAUSE_S = 0.2


class Upgrading(Course):
    """The hosts of this exam, and what is done with them."""

    def planned(self, name: str, release: str = OLD, **settings: str) -> Path:
        """A plan for a release as a file."""
        file = self.folder / "hosts.yaml"
        file.write_text(_INVENTORY)
        request = PlanRequest(
            hypervisor=Hypervisor.NONE,
            hadoop=release,
            replication=2,
            protection=self.protection,
            workloads=(Demand(kind="terasuite", dataset_bytes=10**8),),
        )
        inventory = read_inventory(file)
        insisted = {**_INSISTED, **soon_settings(plan_cluster(inventory, request)), **settings}
        overrides = tuple(Override(key=key, value=value) for key, value in insisted.items())
        path = self.folder / f"{name}.yaml"
        path.write_text(
            write_plan(plan_cluster(inventory, request.model_copy(update={"overrides": overrides})))
        )
        return path

    def said(self, plan: Path, *flags: str) -> dict[str, Any]:
        """What a deployment says to programs; whatever its exit code is."""
        done = subprocess.run(
            self.line(plan, "--json", *flags), capture_output=True, text=True, env=environment(), check=False
        )
        assert done.stdout, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        assert not told.get("failures"), told["failures"]
        return told

    def client(self, *words: str) -> str:
        """What HDFS's client says on the last host, of whichever release is there."""
        return self.hosts.run(HOSTS[2], "sh", "-c", f"cd /; exec {self._hdfs(' '.join(words))}")

    def _hdfs(self, words: str) -> str:
        return f"runuser -u hdfs -- $(ls -d /opt/hadoop-* | tail -1)/bin/hdfs {words}"

    def leading(self) -> str:
        """The host of the NameNode that leads."""
        said = self.client("haadmin", "-getAllServiceState")
        return next(line.partition(":")[0] for line in said.splitlines() if line.split()[-1] == "active")

    def put(self, path: str, size: int) -> str:
        """Write a file of random bytes; its digest."""
        made = f"head -c {size} /dev/urandom | tee /tmp/content | {self._hdfs(f'dfs -put - {path}')}"
        return self.hosts.run(HOSTS[2], "sh", "-c", f"cd /; {made}; sha256sum < /tmp/content")

    def check_upgraded(self, plan: Path, release: str, content: str) -> None:
        """See that all daemons run a release, that HDFS has what it had, and that nothing is final."""
        self.check_well(plan)
        assert self.releases() == {f"/opt/hadoop-{release}"}, self.releases()
        assert (
            self.hosts.run(HOSTS[2], "sh", "-c", f"cd /; {self._hdfs('dfs -cat /content')} | sha256sum")
            == content
        )
        assert "is HEALTHY" in self.client("fsck", "/")
        status = self.said(plan, "--status")
        assert status["upgrade"]["origin"] == f"hadoop-{OLD}", status

    def releases(self) -> set[str]:
        """The releases that any daemon of the cluster runs."""
        lines = [
            line
            for host in HOSTS
            for line in self.hosts.run(
                host, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'"
            ).splitlines()
        ]
        return {line.split("=")[1] for line in lines if line.startswith("-Dhadoop.home.dir=")}

    @contextmanager
    def written(self, most_s: float) -> Iterator[None]:
        """Have clients at work meanwhile, and see that nobody waited longer, and that nothing was lost."""
        names, stream = _Names(self.hosts), _Stream(self.hosts, self._hdfs("dfs -put -f - /stream"))
        with names, stream:
            yield
        assert stream.process.returncode == 0, "the client that wrote a file failed"
        digest = self.hosts.run(
            HOSTS[2], "sh", "-c", f"cd /; {self._hdfs('dfs -cat /stream')} | sha256sum"
        ).split()[0]
        assert digest == stream.digest.hexdigest(), "what was written is not what is read"
        there = self.client("dfs", "-count", "/names").split()
        assert int(there[0]) - 1 == names.made, f"{names.made} names were made, and {there[0]} are there"
        print(
            f"  {names.made} names made, none for {names.longest_s:.1f} s at most; "
            f"{stream.size / 1e6:.1f} MB written to one file, whole",
            flush=True,
        )
        assert names.longest_s < most_s, f"nobody was served for {names.longest_s:.1f} s"


class _Names:
    """Makes names in HDFS, whichever NameNode leads, and knows the longest time without any."""

    def __init__(self, hosts: SystemdHosts) -> None:
        self._addresses = [hosts.hosts[name].address for name in HOSTS]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._begin = time.monotonic_ns()
        self.made = 0
        self.longest_s = 0.0

    def __enter__(self) -> None:
        assert any(
            self._asked(address, "DELETE", "/names", "DELETE&recursive=true") for address in self._addresses
        )
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _work(self) -> None:
        last = time.monotonic()
        while not self._ended.is_set():
            path = f"/names/{self._begin}-{self.made}"
            if any(self._asked(address, "PUT", path, "MKDIRS") for address in self._addresses):
                self.made += 1
                self.longest_s = max(self.longest_s, time.monotonic() - last)
                last = time.monotonic()
            time.sleep(_PAUSE_S)
        self.longest_s = max(self.longest_s, time.monotonic() - last)

    @staticmethod
    def _asked(address: str, method: str, path: str, operation: str) -> bool:
        connection = http.client.HTTPConnection(address, 9870, timeout=5)
        try:
            connection.request(method, f"/webhdfs/v1{path}?op={operation}&user.name=hdfs")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class _Stream:
    """Writes to one file of HDFS all the time, by Hadoop's own client."""

    def __init__(self, hosts: SystemdHosts, line: str) -> None:
        self.digest = hashlib.sha256()
        self.size = 0
        init = str(hosts.hosts[HOSTS[2]].init)
        self.process = subprocess.Popen(
            ["nsenter", "-t", init, "-a", "--", "sh", "-c", f"cd /; exec {line}"], stdin=subprocess.PIPE
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self.process.wait(timeout=120)

    def _work(self) -> None:
        assert self.process.stdin is not None
        with self.process.stdin as pipe:
            while not self._ended.is_set():
                block = os.urandom(_BLOCK)
                pipe.write(block)
                pipe.flush()
                self.digest.update(block)
                self.size += len(block)
                time.sleep(_PAUSE_S)


def _examine(course: Upgrading, dice: random.Random) -> None:
    plan, changed = course.planned("plan"), course.planned("changed", **{"dfs.namenode.handler.count": "33"})
    newer = course.planned("newer", NEW)
    with step(f"empty hosts to Hadoop {OLD}"):
        assert course.changed(plan)
        course.check_well(plan)
    content = course.put("/content", 30_000_000)
    with step("a setting of the NameNodes is changed, with a failover"), course.written(15):
        before = course.leading()
        order = str(course.said(changed, "--diff")["steps"])
        assert f"then on {before}, whose namenode fails over first" in order, order
        told = course.said(changed)
        assert any(change.startswith("hand over to") for change in told["hosts"][before]), told
        assert course.leading() != before
    wait_s = dice.uniform(5, 90)
    with step(f"{NEW} is deployed, killed after {wait_s:.0f} s, and deployed again"), course.written(15):
        under_way = subprocess.Popen(
            course.line(newer), env=environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(wait_s)
        os.killpg(under_way.pid, signal.SIGKILL)
        under_way.wait()
        course.said(newer)
    with step(f"all daemons run {NEW}, no data is lost, a second deployment changes nothing"):
        course.check_upgraded(newer, NEW, content)
        assert course.said(newer)["changed"] == 0
    with step(f"back to {OLD}"), course.written(15):
        course.said(newer, "--rollback")
    with step(f"all daemons run {OLD} again"):
        course.check_upgraded(changed, OLD, content)
    with step(f"to {NEW} once more"), course.written(15):
        course.said(newer)
        course.check_upgraded(newer, NEW, content)
    with step("finalized"):
        course.said(newer, "--finalize")
        assert course.said(newer, "--status")["upgrade"] is None
        assert (
            "no rolling upgrade in progress" in course.client("dfsadmin", "-rollingUpgrade", "query").lower()
        )
    with step("a rollback is no longer possible"):
        done = subprocess.run(
            course.line(newer, "--rollback"), capture_output=True, text=True, env=environment(), check=False
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert "no upgrade that could be rolled back is under way" in done.stderr, done.stderr
        assert course.said(newer)["changed"] == 0


def _examine_single(course: Upgrading) -> None:
    """One NameNode: HDFS stops while it restarts with, which somebody has to allow."""
    plan, newer = course.planned("plan"), course.planned("newer", NEW)
    with step(f"empty hosts to Hadoop {OLD} with one NameNode"):
        assert course.changed(plan)
        course.check_well(plan)
    content = course.put("/content", 30_000_000)
    with step(f"{NEW} is refused without --downtime"):
        done = subprocess.run(
            course.line(newer), capture_output=True, text=True, env=environment(), check=False
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert "HDFS stops while it restarts with" in done.stderr
        assert course.said(plan)["changed"] == 0
    with step(f"{NEW} is deployed with --downtime"):
        course.said(newer, "--downtime")
        course.check_upgraded(newer, NEW, content)
    with step("finalized"):
        course.said(newer, "--finalize")
        assert course.said(newer, "--status")["upgrade"] is None
        assert course.said(newer)["changed"] == 0


def main() -> None:
    """Hold the exam."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True, help="of the moment at which an upgrade is killed")
    parser.add_argument("--single", action="store_true", help="with one of each master")
    given = parser.parse_args()
    # Where `make test` fetches jars to, unless another cache is named.
    os.environ.setdefault("HOWDAH_CACHE", str(Path(__file__).parents[2] / "build"))
    if missing := lacking():
        raise SystemExit(missing)
    subprocess.run([HOWDAH, "hadoop", "fetch", "--release", OLD], check=True)
    with (
        tempfile.TemporaryDirectory(prefix="howdah-exam-") as folder,
        systemd_hosts(Path(folder, "hosts"), HOSTS, disks=2) as hosts,
    ):
        course = Upgrading(hosts, Path(folder), Protection.NONE if given.single else Protection.HA)
        if given.single:
            _examine_single(course)
        else:
            _examine(course, random.Random(given.seed))


if __name__ == "__main__":
    main()
