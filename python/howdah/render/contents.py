"""What each part of a ConfigSet is, in a few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_MEANS = {
    "hadoop": "HADOOP_CONF_DIR of masters, clients and workers",
    "hbase": "HBASE_CONF_DIR",
    "zookeeper": "ZooKeeper's zoo.cfg and zookeeper-env.sh, and the myid of each server",
    "spark": "SPARK_CONF_DIR of hosts that applications are started from",
    "tez": "TEZ_CONF_DIR of Hive's servers and clients",
    "hive": "HIVE_CONF_DIR of Hive's servers and clients",
    "os": "kernel, limits, huge pages, and the script that formats the data disks",
    "systemd": "a unit for every daemon",
    "deploy": "an Ansible project that does all this, with or without howdah",
    "network": "bonding and frame size for systemd-networkd, and settings made by hand",
    "hypervisor": "virtual machines: the machines of each host, and the settings of each kind",
    "firmware.md": "settings in the hosts' firmware",
    "hosts.csv": "every host with its machines and roles",
    "SOURCES.md": "the sources that reasons cite in square brackets",
    "README.md": "the steps, in order",
}


def contents(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Every folder and file at the top with what it means; ``hadoop-small`` is hadoop's for small."""
    return [(top, meaning) for top, meaning, _ in counted_contents(paths)]


def counted_contents(paths: Iterable[str]) -> list[tuple[str, str, int]]:
    """As ``contents``, with the number of files."""
    tops = Counter(_top(path) for path in paths)
    return [
        (top, _meaning(top, any(top.startswith("hadoop-") for top in tops)), count)
        for top, count in sorted(tops.items(), key=lambda item: item[0].rstrip("/"))
    ]


def _top(path: str) -> str:
    first, slash, _ = path.partition("/")
    return f"{first}{slash}"


def _meaning(top: str, kinds_differ: bool) -> str:
    name = top.rstrip("/")
    base, _, kind = name.partition("-")
    if name not in _MEANS:
        return (
            f"HADOOP_CONF_DIR of workers of the kind {kind}"
            if base == "hadoop"
            else f"{_MEANS[base]}, for {kind}"
        )
    if name == "hadoop" and kinds_differ:
        return "HADOOP_CONF_DIR of masters and clients that are not workers"
    return _MEANS[name]
