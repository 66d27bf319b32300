"""One planned host's rendered files, moved to where this machine can run them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from support.daemons import change_properties, free_ports, move_paths

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
