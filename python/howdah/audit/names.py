"""The names of configuration files that programs read; a file of another name has no effect."""

from __future__ import annotations

import re

HADOOP = (
    "core-site.xml",
    "hdfs-site.xml",
    "hdfs-rbf-site.xml",
    "mapred-site.xml",
    "yarn-site.xml",
    "capacity-scheduler.xml",
    "hadoop-policy.xml",
    "resource-types.xml",
    "node-resources.xml",
    "ssl-server.xml",
    "ssl-client.xml",
)
"""What Hadoop's daemons and clients read, in the order in which later files win (Configuration.java)."""

OTHERS = (
    "hbase-site.xml",
    "hbase-policy.xml",
    "hive-site.xml",
    "hivemetastore-site.xml",
    "hiveserver2-site.xml",
    "httpfs-site.xml",
    "kms-site.xml",
    "kms-acls.xml",
    "tez-site.xml",
)
"""What only other programs read, each after Hadoop's own: Hadoop's daemons see nothing of it."""

FAIR_SCHEDULER = "fair-scheduler.xml"
CONTAINER_EXECUTOR = "container-executor.cfg"
ZOOKEEPER = "zoo.cfg"
SPARK = "spark-defaults.conf"
SCRIPTS = "-env.sh"
WORKERS = ("workers", "slaves", "regionservers")
BACKUP_MASTERS = "backup-masters"

_NOT_HADOOPS = re.compile(r"(ranger|xasecure|atlas|hive|yarn-federation|distcp)-.*|.*-(default|policy)\.xml")
"""XML files of other programs, whose names are right and whose contents are not checked."""


def is_read(name: str) -> bool:
    """Whether an XML file of this name is one of properties that a check reads."""
    return name in HADOOP or name in OTHERS


def is_stray(name: str) -> bool:
    """Whether no program is known to read an XML file of this name."""
    return not is_read(name) and name != FAIR_SCHEDULER and _NOT_HADOOPS.fullmatch(name) is None
