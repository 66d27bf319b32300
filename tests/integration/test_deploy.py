"""``howdah deploy`` on hosts of this machine: systemd, sshd, disks, and nothing of Hadoop at first."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory, write_plan
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from support.command import HOWDAH, environment
from support.daemons import FETCH, LIB
from support.labs import soon_settings
from support.systemd_hosts import SystemdHosts, lacking, systemd_hosts
from support.terminal import at_terminal

pytestmark = [
    pytest.mark.xdist_group("hosts"),
    pytest.mark.skipif(bool(lacking()), reason=lacking()),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
]

WORKERS = ("h1", "h2")
NEW = "h3"
DISK_BYTES = 2 * 10**9
DISKS = 2
RESTARTED = "restart hadoop-hdfs-datanode.service"


_INVENTORY = """\
howdah: 1
cluster: {cluster}
groups:
  - name: workers
    count: {count}
    hosts: [{names}]
    cpu: {{sockets: 1, cores_per_socket: 2}}
    memory: 8GiB
    disks: [{{count: 2, kind: hdd, size: 2GB}}]
    nics: [{{count: 1, speed: 1Gb/s}}]
    serves: workers
  - name: masters
    count: 1
    hosts: [m1]
    cpu: {{sockets: 1, cores_per_socket: 2}}
    memory: 8GiB
    disks: [{{count: 1, kind: hdd, size: 20GB, role: system}}]
    nics: [{{count: 1, speed: 1Gb/s}}]
    serves: masters
"""


def _plan(folder: Path, *workers: str, cluster: str = "deployed", **settings: str) -> ClusterPlan:
    file = folder / "hosts.yaml"
    file.write_text(_INVENTORY.format(cluster=cluster, count=len(workers), names=", ".join(workers)))
    inventory = read_inventory(file)
    insisted = {
        "dfs.client.read.shortcircuit": "false",
        # How often a NameNode looks whether a host is empty.
        "dfs.namenode.decommission.interval": "2",
        # What follows from the number of hosts: a host more would have masters restarted, and take minutes.
        "dfs.namenode.handler.count": "14",
        "yarn.scheduler.capacity.node-locality-delay": "2",
        **settings,
    }
    request = PlanRequest(
        hypervisor=Hypervisor.NONE,
        replication=2,
        workloads=(Demand(kind="terasuite", dataset_bytes=10**8),),
        overrides=tuple(Override(key=key, value=value) for key, value in insisted.items()),
    )
    plan = plan_cluster(inventory, request)
    # What makes short-lived daemons start sooner is insisted on too.
    more = tuple(Override(key=key, value=value) for key, value in soon_settings(plan).items())
    return plan_cluster(inventory, request.model_copy(update={"overrides": (*request.overrides, *more)}))


class Rig:
    """The hosts, and howdah as somebody uses it to deploy to them."""

    def __init__(self, hosts: SystemdHosts, folder: Path) -> None:
        self.hosts = hosts
        self.folder = folder

    def plan(self, name: str, *workers: str, cluster: str = "deployed", **settings: str) -> Path:
        """A plan for the master and these workers, as a file."""
        path = self.folder / f"{name}.yaml"
        path.write_text(write_plan(_plan(self.folder, *workers, cluster=cluster, **settings)))
        return path

    def config(self, first: str) -> Path:
        """ssh's configuration with something that is said first, and so counts; questions are answered."""
        path = self.folder / "ssh_config"
        path.write_text(first + self.hosts.ssh_config.read_text().replace("  BatchMode yes\n", ""))
        return path

    def line(self, *arguments: str | Path) -> list[str]:
        """The command line of ``howdah deploy``."""
        config = [] if "--ssh-config" in arguments else ["--ssh-config", str(self.hosts.ssh_config)]
        return [str(HOWDAH), "deploy", *map(str, arguments), "--yes", *config]

    def deploy(self, *arguments: str | Path, timeout_s: float = 400) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            self.line(*arguments), cwd=self.folder, capture_output=True, text=True, timeout=timeout_s,
            check=False, env=environment(),
        )  # fmt: skip

    def done(self, *arguments: str | Path) -> dict[str, object]:
        """What it says to programs, once it has succeeded."""
        made = self.deploy(*arguments, "--json")
        assert made.returncode == 0, made.stdout + made.stderr
        told: dict[str, object] = json.loads(made.stdout)
        return told

    def changes(self, *arguments: str | Path) -> dict[str, list[str]]:
        """What it changed on each host."""
        hosts = self.done(*arguments)["hosts"]
        assert isinstance(hosts, dict)
        return hosts

    def hdfs(self, *words: str) -> str:
        """What HDFS's client says on the master, as its superuser."""
        line = shlex.join(["/opt/hadoop-3.5.0/bin/hdfs", *words])
        return self.hosts.run("m1", "runuser", "-u", "hdfs", "--", "sh", "-c", f"cd /; {line}")


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("deploy")
    with systemd_hosts(folder / "hosts", ["m1", *WORKERS, NEW], disks=DISKS, disk_bytes=DISK_BYTES) as hosts:
        yield Rig(hosts, folder)


