"""Two of each master on three hosts: deployed, used, changed, grown, shrunk, and a host lost meanwhile."""

from __future__ import annotations

import json
import random
import shutil
import time
from pathlib import Path

from exams.deploying.course import Course, step

HOSTS = ("h1", "h2", "h3")
NEW = "h4"
_CHANGE = {"dfs.datanode.max.transfer.threads": "5001"}


def examine(course: Course, dice: random.Random) -> None:
    """Go through the life of a cluster."""
    plan = course.save("plan", HOSTS)
    with step("empty hosts to HDFS, YARN and HBase, two of each master"):
        assert course.changed(plan)
    with step("every daemon works"):
        course.check_well(plan)
    with step("a second deployment changes nothing"):
        assert course.changed(plan) == 0
    _use(course, plan)
    with step("a changed value restarts only the daemons that read it"):
        _restarts_only(course, course.save("changed", HOSTS, _CHANGE), "hadoop-hdfs-datanode.service")
    _grow_and_shrink(course, course.save("larger", (*HOSTS, NEW), _CHANGE), course.folder / "changed.yaml")
    _lose_a_master(course, plan, dice)


def _use(course: Course, plan: Path) -> None:
    """Let TeraSort and YCSB prove it, from a client that has its files side by side."""
    course.shell(f"howdah render {plan} -o conf --force")
    for part in ("hadoop", "hbase"):
        shutil.copytree(course.folder / "conf" / part, course.folder / "client", dirs_exist_ok=True)
    with step("TeraSort's suite"):
        course.shell("howdah run terasuite --engine hadoop --conf client --rows 20k")
    with step("YCSB"):
        course.shell("howdah run ycsb --engine hbase --conf client --records 5k --operations 5k")


def _restarts_only(course: Course, plan: Path, unit: str) -> None:
    done = course.deploy(plan)
    restarted = {
        change for changes in done.values() for change in changes if change.startswith(("start ", "restart "))
    }
    assert restarted == {f"restart {unit}"}, done


def _grow_and_shrink(course: Course, larger: Path, smaller: Path) -> None:
    with step(f"{NEW} is added"):
        made = course.deploy(larger, "--add", NEW)
        assert "start hadoop-hdfs-datanode.service" in made[NEW], made
    course.hosts.run("h1", "sh", "-c", "head -c 20000000 /dev/urandom > /tmp/data; chmod 644 /tmp/data")
    course.hdfs("h1", "dfs", "-D", "dfs.replication=3", "-put", "-f", "/tmp/data", "/kept")
    # Written on the new host itself, which so has a replica of each block.
    course.hosts.run(NEW, "sh", "-c", "head -c 20000000 /dev/urandom > /tmp/data; chmod 644 /tmp/data")
    course.hdfs(NEW, "dfs", "-put", "-f", "/tmp/data", "/of-the-new")
    said = course.hdfs("h1", "fsck", "/of-the-new", "-files", "-blocks", "-locations")
    assert course.hosts.hosts[NEW].address in said, said
    kept = [course.hdfs("h1", "dfs", "-checksum", name) for name in ("/kept", "/of-the-new")]
    course.hdfs("h1", "dfs", "-setrep", "2", "/kept")
    with step(f"{NEW} is removed after its data is copied"):
        made = course.deploy(smaller, "--remove", NEW)
        assert "stop hadoop-hdfs-datanode.service" in made[NEW], made
    said = course.hdfs("h1", "fsck", "/")
    assert "is HEALTHY" in said, said
    for name in ("/kept", "/of-the-new"):
        said = course.hdfs("h1", "fsck", name)
        assert " Under-replicated blocks:\t0" in said, said
    assert kept == [course.hdfs("h1", "dfs", "-checksum", name) for name in ("/kept", "/of-the-new")]
    with step("a second deployment changes nothing"):
        assert course.changed(smaller) == 0


def _lose_a_master(course: Course, plan: Path, dice: random.Random) -> None:
    """Take the power of the host with the active NameNode at a random moment of a deployment."""
    lost = course.active(HOSTS[2])
    left = [host for host in HOSTS if host != lost]
    wait_s = dice.uniform(0, 8)
    revision = course.told(plan, "--diff")["pending"]
    assert any(pending["changes"] for pending in revision.values()), revision
    with step(f"{lost}, with the active NameNode, loses its power {wait_s:.1f} s after the first change"):
        under_way = course.begin(plan)
        while "<value>5001" in course.hosts.run(lost, "cat", "/etc/hadoop/conf/hdfs-site.xml"):
            assert under_way.poll() is None, under_way.communicate()
            time.sleep(0.1)
        time.sleep(wait_s)
        course.hosts.stop(lost)
        told, said = under_way.communicate(timeout=900)
    failures = json.loads(told)["failures"]
    print(
        "    told:",
        "; ".join(f"{one['host']}: {one['what'].splitlines()[0]}" for one in failures),
        flush=True,
    )
    assert under_way.returncode == 1, told + said
    assert lost in {one["host"] for one in failures}, failures
    for host in left:
        assert "<value>5001" not in course.hosts.run(host, "cat", "/etc/hadoop/conf/hdfs-site.xml"), host
    with step("another NameNode takes over"):
        while course.active(left[0]) in ("", lost):
            time.sleep(1)
        assert course.hdfs(left[0], "dfs", "-checksum", "/kept")
    with step(f"{lost} is back, and the next deployment completes the work"):
        course.hosts.start(lost)
        course.deploy(plan)
        course.check_well(plan)
        assert course.changed(plan) == 0
