"""``howdah render`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howdah.documents.files import write_plan
from howdah.model.inventory import Inventory
from howdah.model.plan import Setting
from howdah.model.request import PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.session.plan_checks import MANIFEST
from support.command import howdah, tree
from support.plans import group, setting

BLOCK = setting("dfs.blocksize", 268435456, "hdfs-site.xml")


def _save(folder: Path, *settings: Setting) -> None:
    """A plan of four hosts with these settings in place of its own, which renders as it is."""
    planned = plan_cluster(Inventory(cluster="sample", groups=(group(),)), PlanRequest())
    given = {one.key for one in settings}
    kept = tuple(one for one in planned.settings if one.key not in given)
    changed = planned.model_copy(update={"settings": (*kept, *settings)})
    (folder / "plan.yaml").write_text(write_plan(changed))


def test_a_plan_becomes_a_directory(tmp_path: Path) -> None:
    _save(tmp_path, BLOCK)
    done = howdah("render", "plan.yaml", "-o", "conf", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "HADOOP_CONF_DIR" in done.stdout
    assert "next   read conf/README.md" in done.stdout
    assert {"README.md", "hosts.csv", "hadoop/hdfs-site.xml", MANIFEST} <= tree(tmp_path / "conf")
    again = howdah("render", "plan.yaml", "-o", "conf", cwd=tmp_path)
    assert "same" in again.stdout
    assert "new" not in again.stdout


def test_the_difference_is_shown_as_patch_reads_it(tmp_path: Path) -> None:
    _save(tmp_path, BLOCK)
    howdah("render", "plan.yaml", "-o", "conf", cwd=tmp_path)
    _save(tmp_path, BLOCK.model_copy(update={"value": 67108864}))
    before = {path: (tmp_path / "conf" / path).stat().st_mtime_ns for path in tree(tmp_path / "conf")}
    done = howdah("render", "plan.yaml", "-o", "conf", "--diff", cwd=tmp_path)
    assert done.returncode == 0
    assert "--- a/hadoop/hdfs-site.xml\n+++ b/hadoop/hdfs-site.xml\n" in done.stdout
    assert "-    <value>268435456</value>\n+    <value>67108864</value>\n" in done.stdout
    listed = howdah("render", "plan.yaml", "-o", "conf", "--diff", "--json", cwd=tmp_path)
    # What hosts are to be holds the same once more.
    assert [one for one in json.loads(listed.stdout) if not one["path"].startswith("deploy/")] == [
        {"path": path, "change": "changed", "edited": False} for path in ("README.md", "hadoop/hdfs-site.xml")
    ]
    assert before == {path: (tmp_path / "conf" / path).stat().st_mtime_ns for path in tree(tmp_path / "conf")}


def test_an_edit_is_kept_unless_forced(tmp_path: Path) -> None:
    _save(tmp_path, BLOCK)
    howdah("render", "plan.yaml", "-o", "conf", cwd=tmp_path)
    edited = tmp_path / "conf/hadoop/hdfs-site.xml"
    edited.write_text("mine")
    done = howdah("render", "plan.yaml", "-o", "conf", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: conf/hadoop/hdfs-site.xml: was edited since howdah wrote it")
    assert edited.read_text() == "mine"
    assert howdah("render", "plan.yaml", "-o", "conf", "--force", cwd=tmp_path).returncode == 0
    assert "268435456" in edited.read_text()


def test_json_lists_every_file(tmp_path: Path) -> None:
    _save(tmp_path, BLOCK)
    done = json.loads(howdah("render", "plan.yaml", "-o", "conf", "--json", cwd=tmp_path).stdout)
    assert done["next"] == "conf/README.md"
    on_disk = {path for path in tree(tmp_path / "conf") if (tmp_path / "conf" / path).is_file()}
    assert {file["path"] for file in done["files"]} == on_disk - {MANIFEST}
    assert {file["change"] for file in done["files"]} == {"new"}


@pytest.mark.parametrize(
    ("given", "arguments", "complaint"),
    [
        (
            [setting("dfs.blocksise", 1, "hdfs-site.xml")],
            [],
            "dfs.blocksise: is not a property of Hadoop 3.5.0",
        ),
        ([setting("dfs.replication", 2.5, "hdfs-site.xml")], [], "is not a whole number"),
        ([BLOCK], ["--diff", "--force"], "--diff: writes no file"),
    ],
)
def test_a_mistake_is_one_message_and_writes_nothing(
    tmp_path: Path, given: list[Setting], arguments: list[str], complaint: str
) -> None:
    _save(tmp_path, *given)
    done = howdah("render", "plan.yaml", "-o", "conf", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert tree(tmp_path) == {"plan.yaml"}


def test_a_plan_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = howdah("render", "none.yaml", "-o", "conf", cwd=tmp_path)
    assert done.returncode == 2
    assert "none.yaml" in done.stderr
    assert tree(tmp_path) == set()