@pytest.fixture(scope="module")
def plan(rig: Rig) -> Path:
    return rig.plan("plan", *WORKERS)


@pytest.fixture(scope="module")
def deployed(rig: Rig, plan: Path) -> Path:
    """The plan, once it has been deployed."""
    assert rig.done(plan)["failures"] == []
    return plan


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_changed(rig: Rig, plan: Path) -> None:
    disk = rig.hosts.hosts["h1"].disks[0]
    rig.hosts.run("h1", "mkfs.ext4", "-q", disk)
    rig.hosts.run("m1", "systemd-run", "--unit=squatter", "python3", "-m", "http.server", "8020")
    rig.hosts.run("h2", "mv", "/etc/sudoers.d/admin", "/root/")
    rig.hosts.run("m1", "mv", "/usr/bin/java", "/root/")
    rig.hosts.run("h1", "hostname", "other")
    rig.hosts.run("h1", "mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", "/opt")
    # A java for another processor.
    rig.hosts.run("h1", "mv", "/usr/bin/java", "/root/")
    other = r"cp /usr/bin/true /usr/bin/java; printf '\002' | dd of=/usr/bin/java bs=1 seek=18 conv=notrunc"
    rig.hosts.run("h1", "sh", "-c", other)
    try:
        made = rig.deploy(plan)
    finally:
        rig.hosts.run("h1", "mv", "/root/java", "/usr/bin/")
        rig.hosts.run("h1", "umount", "/opt")
        rig.hosts.run("h1", "hostname", "h1")
        rig.hosts.run("m1", "mv", "/root/java", "/usr/bin/")
        rig.hosts.run("h2", "mv", "/root/admin", "/etc/sudoers.d/")
        rig.hosts.run("m1", "systemctl", "stop", "squatter")
        rig.hosts.run("h1", "wipefs", "--all", disk)
    assert made.returncode == 2, made.stdout + made.stderr
    lines = {
        host: [line for line in made.stdout.splitlines() if line.startswith(host)]
        for host in ("h1", "h2", "m1")
    }
    for host, said in (
        ("h1", "2 data disks are needed, but 1 are empty"),
        ("h1", "its own name is other"),
        ("h1", "/opt has 100 MiB free"),
        ("h1", "does not run: Exec format error"),
        ("h2", "sudo needs a password"),
        ("m1", "listens at port 8020, which the namenode needs"),
        ("m1", "it has no java on the path"),
    ):
        assert any(said in line for line in lines[host]), made.stdout
    assert "3 hosts not ready, and nothing was changed" in made.stderr
    assert "Traceback" not in made.stderr
    for host in ("m1", "h1"):
        assert rig.hosts.run(host, "sh", "-c", "ls -A /opt; getent group hadoop || true") == ""


def test_a_host_of_another_key_is_not_spoken_to(rig: Rig, plan: Path) -> None:
    known = rig.hosts.folder / "known_hosts"
    right = known.read_text()
    lines = right.splitlines()
    # h1's key is said to be h2's.
    keys = {line.split(",")[0]: line.split(" ", 1)[1] for line in lines}
    known.write_text(right.replace(keys["h1"], keys["h2"]))
    try:
        made = rig.deploy(plan)
    finally:
        known.write_text(right)
    assert made.returncode == 2
    assert "its ssh host key has changed" in made.stdout
    assert "ssh-keygen -R h1" in made.stdout


@pytest.mark.exam("deploying")
def test_wrong_passwords_and_a_host_that_does_not_answer_are_told_and_right_ones_do(
    rig: Rig, plan: Path
) -> None:
    for name, word in (("right", "Tigers 2 'n' $HOME"), ("wrong", "Lions 3")):
        (rig.folder / name).write_text(f"{word}\n")
        (rig.folder / name).chmod(0o600)
    for host in ("h1", "h2"):
        rig.hosts.give_password(host, "Tigers 2 'n' $HOME")
    # h1 takes passwords alone, h2's sudo asks for one, and m1 takes no calls.
    flags = ("--ssh-config", rig.config("Host h1\n  PubkeyAuthentication no\n"))
    rig.hosts.run("m1", "systemctl", "stop", "ssh")
    try:
        wrong = rig.deploy(plan, *flags, "--ssh-password-file", "wrong", "--sudo-password-file", "wrong")
    finally:
        rig.hosts.run("m1", "systemctl", "start", "ssh")
    assert wrong.returncode == 2, wrong.stdout + wrong.stderr
    for host, said in (
        ("h1", "it rejects the login"),
        ("h2", "sudo rejects the password"),
        ("m1", "it does not answer on the ssh port"),
    ):
        assert any(line.startswith(host) and said in line for line in wrong.stdout.splitlines()), wrong.stdout
    assert "Traceback" not in wrong.stderr
    right = rig.deploy(
        plan, *flags, "--ssh-password-file", "right", "--sudo-password-file", "right", "--diff"
    )
    assert right.returncode == 0, right.stdout + right.stderr
    assert "start namenode" in right.stdout
    for host in ("h1", "h2"):
        rig.hosts.run(host, "sh", "-c", "echo 'admin ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/admin")


