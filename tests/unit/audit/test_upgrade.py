"""What an upgrade requires: keys, Java and its options, services; nothing of what a check says besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.audit.folder import Releases, read_folders
from howdah.audit.upgrade import check_upgrade
from howdah.errors import UserError
from howdah.model.existing import Check, CheckVerdict

OLD = {
    "hdfs-site.xml": {
        "dfs.block.size": "128m",
        "dfs.webhdfs.enabled": "true",
        "dfs.permissions.enabled": "false",
    },
    "yarn-site.xml": {"yarn.nodemanager.aux-services": "mapreduce_shuffle,spark_shuffle"},
}
SCRIPTS = {
    "hadoop-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-8\nexport HADOOP_NAMENODE_OPTS='-Xmx4g "
    "-XX:+UseConcMarkSweepGC'",
    "spark-env.sh": "export JAVA_HOME=/usr/lib/jvm/java-11",
    "slaves": "w1\n",
}


def _required(folder: Path, java: int | None = None) -> dict[str, Check]:
    for name, properties in OLD.items():
        rows = (
            f"<property><name>{key}</name><value>{value}</value></property>"
            for key, value in properties.items()
        )
        (folder / name).write_text(f"<configuration>{''.join(rows)}</configuration>")
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    report = check_upgrade(read_folders([folder]), [], Releases(), "3.5.0", java)
    assert report.hadoop == "3.5.0"
    assert report.hadoop_from == "--to, from 2.10.2"
    return {f"{check.about} {check.where.partition(':')[0]}": check for check in report.checks}


def test_keys_options_javas_and_services_are_listed(tmp_path: Path) -> None:
    required = _required(tmp_path)
    assert "rename dfs.block.size to dfs.blocksize" in required["dfs.block.size hdfs-site.xml"].fix
    assert "WebHDFS is always on" in required["dfs.webhdfs.enabled hdfs-site.xml"].fix
    assert "Java 17" in required["JAVA_HOME hadoop-env.sh"].expected
    assert required["JAVA_HOME spark-env.sh"].verdict is CheckVerdict.WARN
    assert required["yarn.nodemanager.aux-services.spark_shuffle yarn-site.xml"].verdict is CheckVerdict.WARN
    assert "rename slaves to workers" in required["slaves slaves"].fix
    assert "50070" in required["dfs.namenode.http-address hdfs-site.xml"].found
    # What is wrong today is another matter.
    assert "dfs.permissions.enabled hdfs-site.xml" not in required


def test_a_java_that_the_release_does_not_run_on_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--java 11: is not a Java that Hadoop 3\.5\.0 runs on"):
        _required(tmp_path, 11)
