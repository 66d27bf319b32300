"""The probe on the machine the tests run on."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from howdah.model.host import FileSystem, XfsGeometry
from howdah.probe import host_line, probe_host
from howdah.probe.tree import LiveInquiry


def test_this_machine_agrees_with_others_who_looked() -> None:
    host = probe_host()
    assert host.name == socket.gethostname()
    assert host.cpu.threads == psutil.cpu_count(logical=True)
    assert host.cpu.architecture == os.uname().machine
    assert host.software.kernel == os.uname().release
    assert host.memory.total_bytes == psutil.virtual_memory().total
    assert host.usable_cpus <= len(os.sched_getaffinity(0))
    here = host.mount_of(Path(__file__).resolve())
    assert here is not None
    if isinstance(here, FileSystem):
        assert here.size_bytes == psutil.disk_usage(here.mount).total
    assert host_line(host, [Path.cwd()]).count(" · ") == 2


def test_the_probe_is_quick_enough_to_run_every_time() -> None:
    cpu_before = psutil.Process().cpu_times()
    probe_host()
    cpu_after = psutil.Process().cpu_times()
    # CPU time rather than elapsed time, so that a busy machine does not fail the test.
    assert cpu_after.user + cpu_after.system - cpu_before.user - cpu_before.system < 0.5


def test_a_program_that_hangs_is_given_up() -> None:
    inquiry = LiveInquiry(timeout_s=0.1)
    with pytest.raises(TimeoutError, match=r"no answer within 0\.1 s"):
        inquiry.command("sleep", "60")


@pytest.fixture
def xfs_mount(tmp_path: Path) -> Iterator[Path]:
    """An XFS of three allocation groups on a loop device, unmounted whatever happens."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    if shutil.which("mkfs.xfs") is None:
        pytest.skip("mkfs.xfs is not installed (package xfsprogs)")
    image, mount = tmp_path / "image", tmp_path / "mount"
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(400 * 2**20)
    subprocess.run(["mkfs.xfs", "-q", "-d", "agcount=3", image], check=True)
    subprocess.run(["mount", "-o", "loop,noatime", image, mount], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", mount], check=True)
        image.unlink()


def test_a_real_xfs(xfs_mount: Path) -> None:
    host = probe_host()
    found = host.mount_of(xfs_mount / "file")
    assert isinstance(found, FileSystem)
    assert (found.mount, found.kind) == (str(xfs_mount), "xfs")
    assert "noatime" in found.options
    loop = next(disk for disk in host.disks if disk.name == found.disk)
    assert (loop.kind, loop.size_bytes) == ("loop", 400 * 2**20)
    # xfs_info prints blocks: agcount=3, agsize=34134 blks of bsize=4096.
    info = subprocess.run(["xfs_info", xfs_mount], capture_output=True, text=True, check=True).stdout
    assert "agcount=3," in info
    agsize = int(info.split("agsize=")[1].split()[0]) * int(info.split("bsize=")[1].split()[0])
    assert found.xfs == XfsGeometry(agcount=3, agsize_bytes=agsize)


def test_the_xfs_question_to_another_file_system_fails() -> None:
    with pytest.raises(OSError, match=r"Inappropriate ioctl|Not a tty"):
        LiveInquiry().xfs("/proc")


def test_limits_are_those_python_sees() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    expected = "unlimited" if soft == resource.RLIM_INFINITY else soft
    assert probe_host().limits.open_files == expected


def test_the_clock_answers_without_being_changed() -> None:
    assert probe_host().software.clock_synchronised in {True, False}


def test_root_keeps_what_the_file_system_reserves() -> None:
    host = probe_host()
    assert all(one.reserved_bytes is not None and one.reserved_bytes >= 0 for one in host.file_systems)
