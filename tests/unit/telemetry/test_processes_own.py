"""What a run uses itself, and what the kernel's threads do, against files that change between ticks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.telemetry.device import LoadDevice
from howdah.telemetry.processes import (
    GroupDevice,
    KernelDevice,
    OwnCpuDevice,
    OwnDiskDevice,
    ProcessesDevice,
    RunningProcess,
    Selection,
    loose_lab,
    parsed,
)

HZ = os.sysconf("SC_CLK_TCK")
KERNEL_THREAD = 0x00200040
SPIN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def process(
    root: Path, pid: int, *, parent: int = 1, used_s: float = 0.0, ended_s: float = 0.0, flags: int = 0
) -> None:
    """A process whose name has blanks and brackets, with half of its time in the kernel."""
    used, ended = round(used_s * HZ / 2), round(ended_s * HZ / 2)
    numbers = f"{parent} 1 1 0 -1 {flags} 0 0 0 0 {used} {used} {ended} {ended} 20 0 1 0 7"
    put(root, f"proc/{pid}/stat", f"{pid} (a (b) c) S {numbers}\n")
    io = f"rchar: 1\nread_bytes: {1000 * pid}\nwrite_bytes: {500 * pid}\ncancelled_write_bytes: {100 * pid}\n"
    put(root, f"proc/{pid}/io", io)


def gone(root: Path, pid: int) -> None:
    shutil.rmtree(root / f"proc/{pid}")


def test_a_process_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    process(tmp_path, 7, parent=3, used_s=2, ended_s=4, flags=KERNEL_THREAD)
    found = parsed((tmp_path / "proc/7/stat").read_bytes())
    assert (found.pid, found.parent, found.kernel) == (7, 3, True)
    assert (found.used, found.ended) == (2 * HZ, 4 * HZ)


def test_only_the_kernels_own_threads_count(tmp_path: Path) -> None:
    process(tmp_path, 2, parent=0, used_s=10, flags=KERNEL_THREAD)
    process(tmp_path, 9, parent=2, used_s=5, flags=KERNEL_THREAD)
    process(tmp_path, 50, used_s=100)
    device = KernelDevice(tmp_path)
    device.start()
    assert dict(device.tick()) == {"kernel/cpu_s": 0}
    process(tmp_path, 9, parent=2, used_s=6, flags=KERNEL_THREAD)
    process(tmp_path, 11, parent=2, used_s=0.5, flags=KERNEL_THREAD)
    process(tmp_path, 50, used_s=200)
    assert dict(device.tick()) == {"kernel/cpu_s": pytest.approx(1.5)}
    gone(tmp_path, 9)
    assert dict(device.tick()) == {"kernel/cpu_s": pytest.approx(1.5)}


def test_a_container_that_shows_no_threads_of_the_kernel_says_nothing_of_them(tmp_path: Path) -> None:
    process(tmp_path, 1, parent=0)
    device = KernelDevice(tmp_path)
    device.start()
    assert device.tick() == []


def test_the_run_queue(tmp_path: Path) -> None:
    put(tmp_path, "proc/loadavg", "24.80 23.32 14.68 31/187 8703\n")
    device = LoadDevice(tmp_path)
    device.start()
    assert dict(device.tick()) == {"load/runnable": 31}
    device.stop()


@pytest.mark.parametrize(("with_programs", "grown_s"), [(True, 5.0), (False, 1.0)])
def test_programs_that_howdah_ran_count_once(tmp_path: Path, with_programs: bool, grown_s: float) -> None:
    process(tmp_path, 7, used_s=1)
    (tmp_path / "proc/self").symlink_to("7")
    device = OwnCpuDevice(tmp_path, with_programs=with_programs)
    device.start()
    device.tick()
    process(tmp_path, 7, used_s=2, ended_s=4)
    assert dict(device.tick()) == {"own/howdah/cpu_s": pytest.approx(grown_s)}
    device.stop()


def test_what_was_written_and_taken_back_did_not_reach_a_disk(tmp_path: Path) -> None:
    process(tmp_path, 7)
    (tmp_path / "proc/self").symlink_to("7")
    device = OwnDiskDevice(tmp_path)
    device.start()
    device.tick()
    put(tmp_path, "proc/7/io", "read_bytes: 8000\nwrite_bytes: 9500\ncancelled_write_bytes: 1700\n")
    assert dict(device.tick()) == {"own/howdah/read_bytes": 1000, "own/howdah/written_bytes": 5000}
    device.stop()


@pytest.mark.parametrize("version", [1, 2])
def test_a_laboratorys_group_and_its_disks(tmp_path: Path, version: int) -> None:
    groups = {"cpu": tmp_path / "cpu", "cpuacct": tmp_path / ("cpuacct" if version == 1 else "cpu")}

    def use(seconds: int) -> None:
        put(tmp_path, "cpuacct/cpuacct.usage", f"{seconds * 10**9}\n")
        put(tmp_path, "cpu/cpu.stat", f"usage_usec {seconds * 10**6}\nuser_usec 1\n")

    use(3)
    for loop in ("loop1", "loop2"):
        put(tmp_path, f"sys/class/block/{loop}/stat", "1 0 8 5 2 0 16 9 0 100 14\n")
    device = GroupDevice(groups, ("loop1", "loop2"), tmp_path)
    device.start()
    device.tick()
    use(5)
    put(tmp_path, "sys/class/block/loop1/stat", "1 0 18 5 2 0 36 9 0 100 14\n")
    put(tmp_path, "sys/class/block/loop2/stat", "1 0 10 5 2 0 16 9 0 100 14\n")
    assert dict(device.tick()) == {
        "own/lab/cpu_s": pytest.approx(2.0),
        "own/lab/read_bytes": 12 * 512,
        "own/lab/written_bytes": 20 * 512,
    }
    device.stop()


class Lab:
    """A laboratory of loose processes: one daemon, 100, and what it starts; 50 is a stranger."""

    def __init__(self, root: Path) -> None:
        self.root = root
        process(root, 50, used_s=7)
        process(root, 100, used_s=1)
        self.device = ProcessesDevice(lambda pid: pid == 100, root)
        self.device.start()
        self.tick()

    def tick(self) -> float:
        return dict(self.device.tick())["own/lab/cpu_s"]


def test_what_a_daemon_starts_counts_and_strangers_do_not(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    process(tmp_path, 50, used_s=9)
    process(tmp_path, 101, parent=100, used_s=2)
    process(tmp_path, 102, parent=101, used_s=3)
    assert lab.tick() == pytest.approx(5.0)


def test_a_task_that_ended_counts_once(tmp_path: Path) -> None:
    """The kernel adds what a process had to the parent that waited for it."""
    lab = Lab(tmp_path)
    process(tmp_path, 101, parent=100, used_s=2)
    assert lab.tick() == pytest.approx(2.0)
    gone(tmp_path, 101)
    process(tmp_path, 100, used_s=1, ended_s=2.5)
    assert lab.tick() == pytest.approx(2.5)


def test_what_a_daemon_had_that_was_killed_is_not_lost(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    process(tmp_path, 100, used_s=4, ended_s=6)
    assert lab.tick() == pytest.approx(9.0)
    gone(tmp_path, 100)
    assert lab.tick() == pytest.approx(9.0)


def test_a_process_of_this_machine_is_followed_to_its_end() -> None:
    """With the kernel itself: a child's time is there while it runs, or once it was waited for."""
    (device,) = loose_lab(lambda pid: False)
    device.start()
    before = dict(device.tick())["own/lab/cpu_s"]
    subprocess.run([sys.executable, "-c", SPIN], check=True)
    assert dict(device.tick())["own/lab/cpu_s"] - before >= 0.28
    device.stop()


def test_strangers_are_looked_at_once(tmp_path: Path) -> None:
    asked: list[int] = []

    def wanted(each: RunningProcess) -> bool:
        asked.append(each.pid)
        return False

    process(tmp_path, 50)
    selection = Selection(wanted, tmp_path / "proc")
    for _ in range(3):
        assert selection.read() == {}
    assert asked == [50]
