"""Data disks: those that hold nothing get a file system, ours are mounted, no other is touched."""

from __future__ import annotations

import os
import re
import subprocess
from glob import glob
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read, run

NO_DISK = re.compile(r"/dev/(ram|zram|sr|fd|dm-|md)")
OURS = "hadoop-data-"
"""How the partitions that disks.sh makes are called."""


class DiskSurvey(NamedTuple):
    """The disks of a host, as far as they matter."""

    empty: List[str]
    """Those that hold nothing at all."""
    made: List[int]
    """The numbers of those that disks.sh made and nobody mounted."""
    begun: Dict[int, str]
    """Those where it was stopped before there was a file system, by number."""


def mount_point(number: int) -> str:
    """Where the data disk of a number belongs."""
    return f"/data/{number:02}"


def prepare_disks(host: HostChanges, manifest: Json, given: Optional[List[str]]) -> None:
    """Have as many data disks mounted as wanted; raises HostRefusal unless just as many are empty."""
    wanted = manifest.get("disks")
    if not wanted:
        return
    missing = [n for n in range(1, wanted["count"] + 1) if not os.path.ismount(mount_point(n))]
    if not missing:
        return
    found = survey()
    for number in [number for number in missing if number in found.made]:
        host.change(f"mount {mount_point(number)}", lambda number=number: remount(number))  # type: ignore[misc]
    left = [number for number in missing if number not in found.made]
    # A run that was killed had begun with these: the partition bears our name, and holds nothing.
    again = [found.begun[number] for number in left if number in found.begun]
    for disk in again:
        host.change(f"begin again with {disk}", lambda disk=disk: run("wipefs", "--all", disk))  # type: ignore[misc]
    chosen = given or sorted([*found.empty, *again])
    if not left:
        return
    if len(chosen) != len(left):
        there = f" ({', '.join(chosen)})" if chosen else ""
        raise HostRefusal(
            f"{len(left)} data disks are needed and {len(chosen)} hold nothing{there}",
            "wipe as many, or name them: --disks HOST=/dev/sdb,… (howdah_disks in the inventory)",
        )
    words = [f"{number:02}={chosen[index]}" for index, number in enumerate(left)]
    host.change(f"disks {' '.join(words)}", lambda: run("bash", wanted["script"], "--apply", *words))


def remount(number: int) -> None:
    """Mount a disk that /etc/fstab has."""
    Path(mount_point(number)).mkdir(parents=True, exist_ok=True)
    run("mount", mount_point(number))


def survey() -> DiskSurvey:
    """Look at every disk of the host; what cannot be read counts as holding something."""
    found = DiskSurvey([], [], {})
    mounts, table = read("/proc/mounts") or "", read("/etc/fstab") or ""
    for path in sorted(glob("/sys/block/*")):
        disk = f"/dev/{Path(path).name}"
        if not Path(disk).exists() or NO_DISK.match(disk) or int((read(f"{path}/size") or "0").strip()) == 0:
            continue
        parts = sorted(glob(f"{path}/{Path(path).name}*/partition"))
        if not parts:
            in_use = glob(f"{path}/holders/*") or re.search(rf"^{disk} ", mounts, re.MULTILINE)
            if not in_use and not signature(disk):
                found.empty.append(disk)
            continue
        first = signature(f"/dev/{Path(parts[0]).parent.name}")
        name = first.get("PART_ENTRY_NAME", "")
        if len(parts) == 1 and name.startswith(OURS) and name[len(OURS) :].isdigit():
            number = int(name[len(OURS) :])
            label = f"data-{number:02}"
            if first.get("LABEL") == label and f"LABEL={label} " in table:
                found.made.append(number)
            elif "TYPE" not in first:
                found.begun[number] = disk
    return found


def signature(device: str) -> Dict[str, str]:
    """What a device holds, by blkid's names: TYPE of a file system, its LABEL, a partition's name."""
    command = ["blkid", "--probe", "--output", "export", device]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 2):
        return {"TYPE": "unknown"}
    entries = (line.partition("=") for line in done.stdout.splitlines() if "=" in line)
    return {key: value for key, _, value in entries if key != "DEVNAME"}
