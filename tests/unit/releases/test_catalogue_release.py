"""What the releases know, against what is known of them otherwise."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.releases.catalogue import DATA, HADOOP_VERSIONS, HBASE_VERSIONS, Release, fill, hadoop, hbase
from howdah.releases.values import MISFITS

RELEASES = [*map(hadoop, HADOOP_VERSIONS), *map(hbase, HBASE_VERSIONS)]
EVERY_RELEASE = pytest.mark.parametrize("release", RELEASES, ids=lambda one: f"{one.product}-{one.version}")


@pytest.mark.parametrize(
    ("name", "file", "default", "kind"),
    [
        ("dfs.datanode.max.transfer.threads", "hdfs-site.xml", "4096", "int"),
        ("dfs.datanode.readahead.bytes", "hdfs-site.xml", "4194304", "long"),
        ("dfs.datanode.drop.cache.behind.reads", "hdfs-site.xml", "false", "bool"),
        ("dfs.datanode.drop.cache.behind.writes", "hdfs-site.xml", "false", "bool"),
        ("dfs.datanode.sync.behind.writes", "hdfs-site.xml", "false", "bool"),
        ("dfs.namenode.handler.count", "hdfs-site.xml", "10", "int"),
        ("dfs.blocksize", "hdfs-site.xml", "134217728", "size"),
        ("dfs.heartbeat.interval", "hdfs-site.xml", "3", "duration"),
        ("dfs.datanode.du.reserved", "hdfs-site.xml", "0", "size"),
        ("dfs.use.dfs.network.topology", "hdfs-site.xml", "true", "bool"),
        ("net.topology.impl", "core-site.xml", "org.apache.hadoop.net.NetworkTopology", "class"),
        ("mapreduce.task.io.sort.mb", "mapred-site.xml", "100", "int"),
        ("mapreduce.task.io.sort.factor", "mapred-site.xml", "10", "int"),
        ("mapreduce.map.sort.spill.percent", "mapred-site.xml", "0.80", "float"),
        ("mapreduce.job.reduce.slowstart.completedmaps", "mapred-site.xml", "0.05", "float"),
        ("mapreduce.reduce.shuffle.parallelcopies", "mapred-site.xml", "5", "int"),
        ("mapreduce.reduce.shuffle.input.buffer.percent", "mapred-site.xml", "0.70", "float"),
        ("mapreduce.reduce.shuffle.merge.percent", "mapred-site.xml", "0.66", "float"),
        ("mapreduce.reduce.input.buffer.percent", "mapred-site.xml", "0.0", "float"),
        ("mapreduce.shuffle.max.threads", "mapred-site.xml", "0", "int"),
        ("mapreduce.map.output.compress", "mapred-site.xml", "false", "bool"),
        ("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "yarn-site.xml", "1000", "long"),
        ("yarn.nodemanager.resource.cpu-vcores", "yarn-site.xml", "-1", "int"),
        ("yarn.scheduler.fair.allocation.file", "yarn-site.xml", "fair-scheduler.xml", "text"),
        # No *-default.xml lists these; the code does.
        ("mapreduce.map.java.opts", "mapred-site.xml", None, "text"),
        ("yarn.scheduler.capacity.node-locality-delay", "capacity-scheduler.xml", "40", "int"),
        ("dfs.namenode.snapshot.deletion.ordered", "hdfs-site.xml", "false", "bool"),
        ("mapreduce.terasort.output.replication", "mapred-site.xml", None, "text"),
    ],
)
def test_a_property_of_hadoop(name: str, file: str, default: str | None, kind: str) -> None:
    found = hadoop("3.5.0").find(name)
    assert found is not None
    assert (found.name, found.file, found.default, found.kind) == (name, file, default, kind)


def test_the_scheduler_of_a_fresh_cluster_is_the_capacity_scheduler() -> None:
    found = hadoop().find("yarn.resourcemanager.scheduler.class")
    assert found is not None
    assert found.default is not None
    assert found.default.endswith(".capacity.CapacityScheduler")


@pytest.mark.parametrize(
    ("name", "default", "kind"),
    [
        ("hbase.regionserver.handler.count", "30", "int"),
        ("hfile.block.cache.size", "0.4", "float"),
        ("hbase.hregion.max.filesize", "10737418240", "long"),
        ("zookeeper.session.timeout", "90000", "int"),
        ("hbase.cluster.distributed", "false", "bool"),
        # Only the code knows it.
        ("hbase.store.reader.no-readahead", "true", "bool"),
    ],
)
def test_a_property_of_hbase(name: str, default: str, kind: str) -> None:
    found = hbase("2.6.4").find(name)
    assert found is not None
    assert (found.file, found.default, found.kind) == ("hbase-site.xml", default, kind)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dfs.block.size", "dfs.blocksize"),
        ("dfs.datanode.max.xcievers", "dfs.datanode.max.transfer.threads"),
        ("io.sort.mb", "mapreduce.task.io.sort.mb"),
        ("io.sort.factor", "mapreduce.task.io.sort.factor"),
        ("io.sort.spill.percent", "mapreduce.map.sort.spill.percent"),
        ("mapred.reduce.slowstart.completed.maps", "mapreduce.job.reduce.slowstart.completedmaps"),
        ("mapred.reduce.parallel.copies", "mapreduce.reduce.shuffle.parallelcopies"),
        ("mapred.job.shuffle.input.buffer.percent", "mapreduce.reduce.shuffle.input.buffer.percent"),
        ("mapred.job.shuffle.merge.percent", "mapreduce.reduce.shuffle.merge.percent"),
        ("mapred.job.reduce.input.buffer.percent", "mapreduce.reduce.input.buffer.percent"),
        ("mapred.compress.map.output", "mapreduce.map.output.compress"),
        ("mapred.map.output.compression.codec", "mapreduce.map.output.compress.codec"),
    ],
)
def test_a_former_name_of_hadoop_leads_to_todays(old: str, new: str) -> None:
    for version in HADOOP_VERSIONS:
        release = hadoop(version)
        assert release.replacement(old) == (new,)
        assert release.find(old) is None
        assert release.find(new) is not None


def test_a_former_name_of_hbase_leads_to_todays_and_hadoops_stay_hadoops() -> None:
    assert hbase().replacement("hbase.master.mob.ttl.cleaner.period") == ("hbase.master.mob.cleaner.period",)
    assert hbase().replacement("io.sort.mb") == ()


@pytest.mark.parametrize(
    "name",
    [
        "io.sort.record.percent",
        "mapreduce.job.jvm.numtasks",
        "mapred.child.ulimit",
        "tasktracker.http.threads",
        "net.topology.nodegroup.aware",
        "mapreduce.reduce.merge.inmem.threshold",
    ],
)
def test_what_nothing_reads_any_more_is_not_found_and_says_what_to_do(name: str) -> None:
    assert hadoop().find(name) is None
    assert hadoop().gone[name]


def test_a_deprecated_name_may_lead_to_one_that_is_gone() -> None:
    (today,) = hadoop().replacement("mapred.tasktracker.map.tasks.maximum")
    assert "yarn.nodemanager.resource.memory-mb" in hadoop().gone[today]


def test_what_is_gone_advises_only_what_is_known() -> None:
    for release in RELEASES:
        advised = {
            word.strip(",;")
            for advice in release.gone.values()
            for word in advice.split()
            if word.startswith(("yarn.", "mapreduce.", "dfs.", "net.", "hbase."))
        }
        assert {name for name in advised if release.find(name) is None} == set()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dfs.blocksze", "dfs.blocksize"),
        ("mapreduce.task.io.sort.bm", "mapreduce.task.io.sort.mb"),
        ("yarn.nodemanager.resource.memory.mb", "yarn.nodemanager.resource.memory-mb"),
        ("dfs.namenode.rpc-adress.ns1.nn1", "dfs.namenode.rpc-address.ns1.nn1"),
        ("yarn.scheduler.capacity.root.a.capcity", "yarn.scheduler.capacity.root.a.capacity"),
    ],
)
def test_a_misspelt_name_is_not_found_but_corrected(name: str, meant: str) -> None:
    assert hadoop().find(name) is None
    assert hadoop().close_names(name)[0] == meant
    assert hadoop().find(meant) is not None


def test_nothing_is_suggested_for_a_name_like_no_other() -> None:
    assert hadoop().find("acme.frobnicator") is None
    assert hadoop().close_names("acme.frobnicator") == ()


@pytest.mark.parametrize(
    ("name", "template", "file"),
    [
        ("dfs.ha.namenodes.ns1", "dfs.ha.namenodes.<nameservice>", "hdfs-site.xml"),
        (
            "dfs.namenode.rpc-address.ns1.nn1",
            "dfs.namenode.rpc-address.<nameservice>.<namenode>",
            "hdfs-site.xml",
        ),
        (
            "dfs.client.failover.proxy.provider.ns1",
            "dfs.client.failover.proxy.provider.<nameservice>",
            "hdfs-site.xml",
        ),
        ("dfs.datanode.du.reserved.pct.ssd", "dfs.datanode.du.reserved.pct.<volume...>", "hdfs-site.xml"),
        (
            "yarn.resourcemanager.hostname.rm1",
            "yarn.resourcemanager.hostname.<resourcemanager>",
            "yarn-site.xml",
        ),
        (
            "yarn.resourcemanager.address.rm1",
            "yarn.resourcemanager.address.<resourcemanager>",
            "yarn-site.xml",
        ),
        (
            "yarn.nodemanager.aux-services.spark_shuffle.class",
            "yarn.nodemanager.aux-services.<service>.class",
            "yarn-site.xml",
        ),
        (
            "yarn.scheduler.capacity.root.dev.ada.capacity",
            "yarn.scheduler.capacity.<queue-path...>.capacity",
            "capacity-scheduler.xml",
        ),
        (
            "yarn.scheduler.capacity.root.queues",
            "yarn.scheduler.capacity.<queue-path...>.queues",
            "capacity-scheduler.xml",
        ),
        ("hadoop.proxyuser.oozie.hosts", "hadoop.proxyuser.<user...>.hosts", "core-site.xml"),
        ("hadoop.proxyuser.ada.lovelace.groups", "hadoop.proxyuser.<user...>.groups", "core-site.xml"),
        ("fs.acme.impl", "fs.<scheme>.impl", "core-site.xml"),
        ("ipc.8020.callqueue.impl", "ipc.<port>.callqueue.impl", "core-site.xml"),
        ("ssl.server.keystore.password", "ssl.server.keystore.password", "ssl-server.xml"),
        ("ssl.client.truststore.location", "ssl.client.truststore.location", "ssl-client.xml"),
    ],
)
def test_a_name_with_parts_of_a_users_own(name: str, template: str, file: str) -> None:
    found = hadoop().find(name)
    assert found is not None
    assert (found.name, found.file) == (template, file)


@pytest.mark.parametrize(
    "name",
    [
        "dfs.ha.namenodes",
        "dfs.ha.namenodes.",
        "dfs.namenode.rpc-address.ns1.nn1.more",
        "yarn.scheduler.capacity..capacity",
        "hadoop.proxyuser.oozie.host",
    ],
)
def test_a_name_that_only_resembles_a_template_is_not_found(name: str) -> None:
    assert hadoop().find(name) is None


@given(st.lists(st.from_regex(r"[a-z0-9-]{1,5}", fullmatch=True), min_size=1, max_size=5))
def test_filling_a_template_with_one_of_its_names_gives_the_name(path: list[str]) -> None:
    name = f"yarn.scheduler.capacity.{'.'.join(path)}.queues"
    assert fill("yarn.scheduler.capacity.<queue-path...>.queues", name) == name
    assert (fill("yarn.scheduler.capacity.<queue>.queues", name) == name) == (len(path) == 1)


@pytest.mark.parametrize(
    ("name", "value", "misfit"),
    [
        ("dfs.replication", "3", None),
        ("dfs.replication", " 3 ", None),
        ("dfs.replication", "0x3", None),
        ("dfs.replication", "0.5", "is not a whole number"),
        ("dfs.replication", "", "is not a whole number"),
        ("dfs.replication", "three", "is not a whole number"),
        ("dfs.replication", "3000000000", "does not fit into 32 bits"),
        ("dfs.replication", "9" * 5000, "does not fit into 32 bits"),
        ("dfs.replication", "${replicas}", None),
        ("mapreduce.task.io.sort.mb", "400m", "is not a whole number"),
        ("fs.trash.interval", "3000000000", None),
        ("fs.trash.interval", "60m", "is not a whole number"),
        ("dfs.datanode.sync.behind.writes", "TRUE", None),
        ("dfs.datanode.sync.behind.writes", "yes", "is neither true nor false"),
        ("dfs.datanode.sync.behind.writes", "1", "is neither true nor false"),
        ("mapreduce.map.sort.spill.percent", "0.9", None),
        ("mapreduce.map.sort.spill.percent", "90%", "is not a number"),
        ("dfs.blocksize", "268435456", None),
        ("dfs.blocksize", "256m", None),
        ("dfs.blocksize", "256M", None),
        ("dfs.blocksize", "256MB", "is not a whole number of bytes such as 4096, 128m or 1g"),
        ("dfs.blocksize", "1.5g", "is not a whole number of bytes such as 4096, 128m or 1g"),
        ("dfs.blocksize", "9e", "does not fit into 64 bits"),
        ("dfs.heartbeat.interval", "1", None),
        ("dfs.heartbeat.interval", "500ms", None),
        (
            "dfs.heartbeat.interval",
            "1.5s",
            "is not a whole number with a unit of time such as 500ms, 30s, 5m, 2h or 1d",
        ),
        (
            "dfs.heartbeat.interval",
            "1 min",
            "is not a whole number with a unit of time such as 500ms, 30s, 5m, 2h or 1d",
        ),
        ("net.topology.impl", "org.apache.hadoop.net.NetworkTopologyWithNodeGroup", None),
        ("net.topology.impl", "NetworkTopology WithNodeGroup", "is not the name of a Java class"),
        ("dfs.metrics.percentiles.intervals", "60, 300", None),
        ("dfs.metrics.percentiles.intervals", "60,,300", "is not a whole number"),
        ("yarn.router.asc-interceptor-max-size", "1.5 GB", None),
        ("yarn.router.asc-interceptor-max-size", "1", "is not a size with its unit such as 512MB or 1.5GB"),
        ("dfs.ha.zkfc.port.ns1", "eight", "is not a whole number"),
        # An empty default stands for a value that the code works out.
        ("dfs.namenode.lifeline.handler.count", "", None),
        ("acme.frobnicator", "anything", None),
    ],
)
def test_what_is_wrong_with_a_value(name: str, value: str, misfit: str | None) -> None:
    assert hadoop().misfit(name, value) == misfit


@given(st.integers(-(2**70), 2**70))
def test_a_whole_number_fits_where_java_has_room_for_it(number: int) -> None:
    assert (MISFITS["int"](str(number)) is None) == (-(2**31) <= number < 2**31)
    assert (MISFITS["long"](str(number)) is None) == (-(2**63) <= number < 2**63)
    assert (MISFITS["size"](str(number)) is None) == (-(2**63) <= number < 2**63)


@given(st.sampled_from(sorted(MISFITS)), st.text(max_size=12))
def test_any_text_gets_a_verdict(kind: str, text: str) -> None:
    assert MISFITS[kind](text.strip()) != ""


@EVERY_RELEASE
def test_every_default_is_of_its_kind(release: Release) -> None:
    listed = [*release.properties.values(), *release.templates]
    odd = {
        one.name: one.default
        for one in listed
        if one.default and "${" not in one.default and MISFITS[one.kind](one.default.strip())
    }
    # Hadoop 2 reads this one as an int, and its own default is none.
    odd.pop("fs.s3n.multipart.copy.block.size", None)
    assert odd == {}


@EVERY_RELEASE
def test_no_name_is_both_known_and_deprecated_or_gone(release: Release) -> None:
    assert release.properties.keys() & (release.deprecated.keys() | release.gone.keys()) == set()
    assert release.deprecated.keys() & release.gone.keys() == set()


@EVERY_RELEASE
def test_descriptions_are_one_short_line(release: Release) -> None:
    long = [
        one.name
        for one in release.properties.values()
        if len(one.description) > 200 or "\n" in one.description
    ]
    assert long == []


@EVERY_RELEASE
def test_a_template_has_one_bracket_for_several_parts_at_most_and_it_fills_its_part(release: Release) -> None:
    for one in release.templates:
        assert one.name.count("...>") <= 1
        assert fill(one.name, one.name.replace("...>", ">")) is not None, one.name
        parts = one.name.replace("...>", ">").split(".")
        assert all(part.startswith("<") == part.endswith(">") == ("<" in part) for part in parts), one.name


@pytest.mark.parametrize("path", sorted(DATA.glob("*.json")), ids=lambda path: path.stem)
def test_the_data_are_sorted_and_name_everything_once(path: Path) -> None:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len({name for name, _ in pairs}) == len(pairs)
        return dict(pairs)

    data = json.loads(path.read_text(), object_pairs_hook=once)
    lists = [data] if isinstance(data, list) else [data.get("properties", [])]
    mappings = [data.get("deprecated", data)] if isinstance(data, dict) else []
    for names in [*([row[0] for row in rows] for rows in lists), *map(list, mappings)]:
        assert all(one < other for one, other in pairwise(names))


def test_an_unknown_release_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError) as refused:
        hadoop("1.2.1")
    assert refused.value.where == "--hadoop"
    assert refused.value.what == "1.2.1 is not a release that howdah supports"
    assert refused.value.hint.startswith(
        "one of 2.7.7, 2.10.2, 3.1.4, 3.2.4, 3.3.6, 3.4.2, 3.5.0, or another"
    )
    for nonsense in ("3", "3.4.x", "3.4.2.1", "../3.4.2", "4.0"):
        with pytest.raises(UserError):
            hadoop(nonsense)
    with pytest.raises(UserError, match=r"--to: 2 is not a release that howdah supports"):
        hadoop("2", "--to")
    with pytest.raises(UserError, match=r"--hbase: 1\.4 is not a release that howdah supports"):
        hbase("1.4")


def test_a_release_of_a_known_line_is_read_by_that_lines_catalogue() -> None:
    assert hadoop("3.4.1").version == "3.4.1"
    assert hadoop("3.4.1").properties == hadoop("3.4.2").properties
    assert hbase("2.5.8").properties == hbase("2.5.13").properties


def test_each_release_has_names_of_its_own() -> None:
    # 3.4.2 deprecates what 3.5.0 reads again, and only 3.5.0 writes parallel checkpoints.
    assert hadoop("3.4.2").replacement("yarn.resourcemanager.zk-address") == ("hadoop.zk.address",)
    assert hadoop("3.5.0").find("yarn.resourcemanager.zk-address") is not None
    assert hadoop("3.4.2").find("dfs.namenode.checkpoint.parallel.upload.enabled") is None
    assert hadoop("3.5.0").find("dfs.namenode.checkpoint.parallel.upload.enabled") is not None


def test_a_line_alone_is_a_release_and_lines_between_are_read_as_the_next() -> None:
    assert hadoop("2.7").find("dfs.webhdfs.enabled") is not None
    assert hadoop("3.5").find("dfs.webhdfs.enabled") is None
    assert hadoop("2.8.5").properties.keys() == hadoop("2.10.2").properties.keys()


def test_former_releases_have_their_own_defaults() -> None:
    assert hadoop("2.7").find("dfs.namenode.http-address").default == "0.0.0.0:50070"  # type: ignore[union-attr]
    assert hadoop("3.1").find("dfs.namenode.http-address").default == "0.0.0.0:9870"  # type: ignore[union-attr]
    assert "dfs.datanode.max.transfer.threads" in hadoop("2.7").properties
