"""A planned host's files run TeraSort for real: as many tasks at once as planned, map output written once."""

from __future__ import annotations

import getpass
import json
import subprocess
from typing import Any, NamedTuple

import pytest

from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.session.plan_checks import write_rendered
from support.daemons import FETCH, LIB, Daemons, bean, change_properties, get, get_json, read_properties
from support.hadoop_cluster import OFTEN
from support.single import exported, one_host, planned_number, redirect

pytestmark = [
    pytest.mark.exam("jobs"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
]

BLOCK = 32 * 2**20
FILES, BLOCKS_OF_A_FILE, REDUCES = 2, 2, 2
# Files of whole blocks, all but a row: the fullest map tasks there are.
ROWS = FILES * (BLOCKS_OF_A_FILE * BLOCK // 100)
# Reached by these keys in the env files, started by these classes.
DAEMONS = {
    "namenode": ("hadoop-env.sh", "HDFS_NAMENODE_OPTS", "org.apache.hadoop.hdfs.server.namenode.NameNode"),
    "datanode": ("hadoop-env.sh", "HDFS_DATANODE_OPTS", "org.apache.hadoop.hdfs.server.datanode.DataNode"),
    "resourcemanager": (
        "yarn-env.sh",
        "YARN_RESOURCEMANAGER_OPTS",
        "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    ),
    "nodemanager": (
        "yarn-env.sh",
        "YARN_NODEMANAGER_OPTS",
        "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
    ),
    "historyserver": (
        "mapred-env.sh",
        "MAPRED_HISTORYSERVER_OPTS",
        "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
    ),
}
# What is this machine's: a folder of jars instead of an installation, and programs that start fast.
MACHINE = {
    "mapred-site.xml": {
        "mapreduce.application.classpath": f"{LIB}/*",
        **OFTEN["mapred-site.xml"],
    },
    "yarn-site.xml": {
        "yarn.application.classpath": f"$HADOOP_CONF_DIR,{LIB}/*",
        **OFTEN["yarn-site.xml"],
    },
}


class Finished(NamedTuple):
    """A job as the JobHistoryServer tells of it."""

    job: dict[str, Any]
    conf: dict[str, str]
    counters: dict[str, dict[str, int]]
    """Of map and of reduce tasks, by the counter's name."""


class Ran(NamedTuple):
    """The suite, run on a plan's files."""

    plan: ClusterPlan
    rendered: dict[str, str]
    """mapred-site.xml and yarn-site.xml as rendered."""
    sort: Finished
    validated: str
    at_once: int
    """The most containers that ran at the same time."""
    generated: dict[str, Any]
    """What HDFS says of the first of TeraGen's files."""
    node: dict[str, Any]
    """The NodeManager as the ResourceManager lists it."""


def _finished(history: int, name: str) -> Finished | None:
    base = f"http://localhost:{history}/ws/v1/history/mapreduce/jobs"
    jobs = _listed((get_json(base)["jobs"] or {}).get("job", []))
    found = next((one for one in jobs if one["name"] == name), None)
    if found is None:
        return None
    url = f"{base}/{found['id']}"
    conf = {one["name"]: _text(one["value"]) for one in get_json(f"{url}/conf")["conf"]["property"]}
    groups = get_json(f"{url}/counters")["jobCounters"]["counterGroup"]
    counters = {
        one["name"]: {part: one[f"{part}CounterValue"] for part in ("map", "reduce")}
        for group in groups
        for one in _listed(group["counter"])
    }
    return Finished(get_json(url)["job"], conf, counters)


def _listed(answer: Any) -> list[Any]:
    """A list of the history's, which is its only element where there is one."""
    return answer if isinstance(answer, list) else [answer]


def _text(value: Any) -> str:
    """A value as a file has it: the history makes numbers of what looks like one."""
    return value if isinstance(value, str) else json.dumps(value)


def _run_job(daemons: Daemons, manager: int, *arguments: str) -> int:
    """Run a program of the suite to its end; the most containers that ran at once meanwhile."""
    driver = "org.apache.hadoop.examples.ExampleDriver"
    most = 0
    log = daemons.logs / f"{arguments[0]}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(daemons.command(driver, *arguments), stdout=out, stderr=out)
    try:
        while True:
            metrics = get_json(f"http://localhost:{manager}/ws/v1/cluster/metrics")["clusterMetrics"]
            most = max(most, int(metrics["containersAllocated"]))
            try:
                assert process.wait(0.25) == 0, log.read_text()[-3000:]
                return most
            except subprocess.TimeoutExpired:
                continue
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    root = tmp_path_factory.mktemp("job")
    plan = plan_cluster(
        one_host("24GiB"),
        PlanRequest(
            hypervisor=Hypervisor.NONE,
            workloads=(Demand(kind="terasuite", dataset_bytes=ROWS * 100),),
            overrides=(Override(key="dfs.blocksize", value=str(BLOCK)),),
        ),
    )
    write_rendered(render(plan), root / "rendered", force=False)
    conf = root / "rendered/hadoop"
    rendered = {**read_properties(conf / "mapred-site.xml"), **read_properties(conf / "yarn-site.xml")}
    port = redirect(conf, root)
    for file, changed in MACHINE.items():
        change_properties(conf / file, changed)
    namenode, manager = port["dfs.namenode.http-address"], port["yarn.resourcemanager.webapp.address"]
    files = f"http://localhost:{namenode}/webhdfs/v1"
    user = f"user.name={getpass.getuser()}"
    with Daemons(conf, root / "logs") as daemons:
        daemons.run(DAEMONS["namenode"][2], "-format", "-nonInteractive")
        for name, (file, variable, main) in DAEMONS.items():
            daemons.start(name, main, options=exported(conf / file, variable))
            if name == "namenode":
                daemons.wait("the NameNode", lambda: bean(namenode, "name=NameNodeStatus"))
        (node,) = daemons.wait("a NodeManager", lambda: _offering(manager))
        daemons.wait(
            "a DataNode",
            lambda: (bean(namenode, "name=FSNamesystemState") or {}).get("NumLiveDataNodes") or None,
        )
        _run_job(daemons, manager, "teragen", f"-Dmapreduce.job.maps={FILES}", str(ROWS), "/in")
        at_once = _run_job(daemons, manager, "terasort", f"-Dmapreduce.job.reduces={REDUCES}", "/in", "/out")
        _run_job(daemons, manager, "teravalidate", "/out", "/report")
        sort = daemons.wait(
            "TeraSort's history",
            lambda: _finished(port["mapreduce.jobhistory.webapp.address"], "TeraSort"),
        )
        validated = get(f"{files}/report/part-r-00000?op=OPEN&{user}").decode()
        listed = get_json(f"{files}/in?op=LISTSTATUS&{user}")["FileStatuses"]["FileStatus"]
        generated = next(one for one in listed if one["pathSuffix"].startswith("part-m-"))
    return Ran(plan, rendered, sort, validated, at_once, generated, node)


def _offering(manager: int) -> list[dict[str, Any]] | None:
    """The nodes once the scheduler has them: at first one is running, and has nothing to offer."""
    told = get_json(f"http://localhost:{manager}/ws/v1/cluster/nodes")["nodes"] or {}
    return [node for node in told.get("node") or () if node["availMemoryMB"]] or None


def test_the_rows_are_sorted(ran: Ran) -> None:
    assert ran.validated.startswith("checksum\t")
    assert ran.sort.job["state"] == "SUCCEEDED"
    assert ran.sort.counters["MAP_INPUT_RECORDS"]["map"] == ROWS


def test_the_job_has_every_planned_value(ran: Ran) -> None:
    differ = {
        key: (value, ran.sort.conf.get(key))
        for key, value in ran.rendered.items()
        if key.startswith(("mapreduce.map.", "mapreduce.reduce.", "mapreduce.task.", "mapreduce.job."))
        and ran.sort.conf.get(key) != value
    }
    assert not differ


def test_a_nodemanager_offers_the_planned_memory(ran: Ran) -> None:
    assert ran.node["state"] == "RUNNING"
    assert ran.node["availMemoryMB"] == int(ran.rendered["yarn.nodemanager.resource.memory-mb"])


def test_as_many_containers_run_at_once_as_planned(ran: Ran) -> None:
    tasks = planned_number(ran.plan, "worker.map_slots") + planned_number(ran.plan, "worker.reduce_slots")
    assert ran.at_once == tasks + 1, "and their application master"


def test_map_output_is_compressed_and_written_once(ran: Ran) -> None:
    counters = ran.sort.counters
    assert counters["MAP_OUTPUT_RECORDS"]["map"] == ROWS
    assert counters["SPILLED_RECORDS"]["map"] == ROWS
    assert counters["MAP_OUTPUT_MATERIALIZED_BYTES"]["map"] < 0.8 * counters["MAP_OUTPUT_BYTES"]["map"]


def test_no_task_fails_or_outgrows_its_container(ran: Ran) -> None:
    for kind in ("Map", "Reduce"):
        assert ran.sort.job[f"failed{kind}Attempts"] == 0


def test_files_have_the_planned_blocks_and_replicas(ran: Ran) -> None:
    assert ran.generated["replication"] == planned_number(ran.plan, "dfs.replication")
    assert ran.generated["blockSize"] == BLOCK
