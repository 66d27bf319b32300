"""What is written into control groups of version 1 and of version 2, on trees of plain files."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import RunFailed
from howdah.lab.kernel.cgroups import ControlGroup, Controller, Hierarchies, Hierarchy, find_hierarchies
from howdah.lab.kernel.processes import LabMount
from howdah.units import GIB


def version_2(root: Path, controllers: str = "cpuset cpu io memory pids") -> Hierarchies:
    (root / "cgroup.controllers").write_text(controllers)
    return find_hierarchies([mounted(root, "cgroup2", "rw")])


def version_1(root: Path) -> Hierarchies:
    """As most distributions had it: CPU time is limited and counted in one tree."""
    trees = {"cpu,cpuacct": ("cpu", "cpuacct"), "memory": ("memory",), "blkio": ("blkio",)}
    for name in trees:
        (root / name).mkdir()
    return find_hierarchies([mounted(root / name, "cgroup", "rw", *kinds) for name, kinds in trees.items()])


def mounted(root: Path, kind: str, *options: str) -> LabMount:
    return LabMount(root, "0:30", kind, options)


def test_version_2_limits_in_one_directory(tmp_path: Path) -> None:
    group = ControlGroup(version_2(tmp_path), "howdah-lab", "h1", "w1")
    group.create()
    directory = tmp_path / "howdah-lab/h1/w1"
    (directory / "memory.swap.max").write_text("max")

    group.limit_cpu(1.5)
    group.limit_memory(GIB)
    group.throttle("7:3", 150_000_000, None)

    assert (directory / "cpu.max").read_text() == "150000 100000"
    assert (directory / "memory.max").read_text() == str(GIB)
    assert (directory / "memory.swap.max").read_text() == "0"
    assert (directory / "io.max").read_text() == "7:3 rbps=150000000 wbps=max"
    assert group.entrances == (directory / "cgroup.procs",)


def test_version_2_hands_its_controllers_down_to_the_machine_and_not_below(tmp_path: Path) -> None:
    ControlGroup(version_2(tmp_path), "howdah-lab", "h1", "w1").create()

    for above in (tmp_path, tmp_path / "howdah-lab", tmp_path / "howdah-lab/h1"):
        assert (above / "cgroup.subtree_control").read_text().split() == ["+cpu", "+memory", "+io"]
    assert not (tmp_path / "howdah-lab/h1/w1/cgroup.subtree_control").exists()


def test_version_2_without_swap_has_no_limit_of_it(tmp_path: Path) -> None:
    group = ControlGroup(version_2(tmp_path), "howdah-lab", "h1", "w1")
    group.create()

    group.limit_memory(GIB)

    assert not (tmp_path / "howdah-lab/h1/w1/memory.swap.max").exists()


def test_version_1_limits_in_a_tree_for_each_and_disks_at_the_root(tmp_path: Path) -> None:
    group = ControlGroup(version_1(tmp_path), "howdah-lab", "h1", "w1")
    group.create()
    memory = tmp_path / "memory/howdah-lab/h1/w1"
    (memory / "memory.memsw.limit_in_bytes").write_text("9223372036854771712")

    group.limit_cpu(0.5)
    group.limit_memory(GIB)
    group.throttle("7:3", None, 20_000_000)

    cpu = tmp_path / "cpu,cpuacct/howdah-lab/h1/w1"
    assert (cpu / "cpu.cfs_quota_us").read_text() == "50000"
    assert (cpu / "cpu.cfs_period_us").read_text() == "100000"
    assert (memory / "memory.limit_in_bytes").read_text() == str(GIB)
    assert (memory / "memory.memsw.limit_in_bytes").read_text() == str(GIB)
    assert (tmp_path / "blkio/blkio.throttle.read_bps_device").read_text() == "7:3 0"
    assert (tmp_path / "blkio/blkio.throttle.write_bps_device").read_text() == "7:3 20000000"
    assert group.entrances == (
        cpu / "cgroup.procs",
        memory / "cgroup.procs",
        tmp_path / "blkio/cgroup.procs",
    )


def test_processes_are_those_in_it_and_below(tmp_path: Path) -> None:
    trees = version_1(tmp_path)
    for name in ("h1", "h2"):
        ControlGroup(trees, "howdah-lab", name).create()
    (tmp_path / "memory/howdah-lab/h1/cgroup.procs").write_text("17\n4\n")
    (tmp_path / "cpu,cpuacct/howdah-lab/h2/cgroup.procs").write_text("99\n")

    assert ControlGroup(trees, "howdah-lab").processes() == (4, 17, 99)
    assert ControlGroup(trees, "howdah-lab", "h1").processes() == (4, 17)
    assert ControlGroup(trees, "howdah-other").processes() == ()


def test_both_versions_at_once_are_told_apart_by_who_has_a_controller(tmp_path: Path) -> None:
    for name in ("unified", "memory"):
        (tmp_path / name).mkdir()
    (tmp_path / "unified/cgroup.controllers").write_text("cpu io")

    trees = find_hierarchies(
        [
            mounted(tmp_path / "unified", "cgroup2", "rw"),
            mounted(tmp_path / "memory", "cgroup", "rw", "memory"),
        ]
    )

    assert {kind: tree.version for kind, tree in trees.items()} == {
        Controller.CPU: 2,
        Controller.CPU_ACCOUNT: 2,
        Controller.IO: 2,
        Controller.MEMORY: 1,
    }


def test_a_container_s_root_with_processes_in_it_hands_down_what_it_did_before(tmp_path: Path) -> None:
    (tmp_path / "cgroup.type").write_text("domain")
    (tmp_path / "cgroup.procs").write_text("1\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory")

    assert set(version_2(tmp_path)) == {Controller.MEMORY}


def test_a_limit_without_its_controller_is_not_set(tmp_path: Path) -> None:
    group = ControlGroup(version_2(tmp_path, "memory"), "howdah-lab", "h1")
    group.create()

    group.limit_cpu(1)
    group.throttle("7:3", 1, 1)

    assert {path.name for path in (tmp_path / "howdah-lab/h1").iterdir()} == set()


def test_what_linux_does_not_take_is_named(tmp_path: Path) -> None:
    group = ControlGroup({Controller.CPU: Hierarchy(tmp_path, 2)}, "howdah-lab")

    with pytest.raises(RunFailed, match=r"howdah-lab/cpu\.max: does not accept '100000 100000'"):
        group.limit_cpu(1)
