"""Whoever tells of a real cluster's job tells the same; failures, lost DataNodes and replicas are told."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.engines.base import RunClock
from howdah.engines.hadoop.following import TaskSnapshots
from howdah.engines.hadoop.lost_daemons import MachineWatch
from howdah.engines.hadoop.reporters import ReportedJob, report_job
from howdah.engines.hadoop.storage import replica_spread
from howdah.engines.hadoop.target import HadoopTarget, NodeFinder
from howdah.model.cluster import Event
from howdah.model.inventory import Inventory
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan, Role
from howdah.model.request import Hypervisor, PlanRequest
from howdah.model.run import TaskAttempt
from howdah.model.workloads.terasort import TeraSort
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.job_rest import JobReader
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web
from howdah.session.plan_checks import write_rendered
from support.daemons import Daemons, change_properties, move_paths, put
from support.hadoop_cluster import HadoopCluster, needs_hadoop
from support.hadoop_target import hadoop_target
from support.network import Network, can_build
from support.patience import PATIENCE_S
from support.plans import group
from support.recorded_jobs import target as target_of

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster")]

EXAMPLES = "org.apache.hadoop.examples.ExampleDriver"
HDFS = "org.apache.hadoop.hdfs.server"
ROWS = 20_000
BLOCKS = 12


class Ran(NamedTuple):
    """A job that has ended."""

    id: str
    code: int
    lines: tuple[str, ...]
    seen: TaskSnapshots | None


def _run(cluster: HadoopCluster, *arguments: str, look: bool = False) -> Ran:
    """Run one of Hadoop's examples to its end; with ``look``, ask its application master once a second."""
    log = cluster.daemons.logs / "client.log"
    with log.open("wb") as out:
        client = subprocess.Popen(
            cluster.daemons.command(EXAMPLES, *arguments), stdout=out, stderr=subprocess.STDOUT
        )
    seen: TaskSnapshots | None = None
    target = hadoop_target(cluster, "/user/howdah/history")
    while True:
        try:
            client.wait(1)
            break
        except subprocess.TimeoutExpired:
            job = _job(log)
            if look and job:
                seen = seen or _watcher(target, job)
                seen.poll()
    lines = tuple(log.read_text().splitlines())
    return Ran(_job(log), client.returncode, lines, seen)


def _watcher(target: HadoopTarget, job: str) -> TaskSnapshots:
    manager = ResourceManager(target.web, target.conf)
    master = manager.app_master(job.replace("job", "application"))
    return TaskSnapshots(JobReader(target.web, master.url), job)


def _job(log: Path) -> str:
    """The job that a client has submitted; empty as long as it has none."""
    _, submitted, after = log.read_text().rpartition("Submitted application ")
    return after.split()[0].replace("application", "job") if submitted else ""


def _tell(
    target: HadoopTarget, ran: Ran, clock: RunClock, plan: ClusterPlan, *, seen: bool = False
) -> ReportedJob:
    return report_job(
        target,
        ran.id,
        clock,
        workload=TeraSort(),
        plan=plan,
        printed=ran.lines,
        seen=ran.seen.job if seen and ran.seen else None,
    )


