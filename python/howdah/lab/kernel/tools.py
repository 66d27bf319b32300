"""Linux programs that build a lab, and the list of mounts."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RunFailed, UserError
from howdah.lab.registry import VARIABLE

_ESCAPED = re.compile(r"\\([0-7]{3})")


class LabMount(NamedTuple):
    """One mount."""

    point: Path
    device: str
    """The device's numbers, ``7:0``."""
    kind: str
    """The file system's kind."""
    options: tuple[str, ...]
    """The file system's own options; of version 1 control groups, the controllers."""


def read_mounts(path: Path = Path("/proc/self/mountinfo")) -> tuple[LabMount, ...]:
    """Every mount, in the order in which they were made."""
    return tuple(_parse(line) for line in path.read_text().splitlines())


def _parse(line: str) -> LabMount:
    before, after = line.split(" - ", 1)
    fields, (kind, _, options) = before.split(" "), after.split(" ", 2)
    return LabMount(Path(_ESCAPED.sub(_character, fields[4])), fields[2], kind, tuple(options.split(",")))


def _character(escaped: re.Match[str]) -> str:
    return chr(int(escaped[1], 8))


_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "losetup": "util-linux",
    "mkfs.xfs": "xfsprogs",
    "mkfs.ext4": "e2fsprogs",
}


def run(lab: str, *command: str, text: str = "", folder: Path = Path("/")) -> str:
    """Run a program with ``text`` as its input and return its output.

    Its environment has the lab's name, so that ``howdah lab down`` finds and ends it if howdah was killed.
    Raises UserError if it is not installed, RunFailed if it fails.
    """
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            cwd=folder,
            env={**os.environ, VARIABLE: lab, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        package = _PACKAGES.get(command[0], "util-linux")
        raise UserError(
            command[0], "is not installed", f"install {package}, and add it to the PATH"
        ) from error
    if done.returncode != 0:
        message = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise RunFailed(" ".join(command[:6]), message[:500])
    return done.stdout
