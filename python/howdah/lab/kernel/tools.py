"""The programs of Linux that a laboratory is built with: ip, tc, losetup, mkfs, mount."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from howdah.errors import RunFailed, UserError
from howdah.lab.registry import VARIABLE

_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "losetup": "util-linux",
    "mkfs.xfs": "xfsprogs",
    "mkfs.ext4": "e2fsprogs",
}


def run(lab: str, *command: str, text: str = "", folder: Path = Path("/")) -> str:
    """Run a program to its end, with ``text`` as its input, and return what it printed.

    It carries the laboratory's name in its environment: should howdah be killed while it runs, removing
    the laboratory finds it and ends it. Raises UserError if it is not installed, RunFailed if it fails.
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
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise RunFailed(" ".join(command[:6]), said[:500])
    return done.stdout