@pytest.mark.exam("jobs")
def test_whoever_tells_of_a_sort_tells_the_same(cluster: HadoopCluster) -> None:
    clock = RunClock()
    _run(cluster, "teragen", "-Dmapreduce.job.maps=2", str(ROWS), "/history/in")
    ran = _run(cluster, "terasort", "-Dmapreduce.job.reduces=2", "/history/in", "/history/out", look=True)
    assert ran.code == 0
    target = hadoop_target(cluster, "/user/howdah/history")
    # The history file is read as the user whose job it was: another may not.
    nobody = replace(target, web=Web(user="nobody"))

    server = _tell(nobody, ran, clock, cluster.plan)
    both = _tell(target, ran, clock, cluster.plan)
    cluster.daemons.kill("historyserver")
    try:
        file = _tell(target, ran, clock, cluster.plan)
        master = _tell(nobody, ran, clock, cluster.plan, seen=True)
        client = _tell(nobody, ran, clock, cluster.plan)
    finally:
        cluster.start("historyserver")

    reported = (server, both, file, master, client)
    assert [one.job.told_by for one in reported] == [
        *("history server", "history file", "history file"),
        *("application master", "client"),
    ]
    assert _unplaced(server.attempts) == _unplaced(both.attempts) == _unplaced(file.attempts)
    assert {row.locality for row in both.attempts if row.kind == "map"} == {"local"}
    assert server.phases == both.phases == file.phases
    assert [phase.name for phase in file.phases] == ["map-shuffle", "reduce-merge"]
    assert server.job.counters == both.job.counters == file.job.counters
    assert server.counters == both.counters == file.counters == client.counters
    # The last second of a job may go unseen, but no task of it.
    assert {(row.kind, row.task) for row in master.attempts} <= {
        (row.kind, row.task) for row in file.attempts
    }
    assert len({row.task for row in master.attempts if row.kind == "map"}) == 2
    assert client.attempts == []
    assert client.job.finished_s is not None


def _unplaced(rows: Sequence[TaskAttempt]) -> list[TaskAttempt]:
    return [row._replace(locality="") for row in rows]


def test_a_failed_task_is_told_by_its_own_log(cluster: HadoopCluster) -> None:
    starved = (
        "-Dmapreduce.map.java.opts=-Xmx48m",
        "-Dmapreduce.task.io.sort.mb=200",
        "-Dmapreduce.map.maxattempts=1",
    )
    put(f"{cluster.webhdfs}/history/text?op=CREATE&overwrite=true&{cluster.user}", b"words of a file\n")
    ran = _run(cluster, "wordcount", *starved, "/history/text", "/history/words")
    assert ran.code != 0
    reported = _tell(hadoop_target(cluster, "/user/howdah/history"), ran, RunClock(), cluster.plan)
    assert reported.job.diagnostics is not None
    assert "failed on localhost (attempt_" in reported.job.diagnostics
    assert "OutOfMemoryError: Java heap space (at MapTask.java:" in reported.job.diagnostics
    assert "mapreduce.map.java.opts" in reported.job.diagnostics


def test_a_job_that_a_user_killed_is_told_so(cluster: HadoopCluster) -> None:
    target = hadoop_target(cluster, "/user/howdah/history")
    log = cluster.daemons.logs / "killed.log"
    with log.open("wb") as out:
        command = cluster.daemons.command(EXAMPLES, "pi", "2", "2000000000")
        client = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        job = cluster.daemons.wait("the job", lambda: _job(log) or None)
        ResourceManager(target.web, target.conf).kill(job.replace("job", "application"))
        client.wait(PATIENCE_S)
    finally:
        client.kill()
        client.wait()
    reported = _tell(target, Ran(job, 1, (), None), RunClock(), cluster.plan)
    assert reported.job.diagnostics is not None
    assert "was killed by user" in reported.job.diagnostics


