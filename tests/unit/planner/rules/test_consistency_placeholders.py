"""Values of templates are reported, and what Hadoop itself fills in is not."""

from __future__ import annotations

import pytest

from howdah.model.existing import FoundProperty
from howdah.planner.rules.consistency.names import placeholder
from support.facts import facts_of


def _in(file: str, name: str, text: str) -> str:
    return placeholder(FoundProperty(name=name, text=text, file=file, line=1), facts_of())


@pytest.mark.parametrize(
    ("name", "text", "mark"),
    [
        ("fs.defaultFS", "hdfs://#MASTER#:9002", "#MASTER#"),
        ("fs.defaultFS", "hdfs://MASTER_NODE:9000", "MASTER_NODE"),
        ("fs.defaultFS", "hdfs://@NAMENODE@/", "@NAMENODE@"),
        ("dfs.replication", "DFS_REPLICATION", "DFS_REPLICATION"),
        ("mapreduce.task.io.sort.mb", "MAPREDUCE_TASKIO_SORT_MB", "MAPREDUCE_TASKIO_SORT_MB"),
        ("yarn.resourcemanager.hostname", "{{ resourcemanager }}", "{{ resourcemanager }}"),
        ("mapreduce.map.java.opts", "-Xmx#MAP_HEAP#m", "#MAP_HEAP#"),
    ],
)
def test_a_placeholder_of_a_template_is_found(name: str, text: str, mark: str) -> None:
    assert _in("core-site.xml", name, text) == mark


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hadoop.ssl.hostname.verifier", "ALLOW_ALL"),
        ("dfs.http.policy", "HTTP_AND_HTTPS"),
        ("mapreduce.map.java.opts", "-Xloggc:/tmp/@taskid@.gc"),
        ("mapreduce.application.classpath", "{{HADOOP_MAPRED_HOME}}/share/hadoop/mapreduce/*<CPS>lib"),
        ("dfs.namenode.kerberos.principal", "nn/_HOST@EXAMPLE.COM"),
        ("hadoop.security.auth_to_local", "RULE:[1:$1@$0](.*@CORP)s/@CORP//"),
        ("dfs.domain.socket.path", "/var/run/hdfs/dn._PORT"),
        ("dfs.namenode.name.dir", "file:///data/${user.name}/name"),
    ],
)
def test_what_hadoop_takes_or_fills_in_is_none(name: str, text: str) -> None:
    assert _in("core-site.xml", name, text) == ""