@pytest.mark.exam("deploying")
def test_who_is_reached_over_a_jump_host_and_fetches_nothing_from_here_is_told(rig: Rig, plan: Path) -> None:
    made = rig.deploy(plan, "--ssh-config", rig.config("Host h1 h2\n  ProxyJump m1\n"))
    assert made.returncode == 2, made.stdout + made.stderr
    assert made.stdout.count("hadoop-3.5.0 cannot be fetched from") == 2, made.stdout
    assert "make that address reachable, or give a mirror that it can reach" in made.stdout
    assert rig.hosts.run("m1", "ls", "-A", "/opt") == ""


def test_hosts_are_changed_once_one_agrees_to_what_is_shown(rig: Rig, plan: Path) -> None:
    line = [word for word in rig.line(plan)[1:] if word != "--yes"]
    refused = subprocess.run(
        [HOWDAH, *line], cwd=rig.folder, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip
    assert refused.returncode == 2
    assert "--yes: is missing" in refused.stderr
    code, shown = at_terminal(*line, cwd=rig.folder, answers=("n",))
    for said in (refused.stdout, shown):
        assert "start namenode" in said
        assert all(host in said for host in ("m1", *WORKERS))
    assert "Apply these changes to cluster deployed?" in shown
    assert (code, "nothing was changed" in shown) == (130, True)
    assert rig.hosts.run("m1", "ls", "-A", "/opt") == ""


@pytest.mark.exam("deploying")
def test_killed_at_any_moment_the_next_one_ends_the_job(rig: Rig, plan: Path) -> None:
    # A folder of its own for temporary folders, with a short name: sockets of ssh's are in it.
    left: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="hd") as temporary:
        for wait_s in (3.0, 7.0, 14.0):
            under_way = subprocess.Popen(
                rig.line(plan), cwd=rig.folder, env=environment() | {"TMPDIR": temporary},
                start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(wait_s)
            os.killpg(under_way.pid, signal.SIGKILL)
            under_way.wait()
            left += [names := sorted(path.name for path in Path(temporary).iterdir())]
            # What the one before left was removed by this one, which was killed in its turn.
            assert len([name for name in names if name.startswith("howdah-project-")]) <= 1
        assert [name.rpartition("-")[0] for name in left[-1]] == ["howdah-deploy", "howdah-project"]
        done = json.loads(
            subprocess.run(
                [*rig.line(plan), "--json"], cwd=rig.folder, env=environment() | {"TMPDIR": temporary},
                capture_output=True, text=True, timeout=400, check=True,
            ).stdout
        )  # fmt: skip
        assert list(Path(temporary).iterdir()) == []
    assert done["failures"] == []
    status = json.loads(rig.deploy(plan, "--status", "--json").stdout)
    assert status["well"], status
    assert "Live datanodes (2)" in rig.hdfs("dfsadmin", "-report")
    assert "nofail" in rig.hosts.run("h1", "cat", "/etc/fstab")


def test_a_second_deployment_changes_nothing(rig: Rig, deployed: Path) -> None:
    assert json.loads(rig.deploy(deployed, "--status", "--json").stdout)["well"]
    formatted = rig.hosts.run("m1", "cat", "/var/lib/hadoop/name/current/VERSION")
    assert rig.done(deployed)["changed"] == 0
    assert rig.hosts.run("m1", "cat", "/var/lib/hadoop/name/current/VERSION") == formatted


def test_the_hosts_of_another_cluster_are_left_alone(rig: Rig, deployed: Path) -> None:
    del deployed
    made = rig.deploy(rig.plan("other", *WORKERS, cluster="other"))
    assert made.returncode == 2, made.stdout + made.stderr
    assert made.stdout.count("it is a host of the cluster deployed") == 3
    assert "leave it out of the inventory" in made.stdout


def test_a_suite_runs_on_it(rig: Rig, deployed: Path) -> None:
    subprocess.run(
        [HOWDAH, "render", deployed, "-o", "conf"], cwd=rig.folder, check=True, capture_output=True
    )
    line = rig.hosts.named(
        str(HOWDAH), "run", "teragen", "--engine", "hadoop", "--conf", "conf/hadoop", "--rows", "20k"
    )
    # As whoever deployed, who was given a home in HDFS.
    made = subprocess.run(
        line, cwd=rig.folder, capture_output=True, text=True, check=False, env=environment()
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.mark.exam("redeploying")
def test_a_changed_value_restarts_only_those_who_read_it(rig: Rig, deployed: Path) -> None:
    rig.hdfs("dfs", "-put", "/etc/hosts", "/kept")
    changed = rig.plan("changed", *WORKERS, **{"dfs.datanode.max.transfer.threads": "5000"})
    shown = rig.deploy(changed, "--diff").stdout
    assert "+    <value>5000</value>" in shown
    assert shown.count("  restart datanode\n") == 2
    assert "restart datanode on h1, h2, 1 at a time" in shown
    made = rig.changes(changed)
    assert [
        change for changes in made.values() for change in changes if change.startswith(("start", "restart"))
    ] == [RESTARTED] * 2
    assert rig.changes(deployed, "--rollback")["h1"][-1] == RESTARTED
    assert rig.done(deployed)["changed"] == 0


@pytest.mark.exam("redeploying")
def test_what_cannot_roll_is_refused_and_done_with_downtime(rig: Rig, deployed: Path) -> None:
    tokens = rig.plan("tokens", *WORKERS, **{"dfs.block.access.token.enable": "true"})
    made = rig.deploy(tokens)
    assert made.returncode == 2, made.stdout + made.stderr
    assert "dfs.block.access.token.enable: false to true: a DataNode ends itself" in made.stderr
    assert "--downtime" in made.stderr
    assert not any(rig.changes(deployed).values()), "something was changed"
    changes = rig.changes(tokens, "--downtime")
    for host in WORKERS:
        assert {"stop hadoop-hdfs-datanode.service", "start hadoop-hdfs-datanode.service"} <= set(
            changes[host]
        )
    assert "start hadoop-hdfs-namenode.service" in changes["m1"]
    assert not any(rig.changes(tokens).values())
    # What follows is of the former plan.
    assert rig.changes(deployed, "--downtime")["m1"]


@pytest.mark.exam("deploying")
def test_a_host_is_added_and_one_with_data_removed(rig: Rig, plan: Path) -> None:
    larger = rig.plan("larger", *WORKERS, NEW)
    wrong = rig.deploy(larger, "--add", "h9")
    assert wrong.returncode == 2
    assert "--add h3" in wrong.stdout
    made = rig.changes(larger, "--add", NEW)
    assert "start hadoop-hdfs-datanode.service" in made[NEW]
    assert "Live datanodes (3)" in rig.hdfs("dfsadmin", "-report")
    # A replica on each of the three.
    rig.hdfs("dfs", "-D", "dfs.replication=3", "-put", "-f", "/etc/hosts", "/kept")
    rig.hdfs("dfs", "-setrep", "2", "/kept")
    made = rig.changes(plan, "--remove", NEW)
    assert "stop hadoop-hdfs-datanode.service" in made[NEW]
    assert "Live datanodes (2)" in rig.hdfs("dfsadmin", "-report")
    assert "is HEALTHY" in rig.hdfs("fsck", "/")
    assert rig.hdfs("dfs", "-cat", "/kept") == rig.hosts.run("m1", "cat", "/etc/hosts")
    assert rig.done(plan)["changed"] == 0


@pytest.mark.exam("deploying")
def test_a_host_that_dies_is_told_and_the_others_are_finished(rig: Rig, plan: Path) -> None:
    changed = rig.plan("another", *WORKERS, **{"yarn.nodemanager.vmem-check-enabled": "true"})
    under_way = subprocess.Popen(
        [*rig.line(changed), "--json"], cwd=rig.folder, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    # Once it is under way h1 has the new file.
    while "<value>true" not in rig.hosts.run(
        "h1", "grep", "-A1", "vmem-check", "/etc/hadoop/conf/yarn-site.xml"
    ):
        time.sleep(0.2)
    rig.hosts.stop("h2")
    told, _ = under_way.communicate(timeout=300)
    assert under_way.returncode == 1, told
    assert "h2" in {failure["host"] for failure in json.loads(told)["failures"]}
    rig.hosts.start("h2")


@pytest.mark.exam("deploying")
def test_all_that_answer_are_stopped_where_the_only_master_is_dead(rig: Rig, plan: Path) -> None:
    rig.hosts.stop("m1")
    made = rig.deploy(plan, "--stop", "--json")
    assert made.returncode == 1, made.stdout + made.stderr
    told = json.loads(made.stdout)
    assert {failure["host"] for failure in told["failures"]} == {"m1"}
    for host in WORKERS:
        running = rig.hosts.run(host, "systemctl", "list-units", "--state=active", "--no-legend", "hadoop-*")
        assert running == "", host
