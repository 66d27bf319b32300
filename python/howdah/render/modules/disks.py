"""Data disks: those that hold nothing get a file system, ours are mounted, no other is touched."""

from __future__ import annotations

import os
import re
import subprocess
from functools import partial
from glob import glob
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read, run

NO_DISK = re.compile(r"/dev/(ram|zram|sr|fd|dm-|md)")
OURS = "hadoop-data-"  # Names of the partitions that disks.sh creates.


class DiskSurvey(NamedTuple):
    """The disks of a host, as far as they matter."""

    empty: List[str]  # Those that hold nothing at all.
    made: List[int]  # The numbers of disks that disks.sh formatted and that are not mounted.
    begun: Dict[int, str]  # Those where it was stopped before there was a file system, by number.


def mount_point(number: int) -> str:
    """The mount point of a data disk, by its number."""
    return f"/data/{number:02}"


def prepare_disks(host: HostChanges, manifest: Json, devices: Optional[List[str]]) -> None:
    """Have as many data disks mounted as wanted; raises HostRefusal unless just as many are empty.

    ``devices`` are the disks of all numbers, or those of the numbers that are missing.
    """
    planned = manifest.get("disks")
    if not planned:
        return
    missing = [n for n in range(1, planned["count"] + 1) if not os.path.ismount(mount_point(n))]
    if not missing:
        return
    disks = survey()
    for number in (number for number in missing if number in disks.made):
        host.change(f"mount {mount_point(number)}", partial(remount, number))
    numbers = [number for number in missing if number not in disks.made]
    if not numbers:
        return
    # Disks of a killed run: the partition has howdah's name and is empty.
    begun = [disks.begun[number] for number in numbers if number in disks.begun]
    if devices and len(devices) == planned["count"]:
        chosen = [devices[number - 1] for number in numbers]
    else:
        chosen = devices or sorted([*disks.empty, *begun])
    if len(chosen) != len(numbers):
        listed = f" ({', '.join(chosen)})" if chosen else ""
        fix = "wipe enough disks, or name them: --disks HOST=/dev/sdb,… (howdah_disks in the inventory)"
        raise HostRefusal(f"{len(numbers)} data disks are needed, but {len(chosen)} are empty{listed}", fix)
    words = [f"{number:02}={chosen[index]}" for index, number in enumerate(numbers)]
    again = [word for word in words if os.path.realpath(word.partition("=")[2]) in begun]
    try_out(script(manifest), [word for word in words if word not in again])
    for disk in (word.partition("=")[2] for word in again):
        host.change(f"begin again with {disk}", partial(run, "wipefs", "--all", disk))
    host.change(f"disks {' '.join(words)}", lambda: run("bash", planned["script"], "--apply", *words))


def script(manifest: Json) -> str:
    """The text of the script that makes file systems."""
    path = manifest["disks"]["script"]
    return "".join(entry["content"] for entry in manifest["files"] if entry["path"] == path)


def try_out(text: str, words: List[str]) -> None:
    """Run the script with these disks without changes; raise HostRefusal with its refusal."""
    if not words:
        return
    command = ["bash", "-s", "--", *words]
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        message = (done.stderr.strip() or f"disks.sh: exit {done.returncode}").splitlines()[-1]
        fix = "name other disks: --disks HOST=/dev/sdb,… (howdah_disks in the inventory), or wipe these"
        raise HostRefusal(message.partition("disks.sh: ")[2] or message, fix)


def remount(number: int) -> None:
    """Mount a disk that /etc/fstab has."""
    Path(mount_point(number)).mkdir(parents=True, exist_ok=True)
    run("mount", mount_point(number))


def survey() -> DiskSurvey:
    """Inspect every disk of the host; an unreadable disk counts as used."""
    disks = DiskSurvey([], [], {})
    mounts, table = read("/proc/mounts") or "", read("/etc/fstab") or ""
    for path in sorted(glob("/sys/block/*")):
        disk = f"/dev/{Path(path).name}"
        if not Path(disk).exists() or NO_DISK.match(disk) or int((read(f"{path}/size") or "0").strip()) == 0:
            continue
        parts = sorted(glob(f"{path}/{Path(path).name}*/partition"))
        if not parts:
            in_use = glob(f"{path}/holders/*") or re.search(rf"^{disk} ", mounts, re.MULTILINE)
            if not in_use and not signature(disk):
                disks.empty.append(disk)
            continue
        first = signature(f"/dev/{Path(parts[0]).parent.name}")
        name = first.get("PART_ENTRY_NAME", "")
        if len(parts) == 1 and name.startswith(OURS) and name[len(OURS) :].isdigit():
            number = int(name[len(OURS) :])
            label = f"data-{number:02}"
            if first.get("LABEL") == label and f"LABEL={label} " in table:
                disks.made.append(number)
            elif "TYPE" not in first:
                disks.begun[number] = disk
    return disks


def signature(device: str) -> Dict[str, str]:
    """The contents of a device, by blkid's names: TYPE of a file system, its LABEL, a partition's name."""
    command = ["blkid", "--probe", "--output", "export", device]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 2):
        return {"TYPE": "unknown"}
    entries = (line.partition("=") for line in done.stdout.splitlines() if "=" in line)
    return {key: value for key, _, value in entries if key != "DEVNAME"}
