"""One planned host, its rendered files moved to where this machine can run them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import ClusterPlan, Value
from support.daemons import change_properties, move_paths
from support.ports import free_ports

_CORE_PORTS = ("fs.defaultFS", "mapreduce.shuffle.port")
_PORTS = (
    ("hdfs-site.xml", "dfs.namenode.http-address"),
    ("hdfs-site.xml", "dfs.datanode.address"),
    ("hdfs-site.xml", "dfs.datanode.http.address"),
    ("hdfs-site.xml", "dfs.datanode.ipc.address"),
    ("yarn-site.xml", "yarn.resourcemanager.address"),
    ("yarn-site.xml", "yarn.resourcemanager.scheduler.address"),
    ("yarn-site.xml", "yarn.resourcemanager.resource-tracker.address"),
    ("yarn-site.xml", "yarn.resourcemanager.admin.address"),
    ("yarn-site.xml", "yarn.resourcemanager.webapp.address"),
    ("yarn-site.xml", "yarn.nodemanager.address"),
    ("yarn-site.xml", "yarn.nodemanager.localizer.address"),
    ("yarn-site.xml", "yarn.nodemanager.webapp.address"),
    ("mapred-site.xml", "mapreduce.jobhistory.address"),
    ("mapred-site.xml", "mapreduce.jobhistory.webapp.address"),
    ("mapred-site.xml", "mapreduce.jobhistory.admin.address"),
)


def one_host(memory: str) -> Inventory:
    """A host as small as machines that run tests: two CPUs and two disks."""
    host = HostGroup(
        name="workers",
        count=1,
        hosts=("localhost",),
        cpu=CpuLayout(sockets=1, cores_per_socket=2, threads_per_core=1),
        memory=memory,
        disks=(DiskSet(count=2, kind=DiskKind.SSD, size="200GB"),),
        nics=(NicSet(count=1, speed="10Gb/s"),),
    )
    return Inventory(cluster="single", groups=(host,))


def planned(plan: ClusterPlan, key: str) -> Value:
    """The one value that a plan has for a key."""
    (value,) = {one.value for one in plan.settings if one.key == key}
    return value


def planned_number(plan: ClusterPlan, key: str) -> float:
    """The one number that a plan has for a key."""
    value = planned(plan, key)
    assert isinstance(value, int | float), value
    return value


def redirect(conf: Path, root: Path) -> dict[str, int]:
    """Change a copy where this machine is not the planned host: paths, ports, no native library.

    Returns the port of every address by its key, the NameNode's as ``fs.defaultFS``.
    """
    move_paths(conf, root)
    keys = [*_CORE_PORTS, *(key for _, key in _PORTS)]
    given = dict(zip(keys, free_ports(len(keys)), strict=True))
    rpc = f"localhost:{given['fs.defaultFS']}"
    change_properties(conf / "core-site.xml", {"fs.defaultFS": f"hdfs://{rpc}"})
    # Short-circuit reads need libhadoop, which is not in the jars.
    change_properties(
        conf / "hdfs-site.xml",
        {"dfs.namenode.rpc-address": rpc, "dfs.client.read.shortcircuit": "false"},
    )
    # numactl need not be installed here.
    if (conf / "yarn-site.xml").exists():
        change_properties(conf / "yarn-site.xml", {"yarn.nodemanager.numa-awareness.enabled": "false"})
    change_properties(
        conf / "mapred-site.xml", {"mapreduce.shuffle.port": str(given["mapreduce.shuffle.port"])}
    )
    for file, key in _PORTS:
        if (conf / file).exists():
            change_properties(conf / file, {key: f"localhost:{given[key]}"})
    return given


def exported(env: Path, variable: str) -> Sequence[str]:
    """The words of a variable that a rendered env file exports, as a start script would pass them on."""
    for line in env.read_text().splitlines():
        if line.startswith(f"export {variable}="):
            (assignment,) = shlex.split(line.removeprefix("export "))
            return assignment.partition("=")[2].split()
    raise AssertionError(f"{env} exports no {variable}")
