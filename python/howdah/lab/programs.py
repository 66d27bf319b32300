"""The daemons of a laboratory: what starts each role, on which options, and where it can be asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from howdah.model.plan import Role


class Program(NamedTuple):
    """How one role is started."""

    name: str
    """Its name in Hadoop's own scripts and in ``howdah.installation.PROGRAMS``."""
    file: str
    """The rendered file with its Java options; empty where the plan decides none."""
    variable: str
    """The variable in that file."""


PROGRAM: Mapping[Role, Program] = {
    Role.ZOOKEEPER: Program("zookeeper", "", ""),
    Role.JOURNALNODE: Program("journalnode", "hadoop-env.sh", "HDFS_JOURNALNODE_OPTS"),
    Role.NAMENODE: Program("namenode", "hadoop-env.sh", "HDFS_NAMENODE_OPTS"),
    Role.FAILOVER_CONTROLLER: Program("zkfc", "hadoop-env.sh", "HDFS_ZKFC_OPTS"),
    Role.SECONDARY_NAMENODE: Program("secondarynamenode", "hadoop-env.sh", "HDFS_SECONDARYNAMENODE_OPTS"),
    Role.DATANODE: Program("datanode", "hadoop-env.sh", "HDFS_DATANODE_OPTS"),
    Role.RESOURCEMANAGER: Program("resourcemanager", "yarn-env.sh", "YARN_RESOURCEMANAGER_OPTS"),
    Role.NODEMANAGER: Program("nodemanager", "yarn-env.sh", "YARN_NODEMANAGER_OPTS"),
    Role.JOB_HISTORY: Program("historyserver", "mapred-env.sh", "MAPRED_HISTORYSERVER_OPTS"),
}
"""Every role that a laboratory runs, in the order they are started."""


def planned_options(conf: Path, program: Program) -> list[str]:
    """The Java options that the plan gives a program: what its rendered env file exports."""
    try:
        lines = (conf / program.file).read_text().splitlines() if program.file else []
    except FileNotFoundError:
        lines = []
    for line in lines:
        if line.startswith(f"export {program.variable}="):
            (assignment,) = shlex.split(line.removeprefix("export "))
            return assignment.partition("=")[2].split()
    return []
