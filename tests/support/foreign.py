"""A Hadoop cluster that somebody else started, by a script that shares nothing with howdah."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from support.daemons import LIB
from support.patience import PATIENCE_S
from support.ports import free_range

SCRIPT = Path(__file__).parents[1] / "foreign/hadoop.sh"
_PORTS = 31


class Foreign(NamedTuple):
    """A cluster that runs, as its users know it."""

    client: Path
    """HADOOP_CONF_DIR of clients."""
    directory: Path
    """Where it lives."""

    def stop(self, daemon: str) -> None:
        """End one of its daemons, as its administrator would."""
        pid = (self.directory / f"{daemon}.pid").read_text().strip()
        subprocess.run(["kill", pid], check=True)

    def hdfs(self, *arguments: str) -> str:
        """What Hadoop's own file system shell prints."""
        shell = ["java", "-cp", f"{self.client}:{LIB}/*", "org.apache.hadoop.fs.FsShell", *arguments]
        done = subprocess.run(shell, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout


@contextmanager
def foreign_cluster(directory: Path) -> Iterator[Foreign]:
    """Start a cluster, and stop it at the end."""
    start = [str(SCRIPT), "start", str(directory), str(LIB), str(free_range(_PORTS))]
    try:
        done = subprocess.run(start, capture_output=True, text=True, timeout=180, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        yield Foreign(directory / "client", directory)
    finally:
        subprocess.run([str(SCRIPT), "stop", str(directory)], check=True, timeout=PATIENCE_S)
