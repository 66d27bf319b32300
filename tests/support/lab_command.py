"""A laboratory of a name of its own, and how it is spoken to."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from howdah.model.tables import RunData
from howdah.store.reader import read_run
from support.command import HOWDAH, environment
from support.daemons import LIB

CACHE = LIB.parents[2]


class Lab:
    """``howdah lab`` and ``howdah run`` with its name and its directory."""

    def __init__(self, folder: Path, name: str, prefix: Sequence[str] = ()) -> None:
        self.folder = folder
        self.name = name
        self.directory = folder / "lab"
        self._prefix = prefix

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Begin ``howdah lab``."""
        command, *rest = words
        return subprocess.Popen(
            [*self._prefix, HOWDAH, "lab", command, "--name", self.name, *rest],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment(),
        )

    def try_to(self, *words: str, timeout_s: float = 1200) -> subprocess.CompletedProcess[str]:
        """Run ``howdah lab`` to its end, whichever that is."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=timeout_s)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def do(self, *words: str) -> str:
        """Run ``howdah lab`` to a good end, and return what it printed."""
        done = self.try_to(*words)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def up(self, plan: Path) -> str:
        """Bring it up."""
        return self.do("up", str(plan), "--dir", str(self.directory))

    def status(self) -> dict[str, Any]:
        """What ``status --json`` prints, whatever it thinks of it."""
        found: dict[str, Any] = json.loads(self.try_to("status", "--json").stdout)
        return found

    def try_to_run(self, *words: str, engine: str = "hadoop") -> subprocess.CompletedProcess[str]:
        """Run programs on it to their end, whichever that is."""
        return subprocess.run(
            [*self._prefix, HOWDAH, "run", *words, "--engine", engine, "--lab", self.name, "--json"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env=self._environment(),
            check=False,
        )

    def run(self, *words: str) -> dict[str, Any]:
        """Run programs on it to a good end; the record and findings that they leave."""
        done = self.try_to_run(*words)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def last_run(self) -> RunData:
        """What was recorded of the newest run."""
        runs = map(read_run, (self.folder / "runs").glob("2*"))
        # Names tell the minute alone.
        return max(runs, key=lambda run: run.record.created)

    def on(self, machine: str, *words: str) -> str:
        """Run a command on a machine."""
        return self.do("ssh", machine, "--", *words)

    def _environment(self) -> dict[str, str]:
        return {**environment(), "HOWDAH_CACHE": str(CACHE)}
