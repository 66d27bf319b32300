"""``howdah inventory import`` on a real cluster of three hosts, as its administrator runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.documents.files import read_inventory, read_plan, read_work
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.session.plan_checks import write_rendered
from support.command import HOWDAH, environment, howdah
from support.daemons import FETCH, LIB, Daemons, change_properties, move_paths
from support.hadoop_cluster import OFTEN
from support.machine import host
from support.network import Network, can_build
from support.patience import PATIENCE_S

pytestmark = [
    pytest.mark.exam("foreign"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="only root can make a network with addresses of its own"),
]

HDFS = "org.apache.hadoop.hdfs.server"
YARN = "org.apache.hadoop.yarn.server"
SMALL = ["-Xmx256m", "-Xss512k"]
CORES = {"h1": 4, "h2": 4, "h3": 6}
"""What Java is told that each host has, so that one is not like the others."""
LOST_SOON = {
    "hdfs": {"dfs.namenode.heartbeat.recheck-interval": "1000", "dfs.heartbeat.interval": "1"},
    "yarn": {"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"},
}
"""A host is dead after seconds instead of ten minutes."""


class Ran(NamedTuple):
    """A cluster, running."""

    network: Network
    daemons: Daemons
    conf: Path
    folder: Path

    def imported(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """What the command says on the masters' host."""
        command = [HOWDAH, "inventory", "import", "--conf", self.conf, *arguments]
        return subprocess.run(
            [*self.network.inside("m1"), *map(str, command)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            env=environment(),
        )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    root = tmp_path_factory.mktemp("import")
    write_rendered(render(_plan()), root / "rendered", force=False)
    with (
        Network(("m1", *CORES), root) as network,
        Daemons(root / "rendered/hadoop", root / "logs") as daemons,
    ):
        conf = {name: _own(root, name) for name in network.addresses}
        inside = network.inside("m1")
        namenode = f"{HDFS}.namenode.NameNode"
        daemons.run(namenode, "-format", "-nonInteractive", conf=conf["m1"], inside=inside)
        daemons.start("namenode", namenode, conf=conf["m1"], inside=inside, options=SMALL)
        manager = f"{YARN}.resourcemanager.ResourceManager"
        daemons.start("resourcemanager", manager, conf=conf["m1"], inside=inside, options=SMALL)
        for worker, cores in CORES.items():
            options = [*SMALL, f"-XX:ActiveProcessorCount={cores}"]
            for daemon, main in (
                ("datanode", f"{HDFS}.datanode.DataNode"),
                ("nodemanager", f"{YARN}.nodemanager.NodeManager"),
            ):
                daemons.start(
                    f"{daemon}-{worker}",
                    main,
                    conf=conf[worker],
                    inside=network.inside(worker),
                    options=options,
                )
        daemons.wait("every host", lambda: _registered(root / "logs") or None)
        # It ends where the NameNode listens but does not answer yet, so it comes after those that registered.
        history = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"
        daemons.start("historyserver", history, conf=conf["m1"], inside=inside, options=SMALL)
        daemons.wait("history", lambda: _serves_history(root / "logs") or None)
        yield Ran(network, daemons, conf["m1"], root)


def _plan() -> ClusterPlan:
    hardware = {
        "cpu": {"sockets": 1, "cores_per_socket": 4},
        "memory": "16GiB",
        "disks": [{"count": 2, "kind": "hdd", "size": "100GB"}],
        "nics": [{"count": 1, "speed": "1Gb/s"}],
    }
    groups = (
        HostGroup.model_validate({"name": "h", "count": 3, "hosts": ["h[1-3]"], **hardware}),
        HostGroup.model_validate({"name": "m", "count": 1, "hosts": ["m1"], "serves": "masters", **hardware}),
    )
    return plan_cluster(
        Inventory(cluster="found", groups=groups),
        PlanRequest(
            hypervisor=Hypervisor.NONE,
            workloads=(Demand(kind="terasuite", dataset_bytes=10**8),),
        ),
    )


def _own(root: Path, name: str) -> Path:
    """A host's own copy of the configuration, its data beside it, made for this machine's jars."""
    own = root / name / "conf"
    shutil.copytree(root / "rendered/hadoop", own)
    move_paths(own, root / name)
    change_properties(own / "hdfs-site.xml", {"dfs.client.read.shortcircuit": "false", **LOST_SOON["hdfs"]})
    change_properties(
        own / "mapred-site.xml",
        {
            "mapreduce.application.classpath": f"{LIB}/*",
            **OFTEN["mapred-site.xml"],
        },
    )
    change_properties(
        own / "yarn-site.xml",
        {
            "yarn.application.classpath": f"$HADOOP_CONF_DIR,{LIB}/*",
            **LOST_SOON["yarn"],
            **OFTEN["yarn-site.xml"],
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.5",
        },
    )
    return own


def _registered(logs: Path) -> bool:
    """Whether every host's daemons are known to both masters."""
    lines = {"namenode": "Adding a new node: ", "resourcemanager": "Node Transitioned from NEW to RUNNING"}
    return all((logs / f"{name}.log").read_text().count(line) == len(CORES) for name, line in lines.items())


def _serves_history(logs: Path) -> bool:
    """Whether the JobHistoryServer's pages can be read."""
    return "Web app jobhistory started" in (logs / "historyserver.log").read_text()


def groups(path: Path) -> dict[str, HostGroup]:
    """The groups of an inventory by name."""
    return {group.name: group for group in read_inventory(path).groups}


def test_hosts_are_grouped_and_what_is_assumed_is_named_twice(ran: Ran) -> None:
    done = ran.imported("--output", "hosts.yaml")
    assert done.returncode == 0, done.stderr
    found = groups(ran.folder / "hosts.yaml")
    assert {name: group.names for name, group in found.items()} == {
        "h": ("h1", "h2"),
        "h-2": ("h3",),
        "m": ("m1",),
    }
    assert [group.cpu.threads for group in found.values()][:2] == [4, 6]
    assert [group.data_disks for group in found.values()] == [2, 2, 0]
    assert found["m"].serves == "masters"
    assert found["h"].racks == ()
    text = (ran.folder / "hosts.yaml").read_text()
    named = re.findall(r"^assumed  \S+: \w+: (.+)$", done.stderr, re.MULTILINE)
    assert named == re.findall(r"# assumed: (.+)$", text, re.MULTILINE)
    assert len(named) == 9, "CPUs, disks and ports of three groups"
    assert howdah("inventory", "check", "hosts.yaml", cwd=ran.folder).returncode == 0


def test_what_the_user_knows_is_not_assumed(ran: Ran, tmp_path: Path) -> None:
    probe = tmp_path / "h2.json"
    probe.write_text(host("h2", cpus=4, disks=("sda", "sdb", "sdc")).model_dump_json())
    done = ran.imported(
        "-o", tmp_path / "hosts.yaml", "--nic", "25GbE", "--disk-kind", "ssd", "--probe", probe
    )
    assert done.returncode == 0, done.stderr
    found = groups(tmp_path / "hosts.yaml")
    assert found["h-2"].nics[0].speed_bits_per_s == 25 * 10**9
    assert found["h-2"].disks[0].kind == "ssd"
    assert "h-2: nics" not in done.stderr
    # h2's probe tells of h1 too, which is alike.
    assert found["h"].cpu.model == "Synthetic Processor 2.5 GHz"


@pytest.mark.parametrize(("name", "cpus"), [("h2", 8), ("h9", 4)])
def test_a_probe_of_another_host_is_refused(ran: Ran, tmp_path: Path, name: str, cpus: int) -> None:
    probe = tmp_path / "other.json"
    probe.write_text(host(name, cpus=cpus).model_dump_json())
    done = ran.imported("-o", tmp_path / "hosts.yaml", "--probe", probe)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --probe {probe}: ")
    assert not (tmp_path / "hosts.yaml").exists()


def test_finished_jobs_become_work_to_plan_for(ran: Ran) -> None:
    none = ran.imported("-o", "hosts.yaml", "--workload-output", "none.yaml")
    assert "missing  finished jobs: none ended in the last 7 days" in none.stderr
    assert not (ran.folder / "none.yaml").exists()
    inside = ran.network.inside("m1")
    ran.daemons.run("org.apache.hadoop.examples.ExampleDriver", "pi", "2", "10", conf=ran.conf, inside=inside)
    done = ran.daemons.wait("the job's history", lambda: _with_job(ran))
    work = read_work(ran.folder / "work.yaml")
    assert (work.finished_jobs, work.failed_jobs) == (1, 0)
    assert work.largest_input_bytes > 0
    assert work.busiest_containers > 1
    assert "1 finished job, the largest read " in done.stderr
    planned = howdah(
        *("plan", "hosts.yaml", "--workload", "@work.yaml", "--no-page", "-o", "plan.yaml"), cwd=ran.folder
    )
    assert planned.returncode == 0, planned.stderr
    cluster = read_plan(ran.folder / "plan.yaml").cluster
    assert cluster.request.dataset_bytes == work.largest_input_bytes


def _with_job(ran: Ran) -> subprocess.CompletedProcess[str] | None:
    done = ran.imported("-o", "hosts.yaml", "--workload-output", "work.yaml")
    return done if (ran.folder / "work.yaml").exists() else None


def test_what_is_down_is_said_and_the_rest_is_written(ran: Ran, tmp_path: Path) -> None:
    """Last, for it ends daemons: a host, the history server, and then the NameNode."""
    for name in ("datanode-h3", "nodemanager-h3", "historyserver"):
        ran.daemons.kill(name)
    output = tmp_path / "hosts.yaml"
    done = ran.daemons.wait("h3 to be dead", lambda: _without_h3(ran, output))
    assert done.returncode == 0, done.stderr
    assert "missing  finished jobs: http://m1:" in done.stderr
    assert list(groups(output)) == ["h", "m"]
    assert "# Not listed, because no daemon runs there: h3\n" in output.read_text()
    before = output.read_text()
    ran.daemons.kill("namenode")
    done = ran.imported("-o", output)
    assert done.returncode == 1
    assert done.stderr.startswith("error: NameNode http://m1:9870: cannot be reached")
    assert output.read_text() == before


def _without_h3(ran: Ran, output: Path) -> subprocess.CompletedProcess[str] | None:
    done = ran.imported("-o", output, "--workload-output", output.with_name("work.yaml"))
    return done if "down  h3: not listed" in done.stderr else None
