"""Which release a folder is of: what names it, what only some releases have, and what they run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import CheckReport, CheckVerdict


def _report(folder: Path, properties: dict[str, str], texts: dict[str, str]) -> CheckReport:
    rows = (
        f"<property><name>{key}</name><value>{text}</value></property>" for key, text in properties.items()
    )
    (folder / "hdfs-site.xml").write_text(f"<configuration>{''.join(rows)}</configuration>")
    for name, text in texts.items():
        (folder / name).write_text(text)
    return audit(read_folders([folder]), [], None, Releases())


@pytest.mark.parametrize(
    ("properties", "texts", "release", "words"),
    [
        ({}, {}, "3.5.0", "default"),
        ({"dfs.namenode.name.dir": "/opt/hadoop-2.7.3/name"}, {}, "2.7.3", "hadoop-2.7.3 in hdfs-site.xml:1"),
        ({}, {"hadoop-env.sh": "export HADOOP_HOME=/usr/hdp/3.1.0.0-78/hadoop"}, "3.1.4", "HDP"),
        ({"dfs.namenode.http-address": "m1:50070"}, {}, "2.10.2", "port 50070"),
        ({}, {"slaves": "w1\nw2\n"}, "2.10.2", "slaves"),
        ({}, {"hadoop-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-8-openjdk"}, "3.4.2", "Java 8"),
        ({}, {"hadoop-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-11-openjdk"}, "3.4.2", "Java 11"),
        ({}, {"hadoop-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-17-openjdk"}, "3.5.0", "Java 17"),
        (
            {"dfs.namenode.http-address": "m1:9870"},
            {"hadoop-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-8-openjdk"},
            "3.4.2",
            "Java 8",
        ),
        ({"dfs.namenode.name.dir": "/opt/hadoop-2.6.0-cdh5.14.4/name"}, {}, "2.7.7", "hadoop-2.6.0"),
        (
            # What is older than the scripts' variables was taken over from before.
            {"dfs.namenode.http-address": "m1:50070"},
            {"hadoop-env.sh": "export HADOOP_OS_TYPE=Linux\nexport JAVA_HOME=/usr/lib/jvm/java-8-openjdk"},
            "3.4.2",
            "Java 8",
        ),
        (
            {
                "mapred.job.tracker": "m1:9001",
                "mapred.tasktracker.map.tasks.maximum": "8",
                "mapred.fairscheduler.preemption": "true",
            },
            {},
            "2.10.2",
            "mapred.job.tracker",
        ),
        (
            {},
            {"hadoop-env.sh": "export JAVA_HOME=/usr/java/jdk1.8.0_121\nexport JAVA_HOME=$JAVA_HOME"},
            "3.4.2",
            "Java 8",
        ),
        (
            # Two Javas: one of them is wrong, and says nothing.
            {},
            {
                "hadoop-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-8-openjdk",
                "hbase-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-17-openjdk",
            },
            "3.5.0",
            "default",
        ),
    ],
)
def test_the_release_is_known_from_what_the_files_name(
    properties: dict[str, str], texts: dict[str, str], release: str, words: str, tmp_path: Path
) -> None:
    report = _report(tmp_path, properties, texts)
    assert report.hadoop == release
    assert words in report.hadoop_from


def test_nothing_fails_for_a_release_that_is_only_assumed(tmp_path: Path) -> None:
    (tmp_path / "mapred-site.xml").write_text(
        "<configuration><property><name>mapreduce.framework.name</name><value>yarn</value></property></configuration>"
    )
    report = _report(tmp_path, {"fs.defaultFS": "hdfs://m1:8020"}, {})
    failed = {check.about for check in report.checks if check.verdict is CheckVerdict.FAIL}
    assert "mapreduce.jvm.add-opens-as-default" not in failed


def test_a_former_release_is_judged_by_its_own_keys(tmp_path: Path) -> None:
    properties = {"dfs.datanode.hdfs-blocks-metadata.enabled": "true", "dfs.webhdfs.enabled": "true"}
    report = _report(tmp_path, {**properties, "dfs.hosts": "/opt/hadoop-2.7.3/hosts"}, {})
    wrong = {
        check.about for check in report.checks if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
    }
    assert not wrong & properties.keys()
