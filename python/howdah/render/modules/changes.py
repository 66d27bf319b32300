"""What is done to a host, or would be: changes are noted, and made unless only to look."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

Json = Dict[str, Any]
"""What a manifest, or the arguments of a module, hold."""


class HostRefusal(Exception):
    """Something that only a person can decide or mend."""


class HostChanges:
    """The changes to one host."""

    def __init__(self, check: bool) -> None:
        self.check = check
        self.changes: List[str] = []
        self.diffs: List[Dict[str, str]] = []
        self.notes: List[str] = []

    def change(
        self, what: str, act: Optional[Callable[[], Any]] = None, before: str = "", after: str = ""
    ) -> None:
        """Note a change, and make it unless only to look."""
        self.changes.append(what)
        if before or after:
            self.diffs.append({"before_header": what, "after_header": what, "before": before, "after": after})
        if not self.check and act is not None:
            act()


def run(*command: str, cwd: Optional[str] = None) -> str:
    """What a command says; raises HostRefusal with the end of it if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=cwd, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise HostRefusal(f"{' '.join(command)}: " + (" / ".join(said[-3:]) or f"exit {done.returncode}"))
    return done.stdout


def read(path: str) -> Optional[str]:
    """A file's text; None if there is none."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None


def write(path: str, content: str, mode: int) -> None:
    """Write a file that is whole at every moment."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    staging = f"{path}.howdah-new"
    with open(staging, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(staging).chmod(mode)
    Path(staging).replace(path)
