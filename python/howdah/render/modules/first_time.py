"""What is done once in a cluster's life: formatting what holds nothing, and never anything that does."""

from __future__ import annotations

import time
from glob import glob
from pathlib import Path
from typing import List

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, run
from howdah.render.modules.kerberos import ticket
from howdah.render.modules.releases import OPT

CONF = "/etc/hadoop/conf"
WHOLE = "current/fsimage_*.md5"
"""The file of a NameNode's directory that formatting writes last."""
STARTING_S = 60.0
"""How long a NameNode may take from its first answer to the end of its start."""
NOT_STARTED = 2
"""The exit code of -bootstrapStandby if no other NameNode answers."""
ALREADY_FORMATTED = 2
"""zkfc's exit code if its node exists already."""


def hadoop(manifest: Json, user: str, *words: str) -> str:
    """Return the output of a program of Hadoop, run as a user; raise HostRefusal with its end."""
    home = next(f"{OPT}/{name}" for name in manifest["trees"] if name.startswith("hadoop-"))
    program, *arguments = words
    environment = [
        f"HADOOP_CONF_DIR={CONF}",
        f"HADOOP_HOME={home}",
        *java(),
        *ticket(user),
        "HADOOP_ROOT_LOGGER=WARN,console",
    ]
    return run("runuser", "-u", user, "--", "env", *environment, f"{home}/bin/{program}", *arguments, cwd="/")


def java() -> List[str]:
    """Return the line with Java's home."""
    return [
        line for line in Path("/etc/default/hadoop").read_text().splitlines() if line.startswith("JAVA_HOME=")
    ]


def is_formatted(daemon: Json) -> bool:
    """Whether any directory of a NameNode was formatted completely."""
    return any(glob(f"{path}/{WHOLE}") for path in daemon["stores"])


def format_once(host: HostChanges, manifest: Json, daemon: Json, holders: List[str]) -> None:
    """Format the first NameNode unless it is formatted or other directories have data of this cluster."""
    if is_formatted(daemon):
        return
    if holders:
        raise HostRefusal(
            f"the NameNode's directories ({', '.join(daemon['stores'])}) are empty, but other directories "
            f"have data of this cluster ({', '.join(holders[:3])})",
            "restore the directories from a copy; howdah formats nothing",
        )
    cluster = ["-clusterid", manifest["cluster"], "-nonInteractive"]
    host.change(
        "format HDFS",
        lambda: hadoop(manifest, "hdfs", "hdfs", "namenode", "-format", *cluster, *force(daemon)),
    )


def bootstrap(host: HostChanges, manifest: Json, daemon: Json) -> None:
    """Let a second NameNode copy the first one's image, unless it is formatted."""
    if not is_formatted(daemon):
        host.change("copy the other NameNode's names", lambda: copy_names(manifest, daemon))


def copy_names(manifest: Json, daemon: Json) -> None:
    """Copy what the first NameNode has, again while that one is starting: its page answers before it does."""
    deadline = time.monotonic() + STARTING_S
    while True:
        words = ["-bootstrapStandby", "-nonInteractive", *force(daemon)]
        try:
            hadoop(manifest, "hdfs", "hdfs", "namenode", *words)
            return
        except HostRefusal as error:
            if error.code != NOT_STARTED or time.monotonic() > deadline:
                raise


def force(daemon: Json) -> List[str]:
    """The option that lets a program repeat a format that was killed, before any data was stored."""
    return ["-force"] if any(Path(path, "current/VERSION").exists() for path in daemon["stores"]) else []


def format_zookeeper(host: HostChanges, manifest: Json) -> None:
    """Create the node in ZooKeeper for the election of the active NameNode, unless it exists."""
    try:
        hadoop(manifest, "hdfs", "hdfs", "zkfc", "-formatZK", "-nonInteractive")
        host.changes.append("make the NameNodes' place in ZooKeeper")
    except HostRefusal as error:
        # Success prints nothing, but there may be warnings.
        if error.code != ALREADY_FORMATTED:
            raise
