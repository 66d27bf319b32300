"""One cause is one finding with one fix, in the file that it is in; what is sound is not found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import Check, CheckVerdict
from support.faults import Edit, Exhibit, both, drop, put

HDFS, YARN, MAPRED = "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml"
FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
WRONG = (CheckVerdict.FAIL, CheckVerdict.WARN)


def _wrong(edit: Edit, folder: Path) -> list[Check]:
    exhibit = Exhibit.sound()
    edit(exhibit)
    host = exhibit.write(folder)
    report = audit(read_folders([folder]), [host], None, Releases())
    return [check for check in report.checks if check.verdict in WRONG]


def test_a_value_that_does_harm_is_told_once_with_one_fix(tmp_path: Path) -> None:
    harmful = {
        "dfs.blocksize": put(HDFS, "dfs.blocksize", "1000"),
        "dfs.datanode.failed.volumes.tolerated": put(HDFS, "dfs.datanode.failed.volumes.tolerated", "12"),
        "mapreduce.task.io.sort.mb": put(MAPRED, "mapreduce.task.io.sort.mb", "1900"),
        "yarn.nodemanager.resource.memory-mb": put(YARN, "yarn.nodemanager.resource.memory-mb", "270000"),
    }
    told = Counter(check.about for check in _wrong(both(*harmful.values()), tmp_path))
    assert {key: told[key] for key in harmful} == dict.fromkeys(harmful, 1)


def test_the_fair_scheduler_has_no_capacity_queues_to_miss(tmp_path: Path) -> None:
    edits = both(
        put(YARN, "yarn.resourcemanager.scheduler.class", FAIR),
        drop("capacity-scheduler.xml", "yarn.scheduler.capacity.root.queues"),
    )
    assert "yarn.scheduler.capacity.root.queues" not in {check.about for check in _wrong(edits, tmp_path)}


def test_directories_of_a_nodemanager_go_beside_those_of_the_datanode(tmp_path: Path) -> None:
    (found,) = (
        check
        for check in _wrong(put(YARN, "yarn.nodemanager.log-dirs", "logs"), tmp_path)
        if check.rule == "nodemanager.log-dirs"
    )
    assert "/data/02/yarn/log" in found.fix
    assert "/dfs/" not in found.fix


def test_no_directory_is_put_below_one_of_the_datanode(tmp_path: Path) -> None:
    disks = ",".join(f"/data/{number:02d}" for number in range(1, 13))
    edits = both(put(HDFS, "dfs.datanode.data.dir", disks), put(YARN, "yarn.nodemanager.log-dirs", "logs"))
    (found,) = (check for check in _wrong(edits, tmp_path) if check.rule == "nodemanager.log-dirs")
    assert "/yarn/log" not in found.fix + found.expected
    assert "not below them" in found.fix


def test_a_key_that_is_unset_is_told_under_the_file_that_was_read(tmp_path: Path) -> None:
    exhibit = Exhibit.sound()
    drop(YARN, "yarn.nodemanager.aux-services")(exhibit)
    (tmp_path / "hadoop").mkdir()
    (tmp_path / "hbase").mkdir()
    exhibit.write(tmp_path / "hadoop")
    (tmp_path / "hadoop/hbase-site.xml").rename(tmp_path / "hbase/hbase-site.xml")
    report = audit(read_folders([tmp_path / "hadoop", tmp_path / "hbase"]), [], None, Releases())
    (found,) = (check for check in report.checks if check.rule == "nodemanager.shuffle-service")
    assert found.where == "hadoop/yarn-site.xml"
