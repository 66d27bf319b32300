"""What a laboratory leaves, looked for without howdah's own eyes: nothing of these may be left."""

from __future__ import annotations

import os
from pathlib import Path


def traces(name: str, directory: Path) -> list[str]:
    """All on this machine that has a laboratory's name or lies in its directory."""
    return sorted(
        {
            *_named(Path("/run/netns"), f"howdah-{name}_"),
            *_groups(name),
            *_loops(name),
            *_mounts(directory),
            *_processes(name, directory),
            *_registered(name),
            *([str(directory)] if directory.exists() else []),
        }
    )


def temporary_files() -> set[str]:
    """What programs of Java leave in /tmp: natives they unpack, counters they share."""
    patterns = ("libleveldbjni*", "hsperfdata_*/*", "hadoop-*", "Jetty_*", "jetty-*")
    return {str(path) for pattern in patterns for path in Path("/tmp").glob(pattern)}


def _named(folder: Path, prefix: str) -> list[str]:
    return [str(path) for path in folder.glob(f"{prefix}*")]


def _groups(name: str) -> list[str]:
    return [str(path) for path in Path("/sys/fs/cgroup").glob(f"**/howdah-{name}")]


def _loops(name: str) -> list[str]:
    files = Path("/sys/block").glob("loop*/loop/backing_file")
    return [found for file in files if f"/howdah-{name}_" in (found := file.read_text())]


def _mounts(directory: Path) -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if f" {directory}/" in line]


def _processes(name: str, directory: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            marked = f"HOWDAH_LAB={name}".encode() in (entry / "environ").read_bytes()
            works = (entry / "cwd").readlink().is_relative_to(directory)
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marked or works:
            found.append(f"{entry.name} {command[:100]}")
    return found


def _registered(name: str) -> list[str]:
    folders = [Path("/run/howdah"), *Path("/tmp").glob("howdah-*"), *Path("/run/user").glob("*/howdah")]
    return [str(path) for folder in folders for path in folder.glob(f"{name}.*")]
