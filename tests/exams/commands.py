"""The howdah command, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_HOWDAH = Path(sys.executable).with_name("howdah")
_PATIENCE_S = 600
_INTERRUPTED = 130


class Commands:
    """The command on one laboratory."""

    def __init__(self, lab: str, runs_dir: Path) -> None:
        self._lab = lab
        self._runs_dir = runs_dir

    def lab(self, what: str, *words: str) -> str:
        """``howdah lab`` to its good end; what it printed."""
        command, *rest = words
        return _run([what, command, "--name", self._lab, *rest], "lab")

    def hadoop(self, suite: str, *words: str) -> dict[str, Any]:
        """``howdah run`` on the laboratory to its good end; the record, findings and path it printed."""
        where = ("--engine", "hadoop", "--lab", self._lab, "--runs-dir", str(self._runs_dir))
        told: dict[str, Any] = json.loads(_run([suite, *where, *words, "--json"], "run"))
        return told


def _run(words: Sequence[str], command: str) -> str:
    done = subprocess.run(
        [_HOWDAH, command, *words], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
    )
    if done.returncode == _INTERRUPTED:
        raise KeyboardInterrupt
    if done.returncode != 0:
        raise RuntimeError(f"howdah {command} {' '.join(words)}: {done.stderr[-2000:]}")
    return done.stdout
