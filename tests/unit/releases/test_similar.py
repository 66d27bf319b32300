"""Classes of releases: which exist, which are misspelt, and which are of another kind than a key takes."""

from __future__ import annotations

import pytest

from howdah.releases.similar import has_wrong_kind, is_missing, is_unknown, nearest_class

_HADOOP, _HBASE = "org.apache.hadoop", "org.apache.hadoop.hbase"


@pytest.mark.parametrize(
    "name",
    [
        f"{_HADOOP}.yarn.server.timeline.EntityGroupFSTimelineStore",
        f"{_HADOOP}.yarn.server.timelineservice.storage.HBaseTimelineWriterImpl",
        f"{_HBASE}.security.access.AccessController",
        f"{_HBASE}.backup.BackupHFileCleaner",
        f"{_HBASE}.io.compress.aircompressor.SnappyCodec",
        f"{_HBASE}.regionserver.wal.IndexedWALEditCodec",
        "org.apache.spark.serializer.KryoSerializer",
        "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        f"{_HADOOP}.fs.obs.OBSFileSystem",
    ],
)
def test_classes_of_releases_and_of_other_software_are_not_missing(name: str) -> None:
    assert not is_missing(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        (f"{_HBASE}.security.access.AccessControler", f"{_HBASE}.security.access.AccessController"),
        ("org.apache.spark.serializer.KyroSerializer", "org.apache.spark.serializer.KryoSerializer"),
        (f"{_HADOOP}.io.compress.ZstdCodec", None),
    ],
)
def test_misspelt_classes_are_missing(name: str, meant: str | None) -> None:
    assert is_missing(name)
    assert nearest_class(name) == meant


def test_a_class_that_no_release_of_hbase_has_is_unknown() -> None:
    assert is_unknown(f"{_HBASE}.security.access.MasterAccessController")


def test_a_class_of_another_kind_does_not_fit() -> None:
    placement = f"{_HADOOP}.hdfs.server.blockmanagement.AvailableSpaceBlockPlacementPolicy"
    assert has_wrong_kind("dfs.datanode.fsdataset.volume.choosing.policy", placement)
    assert not has_wrong_kind("dfs.block.replicator.classname", placement)
