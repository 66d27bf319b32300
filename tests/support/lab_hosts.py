"""Small laboratories to test on, and what of one this machine has."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from howdah.lab.capabilities import find_capabilities
from howdah.lab.state import MACHINES, DiskSpec, Format, HostSpec, LabSpec, MachineSpec
from howdah.units import GIB

PLANNED = Format(mkfs_options=("-d", "agcount=1"), mount_options=("noatime", "nofail"))

# Limits of loop devices that have no file behind them, which nobody would look for.
_ORPHANED_LIMITS = """
cat /sys/fs/cgroup/blkio/blkio.throttle.*_bps_device | while read -r device limit; do
    [ -e "/sys/dev/block/$device/loop/backing_file" ] || echo "$device $limit"
done"""


def lab_spec(
    directory: Path,
    *,
    virtual: bool = True,
    uplink_bits_per_s: int | None = None,
    disks: int = 0,
    disk_bytes_per_s: int | None = None,
    cpus: float | None = None,
    host_cpus: float | None = None,
    memory_bytes: int | None = None,
) -> LabSpec:
    """Two hosts with two virtual machines each, or with none; named after the process that tests."""
    machines = [
        MachineSpec(
            name=name,
            host=host,
            address=f"10.77.0.{number}",
            cpus=cpus,
            memory_bytes=memory_bytes,
            disks=tuple(
                DiskSpec(
                    mount=directory / MACHINES / name / "data" / str(disk),
                    size_bytes=GIB,
                    read_bytes_per_s=disk_bytes_per_s,
                    write_bytes_per_s=disk_bytes_per_s,
                )
                for disk in range(1, disks + 1)
            ),
        )
        for number, (host, name) in enumerate(_machines(virtual), start=1)
    ]
    return LabSpec(
        name=f"test-{os.getpid()}",
        directory=directory,
        hosts=tuple(
            HostSpec(name=host, virtual=virtual, cpus=host_cpus, uplink_bits_per_s=uplink_bits_per_s)
            for host in ("h1", "h2")
        ),
        machines=tuple(machines),
        format=PLANNED,
        kernel={"net.ipv4.tcp_retries2": 5},
    )


def names_file(spec: LabSpec) -> Path:
    """A file of the machines' names and addresses in the laboratory's directory."""
    path = spec.directory / "hosts"
    lines = (f"{machine.address} {machine.name}\n" for machine in spec.machines)
    path.write_text("127.0.0.1 localhost\n" + "".join(lines))
    return path


def traces(spec: LabSpec) -> str:
    """All that this machine shows of a laboratory, found without howdah."""
    commands = (
        f"ip netns list | grep {spec.name}",
        f"losetup --list --noheadings --output NAME,BACK-FILE | grep {spec.name}",
        f"grep {spec.directory} /proc/self/mountinfo",
        f"find /sys/fs/cgroup -type d -name 'howdah-{spec.name}*'",
        f"find {spec.directory} -name '*.img*'",
        f"grep -l --text HOWDAH_LAB={spec.name} /proc/[0-9]*/environ",
        "ip -o link | grep -E 'veth|bridge'",
        _ORPHANED_LIMITS,
    )
    script = "; ".join(f"({command}) 2>/dev/null" for command in commands)
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False).stdout


def can_build() -> bool:
    """Whether this machine has all that these laboratories need."""
    capabilities = find_capabilities()
    return not (capabilities.rates or capabilities.loops) and "xfs" in capabilities.file_systems


def _machines(virtual: bool) -> list[tuple[str, str]]:
    hosts = ("h1", "h2")
    return (
        [(host, f"{host}-w{number}") for host in hosts for number in (1, 2)]
        if virtual
        else [(host, host) for host in hosts]
    )
