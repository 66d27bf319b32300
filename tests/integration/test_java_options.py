"""Java takes every option that is planned for a daemon or a task, whatever the hosts and the request are."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.cluster import plan_cluster
from support.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java here")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
JOBS, REQUESTS = Demand(kind="terasuite"), Demand(kind="ycsb")
TASK_OPTIONS = frozenset(
    {"mapreduce.map.java.opts", "mapreduce.reduce.java.opts", "yarn.app.mapreduce.am.command-opts"}
)
FIRST_HEAP = re.compile(r"-Xms\d+m")


def _plans() -> Iterator[ClusterPlan]:
    # The laboratories' hosts have no domain, and so no realm.
    inventories = [read_inventory(path) for path in EXAMPLES if not path.stem.startswith("hosts-lab")]
    for inventory, profile, workloads, protection, secure in itertools.product(
        inventories,
        Profile,
        ((JOBS,), (REQUESTS,), (JOBS, REQUESTS)),
        (Protection.NONE, Protection.HA),
        (False, True),
    ):
        yield plan_cluster(
            inventory,
            PlanRequest(
                profile=profile,
                workloads=workloads,
                protection=protection,
                secure=secure,
                hypervisor=Hypervisor.NONE,
            ),
        )


def _options() -> dict[str, set[str]]:
    """Every text of options that is planned, and the keys that have it."""
    found: dict[str, set[str]] = {}
    for plan in _plans():
        for one in plan.settings:
            if one.key.endswith("_OPTS") or one.key in TASK_OPTIONS:
                found.setdefault(str(one.value), set()).add(one.key)
    return found


def _refusal(options: str) -> str:
    """What Java says against options, empty if nothing."""
    # The heap is reserved, not touched: this machine need not have the memory of the planned one.
    small = FIRST_HEAP.sub("-Xms8m", options)
    command = ["java", *small.split(), "-version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode != 0:
        return done.stderr or done.stdout
    warnings = [
        line
        for line in (done.stdout + done.stderr).splitlines()
        # Whether this machine has huge pages is not the options' doing.
        if "warning:" in line.lower() and "HugePages" not in line
    ]
    return "\n".join(warnings)


def test_java_takes_every_planned_option() -> None:
    options = _options()
    keys = set().union(*options.values())
    assert keys >= TASK_OPTIONS | {
        "HBASE_MASTER_OPTS",
        "HBASE_REGIONSERVER_OPTS",
        "HDFS_DATANODE_OPTS",
        "HDFS_JOURNALNODE_OPTS",
        "HDFS_NAMENODE_OPTS",
        "HDFS_ZKFC_OPTS",
        "MAPRED_HISTORYSERVER_OPTS",
        "YARN_NODEMANAGER_OPTS",
        "YARN_RESOURCEMANAGER_OPTS",
    }
    with ThreadPoolExecutor(max_workers=2) as pool:
        refused = {one: said for one, said in zip(options, pool.map(_refusal, options), strict=True) if said}
    assert not refused


@pytest.mark.parametrize(
    "wrong", ["-Xmx1g -XX:+UseConcMarkSweepGC", "-Xmx1g -XX:+NoSuchOption", "-Xms8m -Xmx4m"]
)
def test_java_refuses_what_it_does_not_know(wrong: str) -> None:
    assert _refusal(wrong)
