"""Runs the ``howdah`` command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HOWDAH = Path(sys.executable).with_name("howdah")


def howdah(*arguments: str | Path, cwd: Path, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """Run the command in ``cwd`` and return what it printed."""
    return subprocess.run(
        [HOWDAH, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env=environment(),
    )


def environment() -> dict[str, str]:
    """This environment without what would change the command's output or place."""
    return {key: value for key, value in os.environ.items() if key not in ("HOWDAH_RUNS_DIR", "COLUMNS")}


def tree(root: Path) -> set[str]:
    """Every path below ``root``."""
    return {str(path.relative_to(root)) for path in root.rglob("*")}
