"""A host described over ssh: its own files are read there by a small program, and understood here.

Nothing is installed on the host, and nothing is left there; it needs Python 3. Nothing is measured so.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howdah.errors import UserError
from howdah.files import scratch_folder
from howdah.model.host import Host
from howdah.model.hostname import is_hostname
from howdah.probe.host import probe_host
from howdah.probe.tree import Answer, Inquiry, Space

_PATIENCE_S = 120
_PROGRAM = Path(__file__).with_name("recorder.py")


class RemoteInquiry(Inquiry):
    """Answers as the host gave them when its files were read."""

    why = "was not queried over ssh"

    def __init__(self, recorded: Mapping[str, Any]) -> None:
        self._recorded = recorded

    def space(self, mount: str) -> Space:
        space = self._recorded["spaces"].get(mount)
        return super().space(mount) if space is None else Space(*space)

    def clock_synchronised(self) -> bool:
        answer = self._recorded["clock_synchronised"]
        return super().clock_synchronised() if answer is None else bool(answer)

    def command(self, *words: str) -> Answer:
        answer = self._recorded["commands"].get(" ".join(words))
        if answer is None:
            raise FileNotFoundError(None, "does not exist", words[0])
        return Answer(*answer)


def probe_remote(name: str, ssh_config: Path | None) -> Host:
    """Describe a host that ssh reaches; raises UserError where it is not to be had."""
    if not is_hostname(name):
        raise UserError(f"--ssh {name}", "is not a host name", "letters, digits, hyphens and dots")
    own = ["-F", str(ssh_config)] if ssh_config else []
    words = ["ssh", *own, "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    try:
        done = subprocess.run(
            [*words, name, "python3", "-"],
            input=_PROGRAM.read_bytes(),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise UserError("ssh", "is not on this machine's PATH", "apt-get install openssh-client") from error
    except subprocess.TimeoutExpired as error:
        problem = f"did not answer within {_PATIENCE_S} s"
        raise UserError(f"--ssh {name}", problem, "check its load") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        complaint = lines[-1] if lines else f"ssh ended with {done.returncode}"
        fix = f"check that `ssh {name} true` succeeds without a prompt"
        raise UserError(
            f"--ssh {name}", complaint, "install Python 3 on it" if "python3" in complaint else fix
        )
    recorded = json.loads(done.stdout)
    with scratch_folder("probe") as folder:
        lay_out(recorded, folder)
        return probe_host(folder, RemoteInquiry(recorded))


def lay_out(recorded: Mapping[str, Any], root: Path) -> None:
    """Lay out what was read as files below a folder; no path leads out of it."""

    def inside(path: str) -> Path:
        target = root.joinpath(*(part for part in path.split("/") if part not in ("", ".", "..")))
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    for path in recorded["folders"]:
        inside(path).mkdir(parents=True, exist_ok=True)
    for path, text in recorded["files"].items():
        inside(path).write_text(text, errors="surrogateescape")
    for path, destination in recorded["links"].items():
        link = inside(path)
        if not link.exists() and not link.is_symlink() and not destination.startswith("/"):
            link.symlink_to(destination)
