"""Hadoop's programs by the names its own scripts give them."""

from __future__ import annotations

from collections.abc import Mapping

PROGRAMS: Mapping[str, str] = {
    # Daemons.
    "zookeeper": "org.apache.zookeeper.server.quorum.QuorumPeerMain",
    "journalnode": "org.apache.hadoop.hdfs.qjournal.server.JournalNode",
    "namenode": "org.apache.hadoop.hdfs.server.namenode.NameNode",
    "zkfc": "org.apache.hadoop.hdfs.tools.DFSZKFailoverController",
    "secondarynamenode": "org.apache.hadoop.hdfs.server.namenode.SecondaryNameNode",
    "datanode": "org.apache.hadoop.hdfs.server.datanode.DataNode",
    "resourcemanager": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "nodemanager": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
    "historyserver": "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
    # What administrators and users call.
    "version": "org.apache.hadoop.util.VersionInfo",
    "dfs": "org.apache.hadoop.fs.FsShell",
    "dfsadmin": "org.apache.hadoop.hdfs.tools.DFSAdmin",
    "haadmin": "org.apache.hadoop.hdfs.tools.DFSHAAdmin",
    "fsck": "org.apache.hadoop.hdfs.tools.DFSck",
    "rmadmin": "org.apache.hadoop.yarn.client.cli.RMAdminCLI",
    "application": "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
    "node": "org.apache.hadoop.yarn.client.cli.NodeCLI",
    "job": "org.apache.hadoop.mapred.JobClient",
    # Benchmarks: TeraSort's programs and pi, TestDFSIO, NNBench.
    "examples": "org.apache.hadoop.examples.ExampleDriver",
    "dfsio": "org.apache.hadoop.fs.TestDFSIO",
    "nnbench": "org.apache.hadoop.hdfs.NNBench",
}
"""The main class of every daemon, client tool and benchmark.

``application`` takes its own name as its first argument too, as ``yarn application`` passes it on.
"""
