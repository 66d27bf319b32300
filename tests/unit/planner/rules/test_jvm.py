"""Java: versions a release runs on, and options that are gone."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_options
from howdah.planner.rules.jvm import java_major
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB
from support.facts import (
    HADOOP_RULES,
    HBASE,
    MIX,
    a_configuration,
    asking,
    facts_of,
    seen,
    values_of,
    will_do,
)


def on(release: str, *, with_hbase: bool = False) -> Facts:
    request = (asking(HBASE) if with_hbase else asking()).model_copy(update={"hadoop": release})
    return facts_of(request=request)


@pytest.mark.parametrize(("release", "java"), [("3.5.0", "17"), ("3.4.2", "11"), ("3.3.6", "11")])
def test_java_is_what_the_release_runs_on(release: str, java: str) -> None:
    assert values_of(HADOOP_RULES, on(release))["java.version"] == java
    assert values_of(HADOOP_RULES, on(release, with_hbase=True))["java.version"] == java


@pytest.mark.parametrize(
    ("release", "found", "well"),
    [
        ("3.5.0", "17.0.10", True),
        ("3.5.0", "1.8.0_402", False),
        ("3.5.0", "11.0.22", False),
        ("3.5.0", "21", False),
        ("3.4.2", "1.8.0_402", True),
        ("3.4.2", "11", True),
        ("3.4.2", "17", False),
        ("3.5.0", "unknown", False),
    ],
)
def test_the_java_that_exists_is_judged_by_the_release(release: str, found: str, well: bool) -> None:
    assert will_do("jvm.version", found, on(release)) is well


@pytest.mark.parametrize(
    ("text", "major"), [("1.8.0_402", 8), ("17.0.10+7", 17), ('version "11.0.2"', 11), ("none", None)]
)
def test_java_says_its_version_in_two_ways(text: str, major: int | None) -> None:
    assert java_major(text) == major


def test_tasks_on_java_17_need_open_modules() -> None:
    assert values_of(HADOOP_RULES, on("3.5.0"))["mapreduce.jvm.add-opens-as-default"] is True
    assert values_of(HADOOP_RULES, on("3.4.2"))["mapreduce.jvm.add-opens-as-default"] is False
    assert "mapreduce.jvm.add-opens-as-default" not in values_of(HADOOP_RULES, on("3.3.6"))
    assert not will_do("jvm.open-modules", False, on("3.5.0"))
    assert will_do("jvm.open-modules", True, on("3.4.2"))


def test_releases_that_share_no_java_are_refused() -> None:
    request = asking(HBASE).model_copy(update={"hadoop": "3.5.0", "hbase": "2.5.13"})
    with pytest.raises(UserError, match=r"--hbase 2\.5\.13"):
        values_of(HADOOP_RULES, facts_of(request=request))


def test_options_that_java_17_lacks_are_found() -> None:
    old = a_configuration(environment={"HDFS_NAMENODE_OPTS": "-Xmx4g -XX:+UseConcMarkSweepGC"})
    assert seen("jvm.removed-options", old, on("3.5.0")) == [False]
    assert seen("jvm.removed-options", old, on("3.4.2")) == []
    new = a_configuration(environment={"HDFS_NAMENODE_OPTS": "-Xmx4g -XX:+UseG1GC"})
    assert seen("jvm.removed-options", new, on("3.5.0")) == [True]


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ("-Xmx31g", 31 * GIB),
        ("-Xms1g -Xmx800m", 800 * MIB),
        ("-Xmx1g -Xmx2G", 2 * GIB),
        ("-Xmx1048576k", GIB),
        ("-Xmx1073741824", GIB),
        ("-Xmx2gb", None),
        ("", None),
    ],
)
def test_the_last_heap_of_some_options_counts(options: str, size: int | None) -> None:
    assert heap_bytes(options) == size


def test_options_that_are_written_are_read_back() -> None:
    assert heap_bytes(heap_options(31 * GIB, "-XX:+UseG1GC")) == 31 * GIB


def test_logs_and_process_ids_are_not_left_to_cleaners_and_upgrades() -> None:
    decided = values_of(HADOOP_RULES, facts_of(request=asking(MIX)))
    assert decided["HADOOP_LOG_DIR"] == "/var/log/hadoop"
    assert decided["HADOOP_PID_DIR"] == "/run/hadoop"
    assert (decided["HBASE_LOG_DIR"], decided["HBASE_PID_DIR"]) == ("/var/log/hbase", "/run/hbase")
    assert "HBASE_LOG_DIR" not in values_of(HADOOP_RULES, facts_of())
    for rule_id, value, well in (
        ("jvm.hadoop-logs", "/tmp/logs", False),
        ("jvm.hadoop-logs", "/run/hadoop", False),
        ("jvm.hadoop-logs", "/data/logs", True),
        ("jvm.hadoop-process-ids", "/tmp", False),
        ("jvm.hadoop-process-ids", "/run/hadoop-hdfs", True),
    ):
        assert will_do(rule_id, value, facts_of()) is well, (rule_id, value)
