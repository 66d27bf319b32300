"""Runs on the host that is probed: prints the files, links and answers that a probe reads, as JSON."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
from glob import glob
from typing import Dict, List, Optional, Tuple

TIME_ERROR = 5
MOST = 262_144  # Bytes of one file.
PATTERNS = (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/self/mountinfo", "/proc/self/status",
    "/proc/self/limits", "/proc/self/cgroup", "/etc/hosts", "/proc/sys/net/ipv4/conf/all/arp_filter",
    "/proc/sys/kernel/hostname", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/arch",
    "/proc/sys/vm/*", "/proc/sys/net/core/*", "/proc/sys/net/ipv4/tcp_*",
    "/proc/sys/net/ipv4/ip_local_port_range", "/proc/xen/capabilities",
    "/etc/os-release", "/usr/lib/os-release", "/run/.containerenv", "/.dockerenv",
    "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name", "/sys/hypervisor/type",
    "/sys/devices/system/clocksource/clocksource0/*", "/sys/kernel/mm/transparent_hugepage/*",
    "/sys/devices/system/cpu/*", "/sys/devices/system/cpu/smt/*",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/*", "/sys/devices/system/cpu/cpu[0-9]*/cache/index*/*",
    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/*", "/sys/devices/system/cpu/intel_pstate/*",
    "/sys/devices/system/cpu/cpufreq/*",
    "/sys/devices/system/node/*", "/sys/devices/system/node/node[0-9]*/*",
    "/sys/block/*/*", "/sys/block/*/queue/*", "/sys/block/*/device/*", "/sys/block/*/*/start",
    "/sys/block/*/*/size", "/sys/block/*/*/partition", "/sys/block/*/slaves/*",
    "/sys/class/block/*", "/sys/class/block/*/slaves/*", "/sys/dev/block/*",
    "/sys/class/net/*/*", "/sys/class/net/*/bonding/*", "/sys/class/net/*/queues/*",
    "/sys/class/net/*/device/*",
)  # fmt: skip
COMMANDS = (
    ("uname", "-m"),
    ("java", "-version"),
    ("systemd-detect-virt", "--vm"),
    ("systemd-detect-virt", "--container"),
)
FILES: Dict[str, str] = {}
LINKS: Dict[str, str] = {}
FOLDERS: Dict[str, None] = {}


def real(path: str) -> str:
    """Where a path leads, with every link on the way noted; /proc/self is taken for a folder."""
    done = ""
    parts = [part for part in path.split("/") if part]
    while parts:
        part = parts.pop(0)
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        step = done + "/" + part
        if os.path.islink(step) and step != "/proc/self":
            target = os.readlink(step)
            LINKS[step] = os.path.relpath(target, done or "/") if target.startswith("/") else target
            parts = [name for name in target.split("/") if name and name != "."] + parts
            done = "" if target.startswith("/") else done
        else:
            done = step
    return done


def clock_synchronised() -> Optional[bool]:
    """Whether the kernel's clock is kept in step; adjtimex, asked for nothing, says TIME_ERROR if not."""
    state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(512))
    return None if state < 0 else state != TIME_ERROR


def keep(path: str) -> None:
    """Note a file with its text, or a folder."""
    place = real(path)
    if os.path.isdir(place):
        FOLDERS[place] = None
        return
    try:
        with open(place, "rb") as file:
            FILES[place] = file.read(MOST).decode(errors="replace")
    except OSError:
        return


def spaces() -> Dict[str, List[int]]:
    """The room in every file system on a device."""
    free_space: Dict[str, List[int]] = {}
    for line in FILES.get("/proc/self/mountinfo", "").splitlines():
        mount = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), line.split()[4])
        try:
            status = os.statvfs(mount)
        except OSError:
            continue
        unit = status.f_frsize
        free = status.f_bavail * unit
        free_space[mount] = [status.f_blocks * unit, free, unit, (status.f_bfree - status.f_bavail) * unit]
    return free_space


def answer_of(words: Tuple[str, ...]) -> Optional[List[object]]:
    """What a program prints, and what it ends with; None if it is not there."""
    try:
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=5, env={**os.environ, "LC_ALL": "C"},
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return [done.stdout.decode(errors="replace"), done.returncode]


def main() -> None:
    """Read everything and print it."""
    for pattern in PATTERNS:
        for path in sorted(glob(pattern)):
            keep(path)
    # A link of the kernel's own, which leads to no file.
    LINKS["/proc/self/ns/pid"] = os.readlink("/proc/self/ns/pid")
    commands = {" ".join(words): answer for words in COMMANDS if (answer := answer_of(words)) is not None}
    recorded = {
        "files": FILES,
        "links": LINKS,
        "folders": list(FOLDERS),
        "spaces": spaces(),
        "commands": commands,
        "clock_synchronised": clock_synchronised(),
    }
    print(json.dumps(recorded))


if __name__ == "__main__":
    main()