class Hosts(NamedTuple):
    """Two hosts with two DataNodes each, in a network of their own."""

    plan: ClusterPlan
    daemons: Daemons
    target: HadoopTarget
    inside: ThreadPoolExecutor
    """A thread that is in the NameNode's network."""
    again: str
    """The DataNode that a test may kill."""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    root = tmp_path_factory.mktemp("hosts")
    plan = plan_cluster(
        Inventory(cluster="pair", groups=(group(hosts=["h[1-2]"], count=2),)),
        PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=4),
    )
    (namenode,) = (one.address for one in plan.cluster.masters if Role.NAMENODE in one.roles)
    workers = [worker.name for worker in placed_workers(plan.cluster)]
    write_rendered(render(plan), root / "rendered", force=False)
    # The NameNode may share a machine with a worker.
    machines = tuple(dict.fromkeys((namenode, *workers)))
    with Network(machines, root) as network, Daemons(root, root / "logs") as daemons:
        master, main = network.inside(namenode), f"{HDFS}.namenode.NameNode"
        own = _own(root / "rendered/hadoop", root / "master")
        daemons.run(main, "-format", "-nonInteractive", conf=own, inside=master)
        daemons.start("namenode", main, conf=own, inside=master)
        for worker in workers:
            where = _own(root / "rendered/hadoop", root / worker)
            daemons.start(worker, f"{HDFS}.datanode.DataNode", conf=where, inside=network.inside(worker))
        with network.thread(namenode) as inside:
            target = target_of("http://127.0.0.1:1", root / "client")
            shutil.copy(own / "core-site.xml", target.conf_dir)
            shutil.copy(own / "hdfs-site.xml", target.conf_dir)
            conf = ClientConf.read(target.conf_dir)
            target = replace(target, conf=conf, web=Web(network.addresses, user="root"))
            reader = NameNode(target.web, conf)

            def at_work() -> bool | None:
                """Whether all have sent heartbeats: one that has only registered takes no blocks."""
                try:
                    found = inside.submit(reader.datanodes).result()
                except ServiceError:
                    return None
                return [bool(one.capacity_bytes) for one in found] == [True] * len(workers) or None

            daemons.wait("the DataNodes", at_work)
            yield Hosts(plan, daemons, target, inside, workers[-1])


def _own(conf: Path, root: Path) -> Path:
    """A host's own copy of the configuration; a lost DataNode is dead within seconds."""
    own = root / "conf"
    shutil.copytree(conf, own)
    move_paths(own, root)
    soon = {
        "dfs.client.read.shortcircuit": "false",
        "dfs.heartbeat.interval": "1",
        "dfs.namenode.heartbeat.recheck-interval": "1000",
    }
    change_properties(own / "hdfs-site.xml", soon)
    return own


@pytest.mark.exam("placement")
@pytest.mark.skipif(not can_build(), reason="only root can make a network with addresses of its own")
def test_no_block_of_node_groups_has_two_replicas_on_one_host(hosts: Hosts) -> None:
    hdfs = NameNode(hosts.target.web, hosts.target.conf)

    def files() -> None:
        for number in range(BLOCKS):
            hdfs.write(f"/files/block-{number}", b"x" * 1000)

    hosts.inside.submit(files).result()
    machines = NodeFinder({}, hosts.plan)
    found = hosts.inside.submit(replica_spread, hdfs, "/files", machines).result()
    assert (found.blocks, found.replicas) == (BLOCKS, 2 * BLOCKS)
    assert (found.sharing_host, found.under_replicated, found.missing) == (0, 0, 0)
    assert set(found.per_worker) == set(machines.workers)
    assert sum(found.per_worker.values()) == 2 * BLOCKS
    on_first = sum(count for name, count in found.per_worker.items() if machines.host(name) == "h1")
    assert on_first == BLOCKS


@pytest.mark.exam("placement")
@pytest.mark.skipif(not can_build(), reason="only root can make a network with addresses of its own")
def test_a_killed_datanode_is_noticed_before_it_is_declared_dead(hosts: Hosts) -> None:
    watch = MachineWatch(hosts.target, NodeFinder({}, hosts.plan), RunClock())
    assert hosts.inside.submit(watch.poll).result() == []
    hosts.daemons.kill(hosts.again)
    events: list[Event] = []

    def twice() -> bool | None:
        events.extend(hosts.inside.submit(watch.poll).result())
        return len(events) == 2 or None

    hosts.daemons.wait("the loss", twice)
    lost, given_up = events
    assert [one.worker for one in events] == [hosts.again] * 2
    assert (lost.kind, given_up.kind) == ("datanode-lost", "datanode-given-up")
    # Both tell the same last heartbeat, to the second that the NameNode counts in.
    assert lost.seen_s is not None
    assert given_up.seen_s is not None
    assert lost.seen_s < lost.time_s < given_up.time_s
    assert given_up.seen_s == pytest.approx(lost.seen_s, abs=2)
    assert "has lost contact" in events[0].text
    assert "declares" in events[1].text
