"""The releases that a configuration is for, and how they are known."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from howdah.model.plan import Plan
from howdah.releases import DEFAULT_HADOOP, DEFAULT_HBASE

_JAR = "hadoop-common-"


class Releases(NamedTuple):
    """Versions, and where the one of Hadoop comes from."""

    hadoop: str = DEFAULT_HADOOP
    hbase: str = DEFAULT_HBASE
    hadoop_from: Literal["command line", "plan", "HADOOP_HOME", "default"] = "default"


def known_releases(given: str | None, plan: Plan | None, home: str | None) -> Releases:
    """The release asked for, or else the plan's, or else the one below ``home``, or else the default."""
    request = plan.cluster.request if plan is not None and plan.cluster is not None else None
    hbase = request.hbase if request is not None else DEFAULT_HBASE
    if given is not None:
        return Releases(given, hbase, "command line")
    if request is not None:
        return Releases(request.hadoop, hbase, "plan")
    installed = _installed(home) if home else None
    return Releases(installed, hbase, "HADOOP_HOME") if installed else Releases()


def _installed(home: str) -> str | None:
    """The version of the Hadoop in a directory, by the name of its jar; None where there is none."""
    for jar in sorted(Path(home, "share/hadoop/common").glob(f"{_JAR}[0-9]*.jar")):
        version = jar.stem.removeprefix(_JAR)
        if version.replace(".", "").isdigit():
            return version
    return None
