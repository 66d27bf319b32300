"""A stock configuration on an untuned host: a check finds what an expert would, and says what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import CheckReport, CheckVerdict
from howdah.model.host import Host
from support.faults import Exhibit

SITES = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml")
FAILS = (
    "fs.defaultFS",
    "dfs.namenode.name.dir",
    "dfs.datanode.data.dir",
    "yarn.nodemanager.aux-services",
    "mapreduce.framework.name",
    "nofile",
)
WARNS = ("hadoop.tmp.dir", "vm.swappiness", "vm.dirty_background_ratio")
ADVISES = (
    "yarn.nodemanager.vmem-check-enabled",
    "mapreduce.map.output.compress",
    "mapreduce.task.io.sort.mb",
    "dfs.blocksize",
)


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    """What a release's archive holds: files without a property."""
    for name in SITES:
        (tmp_path / name).write_text('<?xml version="1.0"?>\n<configuration>\n</configuration>\n')
    (tmp_path / "hadoop-env.sh").write_text("# export JAVA_HOME=\n")
    (tmp_path / "workers").write_text("localhost\n")
    return tmp_path


@pytest.fixture
def untuned() -> Host:
    """A distribution's defaults on hardware that is fit for the work."""
    sound = Host.model_validate(Exhibit.sound().host)
    memory = {"swappiness": 60, "dirty_background_ratio": 10, "transparent_huge_pages_defrag": "madvise"}
    mounts = (one.model_copy(update={"options": ("rw", "relatime")}) for one in sound.file_systems)
    return sound.model_copy(
        update={
            "memory": sound.memory.model_copy(update=memory),
            "limits": sound.limits.model_copy(update={"open_files": 1024}),
            "network": sound.network.model_copy(update={"somaxconn": 128}),
            "file_systems": tuple(mounts),
        }
    )


def _about(report: CheckReport, verdict: CheckVerdict) -> set[str]:
    return {check.about for check in report.checks if check.verdict is verdict}


def test_what_an_expert_would_find_is_found(conf: Path, untuned: Host) -> None:
    report = audit(read_folders([conf]), [untuned], None, Releases())
    assert set(FAILS) <= _about(report, CheckVerdict.FAIL)
    assert set(WARNS) <= _about(report, CheckVerdict.WARN)
    assert set(ADVISES) <= _about(report, CheckVerdict.ADVICE)
    assert "disks.access-times" in {
        check.rule for check in report.checks if check.verdict is CheckVerdict.WARN
    }


def test_what_is_found_has_a_fix_and_a_place(conf: Path, untuned: Host) -> None:
    for check in audit(read_folders([conf]), [untuned], None, Releases()).checks:
        if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN):
            assert check.fix, check
            assert check.where, check
            assert check.why, check


def test_what_is_missing_to_tell_is_named(conf: Path) -> None:
    report = audit(read_folders([conf]), [], None, Releases())
    missing = {check.expected for check in report.checks if check.verdict is CheckVerdict.UNKNOWN}
    assert any("--host" in text for text in missing)
    assert any("plan" in text for text in missing)


def test_a_configuration_is_said_once_however_many_hosts(conf: Path, untuned: Host) -> None:
    other = untuned.model_copy(update={"name": "w02.example.com"})
    checks = audit(read_folders([conf]), [untuned, other], None, Releases()).checks
    assert len(checks) == len(set(checks))
    framework = [check for check in checks if check.about == "mapreduce.framework.name"]
    assert len(framework) == 1
    assert len([check for check in checks if check.about == "vm.swappiness"]) == 2
