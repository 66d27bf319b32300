"""What Hadoop 2 makes of variables, heaps and features of Hadoop 3."""

from __future__ import annotations

import shutil
from pathlib import Path

from exams.field import FILES, PAIR
from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import Check, CheckVerdict

_EARLY = "yarn.resourcemanager.opportunistic-container-allocation.enabled"


def _reported(folder: Path, **edits: str) -> list[Check]:
    shutil.copytree(FILES / PAIR / "hadoop", folder, dirs_exist_ok=True)
    for name, line in edits.items():
        path = folder / f"{name}-env.sh"
        path.write_text(f"{path.read_text()}{line}\n")
    checks = audit(read_folders([folder]), [], None, Releases(hadoop="2.7.7", hadoop_from="given")).checks
    return [check for check in checks if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)]


def test_variables_of_hadoop_3_are_one_warning_of_hadoop_2(tmp_path: Path) -> None:
    found = [check for check in _reported(tmp_path) if check.rule == "consistency.former-variables"]
    assert len(found) == 1
    assert "HADOOP_NAMENODE_OPTS" in found[0].fix


def test_a_heap_with_a_unit_stops_hadoop_2(tmp_path: Path) -> None:
    found = _reported(tmp_path, hadoop="export HADOOP_HEAPSIZE=8g")
    assert any(check.about == "HADOOP_HEAPSIZE" and "8192" in check.fix for check in found)


def test_a_feature_of_a_later_release_is_unknown_and_needs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "yarn-site.xml"
    shutil.copytree(FILES / PAIR / "hadoop", tmp_path, dirs_exist_ok=True)
    row = f"<property><name>{_EARLY}</name><value>true</value></property>"
    text = path.read_text().replace("</configuration>", f"{row}</configuration>")
    path.write_text(text)
    checks = audit(read_folders([tmp_path]), [], None, Releases(hadoop="2.7.7", hadoop_from="given")).checks
    named = (check for check in checks if _EARLY in check.about.split(", "))
    found = [check for check in named if check.verdict is CheckVerdict.WARN]
    assert ["is the first that does" in check.found for check in found] == [True]
    assert not any(
        check.rule == "consistency.needs" and check.verdict is CheckVerdict.FAIL for check in checks
    )
