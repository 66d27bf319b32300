"""What all parts of the exam on deployments share: hosts, plans, howdah as somebody uses it, timed steps."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from howdah.documents.files import read_inventory, write_plan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.command import HOWDAH, environment
from support.systemd_hosts import SystemdHosts

_PATIENCE_S = 240.0
_INVENTORY = """\
howdah: 1
cluster: {cluster}
groups:
  - name: hosts
    count: {count}
    hosts: [{names}]
    cpu: {{sockets: 1, cores_per_socket: 4}}
    memory: 16GiB
    disks:
      - {{count: 1, kind: hdd, size: 20GB, role: system}}
      - {{count: 2, kind: hdd, size: 2GB}}
    nics: [{{count: 1, speed: 1Gb/s}}]
"""
_SMALL = {
    # All hosts share this machine's memory, and a RegionServer touches all of its heap.
    "dfs.client.read.shortcircuit": "false",
    "HBASE_REGIONSERVER_OPTS": "-Xms512m -Xmx512m",
    "HBASE_MASTER_OPTS": "-Xms256m -Xmx256m",
    # What follows from the number of hosts: a host more would have masters restarted.
    "dfs.namenode.handler.count": "14",
    "yarn.scheduler.capacity.node-locality-delay": "2",
    # How often a NameNode looks whether a host is empty.
    "dfs.namenode.decommission.interval": "2",
}


class Course:
    """The hosts of one part of the exam, and what is done with them."""

    def __init__(self, hosts: SystemdHosts, folder: Path, protection: Protection = Protection.NONE) -> None:
        self.hosts = hosts
        self.folder = folder
        self.protection = protection
        self.secure = False
        """Whether plans ask for Kerberos."""
        self.tables = True
        """Whether plans with two of each master have HBase."""
        self.jobs = True
        """Whether plans have YARN."""
        self.flags: tuple[str, ...] = ()
        """Given with every deployment."""

    def save(
        self,
        name: str,
        hosts: Sequence[str],
        settings: Mapping[str, str] = {},
        *,
        count: int = 0,
        cluster: str = "exam",
    ) -> Path:
        """A plan for these hosts as a file; ``count`` says how many they are where their names are ranges."""
        inventory = self.folder / f"{name}-hosts.yaml"
        inventory.write_text(
            _INVENTORY.format(cluster=cluster, count=count or len(hosts), names=json.dumps(list(hosts))[1:-1])
        )
        demands: tuple[Demand, ...] = (
            Demand(kind="terasuite", dataset_bytes=10**8) if self.jobs else Demand(kind="storage"),
        )
        if self._has_hbase:
            demands += (Demand(kind="ycsb"),)
        request = PlanRequest(
            hypervisor=Hypervisor.NONE,
            replication=2,
            protection=self.protection,
            secure=self.secure,
            realm="EXAMPLE.COM" if self.secure else None,
            workloads=demands,
            overrides=tuple(
                Override(key=key, value=value)
                for key, value in {**_SMALL, **settings}.items()
                if self._has_daemon_of(key)
            ),
        )
        path = self.folder / f"{name}.yaml"
        path.write_text(write_plan(plan_cluster(read_inventory(inventory), request)))
        return path

    @property
    def _has_hbase(self) -> bool:
        return self.protection is Protection.HA and self.tables

    def _has_daemon_of(self, key: str) -> bool:
        """Whether plans have the service that reads a key."""
        if key.startswith("HBASE"):
            return self._has_hbase
        return self.jobs or not key.startswith("yarn")

    def line(self, plan: Path, *flags: str) -> list[str]:
        """The command line of ``howdah deploy``."""
        config = (
            () if "--ssh-config" in (*flags, *self.flags) else ("--ssh-config", str(self.hosts.ssh_config))
        )
        return [str(HOWDAH), "deploy", str(plan), "--yes", *config, *self.flags, *flags]

    def told(self, plan: Path, *flags: str, code: int = 0) -> dict[str, Any]:
        """What a deployment that ends with a code says to programs."""
        done = self.call(self.line(plan, "--json", *flags))
        assert done.returncode == code, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        assert done.stdout, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def deploy(self, plan: Path, *flags: str) -> dict[str, list[str]]:
        """Deploy; what was changed on each host."""
        hosts: dict[str, list[str]] = self.told(plan, *flags)["hosts"]
        return hosts

    def changed(self, plan: Path, *flags: str) -> int:
        """Deploy; how much was changed."""
        return sum(map(len, self.deploy(plan, *flags).values()))

    def refused(self, plan: Path, *flags: str) -> dict[str, list[str]]:
        """What is wrong with each host, where nothing was changed for it."""
        return _by_host(self.told(plan, *flags, code=2)["refused"])

    def failed(self, plan: Path, *flags: str) -> dict[str, list[str]]:
        """What failed on each host while it was changed."""
        return _by_host(self.told(plan, *flags, code=1)["failures"])

    def begin(self, plan: Path, *flags: str) -> subprocess.Popen[str]:
        """Begin a deployment, and go on."""
        return subprocess.Popen(
            self.line(plan, "--json", *flags), cwd=self.folder, env=environment(), text=True,
            start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def kill(self, plan: Path, after_s: float) -> str:
        """Begin a deployment and kill it; says if it had ended before."""
        under_way = self.begin(plan)
        time.sleep(after_s)
        ended = under_way.poll() is not None
        if not ended:
            os.killpg(under_way.pid, signal.SIGKILL)
        under_way.communicate()
        return "had ended" if ended else "killed"

    def check_well(self, plan: Path, *flags: str) -> None:
        """See that every daemon is of use, waiting for those that only just came back."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            done = self.call(self.line(plan, "--status", "--json", *flags))
            if done.returncode == 0:
                return
            assert time.monotonic() < deadline, done.stdout + done.stderr
            time.sleep(2)

    def shell(self, script: str, code: int = 0) -> str:
        """What a script prints that knows the hosts by name; it ends with a code."""
        done = self.call(self.hosts.named("bash", "-ec", script))
        assert done.returncode == code, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def hdfs(self, host: str, *words: str) -> str:
        """What HDFS's client says on a host, as the superuser."""
        line = shlex.join(["/opt/hadoop-3.5.0/bin/hdfs", *words])
        return self.hosts.run(host, "runuser", "-u", "hdfs", "--", "sh", "-c", f"cd /; {line}")

    def active(self, asked: str) -> str:
        """The host of the NameNode that is active; empty if none is."""
        said = self.hdfs(asked, "haadmin", "-getAllServiceState")
        lines = (line.split() for line in said.splitlines())
        return next((words[0].partition(":")[0] for words in lines if words and words[-1] == "active"), "")

    def call(self, line: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            line, cwd=self.folder, capture_output=True, text=True, check=False,
            env={**environment(), "PATH": f"{HOWDAH.parent}:{os.environ['PATH']}"},
        )  # fmt: skip


@contextmanager
def step(name: str) -> Iterator[None]:
    """One step, which is told with its time once it has ended well."""
    begun = time.monotonic()
    yield
    print(f"{name:72} {time.monotonic() - begun:6.1f} s   load {os.getloadavg()[0]:.0f}", flush=True)


def _by_host(wrongs: Sequence[dict[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for wrong in wrongs:
        assert wrong["fix"], wrong
        found.setdefault(wrong["host"], []).append(f"{wrong['what']}: {wrong['fix']}")
    return found
