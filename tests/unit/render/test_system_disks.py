"""disks.sh, run on real block devices where there are some: it refuses what holds anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.model.plan import Setting
from howdah.render.cluster import render
from support.plans import kind, plan, setting

SIZE = 64 * 2**20


def _script(*settings: Setting, per_host: int = 10) -> str:
    of = plan(*settings, kinds=[kind(per_host=per_host)], places=["worker"] * per_host)
    return next(file.content for file in render(of).files if file.path == "os/disks.sh")


SETTINGS = (
    setting("fs.type", "xfs", "disks"),
    setting("mkfs.options", "-d agcount=2", "disks"),
    setting("mount.options", ("noatime", "nodiratime"), "disks"),
    setting("partition.start", 8 * 2**20, "disks"),
)


def _run(folder: Path, *arguments: str | Path, script: str = "") -> subprocess.CompletedProcess[str]:
    path = folder / "disks.sh"
    path.write_text(script or _script(*SETTINGS))
    return subprocess.run(["bash", path, *arguments], capture_output=True, text=True, check=False, timeout=30)


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[list[str]]:
    """Two empty block devices."""
    if os.geteuid() != 0:
        pytest.skip("only root may make block devices")
    made: list[str] = []
    try:
        for number in range(2):
            image = tmp_path / f"disk-{number}"
            with image.open("wb") as file:
                file.truncate(SIZE)
            done = subprocess.run(
                ["losetup", "--find", "--show", image], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                pytest.skip(f"this machine makes no loop devices: {done.stderr.strip()}")
            made.append(done.stdout.strip())
        yield made
    finally:
        for device in made:
            subprocess.run(["losetup", "--detach", device], check=True)


def _content(device: str) -> bytes:
    return Path(device).read_bytes()


def test_without_apply_the_steps_are_shown_and_nothing_is_done(tmp_path: Path, devices: list[str]) -> None:
    done = _run(tmp_path, *devices)
    assert done.returncode == 0, done.stderr
    first, second = devices
    lines = done.stdout.splitlines()
    assert f"parted --script -- {first} mklabel gpt mkpart hadoop-data-01 xfs 8MiB 100% " in lines
    assert f"mkfs.xfs -d agcount=2 -L data-02 {second}p1 " in lines
    assert "echo LABEL=data-02\\ /data/02\\ xfs\\ noatime\\,nodiratime\\ 0\\ 0 >> /etc/fstab" in lines
    assert "nothing was done" in lines[-1]
    assert not any(_content(device).strip(b"\0") for device in devices)


def test_one_disk_takes_another_ones_place(tmp_path: Path, devices: list[str]) -> None:
    done = _run(tmp_path, f"02={devices[0]}")
    assert done.returncode == 0, done.stderr
    assert f"mkfs.xfs -d agcount=2 -L data-02 {devices[0]}p1 " in done.stdout.splitlines()
    assert "data-01" not in done.stdout


@pytest.mark.parametrize(
    ("forms", "complaint"),
    [
        (["03={0}"], "there is no data disk 03"),
        (["00={0}"], "there is no data disk 00"),
        (["01={0}", "01={1}"], "the number 01 is given twice"),
        (["01={0}", "{1}"], "has no number"),
    ],
)
def test_a_place_that_is_not_there_is_refused(
    tmp_path: Path, devices: list[str], forms: list[str], complaint: str
) -> None:
    done = _run(tmp_path, "--apply", *(form.format(*devices) for form in forms))
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert not any(_content(device).strip(b"\0") for device in devices)


@pytest.mark.parametrize("apply", [[], ["--apply"]])
def test_a_disk_with_a_file_system_is_refused_and_no_disk_is_touched(
    tmp_path: Path, devices: list[str], apply: list[str]
) -> None:
    subprocess.run(["mkfs.ext4", "-q", devices[1]], check=True)
    before = _content(devices[1])
    done = _run(tmp_path, *apply, *devices)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{devices[1]} holds data: ext4" in done.stderr
    assert not _content(devices[0]).strip(b"\0")
    assert _content(devices[1]) == before


def test_a_disk_that_is_mounted_is_refused(tmp_path: Path, devices: list[str]) -> None:
    subprocess.run(["mkfs.ext4", "-q", devices[0]], check=True)
    (tmp_path / "mounted").mkdir()
    subprocess.run(["mount", devices[0], tmp_path / "mounted"], check=True)
    try:
        done = _run(tmp_path, "--apply", *devices)
    finally:
        subprocess.run(["umount", tmp_path / "mounted"], check=True)
    assert done.returncode == 2
    assert "is mounted" in done.stderr


def test_a_disk_named_twice_is_refused(tmp_path: Path, devices: list[str]) -> None:
    done = _run(tmp_path, devices[0], devices[0])
    assert done.returncode == 2
    assert "is named twice" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "name the data disks"),
        (["--apply"], "name the data disks"),
        (["/dev/null"], "1 devices are named, but the plan gives a worker 2 data disks"),
        (["/dev/null", "/dev/zero"], "/dev/null is not a block device"),
        (["/etc/passwd", "/dev/zero"], "/etc/passwd is not a path below /dev"),
        (["/dev/$(touch {trap})", "/dev/zero"], "does not exist"),
        (["-rf", "/dev/zero"], "-rf is not a path below /dev"),
    ],
)
def test_what_is_no_disk_is_refused(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    trap = tmp_path / "trap"
    done = _run(tmp_path, *(argument.format(trap=trap) for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert not trap.exists()


@pytest.mark.parametrize("options", ["-d $(touch /tmp/x)", "'; rm -rf / #", "`id`", "-L 'a b'"])
def test_options_never_become_commands(tmp_path: Path, options: str) -> None:
    try:
        script = _script(setting("mkfs.options", options, "disks", reason="$(id)\n`id`"))
    except UserError as error:
        assert "cannot be split" in str(error)  # noqa: PT017
        return
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    line = next(line for line in script.splitlines() if line.startswith("make_file_system="))
    done = subprocess.run(
        ["bash", "-c", f'{line}; printf "%s|" "${{make_file_system[@]}}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "uid=" not in done.stdout
    assert done.stdout.startswith("mkfs.xfs|")


def test_mount_options_are_one_word() -> None:
    with pytest.raises(UserError, match="single word"):
        _script(setting("mount.options", "noatime 0 0", "disks"))


def test_a_file_system_nobody_plans_is_refused() -> None:
    with pytest.raises(UserError, match="howdah cannot create"):
        _script(setting("fs.type", "ntfs", "disks"))


def test_the_disks_own_partitions_are_scheduled_and_no_others() -> None:
    of = plan(*SETTINGS, setting("queue.scheduler", "none", "disks"))
    rules = next(file.content for file in render(of).files if file.path == "os/udev/90-howdah-disks.rules")
    assert 'ENV{ID_PART_ENTRY_NAME}=="hadoop-data-*", ATTR{../queue/scheduler}="none"' in rules
