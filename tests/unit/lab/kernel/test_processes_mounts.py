"""What the kernel tells of mounts."""

from __future__ import annotations

from pathlib import Path

from howdah.lab.kernel.processes import LabMount, read_mounts

TOLD = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
99 27 7:3 / /srv/a\\040lab/machines/w1 rw,noatime shared:4 master:2 - xfs /dev/loop3 rw,inode64
"""


def test_points_devices_and_options_with_and_without_optional_fields(tmp_path: Path) -> None:
    path = tmp_path / "mountinfo"
    path.write_text(TOLD)

    assert read_mounts(path) == (
        LabMount(Path("/"), "254:0", "ext4", ("rw", "discard")),
        LabMount(Path("/sys/fs/cgroup/cpu,cpuacct"), "0:29", "cgroup", ("rw", "cpu", "cpuacct")),
        LabMount(Path("/srv/a lab/machines/w1"), "7:3", "xfs", ("rw", "inode64")),
    )


def test_this_machine_has_a_root() -> None:
    assert Path("/") in {mount.point for mount in read_mounts()}
