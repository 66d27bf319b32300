"""Rendered files on a laboratory's machine: what changes, what stays, and what is told of it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.lab.hadoop.redirect import (
    DIRECTORIES,
    CommonSettings,
    RedirectedProperty,
    configuration_files,
    deviations,
    moved,
    properties,
    redirected_files,
    redirections,
    with_changes,
)
from howdah.render.cluster import render
from support.labs import lab_plan

CONF, ROOT = Path("/lab/machines/h1-1/conf"), Path("/lab/machines/h1-1")
JARS = CommonSettings(task_class_path="/cache/lib/*", native=False, task_options=("-Dname=value",))


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return configuration_files(render(lab_plan()))


@pytest.mark.parametrize(
    ("planned", "used"),
    [
        ("/data/01/dfs,/data/02/dfs", f"{ROOT}/data/01/dfs,{ROOT}/data/02/dfs"),
        ("file:///data/01/dfs, file:///data/02/dfs", f"file://{ROOT}/data/01/dfs,file://{ROOT}/data/02/dfs"),
        ("/etc/hadoop/conf/topology.sh", f"{CONF}/topology.sh"),
        ("/etc/hadoop/configuration", f"{ROOT}/etc/hadoop/configuration"),
        ("/mnt/../../etc/passwd", f"{ROOT}/etc/passwd"),
        ("[SSD]relative", "[SSD]relative"),
        ("hdfs://lab/yarn/node-attributes", "hdfs://lab/yarn/node-attributes"),
        ("", ""),
    ],
)
def test_local_paths_lead_below_the_machine(planned: str, used: str) -> None:
    assert moved(planned, CONF, ROOT) == used


@given(st.lists(st.text("abc/.,", min_size=1, max_size=20), min_size=1, max_size=4))
def test_no_absolute_path_leads_out_of_the_machine(parts: list[str]) -> None:
    paths = ",".join(f"/{part}" for part in parts)
    for path in moved(paths, CONF, ROOT).split(","):
        if path.startswith("/"):
            assert Path(path).is_relative_to(ROOT)
            assert ".." not in Path(path).parts


def test_every_local_directory_is_moved_and_none_of_hdfs(rendered: dict[str, str]) -> None:
    made = redirected_files(rendered, redirections(rendered, CONF, ROOT, JARS))
    before = _all(rendered)
    after = _all(made)
    for key in DIRECTORIES:
        if key in before:
            assert all(str(ROOT) in path for path in after[key].split(","))
    for key in ("mapreduce.jobhistory.done-dir", "yarn.nodemanager.remote-app-log-dir", "fs.defaultFS"):
        assert after[key] == before[key]


def test_where_no_jobs_run_no_files_are_made_for_them() -> None:
    files = configuration_files(render(lab_plan(workers_per_host=None, ycsb=True, jobs=False)))
    made = redirected_files(files, redirections(files, CONF, ROOT, JARS))
    assert made.keys() == files.keys()
    assert "yarn-site.xml" not in made


def test_hbase_finds_its_files_and_those_of_hdfs_in_one_place() -> None:
    rendered = render(lab_plan(workers_per_host=None, ycsb=True, jobs=False))
    files = configuration_files(rendered)
    assert {
        "core-site.xml",
        "hdfs-site.xml",
        "hbase-site.xml",
        "hbase-env.sh",
        "regionservers",
    } <= files.keys()
    wanted = list(redirections(files, CONF, ROOT, JARS))
    site = properties(redirected_files(files, wanted)["hbase-site.xml"])
    assert site["hbase.tmp.dir"] == f"{ROOT}/var/lib/hbase/tmp"
    assert site["hbase.rootdir"].startswith("hdfs://")
    told = {one.key: one for one in deviations(files, wanted, ROOT)}
    assert told["hbase.tmp.dir"].used == "var/lib/hbase/tmp"
    assert "libhadoop" in told["dfs.client.read.shortcircuit"].why


def test_only_what_is_told_differs(rendered: dict[str, str]) -> None:
    wanted = list(redirections(rendered, CONF, ROOT, JARS))
    before, after = _all(rendered), _all(redirected_files(rendered, wanted))
    told = {one.key: one for one in deviations(rendered, wanted, ROOT)}
    assert {key for key in after if after[key] != before.get(key)} == told.keys()
    assert before.keys() <= after.keys()
    assert told["dfs.datanode.data.dir"].used == "data/01/dfs,data/02/dfs", "no URI of a host called data"
    assert told["mapreduce.application.classpath"].used == "/cache/lib/*"
    assert all(one.why for one in told.values())


def test_tasks_keep_the_options_they_would_have_had(rendered: dict[str, str]) -> None:
    after = _all(redirected_files(rendered, redirections(rendered, CONF, ROOT, JARS)))
    options = after["mapreduce.admin.map.child.java.opts"].split()
    assert "-Djava.net.preferIPv4Stack=true" in options
    assert "-Dname=value" in options


def test_a_native_library_keeps_short_circuit_reads() -> None:
    site = {
        "hdfs-site.xml": with_changes(
            None,
            {"k": RedirectedProperty("hdfs-site.xml", "dfs.client.read.shortcircuit", "true", "planned")},
        )
    }
    for native, kept in ((False, "false"), (True, "true")):
        around = JARS._replace(native=native)
        after = properties(redirected_files(site, redirections(site, CONF, ROOT, around))["hdfs-site.xml"])
        assert after["dfs.client.read.shortcircuit"] == kept


def test_a_laboratory_has_no_shuffle_of_spark() -> None:
    services = "yarn.nodemanager.aux-services"
    planned = RedirectedProperty("yarn-site.xml", services, "mapreduce_shuffle,spark_shuffle", "planned")
    site = {"yarn-site.xml": with_changes(None, {"k": planned})}
    after = properties(redirected_files(site, redirections(site, CONF, ROOT, JARS))["yarn-site.xml"])
    assert after[services] == "mapreduce_shuffle"


def test_no_machine_of_a_laboratory_binds_containers_to_numa_nodes() -> None:
    aware = "yarn.nodemanager.numa-awareness.enabled"
    planned = RedirectedProperty("yarn-site.xml", aware, "true", "planned")
    site = {"yarn-site.xml": with_changes(None, {"k": planned})}
    after = properties(redirected_files(site, redirections(site, CONF, ROOT, JARS))["yarn-site.xml"])
    assert after[aware] == "false"


def test_reasons_stay_in_a_changed_file(rendered: dict[str, str]) -> None:
    change = RedirectedProperty("hdfs-site.xml", "dfs.replication", "1", "a test -- with hyphens")
    other = RedirectedProperty("hdfs-site.xml", "dfs.new", "<&>", "a test -- with hyphens")
    text = with_changes(rendered["hdfs-site.xml"], {"dfs.replication": change, "dfs.new": other})
    assert "[hdfs.replication;" in text
    assert properties(text) == {
        **properties(rendered["hdfs-site.xml"]),
        "dfs.replication": "1",
        "dfs.new": "<&>",
    }
    ElementTree.fromstring(text)


def _all(files: dict[str, str]) -> dict[str, str]:
    sites = (properties(text) for name, text in files.items() if name.endswith("-site.xml"))
    return {key: value for site in sites for key, value in site.items()}


def test_datanodes_fill_their_small_disks(rendered: dict[str, str]) -> None:
    # Otherwise a lost worker's blocks find no room on disks of 2 GB, and HDFS never becomes redundant again.
    key = "dfs.datanode.round-robin-volume-choosing-policy.additional-available-space"
    changes = {change.key: change.value for change in redirections(rendered, CONF, ROOT, JARS)}
    assert changes[key] == "0"
    own = {**rendered, "hdfs-site.xml": with_changes(rendered["hdfs-site.xml"], _of(key, "5"))}
    assert {change.key: change.value for change in redirections(own, CONF, ROOT, JARS)}[key] == "5"


def _of(key: str, value: str) -> dict[str, RedirectedProperty]:
    return {key: RedirectedProperty("hdfs-site.xml", key, value, "planned")}
